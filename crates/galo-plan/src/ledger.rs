//! Accounts and moves: what a model says of a challenge that keeps balances, for the judge of ledgers.
//!
//! An answer to a move shows the balance after it, an answer to a statement the balance and the last moves. Both are kept
//! in the history as things that were seen ([`crate::model::Seen`]); [`told`] and [`listed`] write them, [`balance`] reads them.

use crate::model::{Id, Label, Row, Seen};

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
    /// Its number in [`crate::ChallengeData::accounts`].
    pub account: u32,
    /// What it adds to the balance; 0 for a statement.
    pub delta: i64,
    /// The move as a statement lists it, by meaning, as one number.
    pub digest: u64,
    /// What must become of it, but for the balance.
    pub label: Label,
}

/// A balance as an answer told it.
pub const fn told(balance: i64) -> Seen {
    Seen { id: Id(0), digest: balance.cast_unsigned() }
}

/// A move as a statement lists it: its [`Entry::digest`], and its time in microseconds since 1970 (0: none can be read).
pub const fn listed(digest: u64, time_us: u64) -> Seen {
    Seen { id: Id(time_us as u128), digest }
}

/// The balance that [`told`] wrote.
pub const fn balance(seen: &Seen) -> i64 {
    seen.digest.cast_signed()
}
