//! Where in time a round's trouble lies: the waiting of operations that were slow or failed.

use std::ops::Range;

use galo_plan::Plan;
use galo_record::{Operation, OperationResult, RoundData};

use super::tidy;
use crate::findings::{Explained, Waiting};

/// An operation is slow when it took longer than so many times the fastest tenth ...
const SLOW_FACTOR: u64 = 5;
/// ... but never below this, ...
const SLOW_LEAST_NS: u64 = 20_000_000;
/// ... and what failed at once counts as if somebody had waited so long for it.
const FAILED_LEAST_NS: u64 = 100_000_000;
/// With fewer slow or failed operations than this, and ...
const LEAST: u64 = 20;
/// ... with a smaller share of them nothing is slow, and only what failed is trouble.
const LEAST_SHARE: f64 = 0.005;
/// A moment is calm when less than this share of those who are under way is in trouble.
const CALM: f64 = 0.1;
/// With fewer calm moments than this nobody knows what is usual.
const CALM_LEAST: usize = 5;

/// A round's trouble, moment by moment. A moment is the time between two samples.
#[derive(Debug, Clone)]
pub(crate) struct Trouble {
    /// Where moments begin and end, in nanoseconds from the start of the load: one more than there are moments.
    edges_ns: Vec<u64>,
    /// Waiting of slow and failed operations, in nanoseconds.
    waiting_ns: Vec<f64>,
    /// Operations under way, on average.
    pub(crate) in_flight: Vec<f64>,
    /// Operations that ended.
    pub(crate) ended: Vec<u32>,
    /// All operations.
    pub(crate) operations: u64,
    /// ... of these slow or failed.
    pub(crate) troubled: u64,
    /// ... of these failed.
    pub(crate) failed: u64,
    /// Above this an operation is slow; `None`: too few were, and only what failed is trouble.
    pub(crate) slow_ns: Option<u64>,
}

impl Trouble {
    /// `None` where there is none, or nothing was sampled.
    pub(crate) fn of(plan: &Plan, round: &RoundData) -> Option<Self> {
        let slow = Self::above(Some(slow_ns(plan, &round.history)?), round)?;
        let is_enough =
            slow.troubled >= LEAST && slow.troubled as f64 >= LEAST_SHARE * slow.operations as f64;
        match slow.failed {
            _ if is_enough => Some(slow),
            0 => None,
            _ => Self::above(None, round),
        }
    }

    fn above(slow_ns: Option<u64>, round: &RoundData) -> Option<Self> {
        let started_ns = round.record.load.started_ns;
        let samples = round.window()?.samples();
        let edges_ns = samples.iter().map(|sample| sample.at_ns.saturating_sub(started_ns)).collect();
        let mut trouble = Self {
            edges_ns,
            waiting_ns: Vec::new(),
            in_flight: Vec::new(),
            ended: vec![0; samples.len() - 1],
            operations: round.history.len() as u64,
            troubled: 0,
            failed: 0,
            slow_ns,
        };
        let (mut waiting, mut in_flight) = (Spread::over(samples.len()), Spread::over(samples.len()));
        for operation in &round.history {
            trouble.add(operation, &mut waiting, &mut in_flight);
        }
        trouble.waiting_ns = waiting.sums(&trouble.edges_ns);
        trouble.in_flight = in_flight.sums(&trouble.edges_ns);
        for (moment, in_flight) in trouble.in_flight.iter_mut().enumerate() {
            let length_ns = trouble.edges_ns[moment + 1].saturating_sub(trouble.edges_ns[moment]);
            *in_flight /= length_ns.max(1) as f64;
        }
        Some(trouble)
    }

    fn add(&mut self, operation: &Operation, waiting: &mut Spread, in_flight: &mut Spread) {
        let (from_ns, to_ns) = (operation.intended_ns, operation.done_ns);
        in_flight.add(&self.edges_ns, from_ns..to_ns);
        if operation.result != OperationResult::Unfinished
            && let Some(ended) =
                moment_of(&self.edges_ns, to_ns).and_then(|moment| self.ended.get_mut(moment))
        {
            *ended += 1;
        }
        let failed = has_failed(operation);
        if failed || self.slow_ns.is_some_and(|slow_ns| to_ns.saturating_sub(from_ns) > slow_ns) {
            self.troubled += 1;
            self.failed += u64::from(failed);
            let least_ns = if failed { FAILED_LEAST_NS } else { 0 };
            waiting.add(&self.edges_ns, from_ns..to_ns.max(from_ns + least_ns));
        }
    }

    /// Number of moments.
    pub(crate) fn moments(&self) -> usize {
        self.waiting_ns.len()
    }

    /// Length of a moment.
    pub(crate) fn length_ns(&self, moment: usize) -> u64 {
        self.edges_ns[moment + 1].saturating_sub(self.edges_ns[moment])
    }

    /// When a moment began, from the start of the load.
    pub(crate) fn start_ns(&self, moment: usize) -> u64 {
        self.edges_ns[moment]
    }

    /// The moment that holds a time, from the start of the load.
    pub(crate) fn moment_at(&self, at_ns: u64) -> Option<usize> {
        moment_of(&self.edges_ns, at_ns)
    }

    /// The share of the trouble in moments with a sign, less the share of calm moments that have it as well; of what is not
    /// told of every moment (looks at a database), over those moments alone. A sign is 0 to 1.
    pub(crate) fn explained_by(&self, signs: impl Iterator<Item = (usize, f64)>) -> Explained {
        let (mut with_sign, mut all, mut calm, mut calm_with_sign) = (0.0, 0.0, 0_usize, 0.0);
        for (moment, sign) in signs {
            with_sign += sign * self.waiting_ns[moment];
            all += self.waiting_ns[moment];
            if self.is_calm(moment) {
                calm += 1;
                calm_with_sign += sign;
            }
        }
        let in_trouble = if all > 0.0 { with_sign / all } else { 0.0 };
        let in_calm = (calm >= CALM_LEAST).then(|| calm_with_sign / calm as f64);
        Explained { in_trouble, in_calm }
    }

    /// The mean of a figure over moments, weighed by their trouble.
    pub(crate) fn mean(&self, figures: impl Iterator<Item = (usize, f64)>) -> f64 {
        self.explained_by(figures).in_trouble
    }

    fn is_calm(&self, moment: usize) -> bool {
        let under_way_ns = self.in_flight[moment] * self.length_ns(moment) as f64;
        self.waiting_ns[moment] <= CALM * under_way_ns
    }

    /// As it is told.
    pub(crate) fn waiting(&self) -> Waiting {
        let operations = if self.slow_ns.is_some() { self.troubled } else { self.failed };
        Waiting { operations, slow_ns: self.slow_ns }
    }
}

impl Explained {
    /// As it is told.
    pub(crate) fn tidy(self) -> Self {
        Self { in_trouble: tidy(self.in_trouble), in_calm: self.in_calm.map(tidy) }
    }
}

/// Whether nobody got a right answer: a wrong one is the business of other judges.
pub(crate) fn has_failed(operation: &Operation) -> bool {
    !matches!(operation.result, OperationResult::Ok | OperationResult::Wrong)
}

/// Above which latency an operation is slow: several times what the fastest tenth took, and at most the service level.
fn slow_ns(plan: &Plan, history: &[Operation]) -> Option<u64> {
    let is_ok = |o: &&Operation| o.result == OperationResult::Ok;
    let mut ok: Vec<u64> =
        history.iter().filter(is_ok).map(|o| o.done_ns.saturating_sub(o.intended_ns)).collect();
    let service_level_ns = plan.challenge.service_level.latency_ns;
    if ok.is_empty() {
        return (!history.is_empty()).then_some(service_level_ns);
    }
    let tenth = ok.len() / 10;
    let (_, fast_ns, _) = ok.select_nth_unstable(tenth);
    Some(fast_ns.saturating_mul(SLOW_FACTOR).max(SLOW_LEAST_NS).min(service_level_ns))
}

fn moment_of(edges_ns: &[u64], at_ns: u64) -> Option<usize> {
    let after = edges_ns.partition_point(|edge| *edge <= at_ns);
    after.checked_sub(1).filter(|moment| moment + 1 < edges_ns.len())
}

/// Intervals added up over moments, each in time that does not depend on its length.
struct Spread {
    /// What lies in part of a moment.
    parts_ns: Vec<f64>,
    /// By how much the number of intervals that hold a whole moment changes at its beginning.
    changes: Vec<i64>,
}

impl Spread {
    fn over(edges: usize) -> Self {
        Self { parts_ns: vec![0.0; edges - 1], changes: vec![0; edges] }
    }

    fn add(&mut self, edges_ns: &[u64], interval: Range<u64>) {
        let (Some(first), Some(last)) = (edges_ns.first(), edges_ns.last()) else { return };
        let (from_ns, to_ns) = (interval.start.max(*first), interval.end.min(last.saturating_sub(1)));
        let (Some(from), Some(to)) = (moment_of(edges_ns, from_ns), moment_of(edges_ns, to_ns)) else {
            return;
        };
        if from_ns >= to_ns {
            return;
        }
        if from == to {
            self.parts_ns[from] += (to_ns - from_ns) as f64;
            return;
        }
        self.parts_ns[from] += (edges_ns[from + 1] - from_ns) as f64;
        self.parts_ns[to] += (to_ns - edges_ns[to]) as f64;
        self.changes[from + 1] += 1;
        self.changes[to] -= 1;
    }

    fn sums(self, edges_ns: &[u64]) -> Vec<f64> {
        let mut whole = 0_i64;
        let each = self.parts_ns.into_iter().enumerate().map(|(moment, part_ns)| {
            whole += self.changes[moment];
            let length_ns = edges_ns[moment + 1].saturating_sub(edges_ns[moment]);
            part_ns + whole as f64 * length_ns as f64
        });
        each.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_spread_over_moments_whatever_their_length() {
        let edges = [10, 20, 30, 50];
        let mut spread = Spread::over(edges.len());
        for interval in [12..15, 12..25, 5..45, 60..70, 30..30] {
            spread.add(&edges, interval);
        }
        assert_eq!(spread.sums(&edges), [3.0 + 8.0 + 10.0, 5.0 + 10.0, 15.0]);
    }

    #[test]
    fn a_time_belongs_to_the_moment_that_begins_with_it() {
        let edges = [10, 20, 30];
        assert_eq!(
            [9, 10, 19, 20, 29, 30].map(|at| moment_of(&edges, at)),
            [None, Some(0), Some(0), Some(1), Some(1), None]
        );
    }
}
