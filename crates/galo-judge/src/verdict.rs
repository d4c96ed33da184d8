//! Which is better: ratios pair by pair, judged over rounds.

use galo_plan::JsonSchema;
use galo_plan::Plan;
use serde::{Deserialize, Serialize};

use crate::judgement::Judgement;
use crate::measure::Measure;
use crate::pairing::compare;
use crate::void::VoidReason;

mod decision;
mod field;
mod light;
mod ranking;
mod restarts;
mod voids;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod simulation;
#[cfg(test)]
pub(crate) mod tests;

use decision::decide;
pub use field::{Field, Grouped, judge_field};
pub use light::{Nearest, Raised, is_too_light};
use ranking::{Ranked, ranked};
pub use restarts::settled;
pub use voids::ALPHA_VOID;
pub(crate) use voids::{is_spoiled, is_too_often};

pub(crate) use crate::pairing::name_of;
pub use crate::pairing::{
    ALPHA, ALPHA_PRIMARY, ALPHA_SECONDARY, Comparison, Difference, MIN_PAIRS, Sensitivity,
};

/// By how much fewer correct answers (within the service level, or at all) a contender may give and still win by its latency or
/// CPU time. An answer that fails at once is cheap, so those alone would reward failing.
pub const CORRECT_SHARE_MIN: f64 = 0.99;

/// The measures that may decide a fight.
pub(crate) const DECIDING: [Measure; 3] =
    [Measure::PRIMARY, Measure::CorrectWithinServiceLevel, Measure::CpuMsPer1000];

/// Where an interval leaves room for a larger factor than this, either way, "no difference" would say more than is known.
const INCONCLUSIVE: f64 = 2.0;

/// Whether nothing is known of two that may differ by such a factor.
pub fn is_inconclusive(factor: f64) -> bool {
    factor > INCONCLUSIVE
}

/// The outcome of a fight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Verdict {
    /// Rounds are void, or none was driven.
    Void {
        /// The first void round; null: no round was driven.
        round: Option<VoidRound>,
    },
    /// Fewer than two contenders are left that may be ranked.
    Disqualified {
        /// Names of the contenders.
        contenders: Vec<String>,
        /// Names of the rules that they broke.
        rules: Vec<String>,
        /// The one that is left, if any.
        left: Option<String>,
    },
    /// Fewer than two contenders are left, because one did not start.
    NotReady {
        /// Names of the contenders.
        contenders: Vec<String>,
        /// The one that is left, if any.
        left: Option<String>,
    },
    /// More of a contender's rounds were void than chance explains: what is left of them is a selection, by which it cannot win.
    /// The others could, and did not.
    VoidTooOften {
        /// Its name.
        contender: String,
        /// Its void rounds, and those of the others.
        void: [u64; 2],
        /// All its rounds, and those of the others.
        rounds: [u64; 2],
    },
    /// One contender alone: nothing to compare.
    Alone {
        /// Its name.
        contender: String,
    },
    /// None was anywhere near its limits: a light load ties everybody.
    NeitherWasStressed {
        /// What came nearest to a limit of CPU, of memory, and to the service level, in all rounds that count; the nearest first.
        #[serde(default)]
        nearest: Vec<Nearest>,
        /// The scale that brings the busier contender near its limit of CPU; null: none is known, or galo cannot drive more.
        #[serde(default)]
        raised: Option<Raised>,
    },
    /// Fewer than six pairs of valid rounds.
    TooFewRounds {
        /// Pairs there are.
        pairs: usize,
        /// Pairs that would do.
        needed: usize,
    },
    /// The interval holds 1, or lies within the noise floor.
    NoDifference,
    /// `winner` is better than `loser`.
    Better {
        /// Name.
        winner: String,
        /// Name.
        loser: String,
        /// By which measure.
        measure: Measure,
        /// Winner's figure divided by the loser's.
        ratio: f64,
        /// Interval of the ratio, as in the comparison by this measure.
        interval: [f64; 2],
    },
}

/// The first of the rounds that make a fight void.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VoidRound {
    /// Its number.
    pub number: u32,
    /// Whose it is, by name.
    pub contender: String,
    /// Why it is void, gravest first.
    pub reasons: Vec<VoidReason>,
    /// How many other rounds are void.
    pub others: usize,
}

/// Judges a fight from its rounds, in any order (they are taken by slot and number). Also the comparisons of the
/// first two contenders that may be ranked, primary first; empty where there are no two.
///
/// Where more than two may be ranked, the challenge's baseline is left out, and of the others the two with the best geometric mean of the
/// primary measure are compared, of those that gave within 1 % as many right answers as the one with the most.
pub fn judge_fight(plan: &Plan, rounds: &[Judgement]) -> (Verdict, Vec<Comparison>) {
    let rounds = settled(rounds);
    let mut all = in_order(&rounds);
    // What null servers came to is told beside the others, and decides nothing.
    all.retain(|round| !plan.is_null(round.contender));
    let rounds = last_of_each_slot(&all);
    let ranked = ranked(plan, &all, &rounds);
    let comparisons = match ranked {
        Ranked::Two(contenders) => compare(plan, &rounds, contenders),
        Ranked::Fewer(_) => Vec::new(),
    };
    let too_often = voids::too_often(plan, &all);
    // Its void rounds are its own: they cannot take the win from the others.
    let is_of = |contender| too_often.as_ref().is_some_and(|of| of.contender == contender);
    let shared: Vec<_> = rounds.iter().copied().filter(|r| !is_of(r.contender)).collect();
    let verdict = match (voids::void(plan, &shared), ranked) {
        // Proven in rounds that count; a void one elsewhere cannot bring anybody back.
        (_, Ranked::Fewer(verdict @ Verdict::Disqualified { left: Some(_), .. })) => verdict,
        (Some(verdict), _) => verdict,
        (None, Ranked::Fewer(verdict)) => verdict,
        (None, Ranked::Two(contenders)) => decide(plan, &rounds, contenders, &comparisons),
    };
    let verdict = match too_often {
        Some(too_often) => too_often.judge(verdict, &comparisons),
        None => verdict,
    };
    (verdict, comparisons)
}

/// Whether a fight may be looked at after these rounds, and has a winner then.
pub fn is_told_apart(plan: &Plan, rounds: &[Judgement]) -> bool {
    let looks = plan.kind.looks();
    // Judging is dear: most fights never have so many pairs.
    if looks.iter().all(|&pairs| rounds.len() < 2 * pairs as usize) {
        return false;
    }
    let (verdict, comparisons) = judge_fight(plan, rounds);
    let pairs = comparisons.first().map_or(0, |primary| primary.ratios.pairs as u32);
    looks.contains(&pairs) && matches!(verdict, Verdict::Better { .. })
}

/// The noise floors that a fight of a contender against itself measured, of the primary measure and of the CPU time: of each the larger
/// distance of its interval's bounds from 1, as a ratio of at least 1. `None` where two different contenders fought, or too few rounds.
pub fn noise_floor(plan: &Plan, comparisons: &[Comparison]) -> Option<[f64; 2]> {
    let primary = comparisons.iter().find(|c| c.primary)?;
    let [first, second] =
        primary.contenders.each_ref().map(|name| plan.contenders.iter().find(|c| c.name == *name));
    let (first, second) = (first?, second?);
    let same = first.is_same(second);
    let floor = |[low, high]: [f64; 2]| high.max(1.0 / low).max(1.0);
    let cpu = comparisons.iter().find(|c| c.measure == Measure::CpuMsPer1000)?;
    Some([floor(primary.ratios.interval.filter(|_| same)?), cpu.ratios.interval.map_or(1.0, floor)])
}

fn in_order(rounds: &[Judgement]) -> Vec<&Judgement> {
    let mut rounds: Vec<_> = rounds.iter().collect();
    rounds.sort_by_key(|round| (round.slot, round.number));
    rounds
}

/// The rounds that stand: of each slot the last, but for those that are judged apart. `rounds` are in order.
fn last_of_each_slot<'a>(rounds: &[&'a Judgement]) -> Vec<&'a Judgement> {
    let compared: Vec<_> = rounds.iter().copied().filter(|round| !round.apart).collect();
    compared.chunk_by(|a, b| a.slot == b.slot).filter_map(|slot| slot.last().copied()).collect()
}
