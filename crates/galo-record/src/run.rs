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
//! children/001/attempt-1/     the first child of a run of runs, in a run folder of its own
//! report.json report.html     derived, by the galo that ran it; `galo report` makes the same bytes again, elsewhere
//! ```

mod any;
mod lock;
mod opened;
mod planned;
mod reading;

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use galo_plan::JsonSchema;
use galo_plan::secret;
use serde::{Deserialize, Serialize};

pub use crate::disk::{Folder, RecordError, VERSION, write_whole};
pub use any::AnyRun;
pub use opened::Run;
pub use planned::{Planned, RunKind};

use crate::act::{self, Act, Acted, ChildId, Outcome};
use crate::clock;
use crate::disk::files;
use crate::machine::Machine;
use crate::round::RoundData;
use crate::sealed::Sealed;
use crate::seeds::Seeds;
use crate::{history, latencies};
use lock::lock;
use opened::sealed;

/// Version of the folder's form. A reader refuses any other.
pub const FORMAT: u32 = 3;

/// `run.json`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
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

impl RunHeader {
    /// The same with a command line that can be shown.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        Self { command: secret::in_command(&self.command), ..self.clone() }
    }
}

/// `run.json` as it is written. The header alone is told.
#[derive(Serialize)]
struct HeaderFile {
    #[serde(flatten)]
    header: RunHeader,
    /// Where the command line was written: its relative paths are meant from there.
    directory: Option<PathBuf>,
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
        let folder = Folder::create(path)?;
        refuse_filled(&folder)?;
        folder.protect()?;
        Self::begin(folder, header, plan, seeds)
    }

    /// Makes the folder of a child below this run's.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn create_child(
        &self,
        child: ChildId,
        header: &RunHeader,
        plan: &impl Planned,
    ) -> Result<Self, RecordError> {
        let folder = self.folder.make_below(&child.folder())?;
        refuse_filled(&folder)?;
        Self::begin(folder, header, plan, &self.seeds)
    }

    fn begin(
        folder: Folder,
        header: &RunHeader,
        plan: &impl Planned,
        seeds: &Seeds,
    ) -> Result<Self, RecordError> {
        let (open, sealed) =
            sealed(plan).map_err(|e| RecordError::io("write", &folder.path().join(PLAN), e))?;
        let open = files::json(&folder.path().join(PLAN), &open)?;
        let begun = seeds.keep(&sealed).and_then(|()| fill(&folder, &open, header));
        if let Err(error) = &begun {
            let _ = seeds.forget(&sealed.commitment());
            // So that the same command can be given again. What another run has begun there is that run's.
            if !matches!(error, RecordError::NotEmpty(_)) {
                empty(&folder);
            }
        }
        let (rounds, acts) = begun?;
        let seeds = seeds.clone();
        Ok(Self { folder, rounds, acts, written: 0.into(), sealed, seeds, is_told: false.into() })
    }

    /// Goes on with a run that was cut off; the run as it stands. A line that was being written then is taken away, and so is
    /// the folder of a unit that no line tells of.
    ///
    /// # Errors
    /// As [`Run::open`]; [`RecordError::InUse`] while another galo drives it, [`RecordError::OtherGalo`] for what another
    /// version began.
    pub fn resume<P: Planned>(path: &Path, seeds: &Seeds) -> Result<(Self, Run<P>), RecordError> {
        let header = open_header(path)?;
        if header.format != FORMAT || header.galo != VERSION {
            return Err(RecordError::OtherGalo { path: path.to_owned(), found: header.galo });
        }
        let folder = Folder::open(path)?;
        let acts = folder.open_to_append(ACTS)?;
        lock(&acts, path)?;
        let (run, sealed) = opened::open::<P>(path, seeds)?;
        let whole = act::whole_bytes(&path.join(ACTS))?;
        acts.set_len(whole).map_err(|e| RecordError::io("write", &path.join(ACTS), e))?;
        let rounds = folder.within(ROUNDS)?;
        reading::remove_unbegun(&path.join(ROUNDS), &run.acts)?;
        let (written, is_told) = ((run.acts.len() as u32).into(), run.is_over.into());
        Ok((Self { folder, rounds, acts, written, sealed, seeds: seeds.clone(), is_told }, run))
    }

    /// What its plan holds in place of the seed.
    pub fn commitment(&self) -> String {
        self.sealed.commitment()
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

/// Makes an empty folder one of a run: where its rounds will be, and its acts.
fn fill(folder: &Folder, plan: &[u8], header: &RunHeader) -> Result<(Folder, File), RecordError> {
    // Two runs may find one folder empty at the same time: only one makes this.
    let rounds = folder.make(ROUNDS).map_err(|error| match error {
        RecordError::Io { source, .. } if source.kind() == ErrorKind::AlreadyExists => {
            RecordError::NotEmpty(folder.path().to_owned())
        }
        other => other,
    })?;
    let acts = folder.create_to_append(ACTS)?;
    lock(&acts, folder.path())?;
    folder.write(PLAN, plan)?;
    // Last, because it is what makes the folder a run.
    let (header, directory) = (header.without_secrets(), std::env::current_dir().ok());
    files::write_json(folder, HEADER, &HeaderFile { header, directory })?;
    folder.sync()?;
    Ok((rounds, acts))
}

/// Takes away what a run left that could not begin.
fn empty(folder: &Folder) {
    [HEADER, PLAN, ACTS, ROUNDS, Seeds::FOLDER].into_iter().for_each(|name| folder.remove(name));
}

fn refuse_filled(folder: &Folder) -> Result<(), RecordError> {
    match folder.is_empty()? {
        true => Ok(()),
        false => Err(RecordError::NotEmpty(folder.path().to_owned())),
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

/// Where the command line of a run was written; `None`: that is not known.
///
/// # Errors
/// As [`open_header`].
pub fn begun_in(path: &Path) -> Result<Option<PathBuf>, RecordError> {
    #[derive(Deserialize)]
    struct Begun {
        directory: Option<PathBuf>,
    }
    open_header(path)?;
    files::read_json(&path.join(HEADER)).map(|Begun { directory }| directory)
}

#[cfg(test)]
mod tests;
