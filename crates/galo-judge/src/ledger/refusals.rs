//! Whether each refusal for the balance fits a balance that the account may have had at some moment of the request.
//!
//! A balance may have been that of a moment unless another move came after it for certain, and before that moment. What open moves took
//! away is taken from each of them, so no refusal is called wrong that an open move explains.

use super::{Fault, History, Judged, Move, Outcome};

pub(super) fn judge(history: &History, judged: &mut Judged) {
    let refused = history.moves.iter().filter(|one| one.outcome == Outcome::Refused);
    let mut refused: Vec<&Move> = refused.collect();
    if refused.is_empty() {
        return;
    }
    refused.sort_by_key(|one| one.returned_ns);
    // A move that told no balance hides none that was told before it: what it took away is taken from each.
    let hiding = history.moves.iter().filter(|one| one.told().is_some());
    let latest = Latest::of(hiding.map(|one| (one.called_ns, one.returned_ns, one.at)));
    let mut told: Vec<&Move> = history.moves.iter().filter(|one| one.told().is_some()).collect();
    let mut by_return: Vec<u64> = told.iter().map(|one| one.returned_ns).collect();
    by_return.sort_unstable();
    told.sort_by_key(|one| one.called_ns);
    let mut open: Vec<&Move> = history.moves.iter().filter(|one| one.is_loose()).collect();
    open.sort_by_key(|one| one.called_ns);
    let (mut least, mut taken, mut opened, mut taken_by_open) = (Least::new(by_return.len()), 0, 0, 0_i128);
    for one in refused {
        while let Some(other) = told.get(taken).filter(|other| other.called_ns < one.returned_ns) {
            let place = by_return.partition_point(|returned| *returned < other.returned_ns);
            least.note(place, (other.told().unwrap_or(0), other.at));
            taken += 1;
        }
        while let Some(other) = open.get(opened).filter(|other| other.called_ns < one.returned_ns) {
            taken_by_open += i128::from(other.delta.min(0));
            opened += 1;
        }
        let after_ns = latest.before(one.called_ns).map(|(called_ns, _)| called_ns);
        let from = after_ns.map_or(0, |after| by_return.partition_point(|returned| *returned <= after));
        let start = after_ns.is_none().then_some((history.start, None));
        let found = least.from(from).map(|(balance, at)| (balance, Some(at)));
        let Some((balance, by)) = start.into_iter().chain(found).min() else { continue };
        if i128::from(balance) + taken_by_open + i128::from(one.delta) >= i128::from(history.least) {
            judged.faults.push(Fault::Refused { by: one.at, least: balance, told: by });
        }
    }
}

/// The latest call of an operation that had returned by some moment: what returned by that call was over by then.
pub(super) struct Latest(Vec<(u64, u64, u32)>);

impl Latest {
    /// Takes the call, the return and the number of each operation.
    pub(super) fn of(operations: impl Iterator<Item = (u64, u64, u32)>) -> Self {
        let mut all: Vec<_> = operations.map(|(called, returned, at)| (returned, called, at)).collect();
        all.sort_unstable();
        let mut latest = (0, 0);
        for (_, called, at) in &mut all {
            latest = latest.max((*called, *at));
            (*called, *at) = latest;
        }
        Self(all)
    }

    /// That call, and the operation's number; `None`: none had returned.
    pub(super) fn before(&self, moment_ns: u64) -> Option<(u64, u32)> {
        let place = self.0.partition_point(|(returned, ..)| *returned <= moment_ns);
        let &(_, called_ns, at) = self.0.get(place.checked_sub(1)?)?;
        Some((called_ns, at))
    }
}

/// Least balances by place (a segment tree).
struct Least {
    size: usize,
    nodes: Vec<Option<(i64, u32)>>,
}

impl Least {
    fn new(places: usize) -> Self {
        let size = places.next_power_of_two().max(1);
        Self { size, nodes: vec![None; 2 * size] }
    }

    fn note(&mut self, place: usize, balance: (i64, u32)) {
        let mut node = self.size + place.min(self.size - 1);
        while node > 0 {
            self.nodes[node] = Some(self.nodes[node].map_or(balance, |known| known.min(balance)));
            node /= 2;
        }
    }

    /// From a place on.
    fn from(&self, place: usize) -> Option<(i64, u32)> {
        let (mut left, mut right) = (self.size + place, 2 * self.size);
        let mut least: Option<(i64, u32)> = None;
        let mut note = |node: Option<(i64, u32)>| least = least.into_iter().chain(node).min();
        while left < right {
            if left % 2 == 1 {
                note(self.nodes[left]);
                left += 1;
            }
            if right % 2 == 1 {
                right -= 1;
                note(self.nodes[right]);
            }
            (left, right) = (left / 2, right / 2);
        }
        least
    }
}
