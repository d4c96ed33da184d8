//! What a challenge cannot say as data: its rows with their labels, and what to make of an answer.
//!
//! A challenge's model is a leaf crate that implements [`ChallengeModel`]; the command line registers it. Models are
//! pure: no clock, no socket, no state that an answer changes. That is why one may be asked from any engine thread,
//! and again by a judge, with the same result.

use crate::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::conformance::Case;
use crate::digest::hex;
use crate::rules::Rule;
use crate::seed::Seed;

/// The identity that a contender gave to something that it created, e.g. a UUID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Id(pub u128);

/// One thing as an answer showed it: who it is said to be, and what it looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Seen {
    /// Its identity.
    pub id: Id,
    /// All of its fields by meaning, as one number: equal to [`Thing::digest`] of the row that it was made of.
    pub digest: u64,
}

/// So many things of one answer are kept in the history; that an answer showed more is known by its count.
pub const SEEN_MAX: usize = 100;

/// What an operation did to the contender's state. Never mixed with the operation's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Effect {
    /// The operation has none by its nature (a read).
    None = 0,
    /// It was refused, or never sent.
    No = 1,
    /// It was acknowledged.
    Yes = 2,
    /// It timed out or was cut after it was sent, or was answered by a status that says nothing of it (408, 429, 5xx).
    Unknown = 3,
}

/// The number of creations that a correct contender acknowledges when every request of the plan is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ceiling {
    /// Without any of the rows that may be accepted or refused.
    pub min: u64,
    /// With all of them.
    pub max: u64,
}

/// A source of rows. Row `n` goes to user `n` of the scenario that names the feeder; a feeder that repeats itself
/// does so by its own rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeederSpec {
    /// Name in `challenge.toml`, e.g. `people`.
    pub name: &'static str,
    /// Fields that templates may insert, e.g. `body`. At most 250.
    pub fields: &'static [&'static str],
}

/// A row of a feeder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Row {
    /// Index into [`ChallengeModel::feeders`].
    pub feeder: usize,
    /// Its number.
    pub number: u64,
}

/// What must become of a row, as far as its validity goes. Whether its key is taken when it arrives is decided by time,
/// so a row to be accepted may still be refused as a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    /// It keeps all rules: a contender must create it.
    Accept,
    /// It breaks a rule: a contender must refuse it, and store nothing.
    Refuse,
    /// The rules leave it open: it may be created or refused.
    Free,
}

/// What a row becomes in the contender's state, once it is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thing {
    /// Stands for what may be there only once (a nickname, a slug): rows of equal keys exclude one another.
    pub key: u64,
    /// All of its fields by meaning, as one number.
    pub digest: u64,
    /// What must become of it.
    pub label: Label,
}

/// A check that steps may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckSpec {
    /// Name in `challenge.toml`, e.g. `read`.
    pub name: &'static str,
    /// What a judge of the whole history makes of the operation.
    pub kind: CheckKind,
}

/// What an operation is to a judge who sees the whole history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    /// It is right or wrong by itself, and says nothing of any state.
    Alone,
    /// It makes the thing of its user's row, unless there is one of the same key.
    Create,
    /// It shows the thing that its user created, by identity.
    Read,
    /// It shows every thing that its row matches ([`ChallengeData::listed`]), or at least `full_at` of them.
    Search {
        /// An answer that shows so many may have left others out.
        full_at: u32,
    },
    /// It adds to the balance of an account ([`ChallengeData::entry`]), and shows the balance after it.
    Move,
    /// It shows the balance of an account, and its last moves, newest first.
    Statement {
        /// So many moves at most.
        most: u32,
    },
}

/// An account that is there from the start. Amounts are whole numbers of the smallest unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// For people: `client 1`.
    pub name: String,
    /// Its balance at the start.
    pub start: i64,
    /// The balance that no move may leave it below.
    pub least: i64,
    /// A row whose statement is of this account.
    pub row: Row,
}

/// What the request of a row asks of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Its number in [`ChallengeData::accounts`].
    pub account: u32,
    /// What it adds to the balance; 0 for a statement. Of a payload that must be refused: the most that it may come to, either way, a few.
    pub delta: i64,
    /// The move as a statement lists it, by meaning, as one number.
    pub digest: u64,
    /// What must become of it, but for the balance.
    pub label: Label,
}

/// A challenge's model: names that `challenge.toml` may use, and the way from a seed to data.
pub trait ChallengeModel: Send + Sync {
    /// Name in `challenge.toml`.
    fn name(&self) -> &'static str;
    /// The feeders that it supplies.
    fn feeders(&self) -> &'static [FeederSpec];
    /// The checks that steps may ask for.
    fn checks(&self) -> &'static [CheckSpec];
    /// Its rules. [`Examination::broken`] indexes this list.
    fn rules(&self) -> &'static [Rule];
    /// Makes the data of one plan. `rows[i]` is how many rows of `feeders()[i]` the plan sends (0: unused).
    /// Same arguments, same data, byte for byte.
    fn prepare(&self, seed: Seed, rows: &[u64]) -> Box<dyn ChallengeData>;
    /// The cases of its conformance, each of another name. Same seed, same cases.
    fn cases(&self, _seed: Seed) -> Vec<Case> {
        Vec::new()
    }
}

/// The data of one plan. Rows are functions of their number, not stored text, so memory does not grow with the plan
/// (an index such as "which nicknames are contested" may, by a few bytes a row).
pub trait ChallengeData: Send + Sync {
    /// Appends field number `field` of row `row` of feeder number `feeder` to `out`, raw (templates encode it).
    fn write_field(&self, feeder: usize, row: u64, field: usize, out: &mut Vec<u8>);
    /// How many creations a correct contender acknowledges for the rows of the compared scenarios.
    fn ceiling(&self) -> Ceiling;
    /// Judges one complete answer whose status the step accepts, and adds to `seen` the things that it shows, at most
    /// [`SEEN_MAX`]. Must not panic, whatever the answer holds.
    fn examine(&self, question: &Question, answer: &Answer<'_>, seen: &mut Vec<Seen>) -> Examination;
    /// What a row becomes; `None` where it is nothing that is created.
    fn thing(&self, _row: Row) -> Option<Thing> {
        None
    }
    /// For each of `queries` (rows of searches) the first `most` of `things` (rows of creations) that an answer to it
    /// must list, as ascending indices into `things`. `None`: the model cannot say, so no search is judged by it.
    fn listed(&self, _queries: &[Row], _things: &[Row], _most: usize) -> Option<Vec<Vec<u32>>> {
        None
    }
    /// The accounts of its ledger; empty: it keeps none.
    fn accounts(&self) -> &[Account] {
        &[]
    }
    /// What a request of [`CheckKind::Move`] or [`CheckKind::Statement`] asks of which account: `check` is its number in
    /// [`ChallengeModel::checks`]. `None`: it is neither.
    fn entry(&self, _check: usize, _row: Row) -> Option<Entry> {
        None
    }
    /// Where a thing shows itself: the target of a GET, as its first part and the text that follows it (which is
    /// percent-encoded). Who is looked up by identity is answered as for [`CheckKind::Read`], by key as for
    /// [`CheckKind::Search`], an account as for [`CheckKind::Statement`]. `None`: it cannot be looked up that way.
    fn lookup(&self, _wanted: Wanted) -> Option<(&'static str, String)> {
        None
    }
    /// SHA-256 in hex of what a file says beside its scenarios: rows, generated values, checks. Empty: no file says anything.
    fn file_sha256(&self) -> String {
        String::new()
    }
    /// A row in a few words, for evidence: `nickname "joana"`, `t="jo"`.
    fn words(&self, row: Row) -> String {
        format!("row {}", row.number)
    }
}

/// What is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// What was given this identity.
    Id(Id),
    /// Whatever has the same key as this row's thing.
    KeyOf(Row),
    /// The statement of an account, by its number.
    Account(u32),
}

/// SHA-256 in hex over all rows: feeder by feeder, row by row, field by field, each with its length before it, so that
/// no text can move from one field into the next unseen.
pub(crate) fn data_sha256(
    write_field: impl Fn(usize, u64, usize, &mut Vec<u8>),
    fields: &[usize],
    rows: &[u64],
) -> String {
    const BATCH: usize = 1 << 16;
    let mut digest = Sha256::new();
    let mut batch = Vec::with_capacity(2 * BATCH);
    let mut text = Vec::new();
    for (feeder, (fields, rows)) in fields.iter().zip(rows).enumerate() {
        for row in 0..*rows {
            for field in 0..*fields {
                text.clear();
                write_field(feeder, row, field, &mut text);
                batch.extend_from_slice(&(text.len() as u64).to_le_bytes());
                batch.extend_from_slice(&text);
            }
            if batch.len() >= BATCH {
                digest.update(&batch);
                batch.clear();
            }
        }
    }
    digest.update(&batch);
    hex(&digest.finalize())
}

/// What a request asked, as far as its model needs to know to examine the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// Index into [`ChallengeModel::checks`].
    pub check: usize,
    /// Flat number of the step.
    pub step: u8,
    /// Index into [`ChallengeModel::feeders`].
    pub feeder: usize,
    /// The user's row.
    pub row: u64,
    /// What the same user's creation was given as identity, if it was acknowledged earlier in the scenario.
    pub created: Option<Id>,
}

/// One complete answer.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// HTTP status.
    pub status: u16,
    /// Status line and headers as received, to the empty line; an HTTP/2 head in the form of HTTP/1.1.
    pub head: &'a [u8],
    /// Value of `Location`, as received.
    pub location: Option<&'a [u8]>,
    /// Value of `Content-Type`, as received.
    pub content_type: Option<&'a [u8]>,
    /// The decoded body (chunks joined).
    pub body: &'a [u8],
}

impl<'a> Answer<'a> {
    /// Whether `Content-Type` names this media type, whatever its parameters.
    pub fn is_of_type(&self, media_type: &str) -> bool {
        let given = self.content_type.unwrap_or_default().split(|b| *b == b';').next().unwrap_or_default();
        given.trim_ascii().eq_ignore_ascii_case(media_type.as_bytes())
    }

    /// Values of a header, in the order of the head, without the white space around them. `name` is compared without
    /// regard to case. Nothing is allocated.
    pub fn header<'n>(&self, name: &'n str) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
        // The first line is the status; after the empty line, which has no colon either, nothing follows.
        self.head.split(|b| *b == b'\n').skip(1).filter_map(move |line| {
            let colon = line.iter().position(|b| *b == b':')?;
            let (own, value) = line.split_at(colon);
            own.eq_ignore_ascii_case(name.as_bytes()).then(|| value[1..].trim_ascii())
        })
    }
}

/// What the model makes of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examination {
    /// `None`: the answer is right. Otherwise the index into [`ChallengeModel::rules`] of the rule that it breaks.
    pub broken: Option<usize>,
    /// A rule of severity `should` that an otherwise right answer breaks, as an index into
    /// [`ChallengeModel::rules`]. The operation stays `ok`; whoever records it writes this rule where the broken one
    /// would stand, so that it is counted. `None` wherever [`Self::broken`] is set.
    pub advice: Option<usize>,
    /// For a broken rule of either kind: what was expected and what differed, in one line for a person, without the
    /// answer itself.
    pub difference: Option<String>,
    /// What the operation did. Whether the answer is right has no bearing on it: a person stored although
    /// `Location` was missing has effect `yes`.
    pub effect: Effect,
    /// The identity that the answer gives to what was created.
    pub created: Option<Id>,
    /// How many things the answer lists (a search's results), else 0.
    pub found: u32,
}

impl Examination {
    /// A right answer without effect, identity or list.
    pub const RIGHT: Self =
        Self { broken: None, advice: None, difference: None, effect: Effect::None, created: None, found: 0 };

    /// The answer is wrong by this rule, a `must`; the first of several counts.
    #[must_use]
    pub fn wrong(self, rule: impl Into<usize>, difference: impl FnOnce() -> String) -> Self {
        if self.broken.is_some() {
            return self;
        }
        Self { broken: Some(rule.into()), advice: None, difference: Some(difference()), ..self }
    }

    /// The answer breaks this rule, a `should`, and stays right; the first of several counts, beside no `must`.
    #[must_use]
    pub fn advise(self, rule: impl Into<usize>, difference: impl FnOnce() -> String) -> Self {
        if self.broken.is_some() || self.advice.is_some() {
            return self;
        }
        Self { advice: Some(rule.into()), difference: Some(difference()), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headers_values_are_found_whatever_its_case_and_in_order() {
        let head = b"HTTP/1.1 200 X-A: status\r\nx-a: 1\r\nX-AB: 2\r\nX-A:\t3 : 4 \r\nbroken\r\nX-A:\r\n\r\n";
        let answer = Answer { status: 200, head, location: None, content_type: None, body: b"" };
        let values: Vec<&[u8]> = answer.header("X-a").collect();
        assert_eq!(values, [&b"1"[..], b"3 : 4", b""]);
        assert_eq!(answer.header("X").count(), 0);
        assert_eq!(answer.header("").count(), 0);
    }
}
