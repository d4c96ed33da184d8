//! Slices: a load that goes on and stands still by turns, and whose time stands still with it.
//!
//! Between two slices the engine's threads sleep and keep their connections. Timeouts, pauses, latencies and arrivals are of the
//! load's own time, so none of them knows how long it stood still.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use galo_record::clock::now_ns;
use galo_record::duel::{Slice, SliceTerms};

/// While it stands still a thread looks at the stop flag so often.
const LOOK: Duration = Duration::from_millis(50);

/// A load's own time: the machine's, but for what it stood still.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OwnTime {
    still_ns: u64,
    since_ns: u64,
}

impl OwnTime {
    /// Now.
    pub(crate) fn now_ns(self) -> u64 {
        self.own(now_ns())
    }

    /// A moment by the machine's clock. What happened before it went on, and is heard of only now, happened when it went on.
    pub(crate) fn own(self, machine_ns: u64) -> u64 {
        machine_ns.saturating_sub(self.still_ns).max(self.since_ns)
    }

    /// A moment to come, by the machine's clock.
    pub(crate) const fn machine(self, own_ns: u64) -> u64 {
        own_ns.saturating_add(self.still_ns)
    }

    /// Goes on now, where it stood still at `at_ns`.
    pub(crate) fn go_on(&mut self, at_ns: u64) {
        *self = Self { still_ns: now_ns().saturating_sub(at_ns), since_ns: at_ns };
    }
}

/// Lets a load go on for a slice, by [`Self::slice`]. A load that has one stands still until then.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Threads that stand still, and wait for a slice.
    still: usize,
    /// Threads that have not come to their end; `None`: the load has not begun.
    there: Option<usize>,
    /// The slice that was begun last: its number, from 1, and how long it is.
    begun: Option<(u64, SliceTerms)>,
    /// What it came to so far.
    sum: Slice,
}

impl Gate {
    /// Lets the load go on for a slice, and waits until it stands still again. `None`: it has come to its end.
    pub fn slice(&self, terms: SliceTerms) -> Option<Slice> {
        let mut state = self.until_still();
        if state.there == Some(0) {
            return None;
        }
        let number = state.begun.map_or(0, |(number, _)| number) + 1;
        (state.begun, state.still, state.sum) = (Some((number, terms)), 0, Slice::default());
        self.changed.notify_all();
        drop(state);
        Some(self.until_still().sum)
    }

    /// Waits until every thread stands still or has ended.
    fn until_still(&self) -> MutexGuard<'_, State> {
        let is_moving = |state: &mut State| state.there.is_none_or(|there| state.still < there);
        self.changed.wait_while(self.lock(), is_moving).unwrap_or_else(PoisonError::into_inner)
    }

    /// The load begins, by so many threads.
    pub(crate) fn begin(&self, threads: usize) {
        self.lock().there = Some(threads);
    }

    /// Tells that the load has come to its end, however it does, when it is dropped.
    pub(crate) const fn ended_at_drop(&self) -> Ended<'_> {
        Ended(self)
    }

    /// One of the load's threads.
    pub(crate) const fn thread(&self) -> GatedThread<'_> {
        GatedThread { gate: self, last: 0 }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// See [`Gate::ended_at_drop`].
pub(crate) struct Ended<'g>(&'g Gate);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.lock().there = Some(0);
        self.0.changed.notify_all();
    }
}

/// A thread of a load in slices. When it is dropped, it has come to its end.
pub(crate) struct GatedThread<'g> {
    gate: &'g Gate,
    /// Number of the slice that it took part in last.
    last: u64,
}

impl GatedThread<'_> {
    /// Stands still after its part of a slice, until the next one begins: how long that is. `None`: it is to stop.
    pub(crate) fn stand_still(&mut self, part: Slice, is_stopped: impl Fn() -> bool) -> Option<SliceTerms> {
        let mut state = self.gate.lock();
        state.sum.add(part);
        state.still += 1;
        self.gate.changed.notify_all();
        loop {
            if let Some((number, terms)) = state.begun.filter(|(number, _)| *number > self.last) {
                self.last = number;
                return Some(terms);
            }
            if is_stopped() {
                state.still -= 1;
                return None;
            }
            let waited = self.gate.changed.wait_timeout(state, LOOK);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Its part of the slice in which it comes to its end.
    pub(crate) fn end(self, part: Slice) {
        self.gate.lock().sum.add(part);
    }
}

impl Drop for GatedThread<'_> {
    fn drop(&mut self) {
        let mut state = self.gate.lock();
        state.there = state.there.map(|there| there.saturating_sub(1));
        self.gate.changed.notify_all();
    }
}
