//! Requests from files that other tools wrote: JSON lines, HAR, `.http` files, lines of `curl`, access logs.
//!
//! Of an address only path and query count: a recording is sent to whatever server is asked about. What is the same is kept
//! once, with how often it stood there as its weight. Hosts, lengths, connections and encodings are the sender's affair, so
//! such headers are left out.

mod curl;
mod har;
mod lines;
mod pace;
mod read;
mod text;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use jiff::Timestamp;

use crate::error::PlanError;
use crate::operands::server;
use crate::request::RequestOptions;
use read::Text;

/// Different requests at most: flat step numbers are kept in one byte. Of more, the most frequent are kept.
pub const MAX_REQUESTS: usize = 255;

/// Bytes of different requests that are kept while a file is read, to see which are frequent; of those that come first when there is
/// room no longer, only how many there were is known.
const MOST_KEPT: usize = 256 << 20;

/// Headers that belong to a connection or a sender, not to a request's meaning.
const DROPPED: &[&str] = &[
    "host",
    "content-length",
    "connection",
    "keep-alive",
    "transfer-encoding",
    "te",
    "upgrade",
    "accept-encoding",
    "user-agent",
];

/// One request of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// E.g. `GET`.
    pub method: String,
    /// Path and query, beginning with `/`.
    pub target: String,
    /// Lines `Name: value`.
    pub headers: Vec<String>,
    /// Body, if any.
    pub body: Option<String>,
    /// How often it stands in the file, at least 1.
    pub weight: u32,
}

impl Recorded {
    /// What sends it to the server of `one`, and is as that says of all else.
    pub fn options(&self, one: &RequestOptions) -> RequestOptions {
        let server = one.urls.first().map_or("", |url| server(url));
        RequestOptions {
            urls: vec![format!("{server}{}", self.target)],
            method: Some(self.method.clone()),
            headers: self.headers.iter().chain(&one.headers).cloned().collect(),
            // As it stands, whatever it begins with.
            body: self.body.as_ref().map(|body| format!("text:{body}")),
            ..one.clone()
        }
    }
}

/// A recording as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recording {
    /// Different requests, in the order in which they first stand there.
    pub requests: Vec<Recorded>,
    /// Requests that were left out: of an access log those that are neither GET nor HEAD (their bodies are not in it), and all
    /// beyond the [`MAX_REQUESTS`] most frequent.
    pub left_out: u64,
    /// What came when, in that order; empty where the file does not say so of all that is kept.
    pub arrivals: Vec<Arrival>,
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
    /// Reads a file by its extension: `.jsonl`, `.har`, `.http` or `.rest`, `.curl` or `.sh`, `.log`.
    ///
    /// # Errors
    /// It cannot be read, its extension is none of these, it holds no request, or what is wrong with which line.
    pub fn read(path: &Path) -> Result<Self, PlanError> {
        let name = path.display().to_string();
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        let parse: fn(Text<'_>, &mut Collected) -> Result<(), Wrong> = match extension.as_str() {
            "jsonl" | "ndjson" => lines::parse,
            "har" => har::parse,
            "http" | "rest" => text::http,
            "curl" | "sh" => curl::parse,
            "log" => text::access_log,
            _ => {
                let hint = "name it .jsonl, .har, .http, .curl or .log (an access log)";
                return Err(PlanError::Invalid(format!("`{name}` has no known extension\nhint: {hint}")));
            }
        };
        let failed = |source| PlanError::Read { path: path.to_owned(), source };
        let mut file = BufReader::new(File::open(path).map_err(failed)?);
        let mut collected = Collected::default();
        Text::of(&mut file)
            .map_err(|e| Wrong::reading(1, &e))
            .and_then(|text| parse(text, &mut collected))
            .map_err(|Wrong { line, what }| PlanError::Invalid(format!("{name}:{line}: {what}")))?;
        let recording = collected.finish();
        if recording.requests.is_empty() {
            let hint = "see `galo duel --help` for what files may hold";
            return Err(PlanError::Invalid(format!(
                "`{name}` holds no request that can be sent\nhint: {hint}"
            )));
        }
        Ok(recording)
    }
}

/// What is wrong with a line, from 1.
struct Wrong {
    line: usize,
    what: String,
}

impl Wrong {
    fn new(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }

    fn reading(line: usize, error: &io::Error) -> Self {
        Self::new(line, format!("it cannot be read: {error}"))
    }
}

/// Requests as they are found.
#[derive(Default)]
struct Collected {
    requests: Vec<Recorded>,
    /// Where each different request is, by all of it but its weight.
    known: HashMap<(String, String, Vec<String>, Option<String>), usize>,
    /// Bytes of them, some more for each.
    kept: usize,
    left_out: u64,
    /// When which request came; `None`: not known.
    arrivals: Vec<(Option<Timestamp>, usize)>,
}

impl Collected {
    /// One more, of which is known when it came, if the file says so.
    fn add_at(
        &mut self,
        at: Option<Timestamp>,
        method: &str,
        address: &str,
        headers: Vec<String>,
        body: Option<String>,
    ) {
        if let Some(request) = self.add(method, address, headers, body, 1) {
            self.arrivals.push((at, request));
        }
    }

    /// One more, and its number; `None`: it is left out. `address` may be whole, or path and query alone.
    fn add(
        &mut self,
        method: &str,
        address: &str,
        headers: Vec<String>,
        body: Option<String>,
        weight: u32,
    ) -> Option<usize> {
        let is_kept = |line: &String| {
            let name = line.split(':').next().unwrap_or_default().trim().to_ascii_lowercase();
            !line.starts_with(':') && !DROPPED.contains(&name.as_str())
        };
        let headers: Vec<String> = headers.into_iter().filter(is_kept).collect();
        let body = body.filter(|body| !body.is_empty());
        let key = (method.to_ascii_uppercase(), target(address), headers, body);
        if let Some(&number) = self.known.get(&key) {
            let known = &mut self.requests[number];
            known.weight = known.weight.saturating_add(weight);
            return Some(number);
        }
        let (method, target, headers, body) = &key;
        let length = method.len()
            + target.len()
            + headers.iter().map(|line| line.len() + size_of::<String>()).sum::<usize>()
            + body.as_ref().map_or(0, String::len);
        // Twice: it is a key as well.
        let more = 2 * (length + size_of::<Recorded>());
        if self.kept + more > MOST_KEPT {
            self.left_out += u64::from(weight);
            return None;
        }
        self.kept += more;
        let number = self.requests.len();
        self.known.insert(key.clone(), number);
        let (method, target, headers, body) = key;
        self.requests.push(Recorded { method, target, headers, body, weight });
        Some(number)
    }

    fn finish(mut self) -> Recording {
        // The most frequent first; of equal ones who came first.
        let mut by_weight: Vec<usize> = (0..self.requests.len()).collect();
        by_weight.sort_by_key(|&number| Reverse(self.requests[number].weight));
        let mut kept = by_weight;
        let rare = kept.split_off(MAX_REQUESTS.min(kept.len()));
        self.left_out += rare.iter().map(|&number| u64::from(self.requests[number].weight)).sum::<u64>();
        kept.sort_unstable();
        let arrivals = pace::arrivals(&self.arrivals, &kept);
        let requests = kept.into_iter().map(|number| self.requests[number].clone()).collect();
        Recording { requests, left_out: self.left_out, arrivals }
    }
}

/// Path and query of an address, without a fragment.
fn target(address: &str) -> String {
    let rest = match address.split_once("://") {
        Some((_, rest)) => rest.find(['/', '?']).map_or("/", |at| &rest[at..]),
        // `localhost:3000/path`, as curl takes it.
        None if !address.starts_with('/') => address.find(['/', '?']).map_or("/", |at| &address[at..]),
        None => address,
    };
    let rest = rest.split('#').next().unwrap_or_default();
    if rest.starts_with('/') { rest.to_owned() } else { format!("/{rest}") }
}

#[cfg(test)]
mod tests;
