//! The user that a service runs as: `name`, `uid`, `name:group` or `uid:gid`, from `/etc/passwd` and `/etc/group`.

use crate::error::HostError;
use crate::system::System;

/// A resolved user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    /// Supplementary groups.
    pub(crate) groups: Vec<u32>,
    pub(crate) home: Option<String>,
}

impl Account {
    /// Looks a user up. `None` where galo runs as that user already.
    pub(crate) fn find(system: &System, user: &str) -> Result<Option<Self>, HostError> {
        let account = Self::read(system, user)?;
        if crate::system::is_root() {
            return Ok(Some(account));
        }
        if account.uid == rustix::process::geteuid().as_raw() {
            return Ok(None);
        }
        Err(HostError::host(format!(
            "it wants to run as user `{user}`, which only root may give\nhint: sudo galo ..., or leave out `user:`"
        )))
    }

    fn read(system: &System, user: &str) -> Result<Self, HostError> {
        let passwd = system.read("/etc/passwd").unwrap_or_default();
        let group = system.read("/etc/group").unwrap_or_default();
        Self::parse(user, &passwd, &group)
    }

    fn parse(user: &str, passwd: &str, group: &str) -> Result<Self, HostError> {
        let (name, group_name) =
            user.split_once(':').map_or((user, None), |(name, group)| (name, Some(group)));
        let row = rows(passwd).find(|row| row.first() == Some(&name) || row.get(2) == Some(&name));
        let field = |n: usize| row.as_ref().and_then(|row| row.get(n)?.parse::<u32>().ok());
        let uid = field(2).or_else(|| name.parse().ok()).ok_or_else(|| unknown("user", name, "passwd"))?;
        let gid = match group_name {
            None => field(3).unwrap_or(uid),
            Some(wanted) => rows(group)
                .find(|row| row.first() == Some(&wanted))
                .and_then(|row| row.get(2)?.parse().ok())
                .or_else(|| wanted.parse().ok())
                .ok_or_else(|| unknown("group", wanted, "group"))?,
        };
        let login = row.as_ref().and_then(|row| row.first().copied()).unwrap_or(name);
        let member =
            |row: &Vec<&str>| row.get(3).is_some_and(|members| members.split(',').any(|m| m == login));
        let mut groups: Vec<u32> =
            rows(group).filter(member).filter_map(|row| row.get(2)?.parse().ok()).collect();
        groups.push(gid);
        groups.sort_unstable();
        groups.dedup();
        let home = row.as_ref().and_then(|row| row.get(5)).map(|&home| home.to_owned());
        Ok(Self { uid, gid, groups, home })
    }
}

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().map(|line| line.split(':').collect())
}

fn unknown(kind: &str, name: &str, file: &str) -> HostError {
    HostError::contender(format!(
        "{kind} `{name}` is not in /etc/{file}\nhint: create it, or name another in `user:`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &str =
        "root:x:0:0:root:/root:/bin/sh\npostgres:x:106:114:,,,:/var/lib/postgresql:/bin/bash\n";
    const GROUP: &str = "root:x:0:\nssl-cert:x:113:postgres,web\npostgres:x:114:\nweb:x:120:\n";

    #[test]
    fn a_name_gives_its_own_and_its_supplementary_groups() {
        let account = Account::parse("postgres", PASSWD, GROUP).unwrap();
        let home = Some("/var/lib/postgresql".to_owned());
        assert_eq!(account, Account { uid: 106, gid: 114, groups: vec![113, 114], home });
        assert_eq!(Account::parse("106", PASSWD, GROUP).unwrap(), account);
    }

    #[test]
    fn a_group_can_be_named_and_numbers_need_no_entry() {
        assert_eq!(Account::parse("postgres:web", PASSWD, GROUP).unwrap().gid, 120);
        let account = Account::parse("1234:5678", PASSWD, GROUP).unwrap();
        assert_eq!(account, Account { uid: 1234, gid: 5678, groups: vec![5678], home: None });
    }

    #[test]
    fn an_unknown_user_or_group_is_named() {
        let message = |user| Account::parse(user, PASSWD, GROUP).unwrap_err().message;
        assert!(message("postgre").starts_with("user `postgre` is not in /etc/passwd\n"));
        assert!(message("root:nope").starts_with("group `nope` is not in /etc/group\n"));
    }
}
