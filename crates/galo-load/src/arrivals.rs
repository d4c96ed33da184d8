//! When one engine thread's users arrive: each offset by its closed form, so that nothing is drawn up beforehand.

use galo_plan::Plan;
use galo_plan::injection::Injection;

/// The users of one scenario that belong to this thread.
#[derive(Debug)]
struct Source<'p> {
    scenario: usize,
    injection: &'p Injection,
    users: u64,
    next: Arrival,
}

/// One user's arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// Index into the challenge's scenarios.
    pub(crate) scenario: usize,
    /// Number in the scenario.
    pub(crate) user: u64,
    /// From the start of the load.
    pub(crate) offset_ns: u64,
}

/// All arrivals of one thread, in the order of time.
#[derive(Debug)]
pub(crate) struct Arrivals<'p> {
    sources: Vec<Source<'p>>,
    threads: u64,
}

impl<'p> Arrivals<'p> {
    /// User `n` of each scenario belongs to thread `n mod threads`.
    pub(crate) fn new(plan: &'p Plan, thread: usize, threads: usize) -> Self {
        let sources = plan
            .scenarios()
            .filter(|(_, scenario, _)| !scenario.steps.is_empty())
            .filter_map(|(scenario, _, traffic)| {
                let next = Arrival { scenario, user: thread as u64, offset_ns: 0 };
                let source = Source { scenario, injection: &traffic.injection, users: traffic.users, next };
                source.at(thread as u64)
            })
            .collect();
        Self { sources, threads: threads as u64 }
    }

    /// The next arrival, if any is left.
    pub(crate) fn next(&self) -> Option<Arrival> {
        self.sources.iter().map(|source| source.next).min_by_key(|arrival| arrival.offset_ns)
    }

    /// Takes the next arrival, if it is due by `by_ns`.
    pub(crate) fn pop_due(&mut self, by_ns: u64) -> Option<Arrival> {
        let next = self.next().filter(|arrival| arrival.offset_ns <= by_ns)?;
        let index = self.sources.iter().position(|source| source.scenario == next.scenario)?;
        let source = self.sources.swap_remove(index);
        self.sources.extend(source.at(next.user + self.threads));
        Some(next)
    }
}

impl Source<'_> {
    /// The same at another user; `None` where there is no such user.
    fn at(mut self, user: u64) -> Option<Self> {
        let offset_ns = if user < self.users { self.injection.offset_ns(user)? } else { return None };
        self.next = Arrival { scenario: self.scenario, user, offset_ns };
        Some(self)
    }
}

/// Offset of the last arrival of all threads; 0 where nobody arrives.
pub(crate) fn last_ns(plan: &Plan) -> u64 {
    plan.scenarios().filter_map(|(_, _, t)| t.injection.offset_ns(t.users.checked_sub(1)?)).max().unwrap_or(0)
}
