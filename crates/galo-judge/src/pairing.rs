//! Two contenders, pair by pair: the k-th valid round of one with the k-th valid round of the other.

use galo_plan::Plan;

use crate::judgement::{Judgement, Standing};
use crate::measure::Measure;
use crate::stats;
use crate::verdict::{Comparison, Difference, name_of};

/// Chance that the primary measure of two equal contenders is called different.
pub const ALPHA: f64 = 0.05;

/// The fewest pairs that can make a verdict: with fewer, even if all pairs agree, the permutation test cannot
/// reach [`ALPHA`] (2 of 2^5 sign patterns are 6 %, 2 of 2^6 are 3 %).
pub const MIN_PAIRS: usize = 6;

/// The level of one measure. The secondary ones share [`ALPHA`] (Bonferroni), so that the chance that any of them
/// is called different by luck is not larger than for one.
pub(crate) fn alpha_of(measure: Measure) -> f64 {
    if measure == Measure::PRIMARY { ALPHA } else { ALPHA / (Measure::ALL.len() - 1) as f64 }
}

/// Pairs of valid rounds of two contenders.
fn pairs<'a>(rounds: &[&'a Judgement], [first, second]: [usize; 2]) -> Vec<[&'a Judgement; 2]> {
    let valid = |contender| {
        rounds.iter().copied().filter(move |r| r.contender == contender && r.standing == Standing::Valid)
    };
    valid(first).zip(valid(second)).map(|(a, b)| [a, b]).collect()
}

/// Compares two contenders by every measure, the primary one first. `rounds` are in the order of their slots.
pub(crate) fn compare(plan: &Plan, rounds: &[&Judgement], contenders: [usize; 2]) -> Vec<Comparison> {
    let pairs = pairs(rounds, contenders);
    let names = contenders.map(|c| name_of(plan, c));
    let floor = plan.noise_floor.as_ref().map(|floor| floor.ratio);
    Measure::ALL.into_iter().map(|measure| compare_by(measure, &pairs, names.clone(), floor)).collect()
}

fn compare_by(
    measure: Measure,
    pairs: &[[&Judgement; 2]],
    contenders: [String; 2],
    floor: Option<f64>,
) -> Comparison {
    let primary = measure == Measure::PRIMARY;
    let ratios: Vec<f64> = pairs.iter().filter_map(|pair| log_ratio(measure, pair)).collect();
    let enough = ratios.len() >= MIN_PAIRS;
    let ratio = stats::mean(&ratios).map(f64::exp);
    let interval = enough
        .then(|| stats::t_interval(&ratios, alpha_of(measure)))
        .flatten()
        .map(|bounds| bounds.map(f64::exp));
    let p_value = enough.then(|| stats::sign_flip_p(&ratios)).flatten();
    // The floor was measured for the primary measure; it says nothing about the others.
    let floor = floor.filter(|_| primary).unwrap_or(1.0).max(1.0);
    let difference = match (ratio, interval, p_value) {
        (Some(ratio), Some(interval), Some(p)) if stats::smallest_p(ratios.len()) <= alpha_of(measure) => {
            difference(measure, ratio, interval, p, floor)
        }
        _ => Difference::TooFewRounds,
    };
    Comparison { measure, primary, contenders, pairs: ratios.len(), ratio, interval, p_value, difference }
}

/// A pair without one of its figures, or with a figure of 0, has no ratio and does not count.
fn log_ratio(measure: Measure, pair: &[&Judgement; 2]) -> Option<f64> {
    let [first, second] = pair.map(|round| round.measures.get(measure).filter(|&f| f > 0.0 && f.is_finite()));
    Some((first? / second?).ln())
}

/// Interval, permutation test and noise floor must all say so.
fn difference(measure: Measure, ratio: f64, [low, high]: [f64; 2], p: f64, floor: f64) -> Difference {
    let excludes_1 = low > 1.0 || high < 1.0;
    let beyond_floor = ratio > floor || ratio < 1.0 / floor;
    if !(excludes_1 && beyond_floor && p <= alpha_of(measure)) {
        Difference::NoDifference
    } else if (ratio < 1.0) == measure.lower_is_better() {
        Difference::Better
    } else {
        Difference::Worse
    }
}

/// A figure summed over all pairs, first and second; `None` where it was not seen in all of them.
pub(crate) fn total(
    rounds: &[&Judgement],
    contenders: [usize; 2],
    figure: impl Fn(&Judgement) -> Option<f64>,
) -> Option<[f64; 2]> {
    pairs(rounds, contenders).into_iter().try_fold([0.0, 0.0], |[first, second], pair| {
        let [a, b] = pair.map(&figure);
        Some([first + a?, second + b?])
    })
}
