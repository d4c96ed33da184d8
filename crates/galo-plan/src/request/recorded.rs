//! Requests from files that other tools wrote: JSON lines, HAR, `.http` files, lines of `curl`, access logs.
//!
//! What a browser or curl sent is sent again, byte for byte, or the entry is left out and counted with its reason
//! ([`LeftOut`]); one bad entry refuses no file. Host, length and connection are the sender's affair, so such headers are not
//! taken over: a recording is sent to whatever server is asked about. Of several hosts one is taken: the most frequent, or the one
//! that is asked for. What is the same is kept once, with how often it stood there as its weight.

mod beside;
mod collected;
mod curl;
mod form;
mod format;
mod har;
mod http_file;
mod left_out;
mod lines;
mod log;
mod pace;
mod read;
mod sent;

use std::path::Path;

use crate::challenge::{Header, Step};
use crate::error::PlanError;
use crate::template::Template;
use beside::Beside;
use collected::Collected;
use format::Format;
use read::{Text, Wrong};

use left_out::Unit;

pub use left_out::{Change, LeftOut, Reason, Row, Tally};

/// Different requests at most: flat step numbers are kept in one byte. Of more, the most frequent are kept.
pub const MAX_REQUESTS: usize = 255;

/// One request of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Recorded {
    /// Name, and the port unless it is the scheme's own; `None`: not known.
    pub host: Option<String>,
    /// E.g. `GET`.
    pub method: String,
    /// Path and query, beginning with `/`.
    pub target: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// Body, if any.
    pub body: Option<Vec<u8>>,
    /// How often it stands in the file, at least 1.
    pub weight: u32,
}

impl Recorded {
    /// The request as a step, as it stands: with its braces, and whatever its body begins with.
    pub(super) fn step(&self) -> Step {
        Step {
            headers: self.headers.iter().map(|(name, value)| Header::new(name, value)).collect(),
            body: self.body.clone().map(Template::bytes),
            ..Step::plain(&self.method, &self.target)
        }
    }
}

/// A recording as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recording {
    /// Different requests, in the order in which they first stand there.
    pub requests: Vec<Recorded>,
    /// What was left out, and why.
    pub left_out: LeftOut,
    /// What is sent in another way than it was.
    pub changed: Tally<Change>,
    /// Requests that the file holds, those that were left out among them.
    pub held: u64,
    /// The host whose requests are sent; `None`: the file names none.
    pub host: Option<String>,
    /// What came when, in that order; empty where the file does not say so of all that is kept.
    pub arrivals: Vec<Arrival>,
    /// What its numbers count.
    unit: Unit,
}

/// When a request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// After the first one, in nanoseconds.
    pub at_ns: u64,
    /// Index into [`Recording::requests`].
    pub request: usize,
}

impl Recording {
    /// Reads a file by its name (`.jsonl`, `.har`, `.http` or `.rest`, `.curl` or `.sh`, `.log`, rotated too), else by what is in it;
    /// packed by gzip or not, in UTF-8 or UTF-16. `host`: requests of this one alone, in place of the most frequent.
    ///
    /// # Errors
    /// It cannot be read, is no such file, or holds no request that can be sent: what is wrong with which line.
    pub fn read(path: &Path, host: Option<&str>) -> Result<Self, PlanError> {
        let name = path.display().to_string();
        let failed = |source| PlanError::Read { path: path.to_owned(), source };
        let mut file = read::open(path).map_err(failed)?;
        let format = Format::detect(path, &mut *file).map_err(failed)?.ok_or_else(|| {
            PlanError::Invalid(format!("`{name}` is no recording that galo knows\nhint: {}", format::KNOWN))
        })?;
        let mut collected = Collected::new(Beside::new(path));
        let refused = |Wrong { line, what }| PlanError::Invalid(format!("{name}:{line}: {what}"));
        let read = Text::new(&mut *file).map_err(|e| Wrong::reading(1, &e));
        if let Err(wrong) = read.and_then(|text| format.parse(text, &mut collected)) {
            if collected.is_empty() {
                return Err(refused(wrong));
            }
            collected.cut_off(&wrong);
        }
        if let Some(wrong) = collected.first_wrong().filter(|_| !collected.has_requests()) {
            return Err(refused(wrong));
        }
        let recording = collected.finish(host, format.unit()).map_err(|hint| {
            let host = host.unwrap_or_default();
            PlanError::Invalid(format!("`{name}` has no request of the host `{host}`\nhint: {hint}"))
        })?;
        if recording.requests.is_empty() {
            let told = recording.remarks(&name).join("; ");
            let told = if told.is_empty() { String::new() } else { format!(": {told}") };
            return Err(PlanError::Invalid(format!(
                "`{name}` holds no request that can be sent{told}\nhint: {}",
                format::KNOWN
            )));
        }
        Ok(recording)
    }

    /// What was left out and what is sent in another way, a line each; nothing where all is sent as it was. `name`: of the file.
    pub fn remarks(&self, name: &str) -> Vec<String> {
        let mut lines = Vec::new();
        if self.left_out.count() > 0 {
            let (count, held) = (self.left_out.count(), self.held);
            lines.push(format!("{name}: {count} of {held} left out: {}", self.left_out.in_full(self.unit)));
        }
        if let (Some(host), 1..) = (&self.host, self.left_out.count_of(Reason::OtherHost)) {
            lines.push(format!("{name}: what went to `{host}` is sent; --host takes another"));
        }
        if self.changed.count() > 0 {
            lines.push(format!("{name}: {}", self.changed.in_full(self.unit)));
        }
        lines
    }
}

#[cfg(test)]
mod tests;
