//! The run folder:
//!
//! ```text
//! run.json                    format, galo's version, the command, when, the machine
//! plan.json                   the plan, byte for byte
//! rounds/01-rust-sqlite/
//!   logs/api1.log             what a service wrote
//!   history.bin.zst latencies.bin.zst samples.jsonl.zst evidence.jsonl
//!   database.jsonl.zst        looks at the database, where one could be asked
//!   conformance.jsonl         what came of the cases, where any were asked
//!   round.json                written last: its presence closes the round
//! limit.json                  the holds of `galo limit`, written again after each; such a run closes no round
//! duel.json                   the turns of a duel, written again after each; such a run has no plan and no round
//! scan.json                   the duels of a scan, each in a run folder of its own below this one
//! report.json report.html     derived, by the galo that ran it; `galo report` makes the same bytes again, elsewhere
//! ```

pub(crate) mod files;
pub(crate) mod folder;
mod reading;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use galo_plan::Plan;
use serde::{Deserialize, Serialize};

pub use files::write_whole;
pub use folder::Folder;

use crate::duel::DuelRecord;
use crate::limit::LimitRecord;
use crate::machine::Machine;
use crate::round::{RoundData, RoundRecord};
use crate::scan::ScanRecord;
use crate::{duel, history, latencies, limit, scan};

/// Version of the folder's form. A reader refuses a newer one.
pub const FORMAT: u32 = 1;

/// Why a run folder cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file system refused (a full disk among others).
    #[error("cannot {action} `{path}`: {source}\nhint: {}", hint(source))]
    Io {
        /// `write`, `read`, `create`, `open`.
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
    #[error(
        "`{path}` is damaged: {reason}\nhint: copy the run folder again from where it was made, or fight again"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A name that would lead out of the folder.
    #[error(
        "`{name}` is no name of anything in `{}`\nhint: copy the run folder again from where it was made",
        folder.display()
    )]
    NoName {
        /// The folder.
        folder: PathBuf,
        /// The name.
        name: String,
    },
    /// No run there.
    #[error(
        "`{0}` is no run folder: it holds no run.json\nhint: give the folder that `galo fight` named at its end"
    )]
    NoRun(PathBuf),
    /// Written by a newer galo.
    #[error("`{path}` has format {found}, this galo reads up to {known}\nhint: use a newer galo")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
        /// The newest that is known here.
        known: u32,
    },
    /// Larger than any record.
    #[error(
        "`{path}` is no record: it has {bytes} bytes, and galo reads {most} at most\nhint: give the folder that galo \
         named at its end, or copy it again from where it was made"
    )]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The largest that is read.
        most: u64,
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

/// Writes a run, round by round, into a folder that it made and holds open.
#[derive(Debug)]
pub struct RunWriter {
    folder: Folder,
    rounds: Folder,
}

/// What to do about the file system's refusal.
fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "make room on that disk, or choose a folder on another one with --out"
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            "change the folder's permissions, or choose another with --out"
        }
        ErrorKind::NotFound => "the file was moved or removed; copy the run folder again",
        _ => "see whether the disk and the folder are as they should be, or choose another with --out",
    }
}

const HEADER: &str = "run.json";
const PLAN: &str = "plan.json";
const ROUNDS: &str = "rounds";
const LOGS: &str = "logs";
const HISTORY: &str = "history.bin.zst";
const LATENCIES: &str = "latencies.bin.zst";
const SAMPLES: &str = "samples.jsonl.zst";
const DATABASE: &str = "database.jsonl.zst";
const EVIDENCE: &str = "evidence.jsonl";
const CONFORMANCE: &str = "conformance.jsonl";
const ROUND: &str = "round.json";

impl RunWriter {
    /// Makes the folder (with its parents) and writes `run.json` and `plan.json`.
    ///
    /// # Errors
    /// [`RecordError::NotEmpty`] if anything is in the folder, [`RecordError::Io`] for what the file system refuses.
    pub fn create(path: &Path, header: &RunHeader, plan: &Plan) -> Result<Self, RecordError> {
        Self::create_with(path, header, Some(plan))
    }

    /// Makes the folder of a duel, or of a scan of duels, which have no plan.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn create_duel(path: &Path, header: &RunHeader) -> Result<Self, RecordError> {
        Self::create_with(path, header, None)
    }

    /// Makes the folder of a duel below this run's.
    ///
    /// # Errors
    /// As [`Self::create`], and [`RecordError::NoName`].
    pub fn create_child(&self, name: &str, header: &RunHeader) -> Result<Self, RecordError> {
        Self::begin(self.folder.make(name)?, header, None)
    }

    fn create_with(path: &Path, header: &RunHeader, plan: Option<&Plan>) -> Result<Self, RecordError> {
        Self::begin(Folder::create(path)?, header, plan)
    }

    fn begin(folder: Folder, header: &RunHeader, plan: Option<&Plan>) -> Result<Self, RecordError> {
        if !folder.is_empty()? {
            return Err(RecordError::NotEmpty(folder.path().to_owned()));
        }
        // Of two runs that find one folder empty at the same time, only one makes this.
        let rounds = folder.make(ROUNDS).map_err(|error| match error {
            RecordError::Io { source, .. } if source.kind() == ErrorKind::AlreadyExists => {
                RecordError::NotEmpty(folder.path().to_owned())
            }
            other => other,
        })?;
        if let Some(plan) = plan {
            folder.write(PLAN, plan.to_json().as_bytes())?;
        }
        // Last, because it is what makes the folder a run.
        files::write_json(&folder, HEADER, header)?;
        folder.sync()?;
        Ok(Self { folder, rounds })
    }

    /// The run folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The same, held open: for what is derived from the run at its end.
    pub const fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Writes what is known of a limit so far, over what was known before.
    ///
    /// # Errors
    /// [`RecordError::Io`] with the file; what was known before is as it was.
    pub fn write_limit(&self, limit: &LimitRecord) -> Result<(), RecordError> {
        limit::write(&self.folder, limit)
    }

    /// Writes what is known of a duel so far, over what was known before.
    ///
    /// # Errors
    /// [`RecordError::Io`] with the file; what was known before is as it was.
    pub fn write_duel(&self, duel: &DuelRecord) -> Result<(), RecordError> {
        duel::write(&self.folder, duel)
    }

    /// Writes which duels of a scan there are so far, over what was known before.
    ///
    /// # Errors
    /// As [`Self::write_duel`].
    pub fn write_scan(&self, scan: &ScanRecord) -> Result<(), RecordError> {
        scan::write(&self.folder, scan)
    }

    /// Makes the folder of a round, with `logs/` in it, and returns it.
    ///
    /// # Errors
    /// [`RecordError::Io`], also where the round was opened before.
    pub fn open_round(&self, number: u32, contender: &str) -> Result<PathBuf, RecordError> {
        let folder = self.rounds.make(&round_folder(number, contender))?;
        folder.make(LOGS)?;
        Ok(folder.path().to_owned())
    }

    /// Writes all of a round into the folder that [`Self::open_round`] made, `round.json` last, synced.
    ///
    /// # Errors
    /// [`RecordError::Io`] with the file. The round is not closed then, and earlier ones are as they were.
    pub fn close_round(&self, folder: &Path, round: &RoundData) -> Result<(), RecordError> {
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let folder = &self.rounds.within(name)?;
        history::write(folder, HISTORY, &round.history, &round.seen)?;
        latencies::write(folder, LATENCIES, &round.latencies)?;
        files::write_lines(folder, SAMPLES, &round.samples)?;
        files::write_lines(folder, EVIDENCE, &round.evidence)?;
        if !round.database.is_empty() {
            files::write_lines(folder, DATABASE, &round.database)?;
        }
        if !round.conformance.is_empty() {
            files::write_lines(folder, CONFORMANCE, &round.conformance)?;
        }
        // The names of the bulk must last before the name that says they are there.
        folder.sync()?;
        files::write_json(folder, ROUND, &round.record)?;
        folder.sync()?;
        self.rounds.sync()
    }
}

/// `01-rust-sqlite`: the number, and what every file system takes of the name.
fn round_folder(number: u32, contender: &str) -> String {
    const MAX: usize = 64;
    let mut folder = format!("{number:02}");
    // Letters and digits as they are; whatever is between them becomes one hyphen (or stays, if it is one of these).
    let mut between = Some('-');
    for letter in contender.chars() {
        if letter.is_ascii_alphanumeric() {
            folder.extend(between.take());
            folder.push(letter);
        } else if between.is_none() {
            between = Some(if matches!(letter, '_' | '.') { letter } else { '-' });
        } else {
            between = Some('-');
        }
        if folder.len() >= MAX {
            break;
        }
    }
    folder
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
    ///
    /// # Errors
    /// [`RecordError::NoRun`], [`RecordError::Newer`], or what is wrong with `run.json` or `plan.json`.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let header = open_header(path)?;
        Ok(Self {
            path: path.to_owned(),
            header,
            plan: reading::plan(&path.join(PLAN))?,
            rounds: reading::closed_rounds(&path.join(ROUNDS), ROUND)?,
        })
    }

    /// The holds of `galo limit`; `None` where the run is no such one.
    ///
    /// # Errors
    /// What is wrong with the file, or that a newer galo wrote it.
    pub fn limit(&self) -> Result<Option<LimitRecord>, RecordError> {
        limit::read(&self.path)
    }

    /// Number of closed rounds.
    pub fn len(&self) -> usize {
        self.rounds.len()
    }

    /// Whether no round was closed.
    pub fn is_empty(&self) -> bool {
        self.rounds.is_empty()
    }

    /// Folder of a closed round, from 0 in the order of their numbers.
    pub fn round_folder(&self, index: usize) -> Option<&Path> {
        self.rounds.get(index).map(PathBuf::as_path)
    }

    /// Reads the whole of one closed round, from 0 in the order of their numbers. One at a time, so that memory does
    /// not grow with the number of rounds.
    ///
    /// # Errors
    /// What is wrong with one of its files, or that there is no such round.
    pub fn round(&self, index: usize) -> Result<RoundData, RecordError> {
        let Some(folder) = self.round_folder(index) else {
            let reason = format!("it has {} closed rounds, none with index {index}", self.len());
            return Err(RecordError::Damaged { path: self.path.join(ROUNDS), reason });
        };
        let record: RoundRecord = files::read_json(&folder.join(ROUND))?;
        if reading::round_number(folder).is_some_and(|number| number != record.number) {
            let reason = format!("it tells of round {}", record.number);
            return Err(RecordError::Damaged { path: folder.join(ROUND), reason });
        }
        if record.load.steps.iter().any(|step| !step.ledger.is_possible()) {
            let reason = "it tells of more operations than there can be".to_owned();
            return Err(RecordError::Damaged { path: folder.join(ROUND), reason });
        }
        let conformance = reading::lines_of(&folder.join(CONFORMANCE), record.cases)?;
        let database = reading::lines_of(&folder.join(DATABASE), record.database_looks)?;
        let (history, seen) = history::read(&folder.join(HISTORY))?;
        Ok(RoundData {
            record,
            history,
            seen,
            latencies: latencies::read(&folder.join(LATENCIES))?,
            samples: files::read_lines(&folder.join(SAMPLES))?,
            database,
            evidence: files::read_lines(&folder.join(EVIDENCE))?,
            conformance,
        })
    }
}

/// Reads a duel's run folder; `None` where the run is no duel.
///
/// # Errors
/// As [`Run::open`], for `run.json` and `duel.json`.
pub fn open_duel(path: &Path) -> Result<Option<DuelRecord>, RecordError> {
    open_header(path)?;
    duel::read(path)
}

/// Reads a scan's run folder; `None` where the run is no scan.
///
/// # Errors
/// As [`Run::open`], for `run.json` and `scan.json`.
pub fn open_scan(path: &Path) -> Result<Option<ScanRecord>, RecordError> {
    open_header(path)?;
    scan::read(path)
}

/// Reads `run.json` of a run folder of any kind.
///
/// # Errors
/// [`RecordError::NoRun`], [`RecordError::Newer`], or what is wrong with the file.
pub fn open_header(path: &Path) -> Result<RunHeader, RecordError> {
    let header = path.join(HEADER);
    if !header.is_file() {
        return Err(RecordError::NoRun(path.to_owned()));
    }
    match files::read_format(&header)? {
        0..=FORMAT => files::read_json(&header),
        found => Err(RecordError::Newer { path: header, found, known: FORMAT }),
    }
}

#[cfg(test)]
mod tests;
