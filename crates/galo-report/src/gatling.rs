//! Gatling's `simulation.log`, read into a report of galo's: requests by name, groups, users, errors, seconds.
//!
//! The log is text in Gatling 3.5 to 3.12 (`LogFileDataWriter.scala` of each): fields between tabs, one record a line.
//! Later versions write it in binary. It is read line by line: memory grows with names, messages and seconds, each of
//! them bounded, and not with the length of the file. What cannot be read is told with its line and left out; nothing
//! else is.

mod gather;
mod line;
mod record;
mod terminal;
mod warnings;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

pub use warnings::Warning;

use crate::requests::RequestsReport;
use galo_judge::json::pretty;
use galo_record::Percentiles;
use gather::Gathering;
use line::Lines;
use record::{Record, parse};
use warnings::Warnings;

/// Version of the report's written form.
const FORMAT: u32 = 1;
/// Bytes read at once.
const BUFFER: usize = 1 << 18;

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

/// What a log says.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GatlingReport {
    /// Version of this form: 1.
    pub format: u32,
    /// The file.
    pub file: String,
    /// Its lines.
    pub lines: u64,
    /// The run, as the log tells it; null: it does not.
    pub simulation: Option<Simulation>,
    /// What in it is not as it should be, by the first line of each kind.
    pub warnings: Vec<Warning>,
    /// From the start of the first request to the end of the last one.
    pub elapsed_s: f64,
    /// Requests that were OK, per second of that.
    pub ok_per_s: f64,
    /// Requests by name; a request in groups has their names before its own.
    pub requests: RequestsReport,
    /// Groups of requests, by name.
    pub groups: Vec<GroupReport>,
    /// Virtual users, by scenario.
    pub scenarios: Vec<ScenarioReport>,
    /// Seconds in which a request started or ended, from the start of the first request.
    pub seconds: Vec<SecondReport>,
}

/// The run of a simulation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Simulation {
    /// Name of its class.
    pub class: String,
    /// What the caller said of it.
    pub description: String,
    /// UTC, RFC 3339, to the second; null: the log tells no time that makes sense.
    pub started: Option<String>,
    /// Version of Gatling.
    pub gatling: String,
}

/// A group of requests. Times are in microseconds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GroupReport {
    /// Its name, after those of the groups around it.
    pub name: String,
    /// How often all of it was OK.
    pub ok: u64,
    /// How often not.
    pub ko: u64,
    /// From its start to its end, pauses included.
    pub duration: Percentiles,
    /// Response times of the requests in it, added up.
    pub cumulated: Percentiles,
}

/// Virtual users of one scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScenarioReport {
    /// Its name.
    pub name: String,
    /// Users that started.
    pub started: u64,
    /// Users that ended.
    pub ended: u64,
}

/// One second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SecondReport {
    /// From 0.
    pub second: u64,
    /// Requests that started in it.
    pub started: u64,
    /// Requests that ended in it and were OK.
    pub ok: u64,
    /// ... and were not.
    pub ko: u64,
}

impl GatlingReport {
    /// Reads a log.
    ///
    /// # Errors
    /// What is no log, one of a version that is not read, or a file that cannot be read.
    pub fn read(path: &Path) -> Result<Self, GatlingError> {
        let failed = |source| GatlingError::Io { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        Self::of(path, BufReader::with_capacity(BUFFER, file))
    }

    /// Reads a log from wherever it comes; `path` is what it is called.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn of(path: &Path, mut from: impl BufRead) -> Result<Self, GatlingError> {
        let failed = |source| GatlingError::Io { path: path.to_owned(), source };
        let start = from.fill_buf().map_err(failed)?;
        no_log(path, start)?;
        let mut lines = Lines::new(from);
        let mut gathering = Gathering::default();
        let mut warnings = Warnings::default();
        while let Some(line) = lines.next().map_err(failed)? {
            let text = line.text(&mut warnings);
            match parse(&text) {
                Ok(Record::Run(run)) if run.is_older() => {
                    let version = run.version.to_owned();
                    return Err(GatlingError::Older { path: path.to_owned(), version });
                }
                Ok(record) => gathering.add(line.number, &record, &mut warnings),
                Err(reason) => line.malformed(&text, &reason, &mut warnings),
            }
        }
        Ok(gathering.told(path, lines.read(), warnings))
    }

    /// Pretty JSON with a newline at the end.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

/// The JSON schema of [`GatlingReport`], pretty, with a newline at the end.
pub fn gatling_schema() -> String {
    pretty(&schemars::schema_for!(GatlingReport))
}

/// Why what begins like this is no text log.
fn no_log(path: &Path, start: &[u8]) -> Result<(), GatlingError> {
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
    Err(GatlingError::NoLog { path, reason: format!("it begins with `{}`", crate::clean(&shown)) })
}

fn binary_version(start: &[u8]) -> Option<String> {
    let length = start.get(1..5)?.try_into().ok().map(u32::from_be_bytes)?;
    let version = start.get(5..)?.get(..usize::try_from(length).ok().filter(|length| *length < 32)?)?;
    let is_version = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    version.iter().all(is_version).then(|| String::from_utf8_lossy(version).into_owned())
}
