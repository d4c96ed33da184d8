//! The run folder:
//!
//! ```text
//! run.json                    format, galo's version, the command, when, the machine
//! plan.json                   the plan, but for what is secret in it; its `kind` says what kind of run it is. A commitment
//!                             stands for its seed
//! acts.jsonl                  a line for each act, as it ended; the last of a run that is over tells the seed
//! rounds/01-rust-sqlite/      bulk of a unit (a round, a hold), written when it is closed
//!   logs/api1.log             what a service wrote
//!   history.bin.zst latencies.bin.zst samples.jsonl.zst evidence.jsonl
//!   database.jsonl.zst        looks at the database, where one could be asked
//!   conformance.jsonl         what came of the cases, where any were asked
//! logs/first-01/              what a side of a duel wrote, a folder for each start; a duel leaves no other bulk
//! 01/                         the first duel of a scan, in a run folder of its own
//! report.json report.html     derived, by the galo that ran it; `galo report` makes the same bytes again, elsewhere
//! ```

mod lock;
mod opened;
mod plain;
mod planned;
mod reading;

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use galo_plan::{Plan, Seed, secret};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::disk::{Folder, RecordError, VERSION, write_whole};
pub use plain::PlainRun;
pub use planned::{Planned, RunKind, open_kind};

use crate::act::{self, Act, Acted, Outcome};
use crate::clock;
use crate::disk::files;
use crate::machine::Machine;
use crate::round::{RoundData, RoundRecord};
use crate::sealed::Sealed;
use crate::seeds::Seeds;
use crate::{history, latencies};
use lock::lock;
use opened::{Opened, sealed};

/// Version of the folder's form. A reader refuses any other.
pub const FORMAT: u32 = 3;

/// `run.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunHeader {
    /// [`FORMAT`].
    pub format: u32,
    /// galo's version.
    pub galo: String,
    /// The command line, for doing it again; written down without secrets ([`secret::in_command`]).
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
    /// `acts.jsonl`, at its end.
    acts: File,
    /// How many acts are in it.
    written: AtomicU32,
    /// What its plan commits to, and where that is kept until the run is over.
    sealed: Sealed,
    seeds: Seeds,
    is_told: AtomicBool,
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
const ACTS: &str = "acts.jsonl";

impl RunWriter {
    /// Makes the folder (with its parents), which only its owner reads, keeps the seed, and writes `run.json` and `plan.json`.
    ///
    /// # Errors
    /// [`RecordError::NotEmpty`] if anything is in the folder, [`RecordError::Io`] for what the file system refuses.
    pub fn create(
        path: &Path,
        header: &RunHeader,
        plan: &impl Planned,
        seeds: &Seeds,
    ) -> Result<Self, RecordError> {
        Self::begin(Folder::create_private(path)?, header, plan, seeds)
    }

    /// Makes the folder of a run below this one's. What is left there of one that never came to be a run, since galo ended while it
    /// made it, is taken away first.
    ///
    /// # Errors
    /// As [`Self::create`], and [`RecordError::NoName`].
    pub fn create_child(
        &self,
        name: &str,
        header: &RunHeader,
        plan: &impl Planned,
    ) -> Result<Self, RecordError> {
        let folder = self.folder.make_unless_there(name)?;
        let path = folder.path().to_owned();
        if folder.is_empty()? || path.join(HEADER).exists() {
            return Self::begin(folder, header, plan, &self.seeds);
        }
        fs::remove_dir_all(&path).map_err(|e| RecordError::io("remove", &path, e))?;
        Self::begin(self.folder.make(name)?, header, plan, &self.seeds)
    }

    fn begin(
        folder: Folder,
        header: &RunHeader,
        plan: &impl Planned,
        seeds: &Seeds,
    ) -> Result<Self, RecordError> {
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
        let acts = folder.create_to_append(ACTS)?;
        lock(&acts, folder.path())?;
        let (open, sealed) =
            sealed(plan).map_err(|e| RecordError::io("write", &folder.path().join(PLAN), e))?;
        seeds.keep(&sealed)?;
        files::write_json(&folder, PLAN, &open)?;
        // Last, because it is what makes the folder a run.
        let header = RunHeader { command: secret::in_command(&header.command), ..header.clone() };
        files::write_json(&folder, HEADER, &header)?;
        folder.sync()?;
        let seeds = seeds.clone();
        Ok(Self { folder, rounds, acts, written: 0.into(), sealed, seeds, is_told: false.into() })
    }

    /// Goes on with a run that was cut off; the run as it stands. A line that was being written then is taken away, and so is
    /// the folder of a unit that no line tells of.
    ///
    /// # Errors
    /// As [`Run::open`]; [`RecordError::InUse`] while another galo drives it, [`RecordError::OtherGalo`] for what another
    /// version began.
    pub fn resume(path: &Path, seeds: &Seeds) -> Result<(Self, Run), RecordError> {
        let (writer, opened) = Self::reopen(path, seeds)?;
        Ok((writer, Run::of(path, opened)?))
    }

    /// The same of a run whose acts are all that there is of it.
    ///
    /// # Errors
    /// As [`Self::resume`], and [`PlainRun::open`].
    pub fn resume_plain<P: Planned>(path: &Path, seeds: &Seeds) -> Result<(Self, PlainRun<P>), RecordError> {
        let (writer, opened) = Self::reopen(path, seeds)?;
        Ok((writer, PlainRun::of(path, opened)))
    }

    fn reopen<P: Planned>(path: &Path, seeds: &Seeds) -> Result<(Self, Opened<P>), RecordError> {
        let header = open_header(path)?;
        if header.format != FORMAT || header.galo != VERSION {
            return Err(RecordError::OtherGalo { path: path.to_owned(), found: header.galo });
        }
        let folder = Folder::open(path)?;
        let acts = folder.open_to_append(ACTS)?;
        lock(&acts, path)?;
        let run: Opened<P> = opened::open(path, seeds)?;
        let whole = act::whole_bytes(&path.join(ACTS))?;
        acts.set_len(whole).map_err(|e| RecordError::io("write", &path.join(ACTS), e))?;
        let rounds = folder.within(ROUNDS)?;
        reading::remove_unbegun(&path.join(ROUNDS), &run.acts)?;
        let (written, is_told) = ((run.acts.len() as u32).into(), run.is_over.into());
        let (sealed, seeds) = (run.sealed.clone(), seeds.clone());
        Ok((Self { folder, rounds, acts, written, sealed, seeds, is_told }, run))
    }

    /// The run folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The same, held open: for what is derived from the run at its end.
    pub const fn folder(&self) -> &Folder {
        &self.folder
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

    /// Appends an act, which began and ended at these times. It is on disk when this returns.
    ///
    /// # Errors
    /// [`RecordError::Io`] for `acts.jsonl`.
    pub fn act(&self, times_ns: [u64; 2], act: Act, outcome: Outcome) -> Result<Acted, RecordError> {
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let [began_ns, ended_ns] = times_ns;
        let acted = Acted { number, began_ns, ended_ns, act, outcome };
        act::append(&self.acts, &self.path().join(ACTS), &acted)?;
        Ok(acted)
    }

    /// Ends the run: its last act tells the seed, which is kept nowhere else any more. A run that was over stays as it is.
    ///
    /// # Errors
    /// [`RecordError::Io`] for `acts.jsonl`, or for what is kept.
    pub fn tell_seed(&self) -> Result<(), RecordError> {
        if self.is_told.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let now_ns = clock::now_ns();
        self.act([now_ns, now_ns], Act::TellSeed, Outcome::Told(self.sealed.clone()))?;
        self.seeds.forget(&self.sealed.commitment())
    }

    /// Writes the bulk of a unit into the folder that [`Self::open_round`] made, synced. The act that closes the unit is
    /// written after it.
    ///
    /// # Errors
    /// [`RecordError::Io`] with the file. The unit must not be closed then.
    pub fn write_bulk(&self, folder: &Path, round: &RoundData) -> Result<(), RecordError> {
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
        // The names of the bulk must last before the line that says they are there.
        folder.sync()?;
        self.rounds.sync()
    }

    /// Writes a whole round that somebody made by hand, for a test or a measurement; its folder. Errors as [`Self::write_bulk`].
    pub fn write_made(&self, name: &str, round: &RoundData) -> Result<PathBuf, RecordError> {
        let folder = self.open_round(round.record.number, name)?;
        self.write_bulk(&folder, round)?;
        for (act, outcome) in act::acts_of(&round.record) {
            self.act([0, 0], act, outcome)?;
        }
        Ok(folder)
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
    /// `acts.jsonl`, but for the act that tells the seed.
    pub acts: Vec<Acted>,
    /// Whether the run is over: then its seed is told.
    pub is_over: bool,
    /// What its plan commits to.
    commitment: String,
    /// The folder of each unit that was closed, and its round.
    rounds: Vec<(PathBuf, RoundRecord)>,
}

impl Run {
    /// Opens a run folder. Units that were never closed are left out.
    ///
    /// # Errors
    /// [`RecordError::NoRun`], [`RecordError::Newer`], [`RecordError::SeedGone`], [`RecordError::SeedChanged`], or what is wrong
    /// with a file.
    pub fn open(path: &Path, seeds: &Seeds) -> Result<Self, RecordError> {
        Self::of(path, opened::open(path, seeds)?)
    }

    fn of(path: &Path, opened: Opened<Plan>) -> Result<Self, RecordError> {
        let Opened { header, plan, acts, is_over, sealed } = opened;
        let rounds = reading::closed_rounds(path, &acts)?;
        let commitment = sealed.commitment();
        Ok(Self { path: path.to_owned(), header, plan, acts, is_over, commitment, rounds })
    }

    /// The seed for people; of a run that is not over its commitment.
    pub fn seed_told(&self) -> String {
        seed_told(self.is_over, self.plan.seed, &self.commitment)
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
    ///
    /// # Errors
    /// What is wrong with one of its files, or that there is no such round.
    pub fn round(&self, index: usize) -> Result<RoundData, RecordError> {
        let Some((folder, record)) = self.rounds.get(index) else {
            let reason = format!("it has {} closed rounds, none with index {index}", self.len());
            return Err(RecordError::Damaged { path: self.path.join(ACTS), reason });
        };
        let record = record.clone();
        let conformance = reading::lines_of(&folder.join(CONFORMANCE), record.cases)?;
        let database = reading::lines_of(&folder.join(DATABASE), record.beside.database_looks)?;
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

fn seed_told(is_over: bool, seed: Seed, commitment: &str) -> String {
    if is_over { seed.to_string() } else { format!("sha256:{commitment}") }
}

/// Reads `run.json` of a run folder of any kind.
///
/// # Errors
/// [`RecordError::NoRun`], [`RecordError::Newer`], [`RecordError::Older`], or what is wrong with the file.
pub fn open_header(path: &Path) -> Result<RunHeader, RecordError> {
    let header = path.join(HEADER);
    if !header.is_file() {
        return Err(RecordError::NoRun(path.to_owned()));
    }
    match files::read_format(&header)? {
        FORMAT => files::read_json(&header),
        found if found < FORMAT => {
            let RunHeader { galo, .. } = files::read_json(&header)?;
            Err(RecordError::Older { path: path.to_owned(), found, known: FORMAT, galo })
        }
        found => Err(RecordError::Newer { path: header, found, known: FORMAT }),
    }
}

#[cfg(test)]
mod tests;
