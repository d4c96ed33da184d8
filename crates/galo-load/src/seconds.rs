//! The seconds of a load as its threads close them, joined and handed on in order.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};

use galo_record::SecondLatencies;

/// A second is complete this many seconds after its end: every thread closes its part within a tenth of a second for
/// each of its steps, if it is not badly late. What comes later still counts, in the oldest second that is left.
const PATIENCE: usize = 2;

/// Adds up the seconds of all threads, and hands each on once it is over for all of them.
pub(crate) struct Collector {
    parts: Receiver<(usize, SecondLatencies)>,
    listener: Sender<SecondLatencies>,
    /// Number of the first of those that are not handed on yet.
    first: usize,
    waiting: VecDeque<SecondLatencies>,
}

impl Collector {
    /// One, and where the threads send their parts.
    pub(crate) fn new(listener: Sender<SecondLatencies>) -> (Self, Sender<(usize, SecondLatencies)>) {
        let (sender, parts) = channel();
        (Self { parts, listener, first: 0, waiting: VecDeque::new() }, sender)
    }

    /// Takes what came, and hands on what is complete when second number `now` has begun.
    pub(crate) fn collect(&mut self, now: usize) {
        while let Ok((second, part)) = self.parts.try_recv() {
            let index = second.saturating_sub(self.first);
            if index >= self.waiting.len() {
                self.waiting.resize_with(index + 1, SecondLatencies::default);
            }
            self.waiting[index].add(&part);
        }
        while self.first + PATIENCE < now {
            self.hand_on();
        }
    }

    /// Hands on all the rest.
    pub(crate) fn finish(mut self) {
        self.collect(0);
        while !self.waiting.is_empty() {
            self.hand_on();
        }
    }

    fn hand_on(&mut self) {
        self.first += 1;
        // A listener that is gone wants nothing more.
        let _ = self.listener.send(self.waiting.pop_front().unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(intended: u32) -> SecondLatencies {
        SecondLatencies { intended, ..SecondLatencies::default() }
    }

    #[test]
    fn seconds_are_handed_on_in_order_without_gaps_and_nothing_is_lost() {
        let (listener, seconds) = channel();
        let (mut collector, threads) = Collector::new(listener);
        for (second, intended) in [(0, 1), (0, 2), (2, 4)] {
            threads.send((second, part(intended))).unwrap();
        }
        collector.collect(2);
        assert_eq!(seconds.try_iter().count(), 0, "second 0 may still grow");
        collector.collect(3);
        assert_eq!(seconds.try_iter().collect::<Vec<_>>(), [part(3)]);
        threads.send((0, part(8))).unwrap();
        drop(threads);
        collector.finish();
        assert_eq!(seconds.try_iter().collect::<Vec<_>>(), [part(8), part(4)]);
    }
}
