//! From the comparisons of two contenders to the verdict.

use galo_plan::Plan;

use super::light;
use super::ranking::{may_be_chance, primary_mean};
use super::{CORRECT_SHARE_MIN, Comparison, Difference, MIN_PAIRS, Verdict};
use crate::judgement::Judgement;
use crate::measure::{FAILED_US, Measure};
use crate::pairing::{ALPHA_PRIMARY, alpha_of, floor_of, is_beyond, total, valid};
use crate::stats;

/// Decides between two contenders that may be ranked.
///
/// The primary measure decides. Where it sees no difference and both are within the service level at p99, CPU time
/// per 1,000 correct answers does, at the stricter level of a secondary measure (a second chance at the full level
/// would nearly double the chance of a false verdict); but nobody wins by CPU time whose p99 [is surely longer][surely_better].
/// Neither may contradict [`CORRECT_SHARE_MIN`]: then
/// the correct answers themselves decide. So they do where more than 1 % of what fell due to either was not answered rightly: its p99
/// is no latency then. A difference in them that [may be chance][may_be_chance] does not count.
pub(super) fn decide(
    plan: &Plan,
    rounds: &[&Judgement],
    contenders: [usize; 2],
    comparisons: &[Comparison],
) -> Verdict {
    if !contenders.iter().any(|&contender| valid(rounds, contender).any(|round| round.stressed)) {
        return light::neither_was_stressed(plan, rounds, contenders);
    }
    let by = |measure| comparisons.iter().find(|c| c.measure == measure);
    let by_right_answers =
        || by(Measure::CorrectWithinServiceLevel).map_or(Verdict::NoDifference, by_correct_answers);
    if contenders.iter().any(|&contender| p99_is_a_failure(rounds, contender)) {
        return by_right_answers();
    }
    let Some(primary) = by(Measure::PRIMARY).filter(|c| c.ratios.difference != Difference::TooFewRounds)
    else {
        let pairs = by(Measure::PRIMARY).map_or(0, |c| c.ratios.pairs);
        return Verdict::TooFewRounds { pairs, needed: MIN_PAIRS };
    };
    let tie_break = || by(Measure::CpuMsPer1000).filter(|_| within_service_level(plan, rounds, contenders));
    let is_no_loser = |won: &Won<'_>| surely_better(plan, primary).is_none_or(|side| side == won.winner);
    let decisive = better(primary).or_else(|| tie_break().and_then(better).filter(is_no_loser));
    let is_chance =
        by(Measure::CorrectWithinServiceLevel).is_some_and(|answers| may_be_chance(plan, answers));
    let more_correct = clearly_more_correct(rounds, contenders).filter(|_| !is_chance);
    match (decisive, more_correct) {
        (Some(verdict), None) => verdict.into(),
        (Some(verdict), Some(side)) if verdict.winner == side => verdict.into(),
        (None, None) => Verdict::NoDifference,
        (_, Some(_)) => by_right_answers(),
    }
}

fn by_correct_answers(comparison: &Comparison) -> Verdict {
    match comparison.ratios.difference {
        Difference::TooFewRounds => Verdict::TooFewRounds {
            pairs: comparison.ratios.pairs,
            needed: stats::pairs_needed(alpha_of(comparison.measure)),
        },
        _ => better(comparison).map_or(Verdict::NoDifference, Into::into),
    }
}

/// A comparison that has a winner.
struct Won<'a> {
    /// Which of the two.
    winner: usize,
    comparison: &'a Comparison,
    /// First divided by second.
    ratio: f64,
    interval: [f64; 2],
}

fn better(comparison: &Comparison) -> Option<Won<'_>> {
    let winner = match comparison.ratios.difference {
        Difference::Better => 0,
        Difference::Worse => 1,
        Difference::NoDifference | Difference::TooFewRounds => return None,
    };
    Some(Won { winner, comparison, ratio: comparison.ratios.ratio?, interval: comparison.ratios.interval? })
}

impl From<Won<'_>> for Verdict {
    fn from(won: Won<'_>) -> Self {
        let Won { winner, comparison, ratio, interval: [low, high] } = won;
        let (ratio, interval) =
            if winner == 0 { (ratio, [low, high]) } else { (1.0 / ratio, [1.0 / high, 1.0 / low]) };
        Self::Better {
            winner: comparison.contenders[winner].clone(),
            loser: comparison.contenders[1 - winner].clone(),
            measure: comparison.measure,
            ratio,
            interval,
        }
    }
}

/// Who the permutation test says has the shorter p99, beyond the noise floor, whatever the interval says: one round that is far
/// longer yet than the others makes the interval hold 1, and would do away with the loss of whoever drove it.
fn surely_better(plan: &Plan, primary: &Comparison) -> Option<usize> {
    let (ratio, p) = (primary.ratios.ratio?, primary.ratios.p_value?);
    let alpha = ALPHA_PRIMARY / plan.kind.looks().len().max(1) as f64;
    (p <= alpha.max(stats::smallest_p(primary.ratios.pairs))
        && is_beyond(ratio, floor_of(plan, primary.measure)))
    .then_some(usize::from(ratio > 1.0))
}

/// Whether 1 % of all that fell due to a contender, in all its rounds that count, was not answered rightly.
fn p99_is_a_failure(rounds: &[&Judgement], contender: usize) -> bool {
    let all = valid(rounds, contender).map(|round| &round.ledger);
    let (right, due) = all.fold((0, 0), |(right, due), of| (right + of.ok, due + of.intended));
    (right as f64) < CORRECT_SHARE_MIN * due as f64
}

/// Whether both contenders' p99, as the geometric mean over their rounds, is within the service level, and in no round a failure.
fn within_service_level(plan: &Plan, rounds: &[&Judgement], contenders: [usize; 2]) -> bool {
    let bound_us = plan.challenge.service_level.latency_ns as f64 / 1000.0;
    let fails =
        |round: &Judgement| round.measures.get(Measure::LatencyUsP99).is_some_and(|us| us >= FAILED_US);
    contenders.iter().all(|&contender| {
        primary_mean(rounds, contender).exp() <= bound_us && !valid(rounds, contender).any(fails)
    })
}

/// Which of the two gave clearly more correct answers, within the service level or (where that says nothing) at all:
/// failing what would have been late anyway costs no answer within the level.
fn clearly_more_correct(rounds: &[&Judgement], contenders: [usize; 2]) -> Option<usize> {
    let within_level = |round: &Judgement| round.measures.get(Measure::CorrectWithinServiceLevel);
    let at_all = |round: &Judgement| Some(round.ledger.ok as f64);
    clearly_more(total(rounds, contenders, within_level)?)
        .or_else(|| clearly_more(total(rounds, contenders, at_all)?))
}

fn clearly_more([first, second]: [f64; 2]) -> Option<usize> {
    if first < CORRECT_SHARE_MIN * second {
        Some(1)
    } else if second < CORRECT_SHARE_MIN * first {
        Some(0)
    } else {
        None
    }
}
