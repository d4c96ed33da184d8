//! Two contenders, pair by pair: a valid round of one with the valid round of the other that had the same rows.

use galo_plan::JsonSchema;
use galo_plan::Plan;
use serde::{Deserialize, Serialize};

use crate::judgement::{Judgement, Standing};
use crate::measure::Measure;
use crate::stats::{self, power};

/// Chance that a verdict makes a winner of one of two equal contenders, all its ways together.
pub const ALPHA: f64 = 0.05;

/// The part of it that the primary measure has.
pub const ALPHA_PRIMARY: f64 = 0.04;

/// What each of the two measures has that may decide in its place (CPU time, and the correct answers), and by the same
/// measure the others, which decide nothing: all eight together are called different by luck in 4 % of fights.
pub const ALPHA_SECONDARY: f64 = (ALPHA - ALPHA_PRIMARY) / 2.0;

/// The fewest pairs that can make a verdict: with fewer, even if all pairs agree, the permutation test cannot
/// reach [`ALPHA_PRIMARY`] (2 of 2^5 sign patterns are 6 %, 2 of 2^6 are 3 %).
pub const MIN_PAIRS: usize = 6;

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
    /// Fewer pairs than the permutation test needs to reach the measure's level: six for the primary measure, nine
    /// for the others.
    TooFewRounds,
}

/// One measure of one pair of contenders.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Which figure.
    pub measure: Measure,
    /// Whether it is the primary one.
    pub primary: bool,
    /// Names of the first and the second contender.
    pub contenders: [String; 2],
    /// What the pairs of rounds say: first divided by second, seen from the first. Its interval is of 96 % for the primary
    /// measure, of 99.5 % for the others; where a fight is looked at several times, of as much more as all looks together need.
    #[serde(flatten)]
    pub ratios: Ratios,
}

/// What the noise of the pairs lets be found: at the measure's level, in 80 of 100 fights, beyond the noise floor if one
/// is known. The noise is taken as it was seen, so this is for planning.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sensitivity {
    /// Standard deviation of the logarithms of the pairs' ratios; in a duel of the starts' mean ones.
    pub noise: f64,
    /// The smallest ratio above 1 (or below, its inverse) that so many pairs would find; `None`: they are too few.
    pub smallest_ratio: Option<f64>,
    /// The difference that the caller wants found, in percent.
    pub detect_percent: f64,
    /// Pairs, those that there are included, that would find it; `None`: more than 1,000, or it is within the noise
    /// floor.
    pub pairs_needed: Option<usize>,
}

/// The level of one measure.
pub(crate) fn alpha_of(measure: Measure) -> f64 {
    if measure == Measure::PRIMARY { ALPHA_PRIMARY } else { ALPHA_SECONDARY }
}

/// The fewest pairs whose noise says anything about further ones.
const LEAST_FOR_NOISE: usize = 3;

/// A contender's rounds that count, in the order of their slots.
pub(crate) fn valid<'a>(rounds: &[&'a Judgement], contender: usize) -> impl Iterator<Item = &'a Judgement> {
    rounds.iter().copied().filter(move |r| r.contender == contender && r.standing == Standing::Valid)
}

/// Pairs of valid rounds of two contenders: those that had the same rows.
fn pairs<'a>(rounds: &[&'a Judgement], [first, second]: [usize; 2]) -> Vec<[&'a Judgement; 2]> {
    let partner = |a: &Judgement| valid(rounds, second).find(|b| b.pair == a.pair);
    valid(rounds, first).filter_map(|a| Some([a, partner(a)?])).collect()
}

/// Compares two contenders by every measure, the primary one first. `rounds` are in the order of their slots.
pub(crate) fn compare(plan: &Plan, rounds: &[&Judgement], contenders: [usize; 2]) -> Vec<Comparison> {
    Measure::of_rounds().map(|measure| compare_at(plan, rounds, contenders, measure, 1)).collect()
}

/// Compares two contenders by one measure, where so many comparisons share its level.
pub(crate) fn compare_at(
    plan: &Plan,
    rounds: &[&Judgement],
    contenders: [usize; 2],
    measure: Measure,
    comparisons: usize,
) -> Comparison {
    let names = contenders.map(|c| name_of(plan, c));
    let alpha = alpha_of(measure) / comparisons as f64;
    compare_by(measure, alpha, &pairs(rounds, contenders), names, plan)
}

fn compare_by(
    measure: Measure,
    alpha: f64,
    pairs: &[[&Judgement; 2]],
    contenders: [String; 2],
    plan: &Plan,
) -> Comparison {
    let primary = measure == Measure::PRIMARY;
    let ratios: Vec<f64> = pairs.iter().filter_map(|pair| log_ratio(measure, pair)).collect();
    let terms = RatioTerms {
        alpha,
        looks: plan.kind.looks().len().max(1) as u32,
        floor: floor_of(plan, measure),
        lower_is_better: measure.lower_is_better(),
        detect_percent: plan.detect_percent,
    };
    Comparison { measure, primary, contenders, ratios: Ratios::judge(&ratios, terms) }
}

/// The ratio of a measure that is still noise, at least 1; 1 where nobody measured it.
pub(crate) fn floor_of(plan: &Plan, measure: Measure) -> f64 {
    let floor = plan.noise_floor.as_ref().map_or(1.0, |floor| match measure {
        Measure::PRIMARY => floor.ratio,
        Measure::CpuMsPer1000 => floor.cpu_ratio,
        _ => 1.0,
    });
    floor.max(1.0)
}

/// Whether a ratio is farther from 1 than noise.
pub(crate) fn is_beyond(ratio: f64, floor: f64) -> bool {
    ratio > floor || ratio < 1.0 / floor
}

/// How the log ratios of pairs are judged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RatioTerms {
    /// Chance that two equal ones are called different, at all looks together.
    pub(crate) alpha: f64,
    /// How often they are looked at, with an equal share of that chance each.
    pub(crate) looks: u32,
    /// A ratio within this factor of 1 is noise, however sure it is; at least 1.
    pub(crate) floor: f64,
    /// Whether a lower figure is the better one.
    pub(crate) lower_is_better: bool,
    /// The difference that the caller wants found, in percent.
    pub(crate) detect_percent: f64,
}

impl RatioTerms {
    /// The chance of one look.
    pub(crate) fn alpha_of_look(&self) -> f64 {
        self.alpha / f64::from(self.looks.max(1))
    }
}

/// What a sign-flip test says that can reach the level.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Check {
    pub(crate) p_value: f64,
    /// Whether it does not contradict a difference: at the level of one look, or, where so few cannot reach that, all of one sign.
    pub(crate) agrees: bool,
}

impl Check {
    /// Holds the p value of `count` log ratios against one look. `None`: they are too few for all looks together.
    pub(crate) fn of(p_value: f64, count: usize, terms: RatioTerms) -> Option<Self> {
        let smallest = stats::smallest_p(count);
        let agrees = p_value <= smallest.max(terms.alpha_of_look());
        (smallest <= terms.alpha).then_some(Self { p_value, agrees })
    }
}

/// What the log ratios of pairs say. Interval, permutation test and floor must agree on a difference. The dividend is the
/// first of two contenders, and the second side of a duel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ratios {
    /// Pairs that count.
    pub pairs: usize,
    /// Geometric mean of the ratios; of a duel in slices, of those of each start's sums.
    pub ratio: Option<f64>,
    /// Pairs in which the dividend was the better one, and those in which the divisor was.
    pub favoured: [usize; 2],
    /// Interval of the ratio at the level of the measure; null: there were too few pairs ([`MIN_PAIRS`] in a fight).
    pub interval: Option<[f64; 2]>,
    /// P value of the sign-flip permutation test; of a duel the larger one, of its starts and of their parts.
    pub p_value: Option<f64>,
    /// The answer, seen from the dividend.
    pub difference: Difference,
    /// What the noise of these pairs lets be found; null below three pairs.
    pub sensitivity: Option<Sensitivity>,
}

impl Ratios {
    /// What pairs say that are all of one level.
    pub(crate) fn judge(ratios: &[f64], terms: RatioTerms) -> Self {
        let RatioTerms { floor, detect_percent, .. } = terms;
        let enough = ratios.len() >= MIN_PAIRS;
        let interval = enough.then(|| stats::t_interval(ratios, terms.alpha_of_look())).flatten();
        let p_value = enough.then(|| stats::sign_flip_p(ratios)).flatten();
        let check = p_value.and_then(|p| Check::of(p, ratios.len(), terms));
        let sensitivity = sensitivity(ratios, terms.alpha_of_look(), floor, detect_percent);
        Self { p_value, ..Self::of(ratios, stats::mean(ratios), interval, check, terms, sensitivity) }
    }

    /// Judges a mean of log ratios by its interval and a check; without a check they are too few.
    pub(crate) fn of(
        pairs: &[f64],
        mean: Option<f64>,
        interval: Option<[f64; 2]>,
        check: Option<Check>,
        terms: RatioTerms,
        sensitivity: Option<Sensitivity>,
    ) -> Self {
        let (ratio, interval) = (mean.map(f64::exp), interval.map(|ends| ends.map(f64::exp)));
        let difference = match (ratio, interval, check) {
            (Some(ratio), Some(interval), Some(check)) => difference(ratio, interval, check, terms),
            _ => Difference::TooFewRounds,
        };
        let p_value = check.map(|check| check.p_value);
        let sign = if terms.lower_is_better { -1.0 } else { 1.0 };
        let favoured = [sign, -sign].map(|sign| pairs.iter().filter(|ratio| sign * **ratio > 0.0).count());
        Self { pairs: pairs.len(), ratio, favoured, interval, p_value, difference, sensitivity }
    }
}

/// What the noise of these log ratios lets be found. The mean must also come to lie beyond the noise floor.
fn sensitivity(ratios: &[f64], alpha: f64, floor: f64, detect_percent: f64) -> Option<Sensitivity> {
    let n = ratios.len();
    let noise = stats::deviation(ratios).filter(|_| n >= LEAST_FOR_NOISE)?;
    let (floor, wanted) = (floor.ln(), (1.0 + detect_percent / 100.0).ln());
    // A difference whose mean comes to lie beyond the floor in most fights.
    let beyond_floor = floor + power::quantile() * noise / (n as f64).sqrt();
    let smallest_ratio =
        power::smallest_effect(n, alpha).map(|effect| (effect * noise).max(beyond_floor).exp());
    let least = stats::pairs_needed(alpha);
    let pairs_needed = (wanted > floor)
        .then(|| (power::quantile() * noise / (wanted - floor)).powi(2).ceil() as usize)
        .and_then(|pairs| power::pairs_for(wanted / noise, alpha, least.max(pairs)));
    Some(Sensitivity { noise, smallest_ratio, detect_percent, pairs_needed })
}

/// Right answers where there were none: nobody's pairs are left out for that.
const NO_RIGHT_ANSWER: f64 = 0.5;

/// A pair without one of its figures has no ratio and does not count.
fn log_ratio(measure: Measure, pair: &[&Judgement; 2]) -> Option<f64> {
    let [first, second] = pair.map(|round| figure(measure, round));
    Some((first? / second?).ln())
}

/// Logarithm of a round's figure.
pub(crate) fn log_figure(measure: Measure, round: &Judgement) -> Option<f64> {
    figure(measure, round).map(f64::ln)
}

/// A round's figure, above 0. One without it, or with a figure of 0, has none, but for right answers.
pub(crate) fn figure(measure: Measure, round: &Judgement) -> Option<f64> {
    let least = if measure == Measure::CorrectWithinServiceLevel { NO_RIGHT_ANSWER } else { 0.0 };
    round.measures.get(measure).map(|figure| figure.max(least)).filter(|&f| f > 0.0 && f.is_finite())
}

/// Interval, permutation test and noise floor must all say so.
fn difference(ratio: f64, [low, high]: [f64; 2], check: Check, terms: RatioTerms) -> Difference {
    let RatioTerms { floor, lower_is_better, .. } = terms;
    let excludes_1 = low > 1.0 || high < 1.0;
    if !(excludes_1 && is_beyond(ratio, floor) && check.agrees) {
        Difference::NoDifference
    } else if (ratio < 1.0) == lower_is_better {
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

/// Name of a contender; of a server that galo did not start there is none.
pub(crate) fn name_of(plan: &Plan, contender: usize) -> String {
    plan.contenders.get(contender).map_or_else(|| "the server".to_owned(), |c| c.name.clone())
}
