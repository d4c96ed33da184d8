//! Balances in the history: how answers of a challenge that keeps accounts are written there, for the judge of ledgers.
//!
//! An answer to a move shows the balance after it, an answer to a statement the balance and the last moves. Both are kept
//! in the history as things that were seen ([`crate::model::Seen`]); [`told`] and [`listed`] write them, [`balance`] reads them.

use crate::model::{Id, Seen};

/// A balance as an answer told it.
pub const fn told(balance: i64) -> Seen {
    Seen { id: Id(0), digest: balance.cast_unsigned() }
}

/// A move as a statement lists it: its [`crate::model::Entry::digest`], and its time in microseconds since 1970 (0: none can be read).
pub const fn listed(digest: u64, time_us: u64) -> Seen {
    Seen { id: Id(time_us as u128), digest }
}

/// The balance that [`told`] wrote.
pub const fn balance(seen: &Seen) -> i64 {
    seen.digest.cast_signed()
}
