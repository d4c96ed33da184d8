//! What Compose makes of a contender: everything of it carries the project's label, by which it is found and removed, whatever
//! has become of its files.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::engine::{DOING, Engine, SOON};
use crate::error::HostError;

/// The label by which both generations of Compose mark what they make.
const LABEL: &str = "com.docker.compose.project";
/// The label with the name of a container's service.
pub(crate) const SERVICE_LABEL: &str = "com.docker.compose.service";
const VOLUME: &str = "volume";
/// The kinds of things that it makes, with the words that list and remove them, in the order in which they can go.
const KINDS: [(&str, &[&str], &[&str]); 3] = [
    ("container", &["ps", "--all", "--quiet", "--no-trunc"], &["rm", "--force", "--volumes"]),
    ("network", &["network", "ls", "--quiet", "--no-trunc"], &["network", "rm"]),
    (VOLUME, &["volume", "ls", "--quiet"], &["volume", "rm", "--force"]),
];
/// How long things may refuse to go: a client that was killed may have asked for one more that the engine has not made yet.
const GONE_WITHIN: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(200);
/// Looks for what an engine may still be making for a client that was killed.
const UNFINISHED_LOOKS: u32 = 5;

/// One of galo's projects. Listed before anything of it is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Project {
    /// Unique among all galos of this machine.
    pub(crate) name: String,
    /// Where it is.
    pub(crate) engine: Engine,
    /// Names of volumes that carry no label and go with it all the same: the engine made them for containers that are gone.
    #[serde(default)]
    pub(crate) anonymous: BTreeSet<String>,
}

impl Project {
    /// Ids of its containers.
    pub(crate) fn containers(&self) -> Result<Vec<String>, HostError> {
        self.list(KINDS[0].1)
    }

    /// Ids of one service's containers.
    pub(crate) fn containers_of(&self, service: &str) -> Result<Vec<String>, HostError> {
        let filter = format!("label={SERVICE_LABEL}={service}");
        self.list(&[KINDS[0].1, &["--filter", &filter]].concat())
    }

    /// Its volumes without a label that are still there.
    fn anonymous_left(&self) -> Result<Vec<String>, HostError> {
        if self.anonymous.is_empty() {
            return Ok(Vec::new());
        }
        let all = self.engine.ask(&["volume", "ls", "--quiet"], SOON)?;
        let own = all.lines().filter(|name| self.anonymous.contains(*name));
        Ok(own.map(str::to_owned).collect())
    }

    fn list(&self, words: &[&str]) -> Result<Vec<String>, HostError> {
        let filter = format!("label={LABEL}={}", self.name);
        let listed = self.engine.ask(&[words, &["--filter", &filter]].concat(), SOON)?;
        Ok(listed.lines().map(str::to_owned).collect())
    }

    /// Removes all that there is of it: its containers with their processes and anonymous volumes, its networks, its volumes;
    /// again and again until there is nothing. Returns how many things went, by kind.
    ///
    /// # Errors
    /// The engine does not answer, or something does not go.
    pub(crate) fn remove(&self) -> Result<Vec<(&'static str, usize)>, HostError> {
        let begun = Instant::now();
        let mut known: [BTreeSet<String>; KINDS.len()] = Default::default();
        loop {
            let (mut is_gone, mut failed) = (true, None);
            for ((kind, list, remove), known) in KINDS.into_iter().zip(&mut known) {
                let mut there = self.list(list)?;
                if kind == VOLUME {
                    there.extend(self.anonymous_left()?);
                }
                if there.is_empty() {
                    continue;
                }
                is_gone = false;
                let words: Vec<&str> = there.iter().map(String::as_str).collect();
                let removed = self.engine.ask(&[remove, &words].concat(), DOING);
                failed = failed.or(removed.err());
                if begun.elapsed() > GONE_WITHIN {
                    let error = failed.unwrap_or_else(|| still_there(kind, &words));
                    return Err(error.about("project", &self.name));
                }
                known.extend(there);
            }
            if is_gone {
                let gone = KINDS.into_iter().zip(known).map(|((kind, ..), known)| (kind, known.len()));
                return Ok(gone.filter(|(_, number)| *number > 0).collect());
            }
            if failed.is_some() {
                thread::sleep(LOOK);
            }
        }
    }

    /// The same where whoever asked for it may have been killed meanwhile: the engine finishes what it was asked for.
    pub(crate) fn remove_unfinished(&self) -> Result<Vec<(&'static str, usize)>, HostError> {
        let mut gone = self.remove()?;
        for _ in 0..UNFINISHED_LOOKS {
            thread::sleep(LOOK);
            gone.extend(self.remove()?);
        }
        Ok(gone)
    }
}

fn still_there(kind: &str, ids: &[&str]) -> HostError {
    let ids = ids.join(" ");
    HostError::host(format!("{kind} {ids} is still there after it was removed\nhint: docker inspect {ids}"))
}
