//! `pauses`: nothing at all was answered for a while, though there was something to answer.

use galo_record::{OperationResult, RoundData};

use super::quantile;
use crate::findings::{self, Finding, Pauses};

/// A pause is at least so long ...
const SHORTEST_NS: u64 = 1_000_000_000;
/// ... and one alone must be at least so long to be told.
const ALONE_NS: u64 = 1_500_000_000;
/// So many operations must fall due in it, or there was too little to answer.
const LEAST_DUE: usize = 10;
/// Share of a pause that a hypervisor may have taken of one core; more may be its whole cause.
const STOLEN_MAX: f64 = 0.10;
/// Between two samples, which are to be 100 ms apart. Where they are not, galo or the whole machine stood still.
const SAMPLES_NS_MAX: u64 = 500_000_000;
/// Pauses that are told one by one.
const TOLD: usize = 3;
/// How far the distances of pauses may be from their mean to be called periodic.
const PERIODIC: f64 = 0.2;

/// A stretch without any answer, in nanoseconds from the start of the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pause {
    from_ns: u64,
    to_ns: u64,
    /// Operations that fell due in it.
    due: usize,
}

impl Pause {
    const fn length_ns(self) -> u64 {
        self.to_ns - self.from_ns
    }
}

/// Finds stretches of a second or more in which somebody waited all the time and nobody got any answer, be it a right
/// one, a wrong one or a refusal.
///
/// Proves that the whole contender, as seen from outside, stood still. galo's largest lag and the usual latency are taken
/// off each stretch, so that neither galo's own lateness nor slow answers alone can make one. It cannot tell why: a
/// collector, a lock, a checkpoint, or a disk of the host's that stood still under it.
pub(super) fn finding(round: &RoundData) -> Option<Finding> {
    let pauses = pauses(round);
    let longest_ns = pauses.iter().map(|pause| pause.length_ns()).max()?;
    if pauses.len() < 2 && longest_ns < ALONE_NS {
        return None;
    }
    let each = |pause: &Pause| findings::Pause { from_ns: pause.from_ns, length_ns: pause.length_ns() };
    Some(Finding::new(Pauses {
        pauses: pauses.iter().take(TOLD).map(each).collect(),
        more: pauses.len().saturating_sub(TOLD) as u64,
        period_ns: period_ns(&pauses),
        due: pauses.iter().map(|pause| pause.due as u64).sum(),
    }))
}

fn pauses(round: &RoundData) -> Vec<Pause> {
    let lag_us = round.record.load.engine.lag_us_max;
    if !lag_us.is_finite() {
        return Vec::new();
    }
    let mut latencies: Vec<u64> =
        round.history.iter().map(|o| o.done_ns.saturating_sub(o.intended_ns)).collect();
    latencies.sort_unstable();
    // What would look like a pause though nothing stood still.
    let usual_ns = (lag_us * 1000.0) as u64 + quantile(&latencies, 0.5).unwrap_or(0);
    let ended = |o: &&galo_record::Operation| {
        !matches!(o.result, OperationResult::TimedOut | OperationResult::Unfinished)
    };
    let mut ends: Vec<u64> = round.history.iter().filter(ended).map(|o| o.done_ns).collect();
    // Whoever waits for the rest of the round waits until its end.
    ends.extend(round.history.iter().map(|o| o.done_ns).max());
    ends.sort_unstable();
    let mut last_ns = 0;
    let mut found = Vec::new();
    let waiting = Waiting::of(round);
    for to_ns in ends {
        if to_ns - last_ns >= SHORTEST_NS {
            found.extend(waiting.between(last_ns, to_ns));
        }
        last_ns = to_ns;
    }
    found.retain(|pause| pause.length_ns() >= SHORTEST_NS + usual_ns && !was_disturbed(round, *pause));
    found
}

/// Who waited when: sorted once, so that each stretch is two look-ups.
struct Waiting {
    /// When operations fell due, in order.
    due_ns: Vec<u64>,
    /// By their ends: when each was known, and the earliest due time of it and all that ended later.
    ends: Vec<(u64, u64)>,
}

impl Waiting {
    fn of(round: &RoundData) -> Self {
        let mut due_ns: Vec<u64> = round.history.iter().map(|o| o.intended_ns).collect();
        due_ns.sort_unstable();
        let mut ends: Vec<(u64, u64)> = round.history.iter().map(|o| (o.done_ns, o.intended_ns)).collect();
        ends.sort_unstable();
        let mut earliest_ns = u64::MAX;
        for (_, due_ns) in ends.iter_mut().rev() {
            earliest_ns = earliest_ns.min(*due_ns);
            *due_ns = earliest_ns;
        }
        Self { due_ns, ends }
    }

    /// The part of a stretch without answers in which somebody waited, if enough did.
    fn between(&self, after_ns: u64, to_ns: u64) -> Option<Pause> {
        let later = self.ends.partition_point(|(done_ns, _)| *done_ns <= after_ns);
        let (_, earliest_ns) = self.ends.get(later).filter(|(_, due_ns)| *due_ns < to_ns)?;
        let from_ns = after_ns.max(*earliest_ns);
        let due_before = |ns: u64| self.due_ns.partition_point(|due_ns| *due_ns < ns);
        let due = due_before(to_ns) - due_before(from_ns);
        (due >= LEAST_DUE).then_some(Pause { from_ns, to_ns, due })
    }
}

/// Whether the host may be to blame for a pause, by the samples around it. Without any, galo's lag alone must do.
fn was_disturbed(round: &RoundData, pause: Pause) -> bool {
    let start_ns = round.record.load.started_ns;
    let (from_ns, to_ns) = (start_ns + pause.from_ns, start_ns + pause.to_ns);
    let first = round.samples.iter().rposition(|s| s.at_ns <= from_ns).unwrap_or(0);
    let end = round.samples.iter().position(|s| s.at_ns >= to_ns).map_or(round.samples.len(), |i| i + 1);
    let Some(samples @ [first, .., last]) = round.samples.get(first..end) else { return false };
    let stolen_ns = last.host.steal_ns.saturating_sub(first.host.steal_ns);
    let stood_still =
        samples.windows(2).any(|pair| pair[1].at_ns.saturating_sub(pair[0].at_ns) > SAMPLES_NS_MAX);
    stood_still || stolen_ns as f64 > STOLEN_MAX * pause.length_ns() as f64
}

/// From the start of one pause to the start of the next, where it is always about the same.
fn period_ns(pauses: &[Pause]) -> Option<u64> {
    let distances: Vec<f64> =
        pauses.windows(2).map(|pair| (pair[1].from_ns - pair[0].from_ns) as f64).collect();
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    let is_periodic = distances.len() > 1 && distances.iter().all(|d| (d - mean).abs() <= PERIODIC * mean);
    is_periodic.then_some(mean as u64)
}

#[cfg(test)]
mod tests;
