//! Who arrives when, as a profile says it of one scenario: at a rate, whatever the contender does
//! (`ramp 6/s to 600/s over 3m`), always so many at once (`100 users for 10s`), or so many at once and nobody after them (`25 users once`).

use serde::{Deserialize, Serialize};

use crate::injection::{Injection, InjectionError, MAX_DURATION_NS};
use crate::units;

/// Users at once at most.
const MAX_AT_ONCE: u32 = 100_000;

/// When the users of a scenario arrive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Flow {
    /// Open model: at a rate over time.
    Open(Injection),
    /// Closed model: where one leaves, the next enters.
    Closed(Closed),
    /// So many enter together, and nobody after them.
    Once(Once),
}

/// So many users, once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Once {
    /// At least 1.
    pub users: u32,
}

/// Always so many users at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Closed {
    /// At once, at least 1.
    pub at_once: u32,
    /// How long new ones enter, in nanoseconds.
    pub duration_ns: u64,
}

impl Flow {
    /// Reads phases: each with a rate, or one alone of users.
    ///
    /// # Errors
    /// What cannot be read, or is beyond the limits.
    pub fn parse<S: AsRef<str>>(phases: &[S]) -> Result<Self, InjectionError> {
        let closed = phases.iter().find_map(|text| Some((text.as_ref(), users_of(text.as_ref())?)));
        match closed {
            None => Injection::parse(phases).map(Self::Open),
            Some((text, (users, length))) if phases.len() == 1 => {
                let flow = match length {
                    None => at_once(users).map(|users| Self::Once(Once { users })),
                    Some(length) => closed_of(users, length).map(Self::Closed),
                };
                flow.map_err(|reason| unreadable(text, reason))
            }
            Some((text, _)) => Err(unreadable(text, "so many users at once are a phase that stands alone")),
        }
    }

    /// The same at another scale, in thousandths: a factor on every arrival rate. Users that enter once have none.
    ///
    /// # Errors
    /// It is beyond the limits, or there is no arrival rate.
    pub fn scaled(&self, scale_milli: u32) -> Result<Self, InjectionError> {
        match self {
            Self::Open(injection) => injection.scaled(scale_milli).map(Self::Open),
            Self::Once(_) => Ok(self.clone()),
            Self::Closed(_) if scale_milli == 1000 => Ok(self.clone()),
            Self::Closed(closed) => {
                let hint = "hint: leave --scale out, or choose another profile";
                let why =
                    format!("a scale is a factor on arrival rates, and here is no arrival rate\n{hint}");
                Err(unreadable(&closed.to_string(), why))
            }
        }
    }

    /// The same so many times, one after another; users that enter once do so once.
    ///
    /// # Errors
    /// It is too long.
    pub fn repeated(&self, times: usize) -> Result<Self, InjectionError> {
        match self {
            Self::Once(_) => Ok(self.clone()),
            Self::Open(injection) => injection.repeated(times).map(Self::Open),
            Self::Closed(closed) => {
                let duration_ns = closed.duration_ns.saturating_mul(times as u64);
                checked(Closed { duration_ns, ..*closed })
                    .map(Self::Closed)
                    .map_err(|reason| unreadable(&closed.to_string(), reason))
            }
        }
    }

    /// How many users: of a rate, all that it brings; of a closed load as many as a history can number, since answers decide.
    pub fn users(&self) -> u64 {
        match self {
            Self::Open(injection) => injection.users(),
            Self::Closed(_) => u64::from(u32::MAX),
            Self::Once(once) => u64::from(once.users),
        }
    }

    /// How long they arrive, in nanoseconds.
    pub fn duration_ns(&self) -> u64 {
        match self {
            Self::Open(injection) => injection.duration_ns(),
            Self::Closed(closed) => closed.duration_ns,
            Self::Once(_) => 0,
        }
    }

    /// Its arrival rate over time; `None`: it has none.
    pub const fn injection(&self) -> Option<&Injection> {
        match self {
            Self::Open(injection) => Some(injection),
            Self::Closed(_) | Self::Once(_) => None,
        }
    }

    /// Users at once, where that is what is planned.
    pub const fn at_once(&self) -> Option<u32> {
        match self {
            Self::Open(_) => None,
            Self::Closed(closed) => Some(closed.at_once),
            Self::Once(once) => Some(once.users),
        }
    }
}

impl std::fmt::Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} users for {}ms", self.at_once, self.duration_ns / 1_000_000)
    }
}

/// `100 users for 10s`: the two figures, as they are written; `25 users once` has no second one.
fn users_of(text: &str) -> Option<(&str, Option<&str>)> {
    let text = text.trim();
    let (users, length) = match text.strip_suffix(" once") {
        Some(users) => (users, None),
        None => text.split_once(" for ").map(|(users, length)| (users, Some(length)))?,
    };
    let users = users.trim_end();
    Some((users.strip_suffix(" users").or(users.strip_suffix(" user"))?, length))
}

fn at_once(users: &str) -> Result<u32, String> {
    let at_once: u32 = users.trim().parse().map_err(|_| format!("`{users}` is not a number of users"))?;
    match (1..=MAX_AT_ONCE).contains(&at_once) {
        true => Ok(at_once),
        false => Err(format!("from 1 to {MAX_AT_ONCE} users may be there at once")),
    }
}

fn closed_of(users: &str, length: &str) -> Result<Closed, String> {
    let at_once = at_once(users)?;
    let duration_ns = units::parse_duration_ns(length.trim())?;
    checked(Closed { at_once, duration_ns })
}

fn checked(closed: Closed) -> Result<Closed, String> {
    match closed.duration_ns {
        0 => Err("a phase needs a length".to_owned()),
        1..=MAX_DURATION_NS => Ok(closed),
        _ => Err("all phases together may last 30 days at most".to_owned()),
    }
}

fn unreadable(text: &str, reason: impl Into<String>) -> InjectionError {
    InjectionError::Flow(format!("`{text}`: {}", reason.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(phases: &[&str]) -> String {
        Flow::parse(phases).unwrap_err().to_string()
    }

    #[test]
    fn a_profile_says_a_rate_or_so_many_at_once() {
        let flow = Flow::parse(&["100 users for 1m30s"]).unwrap();
        assert_eq!(flow, Flow::Closed(Closed { at_once: 100, duration_ns: 90_000_000_000 }));
        assert_eq!((flow.at_once(), flow.injection()), (Some(100), None));
        assert_eq!(flow.repeated(2).unwrap().duration_ns(), 180_000_000_000);
        assert_eq!(flow.scaled(1000).unwrap(), flow);
        assert_eq!(Flow::parse(&["1 user for 5s"]).unwrap().at_once(), Some(1));
        let once = Flow::parse(&["25 users once"]).unwrap();
        assert_eq!((once.users(), once.at_once(), once.duration_ns()), (25, Some(25), 0));
        assert_eq!((once.scaled(3000).unwrap(), once.repeated(2).unwrap()), (once.clone(), once));
        let open = Flow::parse(&["2/s for 10s", "ramp 2/s to 4/s over 10s"]).unwrap();
        assert_eq!((open.users(), open.duration_ns(), open.at_once()), (50, 20_000_000_000, None));
    }

    #[test]
    fn both_are_written_and_read_back() {
        for text in ["100 users for 10s", "5/s for 10s", "1 user once"] {
            let flow = Flow::parse(&[text]).unwrap();
            let json = serde_json::to_string(&flow).unwrap();
            assert_eq!(serde_json::from_str::<Flow>(&json).unwrap(), flow, "{json}");
        }
    }

    #[test]
    fn what_is_no_number_of_users_is_told() {
        insta::assert_snapshot!(error(&["many users for 10s"]), @"`many users for 10s`: `many` is not a number of users");
        insta::assert_snapshot!(error(&["0 users for 10s"]), @"`0 users for 10s`: from 1 to 100000 users may be there at once");
        insta::assert_snapshot!(error(&["0 users once"]), @"`0 users once`: from 1 to 100000 users may be there at once");
        insta::assert_snapshot!(error(&["5 users for 0s"]), @"`5 users for 0s`: a phase needs a length");
        insta::assert_snapshot!(error(&["5 users for 31d"]), @"`5 users for 31d`: all phases together may last 30 days at most");
        insta::assert_snapshot!(error(&["5/s for 10s", "5 users for 1s"]), @"`5 users for 1s`: so many users at once are a phase that stands alone");
        let twice = Flow::parse(&["5 users for 1s"]).unwrap().scaled(2000).unwrap_err().to_string();
        insta::assert_snapshot!(twice, @r"
        `5 users for 1000ms`: a scale is a factor on arrival rates, and here is no arrival rate
        hint: leave --scale out, or choose another profile
        ");
    }
}
