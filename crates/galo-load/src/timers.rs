//! What is to happen when: pauses in a heap, timeouts in lists.
//!
//! A timeout is armed and disarmed by every request and almost never comes due. Since all timeouts of one kind have
//! the same length, arming appends to a list that stays sorted, and disarming unlinks: no heap of 60 s of dead
//! entries, and no call to the kernel.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Users that go on at a given time.
#[derive(Debug, Default)]
pub(crate) struct Pauses(BinaryHeap<Reverse<(u64, u32)>>);

impl Pauses {
    pub(crate) fn push(&mut self, at_ns: u64, slot: u32) {
        self.0.push(Reverse((at_ns, slot)));
    }

    /// The first: when, and who.
    pub(crate) fn peek(&self) -> Option<(u64, u32)> {
        self.0.peek().map(|Reverse(entry)| *entry)
    }

    /// Takes the first, if it is due by `now_ns`.
    pub(crate) fn pop_due(&mut self, now_ns: u64) -> Option<(u64, u32)> {
        self.peek().filter(|(at_ns, _)| *at_ns <= now_ns)?;
        self.0.pop().map(|Reverse(entry)| entry)
    }
}

const NOBODY: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Node {
    before: u32,
    after: u32,
    /// `None`: not armed.
    at_ns: Option<u64>,
}

/// Timeouts of one length, by slot; armed in the order in which they come due.
#[derive(Debug)]
pub(crate) struct Timeouts {
    length_ns: u64,
    nodes: Vec<Node>,
    first: u32,
    last: u32,
}

impl Timeouts {
    pub(crate) fn new(length_ns: u64) -> Self {
        Self { length_ns, nodes: Vec::new(), first: NOBODY, last: NOBODY }
    }

    /// Arms the slot's timeout, counted from `from_ns`, which never goes back from call to call.
    pub(crate) fn arm(&mut self, slot: u32, from_ns: u64) {
        self.disarm(slot);
        let index = slot as usize;
        if index >= self.nodes.len() {
            self.nodes.resize(index + 1, Node { before: NOBODY, after: NOBODY, at_ns: None });
        }
        let at_ns = Some(from_ns.saturating_add(self.length_ns));
        self.nodes[index] = Node { before: self.last, after: NOBODY, at_ns };
        match self.nodes.get_mut(self.last as usize) {
            Some(last) => last.after = slot,
            None => self.first = slot,
        }
        self.last = slot;
    }

    /// Disarms the slot's timeout, if it is armed.
    pub(crate) fn disarm(&mut self, slot: u32) {
        let Some(node) = self.nodes.get_mut(slot as usize) else { return };
        if node.at_ns.take().is_none() {
            return;
        }
        let Node { before, after, .. } = *node;
        match self.nodes.get_mut(before as usize) {
            Some(node) => node.after = after,
            None => self.first = after,
        }
        match self.nodes.get_mut(after as usize) {
            Some(node) => node.before = before,
            None => self.last = before,
        }
    }

    /// When the first is due.
    pub(crate) fn next_ns(&self) -> Option<u64> {
        self.nodes.get(self.first as usize).and_then(|node| node.at_ns)
    }

    /// The first slot that is due by `now_ns`. It stays armed.
    pub(crate) fn due(&self, now_ns: u64) -> Option<u32> {
        self.next_ns().filter(|&at_ns| at_ns <= now_ns).map(|_| self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pauses_come_due_by_time_not_by_order_of_entry() {
        let mut pauses = Pauses::default();
        for (at_ns, slot) in [(30, 0), (10, 1), (20, 2)] {
            pauses.push(at_ns, slot);
        }
        assert_eq!(pauses.pop_due(9), None);
        assert_eq!(pauses.pop_due(20), Some((10, 1)));
        assert_eq!(pauses.pop_due(20), Some((20, 2)));
        assert_eq!(pauses.pop_due(20), None);
        assert_eq!(pauses.peek(), Some((30, 0)));
    }

    proptest! {
        #[test]
        fn timeouts_agree_with_a_plain_list_of_deadlines(
            steps in prop::collection::vec((0u32..12, any::<bool>(), 0u64..5), 0..200),
        ) {
            let mut timeouts = Timeouts::new(100);
            let mut plain: Vec<(u32, u64)> = Vec::new();
            let mut now = 0;
            for (slot, arm, passed) in steps {
                now += passed;
                plain.retain(|&(other, _)| other != slot);
                if arm {
                    timeouts.arm(slot, now);
                    plain.push((slot, now + 100));
                } else {
                    timeouts.disarm(slot);
                }
                prop_assert_eq!(timeouts.next_ns(), plain.first().map(|&(_, at)| at));
                prop_assert_eq!(timeouts.due(now + 100), plain.first().map(|&(slot, _)| slot));
                prop_assert_eq!(timeouts.due(now + 50), plain.first().filter(|p| p.1 <= now + 50).map(|p| p.0));
            }
        }
    }
}
