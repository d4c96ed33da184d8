//! The run folder:
//!
//! ```text
//! run.json                    format, galo's version, the command, when, the machine
//! plan.json                   the plan, byte for byte
//! rounds/01-rust-sqlite/
//!   logs/api1.log             what a service wrote
//!   history.bin.zst latencies.bin.zst samples.jsonl.zst evidence.jsonl
//!   round.json                written last: its presence closes the round
//! report.json report.html     derived; `galo report` makes the same bytes again
//! ```

use std::path::{Path, PathBuf};

use galo_plan::Plan;
use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::round::RoundData;

/// Version of the folder's form. A reader refuses a newer one.
pub const FORMAT: u32 = 1;

/// Why a run folder cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file system refused (a full disk among others).
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// `write`, `read`, `create`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The folder is there already and not empty.
    #[error("run folder `{0}` is not empty\nhint: choose another with --out")]
    NotEmpty(PathBuf),
    /// The file is not what galo wrote.
    #[error("`{path}` is damaged: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// No run there.
    #[error("`{0}` is no run folder: it holds no run.json\nhint: give the folder that `galo fight` named at its end")]
    NoRun(PathBuf),
    /// Written by a newer galo.
    #[error("`{path}` has format {found}, this galo reads up to {FORMAT}\nhint: use a newer galo")]
    Newer {
        /// The folder.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
}

/// `run.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunHeader {
    /// [`FORMAT`].
    pub format: u32,
    /// galo's version.
    pub galo: String,
    /// The command line, for doing it again.
    pub command: Vec<String>,
    /// UTC, RFC 3339, to the second.
    pub started: String,
    /// Where.
    pub machine: Machine,
}

/// Writes a run, round by round.
#[derive(Debug)]
pub struct RunWriter {
    path: PathBuf,
}

impl RunWriter {
    /// Makes the folder (with its parents) and writes `run.json` and `plan.json`.
    pub fn create(_path: &Path, _header: &RunHeader, _plan: &Plan) -> Result<Self, RecordError> {
        todo!()
    }
    /// The run folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Makes the folder of a round, with `logs/` in it, and returns it.
    pub fn open_round(&self, _number: u32, _contender: &str) -> Result<PathBuf, RecordError> {
        todo!()
    }
    /// Writes all of a round into the folder that [`Self::open_round`] made, `round.json` last, synced.
    pub fn close_round(&self, _folder: &Path, _round: &RoundData) -> Result<(), RecordError> {
        todo!()
    }
    /// Writes a derived file (`report.json`) whole.
    pub fn write_derived(&self, _name: &str, _bytes: &[u8]) -> Result<PathBuf, RecordError> {
        todo!()
    }
}

/// A run as read.
#[derive(Debug)]
pub struct Run {
    /// The folder.
    pub path: PathBuf,
    /// `run.json`.
    pub header: RunHeader,
    /// `plan.json`.
    pub plan: Plan,
    rounds: Vec<PathBuf>,
}

impl Run {
    /// Opens a run folder. Rounds that were never closed are left out.
    pub fn open(_path: &Path) -> Result<Self, RecordError> {
        todo!()
    }
    /// Number of closed rounds.
    pub fn len(&self) -> usize {
        self.rounds.len()
    }
    /// Whether no round was closed.
    pub fn is_empty(&self) -> bool {
        self.rounds.is_empty()
    }
    /// Reads the whole of one closed round, from 0 in the order of their numbers. One at a time, so that memory does
    /// not grow with the number of rounds.
    pub fn round(&self, _index: usize) -> Result<RoundData, RecordError> {
        todo!()
    }
}
