//! Linearizability of one object's history: whether its operations can be put into one order, each at some moment
//! between its call and its return, in which a sequential specification allows them all.
//!
//! **Proves**: such an order exists, or none does ([`Linearizability::Broken`] is exact, as is
//! [`Linearizability::Holds`]).
//! **Cannot**: answer in bounded time for every history, since the question is NP-complete (Gibbons and Korach,
//! *Testing shared memories*, 1997): beyond a number of configurations, or of steps to make
//! them, it says [`Linearizability::Unknown`].
//!
//! The search is that of Wing and Gong (*Testing and verifying concurrent objects*, JPDC 17, 1993): take any call that
//! no other one precedes, apply it, go on, and go back where the specification refuses. Lowe's improvements (*Testing
//! for linearizability*, Concurrency and Computation 29, 2017) keep it short: configurations (which calls are taken,
//! and the state) are remembered, none is tried twice; and histories are partitioned, here by the caller, who hands
//! over one key's at a time, which by locality (Herlihy and Wing, TOPLAS 12, 1990) loses nothing. A call that changes
//! nothing from now on is taken at once, without going back: whatever order there is also exists with it first.
//!
//! A call whose effect is unknown has no return: it may take effect at any time after its call, or never.

mod register;
mod set;

#[cfg(test)]
mod tests;

pub use register::{Register, RegisterOperation};
pub use set::{Element, ElementOperation};

use std::collections::HashSet;
use std::hash::Hash;

/// Calls of one object that are judged at most.
pub const CALLS_MAX: usize = 4096;
/// Configurations that are visited at most.
pub const CONFIGURATIONS_MAX: usize = 100_000;
/// Calls that are looked at, at most, over all configurations. So many take a second or less; a history of
/// [`CALLS_MAX`] calls without a choice takes a third.
pub const STEPS_MAX: usize = 100_000_000;

/// What an object does when its operations come one after another.
pub trait Specification {
    /// What the object remembers.
    type State: Clone + Eq + Hash;
    /// One operation with its answer.
    type Operation;

    /// Before any operation.
    fn initial(&self) -> Self::State;

    /// The state after an operation; `None`: it cannot be answered like that in this state.
    fn apply(&self, state: &Self::State, operation: &Self::Operation) -> Option<Self::State>;

    /// Whether an operation changes nothing in this state, nor in any that can follow it. Saying `false` is always
    /// right, and slower.
    fn is_inert(&self, state: &Self::State, operation: &Self::Operation) -> bool;
}

/// One operation as it was seen from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call<O> {
    /// What was done, and what was answered.
    pub operation: O,
    /// When it began, in nanoseconds.
    pub called_ns: u64,
    /// When it was answered; `None`: its effect is unknown.
    pub returned_ns: Option<u64>,
}

/// Whether a history is linearizable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linearizability {
    /// There is an order.
    Holds,
    /// There is none.
    Broken,
    /// The bounds were reached before an answer was.
    Unknown,
}

/// Judges the calls of one object, given in any order.
pub fn judge<S: Specification>(specification: &S, calls: &[Call<S::Operation>]) -> Linearizability {
    if calls.len() > CALLS_MAX {
        return Linearizability::Unknown;
    }
    let mut calls: Vec<&Call<S::Operation>> = calls.iter().collect();
    calls.sort_by_key(|call| call.called_ns);
    let mut search = Search { specification, calls, steps: 0 };
    search.run()
}

struct Search<'a, S: Specification> {
    specification: &'a S,
    /// In the order of their beginnings.
    calls: Vec<&'a Call<S::Operation>>,
    /// Calls that were looked at so far.
    steps: usize,
}

/// Which calls are taken, as bits, and the state that they lead to.
struct Configuration<S: Specification> {
    taken: Vec<u64>,
    state: S::State,
}

impl<S: Specification> Search<'_, S> {
    fn run(&mut self) -> Linearizability {
        let start = Configuration::<S> {
            taken: vec![0; self.calls.len().div_ceil(64)],
            state: self.specification.initial(),
        };
        let mut visited = HashSet::new();
        let mut open = vec![start];
        while let Some(mut configuration) = open.pop() {
            let next = self.take_inert(&mut configuration);
            if self.is_complete(&configuration) {
                return Linearizability::Holds;
            }
            // Each of the next configurations copies which calls are taken.
            self.steps += self.calls.len() + next.len() * configuration.taken.len();
            // The first candidate is tried first, so it is put on top.
            for number in next.into_iter().rev() {
                let Some(configuration) = self.take(&configuration, number) else { continue };
                if visited.insert((configuration.taken.clone(), configuration.state.clone())) {
                    open.push(configuration);
                }
            }
            if visited.len() > CONFIGURATIONS_MAX || self.steps > STEPS_MAX {
                return Linearizability::Unknown;
            }
        }
        Linearizability::Broken
    }

    /// Takes all that can be taken without a choice, and tells what may come next.
    fn take_inert(&mut self, configuration: &mut Configuration<S>) -> Vec<usize> {
        loop {
            let candidates = self.candidates(configuration);
            let inert = candidates.iter().copied().find(|&number| {
                let operation = &self.calls[number].operation;
                self.specification.is_inert(&configuration.state, operation)
                    && self.specification.apply(&configuration.state, operation).is_some()
            });
            match inert {
                Some(number) => configuration.taken[number / 64] |= 1 << (number % 64),
                None => return candidates,
            }
        }
    }

    /// The calls that none of the others left precedes.
    fn candidates(&mut self, configuration: &Configuration<S>) -> Vec<usize> {
        let mut candidates = Vec::new();
        let mut first_return_ns = u64::MAX;
        for (number, call) in self.calls.iter().enumerate() {
            self.steps += 1;
            if configuration.has(number) {
                continue;
            }
            if call.called_ns > first_return_ns {
                break;
            }
            candidates.push(number);
            first_return_ns = first_return_ns.min(call.returned_ns.unwrap_or(u64::MAX));
        }
        candidates
    }

    fn take(&self, before: &Configuration<S>, number: usize) -> Option<Configuration<S>> {
        let state = self.specification.apply(&before.state, &self.calls[number].operation)?;
        let mut taken = before.taken.clone();
        taken[number / 64] |= 1 << (number % 64);
        Some(Configuration { taken, state })
    }

    /// Whether only calls are left that may never have taken effect.
    fn is_complete(&self, configuration: &Configuration<S>) -> bool {
        let mut calls = self.calls.iter().enumerate();
        calls.all(|(number, call)| configuration.has(number) || call.returned_ns.is_none())
    }
}

impl<S: Specification> Configuration<S> {
    fn has(&self, number: usize) -> bool {
        self.taken[number / 64] >> (number % 64) & 1 == 1
    }
}
