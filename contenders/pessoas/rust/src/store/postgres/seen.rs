//! What this instance has seen of the table, and what it has still to ask for.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::id::Id;

/// How many writers may be followed beyond those that lived at the last look before it is worth another one.
const STALE_MAX: usize = 8;

/// Up to where each writer is known. Writers commit in order of their sequence, one statement after the other, so
/// whoever has seen a sequence has seen all before it; what may be new lies in the gaps between.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Writers up to this one that are not in `last` are dead and known completely.
    sealed: u64,
    last: BTreeMap<u64, u64>,
    /// How many writers were alive when `sealed` was set.
    alive: usize,
}

/// Closed intervals of identities, as two columns.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Gaps {
    /// Where each begins.
    pub(super) low: Vec<Uuid>,
    /// Where each ends.
    pub(super) high: Vec<Uuid>,
}

impl Seen {
    /// Everything of the id's writer up to the id is in memory.
    pub(super) fn advance(&mut self, id: Id) {
        let last = self.last.entry(id.writer).or_default();
        *last = id.sequence.max(*last);
    }

    /// Whether a row of this id would be in memory if there were one.
    pub(super) fn covers(&self, id: Id) -> bool {
        match self.last.get(&id.writer) {
            Some(last) => id.sequence <= *last,
            None => id.writer <= self.sealed,
        }
    }

    /// Everything that may be new, between what is known and around it.
    pub(super) fn gaps(&self) -> Gaps {
        let mut gaps = Gaps::default();
        // Sequences begin at 1, so nobody has the id at the end of one gap and at the beginning of another.
        let mut unknown = if self.sealed == 0 { Uuid::nil() } else { first(self.sealed + 1) };
        for (&writer, &last) in &self.last {
            let next = Id { writer, sequence: last + 1 }.uuid();
            if writer <= self.sealed {
                gaps.push(next, first(writer + 1));
            } else {
                gaps.push(unknown, first(writer));
                unknown = next;
            }
        }
        gaps.push(unknown, Uuid::max());
        gaps
    }

    /// Whether so many writers are followed that it is worth to see which of them are still alive.
    pub(super) fn is_stale(&self) -> bool {
        self.last.len() > self.alive + STALE_MAX
    }

    /// Forgets the dead: of writers up to `newest` only those `alive` can still commit anything. Their last rows
    /// must have been caught up with since that was found out.
    pub(super) fn seal(&mut self, newest: u64, alive: &BTreeSet<u64>) {
        self.last.retain(|writer, _| *writer > newest || alive.contains(writer));
        for &writer in alive.iter().filter(|writer| **writer <= newest) {
            self.last.entry(writer).or_default();
        }
        self.sealed = newest.max(self.sealed);
        self.alive = alive.len();
    }
}

impl Gaps {
    fn push(&mut self, low: Uuid, high: Uuid) {
        self.low.push(low);
        self.high.push(high);
    }
}

/// Before all ids of a writer.
fn first(writer: u64) -> Uuid {
    Id { writer, sequence: 0 }.uuid()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use uuid::Uuid;

    use super::{Gaps, Id, Seen};

    fn in_gaps(gaps: &Gaps, id: Id) -> bool {
        gaps.low.iter().zip(&gaps.high).any(|(low, high)| (*low..=*high).contains(&id.uuid()))
    }

    #[test]
    fn who_has_seen_nothing_asks_for_everything() {
        let gaps = Seen::default().gaps();
        assert_eq!((gaps.low, gaps.high), (vec![Uuid::nil()], vec![Uuid::max()]));
    }

    #[test]
    fn a_sealed_writer_is_never_asked_for_again() {
        let mut seen = Seen::default();
        for writer in 1..=5 {
            seen.advance(Id { writer, sequence: 7 });
        }
        seen.seal(4, &BTreeSet::from([2]));
        let gaps = seen.gaps();
        let asked: Vec<u64> = (1..=6).filter(|&writer| in_gaps(&gaps, Id { writer, sequence: 8 })).collect();
        assert_eq!(asked, [2, 5, 6]);
        assert_eq!(gaps.low.len(), 3);
        assert!(seen.covers(Id { writer: 3, sequence: 1 << 40 }));
    }

    proptest! {
        /// An id is either known or asked for, never both, so nothing is missed and nothing is read twice.
        #[test]
        fn an_id_is_asked_for_exactly_when_it_is_not_known(
            steps in prop::collection::vec((1_u64..12, 1_u64..9), 0..20),
            newest in 0_u64..12,
            alive in prop::collection::btree_set(1_u64..12, 0..5),
            later in prop::collection::vec((1_u64..12, 1_u64..9), 0..5),
        ) {
            let mut seen = Seen::default();
            for (writer, sequence) in steps {
                seen.advance(Id { writer, sequence });
            }
            seen.seal(newest, &alive);
            for (writer, sequence) in later.into_iter().filter(|(w, _)| alive.contains(w) || *w > newest) {
                seen.advance(Id { writer, sequence });
            }
            let gaps = seen.gaps();
            for writer in 1..14 {
                for sequence in 1..12 {
                    let id = Id { writer, sequence };
                    prop_assert_eq!(in_gaps(&gaps, id), !seen.covers(id), "{:?}", id);
                }
            }
        }
    }
}
