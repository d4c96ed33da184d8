//! Entries of a recording that are not sent, or not as they were: how many, which, and why.

use crate::secret;

/// Numbers that are told for each reason.
const SHOWN: usize = 3;
/// Letters of a detail that are told.
const LONGEST: usize = 60;

/// Why an entry is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// `wss:`, `data:`, `blob:`, and whatever else is not asked for by HTTP.
    NotHttp,
    /// It went to another host than the one that is taken.
    OtherHost,
    /// A method that is none, has small letters, or asks for a tunnel.
    Method,
    /// An address that no request can have.
    Target,
    /// A header whose name or value cannot be sent.
    Header,
    /// The recording lacks a part, most often of the body.
    NotWhole,
    /// A file that is not there, or lies outside of the recording's folder.
    File,
    /// An option, or a way of writing, that galo does not know.
    NotKnown,
    /// A variable without a value.
    Variable,
    /// A line that only a shell can read.
    Shell,
    /// In a log: what changes a server, or had a body that the log does not keep.
    NotSafe,
    /// No request at all.
    NoRequest,
    /// What is not as its format has it.
    Unreadable,
    /// The file cannot be read from there on.
    CutOff,
    /// Beyond the most frequent ones.
    Rare,
    /// Beyond what is kept in memory.
    NoRoom,
}

/// How a request differs from the one that was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Its `Accept-Encoding` is not sent.
    NotPacked,
    /// Letters beyond ASCII in its address are percent-encoded.
    Encoded,
    /// The headers that a log names are not sent.
    WithoutHeaders,
}

/// What the numbers of a recording count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Unit {
    #[default]
    Line,
    /// Entries of a HAR file.
    Entry,
}

impl Unit {
    fn word(self, count: usize) -> &'static str {
        match (self, count) {
            (Self::Line, 1) => "line",
            (Self::Line, _) => "lines",
            (Self::Entry, 1) => "entry",
            (Self::Entry, _) => "entries",
        }
    }
}

/// Kinds of what is told, each in the words for one and for several.
pub trait Worded: Copy + PartialEq {
    /// What one does, and what several do.
    fn words(self) -> [&'static str; 2];
}

impl Worded for Reason {
    fn words(self) -> [&'static str; 2] {
        match self {
            Self::NotHttp => ["is no HTTP", "are no HTTP"],
            Self::OtherHost => ["is of another host", "are of other hosts"],
            Self::Method => ["has a method that cannot be sent", "have methods that cannot be sent"],
            Self::Target => ["has an address that cannot be sent", "have addresses that cannot be sent"],
            Self::Header => ["has an impossible header", "have impossible headers"],
            Self::NotWhole => ["is not whole in the file", "are not whole in the file"],
            Self::File => {
                ["needs a file that is not in its folder", "need files that are not in their folder"]
            }
            Self::NotKnown => ["asks for what galo does not know", "ask for what galo does not know"],
            Self::Variable => ["has a variable without a value", "have variables without a value"],
            Self::Shell => ["needs a shell to be read", "need a shell to be read"],
            Self::NotSafe => ["is no GET, HEAD or OPTIONS", "are no GET, HEAD or OPTIONS"],
            Self::NoRequest => ["is no request", "are no requests"],
            Self::Unreadable => ["cannot be read", "cannot be read"],
            Self::CutOff => ["cannot be read, nor what follows", "cannot be read, nor what follows"],
            Self::Rare => ["is not among the 255 most frequent", "are not among the 255 most frequent"],
            Self::NoRoom => ["finds no room in memory", "find no room in memory"],
        }
    }
}

impl Worded for Change {
    fn words(self) -> [&'static str; 2] {
        match self {
            Self::NotPacked => [
                "is sent without its Accept-Encoding (answers come unpacked)",
                "are sent without their Accept-Encoding (answers come unpacked)",
            ],
            Self::Encoded => {
                ["is sent with its address percent-encoded", "are sent with their addresses percent-encoded"]
            }
            Self::WithoutHeaders => {
                ["is sent without the headers in the log", "are sent without the headers in the log"]
            }
        }
    }
}

/// All of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<K> {
    /// Which kind.
    pub kind: K,
    /// How many.
    pub count: u64,
    /// Numbers of the first ones in the file, from 1, at most three, each once.
    pub first: Vec<u64>,
    /// Whether there are others.
    pub has_more: bool,
    /// What it was about, e.g. a header's name; each once.
    pub about: Vec<String>,
}

/// Kinds with their counts, in the order in which they came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally<K> {
    /// One for each kind.
    pub rows: Vec<Row<K>>,
}

/// What was left out.
pub type LeftOut = Tally<Reason>;

impl<K> Default for Tally<K> {
    fn default() -> Self {
        Self { rows: Vec::new() }
    }
}

impl<K: Worded> Row<K> {
    /// What this many do.
    fn words(&self) -> &'static str {
        let [one, several] = self.kind.words();
        if self.count == 1 { one } else { several }
    }
}

impl<K: Worded> Tally<K> {
    /// All kinds together.
    pub fn count(&self) -> u64 {
        self.rows.iter().map(|row| row.count).sum()
    }

    /// How many are of this kind.
    pub fn count_of(&self, kind: K) -> u64 {
        self.rows.iter().find(|row| row.kind == kind).map_or(0, |row| row.count)
    }

    /// `count` more, of which the first has this number. `about` is told without secrets; it may be empty.
    pub(super) fn add(&mut self, kind: K, number: u64, count: u64, about: &str) {
        let at = self.rows.iter().position(|row| row.kind == kind).unwrap_or_else(|| {
            self.rows.push(Row { kind, count: 0, first: Vec::new(), has_more: false, about: Vec::new() });
            self.rows.len() - 1
        });
        let Some(row) = self.rows.get_mut(at) else { return };
        row.count = row.count.saturating_add(count);
        if row.first.len() < SHOWN {
            if row.first.last() != Some(&number) {
                row.first.push(number);
            }
            let about = short(about);
            if !about.is_empty() && !row.about.contains(&about) && row.about.len() < SHOWN {
                row.about.push(about);
            }
        } else {
            row.has_more |= row.first.last() != Some(&number);
        }
    }

    /// `2 are no HTTP, 1 has an impossible header`.
    pub fn in_short(&self) -> String {
        let row = |row: &Row<K>| format!("{} {}", row.count, row.words());
        self.rows.iter().map(row).collect::<Vec<_>>().join(", ")
    }

    /// `2 are no HTTP (entries 2, 3: ...), 1 has an impossible header (entry 5: ...)`.
    pub(super) fn in_full(&self, unit: Unit) -> String {
        let row = |row: &Row<K>| {
            let words = row.words();
            let unit = unit.word(row.first.len());
            let numbers = row.first.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let more = if row.has_more { ", ..." } else { "" };
            let about = row.about.iter().map(|about| format!("`{about}`")).collect::<Vec<_>>().join(", ");
            let about = if about.is_empty() { about } else { format!(": {about}") };
            format!("{} {words} ({unit} {numbers}{more}{about})", row.count)
        };
        self.rows.iter().map(row).collect::<Vec<_>>().join(", ")
    }
}

/// One line, without secrets, not too long.
fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let line = secret::in_urls(line);
    let mut shown: String = line.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    if shown.len() < line.len() && line.chars().count() > LONGEST {
        shown.push_str("...");
    }
    shown
}

/// An entry that is left out, and what about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) reason: Reason,
    pub(super) about: String,
}

impl Left {
    pub(super) fn new(reason: Reason, about: impl Into<String>) -> Self {
        Self { reason, about: about.into() }
    }
}
