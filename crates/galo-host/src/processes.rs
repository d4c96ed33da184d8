//! A contender whose services are processes: where it is, and what it was started from.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::Arc;

use galo_plan::Contender;
use galo_plan::contender::Stop;
use galo_plan::units::format_bytes;
use galo_record::Placement;
use galo_record::finding::MemoryLimit;

use crate::account::Account;
use crate::cgroup::Limits;
use crate::enclosure::Enclosure;
use crate::inner::Inner;
use crate::keeper::Keeper;
use crate::log;
use crate::port;
use crate::volumes::Volumes;
use crate::walls::Commons;

/// A contender that runs as processes. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Processes {
    pub(crate) inner: Arc<Inner>,
    pub(crate) placement: Placement,
    pub(crate) services: Vec<Live>,
    /// What its services share; `None`: they have no walls.
    pub(crate) commons: Option<Arc<Commons>>,
    pub(crate) keeper: Keeper,
    /// What setups and readiness checks ran in, where that is not the service's own.
    pub(crate) asides: Vec<Enclosure>,
    pub(crate) origin: Arc<Origin>,
    /// The link to the folder of volumes, and that folder, if there are any.
    pub(crate) volumes: Vec<PathBuf>,
    pub(crate) ports: Vec<u16>,
    /// No other galo gets these ports until this one is gone.
    pub(crate) _held: port::Held,
    pub(crate) ended: bool,
}

/// What a contender was started from, and what a service of it is started from again.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) contender: Contender,
    /// Where logs go.
    pub(crate) logs: PathBuf,
    pub(crate) volumes: Volumes,
    /// By the names of services; nobody: galo's own user.
    pub(crate) accounts: BTreeMap<String, Account>,
}

/// A service that was started, or is about to be.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) name: String,
    pub(crate) enclosure: Enclosure,
    pub(crate) child: Option<Child>,
    pub(crate) log: PathBuf,
    /// As set; `None`: not limited.
    pub(crate) limits: Option<Limits>,
    /// How it is asked to end; `None`: it is killed.
    pub(crate) stop: Option<Stop>,
    /// Its first process has ended and that was told.
    pub(crate) told: bool,
    /// Kills for want of memory that were told.
    pub(crate) oom_told: u64,
}

impl Live {
    /// How its first process ended, if it has.
    pub(crate) fn status(&mut self) -> Option<ExitStatus> {
        self.child.as_mut()?.try_wait().ok().flatten()
    }

    /// An ending in words, e.g. `exit status 1`, with whether the kernel killed something of it for want of memory.
    pub(crate) fn status_words(&mut self, status: ExitStatus) -> String {
        let was_killed = self.new_oom_kills().is_some();
        self.ending_words(status, was_killed)
    }

    pub(crate) fn ending_words(&self, status: ExitStatus, was_killed: bool) -> String {
        let words = log::status_words(status);
        match was_killed {
            true => format!("{words}; killed by the kernel: out of {}", self.memory_words()),
            false => words,
        }
    }

    fn memory_words(&self) -> String {
        self.limits.map_or_else(|| "memory".to_owned(), |l| format!("its {}", format_bytes(l.memory_bytes)))
    }

    /// Kills for want of memory that were not told yet; `None`: there are none.
    pub(crate) fn new_oom_kills(&mut self) -> Option<u64> {
        let kills = self.enclosure.oom_kills();
        let new = kills.saturating_sub(self.oom_told);
        self.oom_told = kills;
        (new > 0).then_some(new)
    }

    pub(crate) fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit { bytes: self.limits.map(|limits| limits.memory_bytes) }
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        // Whoever drops instead of stopping has another error to tell; what is left over is listed for the supervisor.
        let _ = self.end();
    }
}
