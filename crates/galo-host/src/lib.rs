//! Make it happen, part one: start a contender under its limits, see that it is ready, stop it, and leave nothing.
//!
//! It knows nothing of the load or of the samples: they learn from the [`Placement`] where everything is.
//!
//! Its one key decision: a service is its *control group*. Limits are set on the group and read back, the first
//! process joins the group before it becomes the service's program, and killing means killing the group, because a
//! process may leave its session or its parent, but not its group.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use galo_plan::{Blame, Contender};
use galo_record::{Events, Finding, Placement};

/// Why a contender does not run.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    /// Who is to blame.
    pub blame: Blame,
    /// Names the subject, says what happened and, after `hint: `, what to do.
    pub message: String,
    /// The caller broke it off.
    pub interrupted: bool,
}

/// Everything of this galo process on this machine: its lock, its supervisor, the way it limits. Dropping it ends
/// the supervisor and removes what is left.
#[derive(Debug)]
pub struct Host {}

/// How to start contenders.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// Whether to set the files' limits.
    pub limited: bool,
    /// Set by the caller to break off whatever is under way.
    pub stop: Arc<AtomicBool>,
    /// For the live view.
    pub events: Events,
}

impl Host {
    /// Takes a lock of its own, removes what dead galos left, starts the supervisor.
    pub fn open(_options: HostOptions) -> Result<Self, HostError> {
        todo!()
    }

    /// Runs the `build` of every service, once (equal commands are run once).
    pub fn build(&self, _contender: &Contender) -> Result<(), HostError> {
        todo!()
    }

    /// Starts all services in order, each when those that it depends on are ready; logs go to `logs`, volumes to
    /// fresh folders. Fails at once if `port` (the challenge's) is taken already. On an error nothing is left running.
    pub fn start(&self, _contender: &Contender, _port: u16, _logs: &Path) -> Result<Running, HostError> {
        todo!()
    }
}

/// A running contender. Dropping it kills it.
#[derive(Debug)]
pub struct Running {}

impl Running {
    /// Where it is.
    pub fn placement(&self) -> &Placement {
        todo!()
    }

    /// Services that died since the last call, each as a finding with exit status and last log lines.
    pub fn deaths(&mut self) -> Vec<Finding> {
        todo!()
    }

    /// Kills all, waits until no process, group or port is left, removes the volumes, and tells what was remarkable
    /// (deaths not yet told, a group that did not die at once).
    pub fn stop(self) -> Result<Vec<Finding>, HostError> {
        todo!()
    }
}

/// One line of `galo doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at, e.g. `CPU limits`.
    pub name: String,
    /// How it is.
    pub state: CheckState,
    /// What was found, in one line.
    pub found: String,
    /// The exact command or change that mends it.
    pub mend: Option<String>,
}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckState {
    /// As it should be.
    Good,
    /// galo works, but something is missing or less exact.
    Lacking,
    /// galo cannot do its main job.
    Broken,
}

/// What this machine can enforce: tried, not supposed (a group is made, limited, read back and removed).
pub fn doctor(_port: u16) -> Vec<Check> {
    todo!()
}

/// Removes what dead galos left. Returns a line for each thing removed.
pub fn clean() -> Result<Vec<String>, HostError> {
    todo!()
}

/// The body of the hidden command that the supervisor process runs: waits for the end of standard input (galo's
/// death, however it came), then kills and removes what `state` lists.
pub fn supervise(_state: &Path) -> Result<(), HostError> {
    todo!()
}

/// Where locks and lists of what runs are kept: one folder a galo process.
pub fn state_root() -> PathBuf {
    todo!()
}
