//! Which is better: ratios pair by pair, judged over rounds.

use galo_plan::Plan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judgement::Judgement;
use crate::measure::Measure;

/// The answer for one measure of one pair of contenders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    /// The first contender is better.
    Better,
    /// The first contender is worse.
    Worse,
    /// The interval holds 1, or the difference is below the noise floor.
    NoDifference,
    /// Fewer than six pairs.
    TooFewRounds,
}

/// One measure of one pair of contenders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Which figure.
    pub measure: Measure,
    /// Whether it is the primary one.
    pub primary: bool,
    /// Pairs of rounds that count.
    pub pairs: usize,
    /// First divided by second, geometric mean over pairs.
    pub ratio: Option<f64>,
    /// Interval of the ratio: 95 % for the primary measure; for the others widened for being several.
    pub interval: Option<[f64; 2]>,
    /// P value of the sign-flip permutation test.
    pub p_value: Option<f64>,
    /// The answer.
    pub difference: Difference,
}

/// The outcome of a fight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Verdict {
    /// Too many rounds were void.
    Void {
        /// Why, in a sentence.
        reason: String,
    },
    /// Fewer than two contenders are left that may be ranked.
    Disqualified {
        /// Who, by name.
        contenders: Vec<String>,
        /// Names of the rules that they broke.
        rules: Vec<String>,
        /// Who is left, if anybody.
        left: Option<String>,
    },
    /// One contender alone: nothing to compare.
    Alone {
        /// Its name.
        contender: String,
    },
    /// None was anywhere near its limits: a light load ties everybody.
    NeitherWasStressed,
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
        /// 95 % interval of the ratio.
        interval: [f64; 2],
    },
}

/// Judges a fight from its rounds, in the order of their numbers. Also the comparisons of the first two contenders that may
/// be ranked, primary first.
pub fn judge_fight(_plan: &Plan, _rounds: &[Judgement]) -> (Verdict, Vec<Comparison>) {
    todo!()
}
