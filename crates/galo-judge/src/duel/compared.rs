//! What is compared in a duel, by which units, and how sure it is.

use galo_plan::JsonSchema;
use galo_record::duel::{Level, LevelTerms};
use serde::{Deserialize, Serialize};

use super::{JudgedDuel, LEAST_STARTS, Turn, TurnLoad};
use crate::measure::{Measure, Quantity};
use crate::pairing::{RatioTerms, Ratios};
use crate::stats;
use crate::verdict::Difference;

/// By how much two starts of one program may differ in latency, answers per second, CPU for each answer and memory: chosen below
/// what `benches/duel/starts` saw of a Node server, which holds the noise of its loads as well, and above what two starts of one
/// differed by.
pub(super) const FLOOR_LATENCY: f64 = 1.2;
const FLOOR_RATE: f64 = 1.1;
pub(super) const FLOOR_CPU: f64 = 1.1;
const FLOOR_MEMORY: f64 = 1.05;

/// Chances to call two equal ones different: of p99 at the first level, of the rate in a closed loop, and of the CPU for
/// each answer; together 5 %. Figures that decide nothing are held to the strictest.
pub(super) const ALPHA_P99: f64 = 0.03;
const ALPHA_OTHERS: f64 = 0.01;

/// The difference that a duel without a result says it would need more pairs for, in percent: with many starts, and with one,
/// of which small differences are never claimed ([`one_start_floor`]).
const DETECT_PERCENT: [f64; 2] = [3.0, 25.0];

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
    /// What the units of comparison, pairs or starts, say. The ratio is the second side divided by the first, and the
    /// difference is seen from the second side; `favoured` begins with it.
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

/// By so much two starts of one program differ: a difference within this factor may be the luck of a start.
pub const fn one_start_floor(measure: Measure) -> f64 {
    match measure.quantity() {
        Quantity::Answers | Quantity::PerSecond => FLOOR_RATE,
        Quantity::CpuMs => FLOOR_CPU,
        Quantity::Bytes => FLOOR_MEMORY,
        Quantity::Us | Quantity::Seconds => FLOOR_LATENCY,
    }
}

/// Pairs of turns with anything that counts, by what is one unit of comparison.
pub(super) struct Units<'a> {
    /// The pairs of each unit.
    groups: Vec<Vec<[&'a Turn; 2]>>,
    /// Whether a unit is a start.
    are_starts: bool,
    detect_percent: f64,
}

impl<'a> Units<'a> {
    pub(super) fn of(duel: &'a JudgedDuel) -> Self {
        let mut counting = duel.turns_by_pair();
        counting.retain(|pair| duel.levels.iter().any(|terms| of_pair(pair, terms.level).is_some()));
        let mut starts: Vec<u32> = counting.iter().map(|[turn, _]| turn.start).collect();
        starts.dedup();
        let are_starts = starts.len() >= LEAST_STARTS;
        let of_start =
            |start: u32| counting.iter().copied().filter(|[turn, _]| turn.start == start).collect();
        let groups = match are_starts {
            true => starts.into_iter().map(of_start).collect(),
            false => counting.iter().map(|pair| vec![*pair]).collect(),
        };
        let usual = DETECT_PERCENT[usize::from(!are_starts)];
        Self { groups, are_starts, detect_percent: duel.detect_percent.unwrap_or(usual) }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Differences of a measure within this factor may be the luck of few starts.
    pub(super) fn floor(&self, measure: Measure) -> f64 {
        if self.are_starts { 1.0 } else { one_start_floor(measure) }
    }

    /// The mean of a figure's logarithms over the pairs of each unit.
    fn logs(&self, of: impl Fn([&TurnLoad; 2]) -> Option<f64>, level: Level) -> Vec<f64> {
        let of_pair = |pair: &[&Turn; 2]| of(of_pair(pair, level)?).map(f64::ln);
        let of_group =
            |group: &Vec<[&Turn; 2]>| stats::mean(&group.iter().filter_map(of_pair).collect::<Vec<_>>());
        self.groups.iter().filter_map(of_group).collect()
    }

    /// A figure of one side in each unit.
    pub(super) fn figures_of(&self, side: usize, measure: Measure, level: Level) -> Vec<f64> {
        let logs = self.logs(|loads| figure(measure, loads.get(side)?), level);
        logs.into_iter().map(f64::exp).collect()
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
        let value = |side: usize| {
            let loads = self.groups.iter().flatten().filter_map(|pair| Some(of_pair(pair, level)?[side]));
            let figures = loads.filter_map(|load| figure(measure, load).map(f64::ln));
            stats::mean(&figures.collect::<Vec<_>>()).map(f64::exp)
        };
        let terms = RatioTerms {
            alpha: if decides && measure == Measure::LatencyUsP99 { ALPHA_P99 } else { ALPHA_OTHERS },
            floor: self.floor(measure),
            lower_is_better: measure.lower_is_better(),
            detect_percent: self.detect_percent,
        };
        let ratio =
            |[first, second]: [&TurnLoad; 2]| Some(figure(measure, second)? / figure(measure, first)?);
        let ratios = Ratios::judge(&self.logs(ratio, level), terms);
        Compared { measure, level, decides, values: [value(0), value(1)], ratios }
    }
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

/// Both loads of a level, where galo spoiled neither.
fn of_pair<'a>(pair: &[&'a Turn; 2], level: Level) -> Option<[&'a TurnLoad; 2]> {
    let [first, second] = pair.map(|turn| turn.counting(level));
    Some([first?, second?])
}
