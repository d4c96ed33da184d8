//! One record per operation, kept in memory of fixed layout during a round and written compressed after it.

mod file;

pub use file::{read, write};

use galo_plan::RuleCode;
use galo_plan::model::{Effect, Id, Seen};
use serde::{Deserialize, Serialize};

/// How an operation ended. A rightly refused creation is `Ok`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum OperationResult {
    /// The right answer.
    Ok = 0,
    /// A complete answer that is not right.
    Wrong = 1,
    /// No complete answer (refused, cut, unreadable), or a 5xx.
    Failed = 2,
    /// No complete answer within the timeout.
    TimedOut = 3,
    /// Still under way, or not even sent, when the round was ended.
    Unfinished = 4,
}

/// One operation: one request of one user. Times are nanoseconds from the start of the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// When it should have started.
    pub intended_ns: u64,
    /// When its first byte was handed to the kernel; `None`: never.
    pub sent_ns: Option<u64>,
    /// When the first byte of the answer was read.
    pub first_byte_ns: Option<u64>,
    /// When its end was known: last byte read, error, timeout, or end of the round.
    pub done_ns: u64,
    /// Identity that the answer gave to what was created, or that the user had captured before.
    pub id: Option<Id>,
    /// Number of the user in its scenario, which is also its row.
    pub user: u32,
    /// Number of the connection in the round; equal numbers share one.
    pub connection: u32,
    /// How many things the answer listed.
    pub found: u32,
    /// Where in [`crate::RoundData::seen`] the things begin that the answer showed.
    pub seen: u32,
    /// How many of them are kept there: all, or [`galo_plan::model::SEEN_MAX`].
    pub kept: u8,
    /// HTTP status; 0: none was read.
    pub status: u16,
    /// Flat number of the step ([`galo_plan::Challenge::steps`]).
    pub step: u8,
    /// How it ended.
    pub result: OperationResult,
    /// What it did.
    pub effect: Effect,
    /// The rule that a wrong answer breaks.
    pub broken: Option<RuleCode>,
}

impl Operation {
    /// The things that the answer showed, as far as they are kept; none where the history lacks them.
    pub fn seen<'a>(&self, all: &'a [Seen]) -> &'a [Seen] {
        let start = self.seen as usize;
        all.get(start..start + usize::from(self.kept)).unwrap_or_default()
    }
}

/// A wrong or failed operation in words, kept for the first few of each kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// The rule that it breaks; `None` for what failed.
    pub broken: Option<RuleCode>,
    /// Flat number of the step.
    pub step: u8,
    /// Number of the user in its scenario.
    pub user: u32,
    /// Done, from the start of the load.
    pub done_ns: u64,
    /// The request line, and the start of its body.
    pub request: String,
    /// What differs, or the error.
    pub difference: String,
    /// Status line and the start of the answer's body; empty where there was none.
    pub answer: String,
}

#[cfg(test)]
mod tests;
