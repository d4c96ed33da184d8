//! Gatling's `simulation.log`, read as the record of a load whose steps are its requests by name.
//!
//! The log is text in Gatling 3.5 to 3.12 (`LogFileDataWriter.scala` of each): fields between tabs, one record a line.
//! Later versions write it in binary. It is read line by line: memory grows with names and messages, both bounded,
//! and not with the length of the file. What cannot be read is left out and counted, with its first line.

mod gather;
mod line;
mod record;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Latencies, Ledger, LoadRecord, StepLatencies};
use gather::Gathering;
use line::{Line, Lines};
use record::{Record, parse};

/// Bytes read at once.
const BUFFER: usize = 1 << 18;
/// Characters of an odd line that are kept.
const SHOWN: usize = 120;

/// Why a log cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GatlingError {
    /// The file system refused.
    #[error("cannot read `{path}`: {source}\nhint: give the path of Gatling's simulation.log")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A log of a version that writes no text.
    #[error(
        "`{path}` is Gatling's binary log{}; galo reads the text that versions 3.5 to 3.12 write\nhint: run the \
         simulation with Gatling 3.12.0 or earlier, or drive the server with `galo load`",
        version.as_ref().map_or_else(String::new, |version| format!(" (version {version})"))
    )]
    Binary {
        /// The file.
        path: PathBuf,
        /// The version that it tells.
        version: Option<String>,
    },
    /// A log of a version with another order of fields.
    #[error(
        "`{path}` was written by Gatling {version}, which orders its fields otherwise; galo reads versions 3.5 to 3.12\n\
         hint: run the simulation with one of these"
    )]
    Older {
        /// The file.
        path: PathBuf,
        /// The version that it tells.
        version: String,
    },
    /// Something else.
    #[error(
        "`{path}` is no log of Gatling's: {reason}\nhint: give the simulation.log in the folder that Gatling named at \
         its end"
    )]
    NoLog {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// A log, read.
#[derive(Debug, Default)]
pub struct GatlingLog {
    /// What the log says beside its requests.
    pub about: AboutLog,
    /// All requests, with a step for each name. A request in groups has their names before its own. A `KO` is a failure.
    pub load: LoadRecord,
    /// Names of the steps.
    pub names: Vec<String>,
    /// Latencies by step: response times, from when Gatling began to send. They are the service times too.
    pub latencies: Vec<StepLatencies>,
    /// Groups of requests, in the order in which the first of each ended.
    pub groups: Vec<(String, LoggedGroup)>,
}

/// A log beside its requests.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AboutLog {
    /// The file.
    pub file: String,
    /// Its lines.
    pub lines: u64,
    /// The run of the simulation; null: the log does not tell it.
    pub simulation: Option<Simulation>,
    /// Virtual users that started.
    pub users_started: u64,
    /// Virtual users that ended.
    pub users_ended: u64,
    /// What is odd about the log, by the first line of each kind.
    pub odd: BTreeMap<Oddity, OddLines>,
}

/// The run of a simulation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Simulation {
    /// Name of its class.
    pub class: String,
    /// What the caller said of it.
    pub description: String,
    /// Milliseconds since 1970; null: the log tells no time that makes sense.
    pub started_ms: Option<u64>,
    /// Version of Gatling.
    pub gatling: String,
}

/// A group of requests.
#[derive(Debug, Default)]
pub struct LoggedGroup {
    /// How often all of it was OK, and how often it failed.
    pub ledger: Ledger,
    /// Time from its start to its end, pauses included.
    pub duration: Latencies,
    /// Response times of its requests, added up.
    pub cumulated: Latencies,
}

/// A kind of oddity in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Oddity {
    /// Names a version of Gatling whose log is not known.
    UnknownVersion,
    /// Begins another run. All requests are counted together.
    AnotherRun,
    /// Is no record that Gatling writes. It is left out.
    NoRecord,
    /// Does not end with a line break.
    CutOff,
    /// Is longer than a mebibyte. The rest of it is not read.
    TooLong,
    /// Holds bytes that are no UTF-8.
    NoText,
    /// Ends before it starts. It is counted with 0 ms.
    BackInTime,
    /// Has a name beyond the first 256. All such names are counted as one.
    OtherName,
    /// Has a message beyond the first 1,000. All such messages are counted as one.
    OtherMessage,
}

/// Lines with the same oddity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OddLines {
    /// How many.
    pub lines: u64,
    /// Number of the first, from 1.
    pub first: u64,
    /// The beginning of the first.
    pub text: String,
}

impl GatlingLog {
    /// Reads a log.
    ///
    /// # Errors
    /// The file is no log, is of a version that is not read, or cannot be read.
    pub fn read(path: &Path) -> Result<Self, GatlingError> {
        let failed = |source| GatlingError::Io { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        Self::parse(path, BufReader::with_capacity(BUFFER, file))
    }

    /// Reads a log from any source; `path` is its name in errors.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(path: &Path, mut from: impl BufRead) -> Result<Self, GatlingError> {
        let failed = |source| GatlingError::Io { path: path.to_owned(), source };
        check_start(path, from.fill_buf().map_err(failed)?)?;
        let mut lines = Lines::new(from);
        let mut gathering = Gathering::default();
        while let Some(line) = lines.next().map_err(failed)? {
            let record = parse(&line.text);
            match &record {
                Some(Record::Run(run)) if run.is_older() => {
                    let version = run.version.to_owned();
                    return Err(GatlingError::Older { path: path.to_owned(), version });
                }
                record => gathering.add(&line, record.as_ref()),
            }
        }
        Ok(gathering.into_log(path.display().to_string(), lines.read()))
    }
}

impl AboutLog {
    /// One more line with this oddity.
    fn tell(&mut self, what: Oddity, line: &Line<'_>) {
        let text = || line.text.chars().take(SHOWN).collect();
        let first = || OddLines { lines: 0, first: line.number, text: text() };
        self.odd.entry(what).or_insert_with(first).lines += 1;
    }
}

/// Refuses what begins as no text log does.
fn check_start(path: &Path, start: &[u8]) -> Result<(), GatlingError> {
    let path = path.to_owned();
    let Some(first) = start.first() else {
        return Err(GatlingError::NoLog { path, reason: "it is empty".to_owned() });
    };
    // A binary log begins with the record of the run: 0, the length of the version in four bytes, the version.
    if *first == 0 {
        return Err(GatlingError::Binary { path, version: binary_version(start) });
    }
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let kind = line.split(|byte| *byte == b'\t').next().unwrap_or_default();
    if record::KINDS.iter().any(|known| known.as_bytes() == kind) {
        return Ok(());
    }
    let shown = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
    Err(GatlingError::NoLog { path, reason: format!("it begins with `{shown}`") })
}

fn binary_version(start: &[u8]) -> Option<String> {
    let length = start.get(1..5)?.try_into().ok().map(u32::from_be_bytes)?;
    let version = start.get(5..)?.get(..usize::try_from(length).ok().filter(|length| *length < 32)?)?;
    let is_version = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    version.iter().all(is_version).then(|| String::from_utf8_lossy(version).into_owned())
}

#[cfg(test)]
mod tests;
