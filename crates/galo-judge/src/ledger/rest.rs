//! Whether a statement at rest tells the sum of all that was acknowledged, and of some of what was left open.

use std::collections::HashSet;

use super::{Fault, History, Judged, Outcome};

/// Sums of open moves that are kept.
const SUMS_MAX: usize = 1 << 18;

pub(super) fn judge(history: &History, judged: &mut Judged) {
    let last_ns = history.moves.iter().filter(|one| one.is_done()).map(|one| one.returned_ns).max();
    let at_rest = history.statements.iter().filter(|one| last_ns.is_none_or(|last| last <= one.called_ns));
    let rest = Rest::of(history);
    for one in at_rest {
        match rest.allows(one.total) {
            Some(true) => {}
            Some(false) => {
                let expected = rest.acknowledged();
                judged.faults.push(Fault::NotConserved { by: one.at, total: one.total, expected });
            }
            None => judged.is_open = true,
        }
    }
}

/// The balances that an account may have when nothing is asked of it any more.
pub(crate) struct Rest {
    /// The first balance and all that was acknowledged.
    sum: i128,
    /// What some of the open moves come to.
    open: HashSet<i128>,
    /// Whether these are all that any of them can come to.
    is_complete: bool,
    /// The least and the most that any of them can come to.
    bounds: (i128, i128),
}

impl Rest {
    pub(crate) fn of(history: &History) -> Self {
        let done = history.moves.iter().filter(|one| one.is_done()).map(|one| i128::from(one.delta));
        let open = history.moves.iter().filter(|one| one.outcome == Outcome::Open);
        let mut rest = Self {
            sum: i128::from(history.start) + done.sum::<i128>(),
            open: HashSet::from([0]),
            is_complete: true,
            bounds: (0, 0),
        };
        for delta in open.map(|one| i128::from(one.delta)) {
            rest.bounds = (rest.bounds.0 + delta.min(0), rest.bounds.1 + delta.max(0));
            rest.is_complete &= rest.open.len() <= SUMS_MAX;
            if rest.is_complete {
                rest.open = rest.open.iter().flat_map(|sum| [*sum, *sum + delta]).collect();
            }
        }
        rest
    }

    /// The balance after all that was acknowledged, or the nearest that 64 bits hold.
    pub(crate) fn acknowledged(&self) -> i64 {
        self.sum.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    /// Whether this total is what was acknowledged, and some of what was left open; `None`: that is too much to try.
    pub(crate) fn allows(&self, total: i64) -> Option<bool> {
        let missing = i128::from(total) - self.sum;
        if self.open.contains(&missing) {
            return Some(true);
        }
        let is_beyond = !(self.bounds.0..=self.bounds.1).contains(&missing);
        (self.is_complete || is_beyond).then_some(false)
    }
}
