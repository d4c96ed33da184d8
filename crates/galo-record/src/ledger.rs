//! Operations by result: it always adds up.

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::history::OperationResult;

/// Operations by result. `intended` is counted when an operation falls due, the others when it ends; whoever closes
/// the ledger checks [`Ledger::adds_up`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Ledger {
    /// Operations that fell due.
    pub intended: u64,
    /// Right answers, rightly refused creations included.
    pub ok: u64,
    /// Complete answers that are not right.
    pub wrong: u64,
    /// No complete answer (refused, cut, unreadable), or a 5xx.
    pub failed: u64,
    /// No complete answer within the timeout.
    pub timed_out: u64,
    /// Still under way, or not even sent, when the round was ended.
    pub unfinished: u64,
}

/// More operations than any load has; so many ledgers of less add up without an overflow.
const MOST: u64 = 1 << 48;

impl Ledger {
    /// Whether a load can have come to it: a file may hold anything.
    pub fn is_possible(&self) -> bool {
        let Self { intended, ok, wrong, failed, timed_out, unfinished } = *self;
        [intended, ok, wrong, failed, timed_out, unfinished].iter().all(|count| *count < MOST)
    }

    /// Counts the end of one operation.
    pub fn end(&mut self, result: OperationResult) {
        *match result {
            OperationResult::Ok => &mut self.ok,
            OperationResult::Wrong => &mut self.wrong,
            OperationResult::Failed => &mut self.failed,
            OperationResult::TimedOut => &mut self.timed_out,
            OperationResult::Unfinished => &mut self.unfinished,
        } += 1;
    }

    /// Adds another ledger to this one.
    pub fn add(&mut self, other: &Self) {
        self.intended += other.intended;
        self.ok += other.ok;
        self.wrong += other.wrong;
        self.failed += other.failed;
        self.timed_out += other.timed_out;
        self.unfinished += other.unfinished;
    }

    /// Everything but right answers: wrong, failed, timed out, unfinished.
    pub const fn not_ok(&self) -> u64 {
        self.wrong + self.failed + self.timed_out + self.unfinished
    }

    /// Operations that ended, however they did.
    pub const fn ended(&self) -> u64 {
        self.intended.saturating_sub(self.unfinished)
    }

    /// Whether intended = ok + wrong + failed + timed out + unfinished.
    pub const fn adds_up(&self) -> bool {
        self.intended == self.ok + self.wrong + self.failed + self.timed_out + self.unfinished
    }
}
