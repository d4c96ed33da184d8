//! What kind of recording a file is.

use std::io::{self, BufRead};
use std::path::Path;

use super::collected::Collected;
use super::left_out::Unit;
use super::read::{Text, Wrong};
use super::{curl, har, http_file, lines, log};

/// The formats, for a person.
pub(super) const KNOWN: &str = "galo reads HAR (.har), JSON lines (.jsonl), .http, lines of curl (.curl) and access logs (.log: \
    common, combined, JSON), each packed by gzip too";

/// Lines by which a kind is seen where the name does not say it.
const LOOKED_AT: usize = 50;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// Galo's own lines of JSON.
    Lines,
    Har,
    Http,
    Curl,
    /// An access log.
    Log,
}

impl Format {
    /// As the name says, else as its beginning looks; `None`: as none.
    pub(super) fn detect(path: &Path, file: &mut dyn BufRead) -> io::Result<Option<Self>> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let start = String::from_utf8_lossy(file.fill_buf()?).into_owned();
        let start = start.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        Ok(match extension {
            // Servers write lines of JSON under this name as well.
            "jsonl" | "ndjson" => {
                Some(looks(start).filter(|format| *format == Self::Log).unwrap_or(Self::Lines))
            }
            "har" => Some(Self::Har),
            "http" | "rest" => Some(Self::Http),
            "curl" | "sh" => Some(Self::Curl),
            _ if is_log(name) => Some(Self::Log),
            _ => looks(start),
        })
    }

    pub(super) fn parse(self, text: Text<'_>, collected: &mut Collected) -> Result<(), Wrong> {
        match self {
            Self::Lines => lines::parse(text, collected),
            Self::Har => har::parse(text, collected),
            Self::Http => http_file::parse(text, collected),
            Self::Curl => curl::parse(text, collected),
            Self::Log => log::parse(text, collected),
        }
    }

    /// What the numbers of its entries count.
    pub(super) fn unit(self) -> Unit {
        if self == Self::Har { Unit::Entry } else { Unit::Line }
    }
}

/// `access.log`, and rotated as `access.log.1`, `access.log-20260101`, `access.log_old`.
fn is_log(name: &str) -> bool {
    name.split_once(".log").is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with(['.', '-', '_']))
}

/// What the beginning of a file looks like.
fn looks(start: &str) -> Option<Format> {
    if let Some(behind) = start.strip_prefix('{') {
        // Servers begin their logs with other lines.
        let objects = start.lines().take(LOOKED_AT).map_while(|line| serde_json::from_str(line).ok());
        let whole = || behind.trim_start().starts_with("\"log\"").then_some(Format::Har);
        return objects.filter_map(|object| of_object(&object)).next().or_else(whole);
    }
    let is_said = |line: &&str| !line.trim().is_empty() && !line.starts_with('#') && !line.starts_with("//");
    let said = start.lines().find(is_said).unwrap_or_default();
    let words: Vec<&str> = said.split_whitespace().collect();
    if curl::is_line(said) {
        return Some(Format::Curl);
    }
    if start.lines().take(LOOKED_AT).any(log::is_line) {
        return Some(Format::Log);
    }
    let is_request = matches!(words.as_slice(), [method, address, ..]
        if http_file::is_method(method) && (address.contains("://") || address.starts_with(['/', '{'])));
    (is_request || (start.starts_with("###") && words.len() > 1)).then_some(Format::Http)
}

/// What an object on a line of its own is.
fn of_object(object: &serde_json::Map<String, serde_json::Value>) -> Option<Format> {
    if object.contains_key("log") {
        return Some(Format::Har);
    }
    if log::is_of_log(object) {
        return Some(Format::Log);
    }
    (object.contains_key("url") || object.contains_key("path")).then_some(Format::Lines)
}
