//! `slows-with-rows`: the more is stored, the longer an answer takes.

use std::ops::Range;

use galo_plan::Plan;
use galo_plan::model::Effect;
use galo_record::{OperationResult, RoundData};

use super::quantile;
use crate::findings::{Finding, SlowsWithRows};
use crate::step::StepName;

/// Fewest rows of which anything is said.
const LEAST_ROWS: usize = 90;
/// Fewest right answers of a step while the first third of the rows was there, and as many for the last.
const LEAST_ANSWERS: usize = 20;
/// The last third must be slower than the first by this factor ...
const FACTOR: f64 = 3.0;
/// ... and by so much: an index that is a level deeper is no defect.
const GROWTH_NS: u64 = 5_000_000;
/// Most of the growth that may come from one sixth of the rows to the next. What begins at some moment is another
/// thing's doing: a neighbour, a checkpoint.
const STEP_MAX: f64 = 0.6;
/// Rank correlation (Spearman) of service time with rows.
pub(crate) const CORRELATION: f64 = 0.5;
/// Growth of the service time by so much of the time in which it grew may be a queue that got longer: at a rate two
/// percent above what it can serve, each answer waits for two percent of the time that has passed.
const QUEUE: f64 = 0.02;
/// A rate of arrivals that grew by more may explain that answers took longer.
const RATE: f64 = 1.5;
/// Share of its CPU limit, or of throttled periods, from which a service is so near its limit that a queue is likely.
const CPU_SHARE: f64 = 0.7;
const THROTTLED_SHARE: f64 = 0.05;

/// A right answer: how many rows were acknowledged when it was asked for, and how long it took from then.
#[derive(Debug, Clone, Copy)]
struct Served {
    rows: usize,
    service_ns: u64,
}

/// Finds steps whose service time grows with the rows that are stored.
///
/// Proves that right answers took at least three times as long, and 5 ms longer, while the last third of the rows was
/// there as while the first was, in step with the rows. Where the arrival rate grew too, that must hold even of the
/// fastest tenth, which does not queue, and no service may be near its CPU limit; where the growth could be a queue's,
/// nothing is said at any rate. So a contender that slows down and is overloaded by it is not found. It cannot tell rows
/// from what else grows with time, such as memory that leaks.
pub(super) fn finding(plan: &Plan, round: &RoundData) -> Option<Finding> {
    let mut created_ns: Vec<u64> =
        round.history.iter().filter(|o| o.effect == Effect::Yes).map(|o| o.done_ns).collect();
    created_ns.sort_unstable();
    let rows = created_ns.len();
    if rows < LEAST_ROWS {
        return None;
    }
    let spans = [[0, created_ns[rows / 3]], [created_ns[rows - rows / 3], created_ns[rows - 1]]];
    let rate_grew = rate(round, spans[1]) > RATE * rate(round, spans[0]);
    if rate_grew && near_cpu_limit(round, spans[1]) {
        return None;
    }
    // From the middle of the first third to the middle of the last: two thirds, of which one lies between them.
    let between_ns = 2 * (spans[1][0] - spans[0][1]).max(1);
    let steps = (0..round.record.load.steps.len()).filter_map(|step| {
        let grown = grown(&served(round, step, &created_ns), rows, rate_grew)?;
        let may_be_queue = (grown[1] - grown[0]) as f64 > QUEUE * between_ns as f64;
        (!may_be_queue).then_some((step, grown))
    });
    let (step, [early, late]) = steps.max_by_key(|(_, [early, late])| late - early)?;
    Some(Finding::new(SlowsWithRows {
        step: StepName::of(plan, step),
        rows: rows as u64,
        early_ns: early,
        late_ns: late,
    }))
}

/// A step's right answers.
fn served(round: &RoundData, step: usize, created_ns: &[u64]) -> Vec<Served> {
    let right =
        round.history.iter().filter(|o| usize::from(o.step) == step && o.result == OperationResult::Ok);
    right
        .filter_map(|o| {
            let sent_ns = o.sent_ns?;
            let rows = created_ns.partition_point(|&created| created < sent_ns);
            Some(Served { rows, service_ns: o.done_ns.saturating_sub(sent_ns) })
        })
        .collect()
}

/// Median service time during the first third of the rows, and the one during the last third (`strict`: that of the
/// fastest tenth), where the second is clearly more and it came gradually.
fn grown(served: &[Served], rows: usize, strict: bool) -> Option<[u64; 2]> {
    let time = |part: Range<usize>, share: f64, least: usize| {
        let in_part = served.iter().filter(|s| part.contains(&s.rows));
        let mut times: Vec<u64> = in_part.map(|s| s.service_ns).collect();
        times.sort_unstable();
        quantile(&times, share).filter(|_| times.len() >= least)
    };
    let share = if strict { 0.1 } else { 0.5 };
    let early = time(0..rows / 3, 0.5, LEAST_ANSWERS)?;
    let late = time(rows - rows / 3..rows + 1, share, LEAST_ANSWERS)?;
    let part = |sixth: usize| rows * sixth / 6..rows * (sixth + 1) / 6;
    let sixths: Option<Vec<u64>> = (0..6).map(|sixth| time(part(sixth), share, LEAST_ANSWERS / 4)).collect();
    let is_grown = late as f64 > FACTOR * early as f64 && late > early + GROWTH_NS;
    let both: Vec<[u64; 2]> = served.iter().map(|s| [s.rows as u64, s.service_ns]).collect();
    (is_grown && came_gradually(&sixths?) && correlation(&both) >= CORRELATION).then_some([early, late])
}

/// Whether no step from one part to the next makes most of the growth.
fn came_gradually(parts: &[u64]) -> bool {
    let steps = parts.windows(2).map(|pair| pair[1] as f64 - pair[0] as f64);
    let all: f64 = steps.clone().sum();
    steps.fold(0.0, f64::max) <= STEP_MAX * all
}

/// Spearman's rank correlation of two figures.
pub(crate) fn correlation(pairs: &[[u64; 2]]) -> f64 {
    let [first, second] = [0, 1].map(|of| ranks(&pairs.iter().map(|pair| pair[of]).collect::<Vec<_>>()));
    let mean = (pairs.len() + 1) as f64 / 2.0;
    let of = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum() };
    of(&first, &second) / (of(&first, &first) * of(&second, &second)).sqrt()
}

/// Ranks from 1; equal values share the mean of theirs.
fn ranks(values: &[u64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|&i| values[i]);
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let shared = before as f64 + (equal.len() + 1) as f64 / 2.0;
        equal.iter().for_each(|&i| ranks[i] = shared);
        before += equal.len();
    }
    ranks
}

/// Operations that fell due in a second of a span.
fn rate(round: &RoundData, [from_ns, to_ns]: [u64; 2]) -> f64 {
    let due = round.history.iter().filter(|o| (from_ns..=to_ns).contains(&o.intended_ns)).count();
    due as f64 * 1e9 / to_ns.saturating_sub(from_ns).max(1) as f64
}

/// Whether any service was near its CPU limit in a span; also where nobody looked.
fn near_cpu_limit(round: &RoundData, span: [u64; 2]) -> bool {
    let [from_ns, to_ns] = span.map(|ns| round.record.load.started_ns + ns);
    let (Some(placement), Some(window)) = (&round.record.placement, round.window()) else { return true };
    let samples = window.samples();
    let first = samples.iter().rposition(|s| s.at_ns <= from_ns).unwrap_or(0);
    let end = samples.iter().position(|s| s.at_ns >= to_ns).map_or(samples.len(), |last| last + 1);
    let Some([first, .., last]) = samples.get(first..end) else { return true };
    let wall_ns = last.at_ns.saturating_sub(first.at_ns) as f64;
    placement.services.iter().zip(first.services.iter().zip(&last.services)).any(|(placed, (a, b))| {
        let limit = placed.cpus_milli.map_or(f64::INFINITY, |milli| f64::from(milli) / 1000.0);
        let used = b.cpu_ns.saturating_sub(a.cpu_ns) as f64 / wall_ns;
        let throttled = b.throttled_periods.saturating_sub(a.throttled_periods) as f64;
        let periods = b.periods.saturating_sub(a.periods) as f64;
        used >= CPU_SHARE * limit || (periods > 0.0 && throttled >= THROTTLED_SHARE * periods)
    })
}

#[cfg(test)]
mod tests;
