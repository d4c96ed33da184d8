//! Findings about how a contender behaved over time, beside whether its answers were right: pure functions over what
//! was recorded. None of them disqualifies. Each says what it proves, and what it cannot.

mod balance;
mod count;
pub(crate) mod growth;
mod held;
mod pauses;
mod resets;

use galo_plan::Plan;
use galo_record::RoundData;

use crate::account::Account;
use crate::findings::Finding;

/// All of them, of a round that was driven to its end.
pub(crate) fn findings(plan: &Plan, round: &RoundData, account: &Account) -> impl Iterator<Item = Finding> {
    let pauses = pauses::finding(round);
    let growth = growth::finding(plan, round);
    let resets = resets::finding(round, account);
    let kept = count::kept_without_answer(round, account);
    let slow = count::slow(plan, round);
    let balance = balance::finding(plan, round, account);
    let held = held::finding(round);
    [pauses, growth, resets, kept, slow, balance, held].into_iter().flatten()
}

/// The value below which this share of sorted values lies; `None` of nothing.
fn quantile(sorted: &[u64], share: f64) -> Option<u64> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get((last as f64 * share).round() as usize).copied()
}
