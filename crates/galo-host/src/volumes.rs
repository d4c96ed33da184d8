//! Volumes: fresh folders for one round, beside its logs, so that they are on the run folder's disk.
//!
//! Services know them by a link with a short path, always: a Unix socket's path may have 107 bytes (`unix(7)`), and a run
//! folder's own can be longer. The link is beside the state root, which other users cannot enter; there it goes with the
//! boot, or stays, as the list does that names it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use galo_plan::Service;

use crate::account::Account;
use crate::error::HostError;

/// The volumes of one round.
#[derive(Debug, Default)]
pub(crate) struct Volumes {
    /// Holds one folder for each.
    pub(crate) folder: PathBuf,
    /// A link to that folder, by which services know it.
    pub(crate) link: PathBuf,
    names: BTreeSet<String>,
}

impl Volumes {
    /// Where the volumes of these services will be, and the link to them.
    pub(crate) fn planned(logs: &Path, link: PathBuf, services: &[Service]) -> Self {
        let folder = logs.parent().unwrap_or(logs).join("volumes");
        Self { folder, link, names: services.iter().flat_map(|s| s.volumes.iter().cloned()).collect() }
    }

    /// Makes them, each for the users of the services that use it, and the link to them. `are_shown`: whether services see
    /// them at their own place, so that nobody has to pass through the folders above them.
    pub(crate) fn make(
        &self,
        services: &[Service],
        accounts: &BTreeMap<String, Account>,
        are_shown: bool,
    ) -> Result<(), HostError> {
        if self.names.is_empty() {
            return Ok(());
        }
        fs::create_dir(&self.folder).map_err(|e| HostError::io("make", &self.folder, &e))?;
        symlink(&self.folder, &self.link).map_err(|e| HostError::io("make", &self.link, &e))?;
        for name in &self.names {
            let path = self.folder.join(name);
            let fail = |e: std::io::Error| HostError::io("make", &path, &e);
            fs::create_dir(&path).map_err(fail)?;
            let users: BTreeMap<u32, &Account> = services
                .iter()
                .filter(|s| s.volumes.contains(name))
                .filter_map(|s| accounts.get(&s.name))
                .map(|account| (account.uid, account))
                .collect();
            let Some(first) = users.values().next() else { continue };
            chown(&path, Some(first.uid), Some(first.gid)).map_err(fail)?;
            // A database refuses a folder that others may enter; several users must all be able to.
            let mode = if users.len() == 1 { 0o700 } else { 0o777 };
            fs::set_permissions(&path, Permissions::from_mode(mode)).map_err(fail)?;
            if !are_shown {
                users.values().try_for_each(|account| reachable(&path, account))?;
            }
        }
        Ok(())
    }

    /// Where a volume lies, and where services know it.
    pub(crate) fn places(&self, name: &str) -> (PathBuf, PathBuf) {
        (self.folder.join(name), self.link.join(name))
    }

    /// Replaces every `${volume:NAME}`.
    pub(crate) fn expand(&self, text: &str) -> Result<String, HostError> {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${volume:") {
            let Some((name, after)) = after.split_once('}') else { break };
            if !self.names.contains(name) {
                let hint = "list it in the service's `volumes`";
                return Err(HostError::contender(format!("it uses no volume called `{name}`\nhint: {hint}")));
            }
            expanded += before;
            expanded += &self.link.join(name).to_string_lossy();
            rest = after;
        }
        Ok(expanded + rest)
    }
}

/// A user that is not root must be able to pass through every folder above its volume.
fn reachable(path: &Path, account: &Account) -> Result<(), HostError> {
    let closed = path.ancestors().skip(1).find(|folder| {
        folder.metadata().is_ok_and(|meta| {
            let bit = if meta.uid() == account.uid {
                0o100
            } else if account.groups.contains(&meta.gid()) {
                0o010
            } else {
                0o001
            };
            account.uid != 0 && meta.mode() & bit == 0
        })
    });
    match closed {
        None => Ok(()),
        Some(folder) => Err(HostError::client(format!(
            "user {} cannot reach its volume `{}`: `{}` is closed to it\n\
             hint: choose another run folder (--out /var/tmp/run), or open the way: chmod o+x {}",
            account.uid,
            path.display(),
            folder.display(),
            folder.display()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volumes() -> Volumes {
        let names = ["db".to_owned(), "wal".to_owned()].into();
        Volumes { folder: PathBuf::from("/long/volumes"), link: PathBuf::from("/r/v"), names }
    }

    #[test]
    fn every_mention_of_a_volume_becomes_its_short_path() {
        let text = volumes().expand("-D ${volume:db}/data -W ${volume:wal} $HOME ${x}").unwrap();
        assert_eq!(text, "-D /r/v/db/data -W /r/v/wal $HOME ${x}");
    }

    #[test]
    fn an_unknown_volume_is_named_and_an_unfinished_mention_is_plain_text() {
        let message = volumes().expand("${volume:data}").unwrap_err().message;
        assert!(message.starts_with("it uses no volume called `data`\n"), "{message}");
        assert_eq!(volumes().expand("${volume:db").unwrap(), "${volume:db");
    }

    #[test]
    fn a_closed_folder_above_a_volume_is_named() {
        let root = tempfile::tempdir().unwrap();
        let way = root.path().join("closed/volumes/db");
        fs::create_dir_all(&way).unwrap();
        fs::set_permissions(root.path(), Permissions::from_mode(0o755)).unwrap();
        let stranger = Account { uid: 54321, gid: 54321, groups: vec![54321], home: None };
        assert!(reachable(&way, &stranger).is_ok());
        fs::set_permissions(root.path().join("closed"), Permissions::from_mode(0o750)).unwrap();
        let message = reachable(&way, &stranger).unwrap_err().message;
        assert!(message.contains("closed` is closed to it"), "{message}");
    }
}
