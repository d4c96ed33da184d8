//! Whether a statement at rest tells the sum of all that was acknowledged, and of some of what was left open.

use std::collections::HashSet;

use super::{Fault, History, Judged, Outcome};

/// Sums of open moves that are tried.
const SUMS_MAX: usize = 1 << 18;

pub(super) fn judge(history: &History, judged: &mut Judged) {
    let last_ns = history.moves.iter().filter(|one| one.is_done()).map(|one| one.returned_ns).max();
    let at_rest = history.statements.iter().filter(|one| last_ns.is_none_or(|last| last <= one.called_ns));
    for one in at_rest {
        match conserved(history, one.total) {
            Some(true) => {}
            Some(false) => {
                let expected = acknowledged(history);
                judged.faults.push(Fault::NotConserved { by: one.at, total: one.total, expected });
            }
            None => judged.is_open = true,
        }
    }
}

/// The first balance and all that was acknowledged; and what was left open.
fn sums(history: &History) -> (i128, Vec<i64>) {
    let done = history.moves.iter().filter(|one| one.is_done()).map(|one| i128::from(one.delta));
    let open = history.moves.iter().filter(|one| one.outcome == Outcome::Open).map(|one| one.delta);
    (i128::from(history.start) + done.sum::<i128>(), open.collect())
}

/// The balance after all that was acknowledged, or the nearest that 64 bits hold.
pub(crate) fn acknowledged(history: &History) -> i64 {
    sums(history).0.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

/// Whether this total is what was acknowledged, and some of what was left open; `None`: that is too much to try.
pub(crate) fn conserved(history: &History, total: i64) -> Option<bool> {
    let (sum, open) = sums(history);
    let mut wanted = HashSet::from([0_i128]);
    let missing = i128::from(total) - sum;
    let most: i128 = open.iter().map(|delta| i128::from(*delta).max(0)).sum();
    let least: i128 = open.iter().map(|delta| i128::from(*delta).min(0)).sum();
    if !(least..=most).contains(&missing) {
        return Some(false);
    }
    for delta in open {
        wanted = wanted.iter().flat_map(|sum| [*sum, *sum + i128::from(delta)]).collect();
        if wanted.contains(&missing) {
            return Some(true);
        }
        if wanted.len() > SUMS_MAX {
            return None;
        }
    }
    Some(wanted.contains(&missing))
}
