//! Whether a statement at rest tells the sum of all that was acknowledged, and of some of what was left open.

use std::collections::HashSet;

use super::{Fault, History, Judged, Move, Outcome};

/// Sums that are kept.
const SUMS_MAX: usize = 1 << 18;
/// Sums that are looked at, each as often as there is a further move. Many small moves have few sums, and many of those.
const STEPS_MAX: usize = 1 << 20;

pub(super) fn judge(history: &History, judged: &mut Judged) {
    let last_ns = history.moves.iter().filter(|one| one.is_done()).map(|one| one.returned_ns).max();
    let at_rest = history.statements.iter().filter(|one| last_ns.is_none_or(|last| last <= one.called_ns));
    let rest = Rest::of(history.start, &history.moves);
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
    open: Sums,
}

impl Rest {
    pub(crate) fn of(start: i64, moves: &[Move]) -> Self {
        let done = moves.iter().filter(|one| one.is_done()).map(|one| i128::from(one.delta));
        let open = moves.iter().filter(|one| one.outcome == Outcome::Open);
        Self { sum: i128::from(start) + done.sum::<i128>(), open: Sums::of(open.map(|one| one.delta)) }
    }

    /// The balance after all that was acknowledged, or the nearest that 64 bits hold.
    pub(crate) fn acknowledged(&self) -> i64 {
        self.sum.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    /// Whether this total is what was acknowledged, and some of what was left open; `None`: that is too much to try.
    pub(crate) fn allows(&self, total: i64) -> Option<bool> {
        self.open.has(i128::from(total) - self.sum)
    }
}

/// What any of some moves come to together.
pub(super) struct Sums {
    known: HashSet<i128>,
    /// Whether these are all.
    is_complete: bool,
    /// The least and the most.
    bounds: (i128, i128),
}

impl Sums {
    pub(super) fn of(deltas: impl Iterator<Item = i64>) -> Self {
        let mut sums = Self { known: HashSet::from([0]), is_complete: true, bounds: (0, 0) };
        let mut steps = 0;
        for delta in deltas.map(i128::from) {
            sums.bounds = (sums.bounds.0 + delta.min(0), sums.bounds.1 + delta.max(0));
            steps += sums.known.len();
            sums.is_complete &= sums.known.len() <= SUMS_MAX && steps <= STEPS_MAX;
            if sums.is_complete {
                sums.known = sums.known.iter().flat_map(|sum| [*sum, *sum + delta]).collect();
            }
        }
        sums
    }

    /// Whether some of them come to this; `None`: that is too much to try.
    pub(super) fn has(&self, sum: i128) -> Option<bool> {
        if self.known.contains(&sum) {
            return Some(true);
        }
        let is_beyond = !(self.bounds.0..=self.bounds.1).contains(&sum);
        (self.is_complete || is_beyond).then_some(false)
    }
}
