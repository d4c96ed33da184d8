//! The ledger of one account: whether all that was told of it can have come from moves that were made one after another.
//!
//! Every acknowledged move tells the balance after it, so it is an edge from `balance - delta` to `balance`, and all edges
//! of an account must form one trail that begins at its first balance. What was left open (a timeout, a 5xx) is an edge that
//! may be used or not, wherever it fits. Refusals and statements must fit balances of the trail at some moment between their
//! call and their return.
//!
//! **Proves**, in time that is linear in the number of moves but for sorting: [`Fault`] says what, each with the operations
//! that show it. Where the account is small enough ([`crate::linearizable`]), also that some order in time explains all answers.
//! **Cannot**: judge what a balance that nothing told was; beyond a number of open moves, whether those explain what is
//! missing. That is [`Judged::is_open`], and held against nothing.
//!
//! Pure: operations are numbers, times are nanoseconds, amounts are whole numbers. `docs/explanation/ledgers.md` tells the same to
//! users.

mod order;
mod refusals;
mod rest;
mod statements;
mod trail;

#[cfg(test)]
mod tests;

pub(crate) use rest::Rest;

use crate::findings::Listing;

/// All that was asked of one account, and told of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct History {
    /// The balance at the start.
    pub(crate) start: i64,
    /// The balance that no move may leave it below.
    pub(crate) least: i64,
    /// Moves that keep all rules but perhaps that for the balance.
    pub(crate) moves: Vec<Move>,
    /// Statements that could be read.
    pub(crate) statements: Vec<Statement>,
}

/// One move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Move {
    /// Its number, for evidence.
    pub(crate) at: u32,
    pub(crate) called_ns: u64,
    pub(crate) returned_ns: u64,
    pub(crate) delta: i64,
    /// As statements list it. Equal for moves that look alike.
    pub(crate) digest: u64,
    pub(crate) outcome: Outcome,
}

/// What became of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was acknowledged with this balance after it.
    Done(i64),
    /// It was acknowledged, and no balance could be read.
    Untold,
    /// It was refused for the balance.
    Refused,
    /// It may have happened at any time after its call, or never.
    Open,
    /// It was refused for something else, or never sent: it has not happened.
    Not,
}

/// A statement as it was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    /// Its number, for evidence.
    pub(crate) at: u32,
    pub(crate) called_ns: u64,
    pub(crate) returned_ns: u64,
    pub(crate) total: i64,
    /// So many moves were listed; [`Self::entries`] may be fewer.
    pub(crate) listed: u32,
    /// So many at most are to be.
    pub(crate) most: u32,
    /// Digest and time (0: none) of each, newest first.
    pub(crate) entries: Vec<(u64, u64)>,
}

/// What was proven wrong. Operations are given by their numbers; what is no operation is the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Before any move a statement told this balance, and not the one to begin with.
    Start { by: u32, total: i64 },
    /// Two moves left one balance that was entered once: one did not see the other.
    LostUpdate { moves: [u32; 2], balance: i64 },
    /// A move left a balance that nothing entered.
    Unreached { by: u32, balance: i64 },
    /// Moves form a trail of their own, apart from the account's.
    Apart { by: u32 },
    /// No order in time explains all answers.
    Order { operations: Vec<u32> },
    /// A move was refused although each balance of its time allowed it: the least of these, and the move that told it.
    Refused { by: u32, least: i64, told: Option<u32> },
    /// A statement lacks a move that was over before it was asked for.
    Stale { by: u32, missed: u32 },
    /// Total and list of a statement are not of one moment; or the total is no balance of the account.
    Torn { by: u32, total: i64, expected: Option<i64> },
    /// A statement's list is not the last moves in their order.
    List { by: u32, what: Listing },
    /// A statement at rest does not tell the sum of all moves.
    NotConserved { by: u32, total: i64, expected: i64 },
}

/// What the ledger of one account came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Judged {
    /// What was proven wrong.
    pub(crate) faults: Vec<Fault>,
    /// Whether something could not be decided.
    pub(crate) is_open: bool,
}

/// Judges one account.
pub(crate) fn judge(history: &History) -> Judged {
    let mut judged = Judged::default();
    let begun = history.begun().filter(|one| one.total != history.start);
    judged.faults.extend(begun.map(|one| Fault::Start { by: one.at, total: one.total }));
    let own = begun.map(|one| History { start: one.total, ..history.clone() });
    let history = own.as_ref().unwrap_or(history);
    trail::judge(history, &mut judged);
    refusals::judge(history, &mut judged);
    statements::judge(history, &mut judged);
    rest::judge(history, &mut judged);
    if judged.faults.iter().all(Fault::is_advice) {
        order::judge(history, &mut judged);
    }
    judged
}

impl History {
    /// The first statement that was over before any move was called.
    pub(crate) fn begun(&self) -> Option<&Statement> {
        let first_ns = self.moves.iter().map(|one| one.called_ns).min().unwrap_or(u64::MAX);
        self.statements.iter().filter(|one| one.returned_ns <= first_ns).min_by_key(|one| one.returned_ns)
    }

    /// Whether a statement that was asked for after all moves were over, and had come by this moment, told this balance.
    pub(crate) fn told_at_rest(&self, balance: i64, by_ns: u64) -> bool {
        let last_ns = self.moves.iter().map(|one| one.returned_ns).max().unwrap_or(0);
        let is_at_rest = |one: &&Statement| last_ns <= one.called_ns && one.returned_ns <= by_ns;
        self.statements.iter().filter(is_at_rest).any(|one| one.total == balance)
    }
}

impl Fault {
    /// Whether it is no breach, and therefore hides none.
    pub(crate) const fn is_advice(&self) -> bool {
        matches!(self, Self::List { what: Listing::OrderByTimes, .. })
    }
}

impl Move {
    /// The balance after it, where that was told.
    pub(crate) const fn told(&self) -> Option<i64> {
        match self.outcome {
            Outcome::Done(balance) => Some(balance),
            _ => None,
        }
    }

    /// The balance that it was made from, where that follows from what was told.
    const fn from(&self) -> Option<i64> {
        match self.outcome {
            Outcome::Done(balance) => balance.checked_sub(self.delta),
            _ => None,
        }
    }

    /// Whether it happened.
    const fn is_done(&self) -> bool {
        matches!(self.outcome, Outcome::Done(_) | Outcome::Untold)
    }

    /// Whether it may have happened at a balance that nothing told.
    const fn is_loose(&self) -> bool {
        matches!(self.outcome, Outcome::Untold | Outcome::Open)
    }
}
