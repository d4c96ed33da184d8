//! What is compared in a duel, and how sure it is.

use std::collections::BTreeMap;

use galo_plan::JsonSchema;
use galo_record::duel::{Level, LevelTerms, Slice};
use serde::{Deserialize, Serialize};

use super::{Turn, TurnLoad};
use crate::measure::{Measure, Quantity};
use crate::pairing::{Check, RatioTerms, Ratios, Sensitivity};
use crate::stats;
use crate::stats::nested::{Estimate, Luck};
use crate::verdict::Difference;

/// Chances to call two equal ones different: of p99 at the first level, of the rate in a closed loop, and of the CPU for
/// each answer; together 5 %, shared by all looks. Figures that decide nothing are held to the strictest.
const ALPHA_P99: f64 = 0.02;
const ALPHA_CPU: f64 = 0.02;
const ALPHA_OTHERS: f64 = 0.01;

/// The difference that a duel without a result says it would need more pairs for, in percent.
const DETECT_PERCENT: f64 = 5.0;
/// More starts than this are not driven, so a number above it helps nobody.
const MOST_STARTS: usize = 200;

/// By how much the starts of one program differ, as standard deviations of the logarithms of ratios, and how sure that is
/// (`benches/duel/starts`).
const LUCK_LATENCY: f64 = 0.15;
const LUCK_RATE: f64 = 0.025;
const LUCK_CPU: f64 = 0.025;
const LUCK_MEMORY: f64 = 0.025;
const LUCK_FREEDOM: f64 = 4.0;

/// So many pairs of slices are one part of a start's CPU and answers: what the machine did to a slice says little of the next one
/// (in what `benches/duel/starts` recorded, neighbours were correlated by 0.01 to 0.29).
const STRETCH: usize = 2;

/// One measure at one level, second side by first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// Which figure.
    pub measure: Measure,
    /// At which load.
    pub level: Level,
    /// Whether it may make a winner.
    pub decides: bool,
    /// Each side's geometric mean over the turns.
    pub values: [Option<f64>; 2],
    /// What the pairs say, start by start. The ratio is the second side divided by the first, and the difference is seen from
    /// the second side; `favoured` begins with it.
    #[serde(flatten)]
    pub ratios: Ratios,
}

impl Compared {
    /// By what factor the two may differ, either way, where they are not told apart; `None`: not known.
    pub fn may_differ_by(&self) -> Option<f64> {
        let Ratios { interval, difference, .. } = self.ratios;
        let [low, high] = interval.filter(|_| difference == Difference::NoDifference)?;
        Some(high.max(1.0 / low))
    }

    /// Whether it tells the two apart.
    pub const fn differs(&self) -> bool {
        matches!(self.ratios.difference, Difference::Better | Difference::Worse)
    }
}

/// By how much two starts of one program differ in a figure, as `benches/duel/starts` saw it of five servers.
const fn luck(measure: Measure) -> Luck {
    let deviation = match measure.quantity() {
        Quantity::Answers | Quantity::PerSecond => LUCK_RATE,
        Quantity::CpuMs => LUCK_CPU,
        Quantity::Bytes => LUCK_MEMORY,
        Quantity::Us | Quantity::Seconds => LUCK_LATENCY,
    };
    Luck { deviation, freedom: LUCK_FREEDOM }
}

/// Pairs of turns with anything that counts, start by start.
pub(super) struct Starts<'a> {
    pairs: Vec<Vec<[&'a Turn; 2]>>,
    looks: u32,
    detect_percent: f64,
}

impl<'a> Starts<'a> {
    /// Groups the turns of a duel. `looks` share the chances to be wrong.
    pub(super) fn of(
        turns: impl IntoIterator<Item = &'a Turn>,
        levels: &[LevelTerms],
        looks: u32,
        detect_percent: Option<f64>,
    ) -> Self {
        let mut pairs = by_pair(turns);
        pairs.retain(|pair| levels.iter().any(|terms| of_pair(pair, terms.level).is_some()));
        let pairs = pairs.chunk_by(|[a, _], [b, _]| a.start == b.start).map(<[_]>::to_vec).collect();
        Self { pairs, looks: looks.max(1), detect_percent: detect_percent.unwrap_or(DETECT_PERCENT) }
    }

    /// Pairs that count.
    pub(super) fn len(&self) -> usize {
        self.pairs.iter().map(Vec::len).sum()
    }

    /// The fewest pairs by which p99 can tell the two apart.
    pub(super) fn needed(&self) -> usize {
        stats::pairs_needed(ALPHA_P99)
    }

    /// A figure of one side, start by start.
    pub(super) fn figures_of(&self, side: usize, measure: Measure, level: Level) -> Vec<Vec<f64>> {
        let of_pair = |pair: &[&Turn; 2]| figure(measure, of_pair(pair, level)?[side]);
        self.pairs.iter().map(|pairs| pairs.iter().filter_map(of_pair).collect()).collect()
    }

    /// All measures at all levels, the primary one first.
    pub(super) fn compare_all(&self, levels: &[LevelTerms]) -> Vec<Compared> {
        let Some(first) = levels.first().map(|terms| terms.level) else { return Vec::new() };
        let has = |level: Level| levels.iter().any(|terms| terms.level == level);
        let mut wanted = Vec::new();
        // A closed loop's latency says how many are at once, and its rate is the figure; of an open one it is the other way round.
        if first != Level::Highest {
            wanted.extend([(Measure::LatencyUsP99, first, true), (Measure::LatencyUsP50, first, false)]);
        }
        wanted.extend(has(Level::Near).then_some((Measure::LatencyUsP99, Level::Near, false)));
        wanted.extend(has(Level::Highest).then_some((Measure::AnswersPerS, Level::Highest, true)));
        wanted.extend([(Measure::CpuMsPer1000, first, true), (Measure::AnonymousPeakBytes, first, false)]);
        wanted.into_iter().map(|(measure, level, decides)| self.compare(measure, level, decides)).collect()
    }

    fn compare(&self, measure: Measure, level: Level, decides: bool) -> Compared {
        let pairs = || self.pairs.iter().flatten().filter_map(|pair| of_pair(pair, level));
        let value = |side: usize| {
            let figures = pairs().filter_map(|loads| figure(measure, loads[side]).map(f64::ln));
            stats::mean(&figures.collect::<Vec<_>>()).map(f64::exp)
        };
        let alpha = match measure {
            Measure::LatencyUsP99 if decides => ALPHA_P99,
            Measure::CpuMsPer1000 => ALPHA_CPU,
            _ => ALPHA_OTHERS,
        };
        let terms = RatioTerms {
            alpha,
            looks: self.looks,
            floor: 1.0,
            lower_is_better: measure.lower_is_better(),
            detect_percent: self.detect_percent,
        };
        let of_start = |start: &Vec<[&Turn; 2]>| {
            let loads: Vec<_> = start.iter().filter_map(|pair| of_pair(pair, level)).collect();
            parts(measure, &loads)
        };
        let starts = self.pairs.iter().map(of_start).filter(|parts| !parts.is_empty());
        let starts: Vec<Vec<f64>> = starts.collect();
        let pairs: Vec<f64> = pairs().filter_map(|loads| log_ratio(measure, loads)).collect();
        let ratios = ratios(&pairs, &starts, luck(measure), terms);
        Compared { measure, level, decides, values: [value(0), value(1)], ratios }
    }
}

/// What the pairs and the parts of each start say. Interval, and sign-flip test at each level that can reach the chance to be wrong
/// (parts, starts), must agree on a difference.
fn ratios(pairs: &[f64], starts: &[Vec<f64>], luck: Luck, terms: RatioTerms) -> Ratios {
    let estimate = Estimate::of(starts, luck);
    let of_starts: Vec<f64> = starts.iter().filter_map(|parts| stats::mean(parts)).collect();
    let interval = estimate.and_then(|estimate| estimate.interval(terms.alpha_of_look()));
    let check = |logs: Vec<f64>| Check::of(stats::sign_flip_p(&logs)?, logs.len(), terms);
    let of_starts = check(of_starts);
    // It takes long, and where the interval tells nothing apart, it changes nothing.
    let is_apart = interval.is_some_and(|[low, high]| low > 0.0 || high < 0.0);
    let of_parts = if is_apart || of_starts.is_none() { check(starts.concat()) } else { None };
    let check = [of_starts, of_parts].into_iter().flatten().reduce(|one, other| Check {
        p_value: one.p_value.max(other.p_value),
        agrees: one.agrees && other.agrees,
    });
    let sensitivity = estimate.and_then(|estimate| sensitivity(&estimate, pairs.len(), terms));
    Ratios::of(pairs, estimate.map(|estimate| estimate.mean), interval, check, terms, sensitivity)
}

/// What starts like these would find; another start of servers that are started once cannot be had.
fn sensitivity(estimate: &Estimate, pairs: usize, terms: RatioTerms) -> Option<Sensitivity> {
    let (alpha, detect_percent) = (terms.alpha_of_look(), terms.detect_percent);
    let wanted = (1.0 + detect_percent / 100.0).ln();
    let finds = |starts: usize| estimate.smallest_effect(alpha, starts).is_some_and(|least| least <= wanted);
    let most = if estimate.starts > 1 { MOST_STARTS } else { 1 };
    let needed = (estimate.starts..=most).find(|&starts| finds(starts));
    Some(Sensitivity {
        noise: estimate.deviation,
        smallest_ratio: estimate.smallest_effect(alpha, estimate.starts).map(f64::exp),
        detect_percent,
        pairs_needed: needed.map(|starts| (pairs * starts).div_ceil(estimate.starts)),
    })
}

/// The log ratios of a start: of its stretches where it was driven in slices and the figure is known of all, else of its pairs.
fn parts(measure: Measure, start: &[[&TurnLoad; 2]]) -> Vec<f64> {
    of_stretches(measure, start)
        .unwrap_or_else(|| start.iter().filter_map(|&loads| log_ratio(measure, loads)).collect())
}

/// The log ratio of a start's sums, plus for each stretch by how much it draws that ratio to itself: the linear part of a ratio estimate's
/// error (W. G. Cochran, *Sampling Techniques*, 1977, chapter 6). So their mean is the ratio of the sums. The mean of the stretches' own log
/// ratios would favour a side whose cost comes in bursts, as of a collector of garbage.
fn of_stretches(measure: Measure, start: &[[&TurnLoad; 2]]) -> Option<Vec<f64>> {
    let [first, second] = [0, 1].map(|side| {
        let of_pair = |loads: &[&TurnLoad; 2]| stretches(measure, loads, side);
        Some(start.iter().map(of_pair).collect::<Option<Vec<_>>>()?.concat())
    });
    let [first, second] = [drawn(&first?)?, drawn(&second?)?];
    let ratio = (second.0 / first.0).ln();
    Some(second.1.iter().zip(first.1).map(|(second, first)| ratio + second - first).collect())
}

/// What each stretch of one side's slices came to, over what.
fn stretches(measure: Measure, loads: &[&TurnLoad; 2], side: usize) -> Option<Vec<[f64; 2]>> {
    let slices = loads.map(|load| load.slices.len()).into_iter().min().unwrap_or(0);
    let count = slices / STRETCH;
    // Slices that are left over belong to the stretches evenly.
    let at = |number: usize| number * slices / count;
    let of_stretch = |number: usize| of_slices(measure, &loads[side].slices[at(number)..at(number + 1)]);
    (count > 0).then(|| (0..count).map(of_stretch).collect())?
}

/// What some slices came to together, and over what; `None` of figures that slices do not have.
fn of_slices(measure: Measure, slices: &[Slice]) -> Option<[f64; 2]> {
    let ok = slices.iter().map(|slice| slice.ok).sum::<u64>() as f64;
    match measure {
        Measure::AnswersPerS => Some([ok, slices.iter().map(|slice| slice.elapsed_ns).sum::<u64>() as f64]),
        Measure::CpuMsPer1000 => {
            Some([slices.iter().map(|slice| slice.cpu_ns).sum::<Option<u64>>()? as f64, ok])
        }
        _ => None,
    }
}

/// The ratio of all sums, and by what share of it each of them draws it to itself.
fn drawn(stretches: &[[f64; 2]]) -> Option<(f64, Vec<f64>)> {
    let [came_to, over] = [0, 1].map(|part| stretches.iter().map(|stretch| stretch[part]).sum::<f64>());
    let ratio = came_to / over;
    let mean = over / stretches.len() as f64;
    let share = |&[came_to, over]: &[f64; 2]| (came_to / ratio - over) / mean;
    (ratio.is_finite() && ratio > 0.0).then(|| (ratio, stretches.iter().map(share).collect()))
}

fn log_ratio(measure: Measure, [first, second]: [&TurnLoad; 2]) -> Option<f64> {
    Some((figure(measure, second)? / figure(measure, first)?).ln())
}

/// What a load came to; `None` where it was not seen, or is 0, and of measures that no turn has.
fn figure(measure: Measure, load: &TurnLoad) -> Option<f64> {
    let ok = load.ledger.ok as f64;
    let value = match measure {
        Measure::LatencyUsP99 => load.latency.p99,
        Measure::LatencyUsP50 => load.latency.p50,
        Measure::AnswersPerS => ok * 1e9 / load.elapsed_ns.max(1) as f64,
        Measure::CpuMsPer1000 => load.cpu_ns()? as f64 / 1e3 / ok,
        // The page cache is nobody's own, and who reads a file first pays for it.
        Measure::AnonymousPeakBytes => load.usage.as_ref()?.anonymous_peak_bytes? as f64,
        _ => return None,
    };
    (value.is_finite() && value > 0.0).then_some(value)
}

/// Both turns of each pair.
pub(super) fn by_pair<'a>(turns: impl IntoIterator<Item = &'a Turn>) -> Vec<[&'a Turn; 2]> {
    let mut pairs = BTreeMap::<u32, [Option<&Turn>; 2]>::new();
    for turn in turns {
        if let Some(place) = pairs.entry(turn.pair).or_default().get_mut(turn.side) {
            *place = Some(turn);
        }
    }
    pairs.into_values().filter_map(|[first, second]| Some([first?, second?])).collect()
}

/// Both loads of a level, where galo spoiled neither.
fn of_pair<'a>(pair: &[&'a Turn; 2], level: Level) -> Option<[&'a TurnLoad; 2]> {
    let [first, second] = pair.map(|turn| turn.counting(level));
    Some([first?, second?])
}
