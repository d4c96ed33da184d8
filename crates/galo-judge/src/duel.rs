//! A duel's verdict: two sides, turn by turn, compared pair by pair.
//!
//! As in a fight, a pair is the unit of comparison, never a request ([`crate::stats`]). Where both sides were started anew
//! often enough, a start is: what differs by the luck of one start (where its memory came to lie, how its tables hash) is the
//! same in all pairs of it, and would else look like a difference between the two. Where they were not, a difference within
//! [`Figure::one_start_floor`] is not claimed, however sure it is of these two processes.

pub mod answers;
mod counting;
mod figure;
mod fold;
mod held_back;
mod terms;

use galo_record::duel::{DuelRecord, Level, LevelTerms, Turn, TurnLoad};
use galo_record::{Ledger, RunEnd};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::assertion::{RatioAssertion, RatioOutcome, Said, SeenRatio};
use crate::pairing::{RatioTerms, Ratios};
use crate::stats;
use crate::verdict::{Difference, Sensitivity, is_inconclusive};
use crate::void::VoidReason;

pub use counting::{counting, void_reasons};
pub use figure::Figure;
pub use fold::{PART_NS, PairFacts, fold, is_refused, is_warm, judge_pair, loaded_of, seen_of, warm_ups};
pub use held_back::HeldBack;

/// With fewer starts than this a pair is the unit, else a start.
pub const LEAST_STARTS: usize = 8;

/// A side that does not answer rightly more often than this cannot win.
pub const FAILED_SHARE_MAX: f64 = 0.01;

/// The difference that a duel without a result says it would need more pairs for, in percent: with many starts, and with one,
/// of which small differences are never claimed ([`Figure::one_start_floor`]).
const DETECT_PERCENT: [f64; 2] = [3.0, 25.0];

/// One figure at one level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// Which figure.
    pub figure: Figure,
    /// At which load: `asked`, `half`, `near` or `highest`.
    pub level: String,
    /// Whether it may make a winner.
    pub decides: bool,
    /// Each side's geometric mean over the turns; microseconds, per second, or bytes.
    pub values: [Option<f64>; 2],
    /// Units of comparison: pairs, or starts.
    pub pairs: usize,
    /// Geometric mean of the ratios: second side divided by first.
    pub ratio: Option<f64>,
    /// Units in which the second side was the better one, and those in which the first was.
    pub favoured: [usize; 2],
    /// Interval of the ratio at the level of the figure.
    pub interval: Option<[f64; 2]>,
    /// p value of the permutation test.
    pub p_value: Option<f64>,
    /// Seen from the second side.
    pub difference: Difference,
    /// What so many pairs would find.
    pub sensitivity: Option<Sensitivity>,
}

/// What came of a duel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum DuelVerdict {
    /// galo or its machine spoiled too many turns, or the terms of the two were not equal.
    Void {
        /// Why the first load that does not count does not, or what was unequal; null: no turn was driven to its end.
        reason: Option<VoidReason>,
        /// The side whose terms were not those that were set; null: it is of neither.
        side: Option<usize>,
    },
    /// At least one of them broke a rule that holds whatever the figures.
    Disqualified {
        /// Which.
        sides: Vec<usize>,
        /// Names of the rules, each once.
        rules: Vec<String>,
    },
    /// It ended before there were enough pairs.
    TooFewPairs {
        /// Pairs that count.
        pairs: usize,
        /// The fewest that can make a verdict.
        needed: usize,
    },
    /// The two answer the same request by different statuses, so they do not do the same.
    DifferentStatuses,
    /// At least one of them does not answer rightly.
    Fails {
        /// Which.
        sides: Vec<usize>,
    },
    /// One is better in at least one figure that decides, and worse in none.
    Better {
        /// Which.
        winner: usize,
    },
    /// Each is better in some figure that decides.
    Mixed,
    /// No figure that decides tells them apart.
    NoDifference,
    /// Nor does any, and each leaves room for a difference of more than 100 %.
    Inconclusive,
}

impl DuelVerdict {
    /// Whether what the two answered is no ground for any figure of theirs.
    pub const fn has_no_ground(&self) -> bool {
        matches!(self, Self::Disqualified { .. } | Self::Fails { .. } | Self::DifferentStatuses)
    }
}

impl Compared {
    /// By what factor the two may differ, either way, where they are not told apart; `None`: not known.
    pub fn may_differ_by(&self) -> Option<f64> {
        let [low, high] = self.interval.filter(|_| self.difference == Difference::NoDifference)?;
        Some(high.max(1.0 / low))
    }
}

/// A duel, judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DuelJudgement {
    /// What came of it.
    pub verdict: DuelVerdict,
    /// All figures at all levels, the primary one first.
    pub compared: Vec<Compared>,
    /// What came of each bound that was to hold.
    pub assertions: Vec<RatioOutcome>,
    /// What held each side back at its hardest load, by the order of the sides; `None`: not known.
    pub held_back: [Option<HeldBack>; 2],
}

/// Chances to call two equal ones different: of p99 at the first level, of the rate in a closed loop, and of the CPU for
/// each answer; together 5 %. Figures that decide nothing are held to the strictest.
const ALPHA_P99: f64 = 0.03;
const ALPHA_OTHERS: f64 = 0.01;

/// Judges what was recorded.
pub fn judge_duel(duel: &DuelRecord) -> DuelJudgement {
    let units = Units::of(duel);
    let compared = compare_all(duel, &units);
    let verdict = verdict(duel, &units, &compared);
    let asserted = |text: &String| asserted(text, &verdict, &compared, &units);
    let assertions = duel.assertions.iter().map(asserted).collect();
    DuelJudgement {
        verdict,
        compared,
        assertions,
        held_back: [0, 1].map(|side| held_back::held_back(duel, side)),
    }
}

/// What comes of a bound as it was written, by the first level that has its figure; one that cannot be read is not met, nor is
/// any where a side broke a rule, or does not answer rightly: failing fast does not win.
fn asserted(text: &str, verdict: &DuelVerdict, compared: &[Compared], units: &Units<'_>) -> RatioOutcome {
    let Ok(assertion) = text.parse::<RatioAssertion>() else {
        let assertion = text.to_owned();
        return RatioOutcome { assertion, met: false, said: Said::Unreadable, ratio: None, interval: None };
    };
    if verdict.has_no_ground() {
        return assertion.without_ground();
    }
    let seen = compared.iter().filter(|c| c.figure.name() == assertion.figure()).find_map(|compared| {
        let Compared { interval, figure, .. } = *compared;
        Some(SeenRatio { ratio: compared.ratio?, interval, floor: units.floor(figure) })
    });
    assertion.evaluate(seen)
}

/// Pairs of turns with anything that counts, by what is one unit of comparison.
struct Units<'a> {
    /// The pairs of each unit.
    groups: Vec<Vec<[&'a Turn; 2]>>,
    /// Whether a unit is a start.
    are_starts: bool,
    detect_percent: f64,
}

impl<'a> Units<'a> {
    fn of(duel: &'a DuelRecord) -> Self {
        let turn = |side: usize, pair: u32| duel.turns.iter().find(|t| t.side == side && t.pair == pair);
        let pairs = duel.turns.iter().map(|turn| turn.pair + 1).max().unwrap_or(0);
        let counting: Vec<[&Turn; 2]> = (0..pairs)
            .filter_map(|pair| Some([turn(0, pair)?, turn(1, pair)?]))
            .filter(|pair| duel.terms.levels.iter().any(|terms| of_pair(pair, terms).is_some()))
            .collect();
        let mut starts: Vec<u32> = counting.iter().map(|[turn, _]| turn.start).collect();
        starts.dedup();
        let detect = |usual: f64| duel.terms.detect_percent.unwrap_or(usual);
        if starts.len() < LEAST_STARTS {
            return Self {
                groups: counting.into_iter().map(|pair| vec![pair]).collect(),
                are_starts: false,
                detect_percent: detect(DETECT_PERCENT[1]),
            };
        }
        let of_start =
            |start: u32| counting.iter().copied().filter(|[turn, _]| turn.start == start).collect();
        Self {
            groups: starts.into_iter().map(of_start).collect(),
            are_starts: true,
            detect_percent: detect(DETECT_PERCENT[0]),
        }
    }

    /// Differences of a figure within this factor may be the luck of few starts.
    fn floor(&self, figure: Figure) -> f64 {
        if self.are_starts { 1.0 } else { figure.one_start_floor() }
    }

    /// The mean log ratio of each unit, second side by first.
    fn log_ratios(&self, figure: Figure, terms: &LevelTerms) -> Vec<f64> {
        let ratio = |pair: &[&Turn; 2]| {
            let [first, second] = of_pair(pair, terms)?.map(|load| figure.of(load));
            Some((second? / first?).ln())
        };
        let of_group =
            |group: &Vec<[&Turn; 2]>| stats::mean(&group.iter().filter_map(ratio).collect::<Vec<_>>());
        self.groups.iter().filter_map(of_group).collect()
    }
}

/// Both loads of a level, where galo spoiled neither.
fn of_pair<'a>(pair: &[&'a Turn; 2], terms: &LevelTerms) -> Option<[&'a TurnLoad; 2]> {
    let [first, second] = pair.map(|turn| counting(turn, terms));
    Some([first?, second?])
}

/// A figure of one side at a level, of each unit of comparison (a pair, or a start) with anything that counts: the geometric
/// mean of its turns.
pub fn figures_of(duel: &DuelRecord, side: usize, figure: Figure, level: Level) -> Vec<f64> {
    let Some(terms) = duel.terms.levels.iter().find(|terms| terms.level == level) else { return Vec::new() };
    let of_pair = |pair: &[&Turn; 2]| figure.of(of_pair(pair, terms)?.get(side)?).map(f64::ln);
    let of_group =
        |group: &Vec<[&Turn; 2]>| stats::mean(&group.iter().filter_map(of_pair).collect::<Vec<_>>());
    Units::of(duel).groups.iter().filter_map(of_group).map(f64::exp).collect()
}

fn compare_all(duel: &DuelRecord, units: &Units<'_>) -> Vec<Compared> {
    let levels = &duel.terms.levels;
    let Some(first) = levels.first() else { return Vec::new() };
    let mut wanted = Vec::new();
    // A closed loop's latency says how many are at once, and its rate is the figure; of an open one it is the other way round.
    if first.level != Level::Highest {
        wanted.extend([(Figure::P99, first, true), (Figure::P50, first, false)]);
    }
    let near = levels.iter().filter(|terms| terms.level == Level::Near);
    wanted.extend(near.map(|terms| (Figure::P99, terms, false)));
    let highest = levels.iter().filter(|terms| terms.level == Level::Highest);
    wanted.extend(highest.map(|terms| (Figure::Rate, terms, true)));
    wanted.extend([(Figure::Cpu, first, true), (Figure::Memory, first, false)]);
    wanted.into_iter().map(|(figure, level, decides)| compare(units, figure, level, decides)).collect()
}

fn compare(units: &Units<'_>, figure: Figure, level: &LevelTerms, decides: bool) -> Compared {
    let value = |side: usize| {
        let loads = units.groups.iter().flatten().filter_map(|pair| Some(of_pair(pair, level)?[side]));
        let figures = loads.filter_map(|load| figure.of(load).map(f64::ln));
        stats::mean(&figures.collect::<Vec<_>>()).map(f64::exp)
    };
    let terms = RatioTerms {
        alpha: if decides && figure == Figure::P99 { ALPHA_P99 } else { ALPHA_OTHERS },
        floor: units.floor(figure),
        lower_is_better: figure.lower_is_better(),
        detect_percent: units.detect_percent,
    };
    let Ratios { pairs, ratio, favoured, interval, p_value, difference, sensitivity } =
        Ratios::judge(&units.log_ratios(figure, level), terms);
    let values = [value(0), value(1)];
    Compared {
        figure,
        level: level.level.name().to_owned(),
        decides,
        values,
        pairs,
        ratio,
        favoured,
        interval,
        p_value,
        difference,
        sensitivity,
    }
}

fn verdict(duel: &DuelRecord, units: &Units<'_>, compared: &[Compared]) -> DuelVerdict {
    if let Some((sides, rules)) = terms::broken(duel) {
        return DuelVerdict::Disqualified { sides, rules };
    }
    if duel.answers.other_status > 0 {
        return DuelVerdict::DifferentStatuses;
    }
    if let Some((side, reason)) = terms::unequal(duel) {
        return DuelVerdict::Void { reason: Some(reason), side: Some(side) };
    }
    if let Some(reason) = void(duel) {
        return DuelVerdict::Void { reason, side: None };
    }
    let sides: Vec<usize> = (0..2).filter(|&side| fails(duel, side)).collect();
    if !sides.is_empty() {
        return DuelVerdict::Fails { sides };
    }
    let deciding = || compared.iter().filter(|c| c.decides);
    if deciding().all(|c| c.difference == Difference::TooFewRounds) {
        return DuelVerdict::TooFewPairs {
            pairs: units.groups.len(),
            needed: stats::pairs_needed(ALPHA_P99),
        };
    }
    let is = |difference| deciding().any(|c| c.difference == difference);
    match (is(Difference::Better), is(Difference::Worse)) {
        (true, false) => DuelVerdict::Better { winner: 1 },
        (false, true) => DuelVerdict::Better { winner: 0 },
        (true, true) => DuelVerdict::Mixed,
        (false, false) => {
            let mut bounds = deciding().filter_map(Compared::may_differ_by);
            let is_known = bounds.any(|factor| !is_inconclusive(factor));
            if is_known { DuelVerdict::NoDifference } else { DuelVerdict::Inconclusive }
        }
    }
}

/// Why it says nothing: at the first level, whose p99 is the primary figure, half of it or more was spoiled. What the caller broke off is merely short.
fn void(duel: &DuelRecord) -> Option<Option<VoidReason>> {
    let first_loads = || duel.turns.iter().filter_map(|turn| turn.loads.first());
    let spoiled = first_loads().filter_map(|load| void_reasons(&duel.terms.levels, load).into_iter().next());
    let spoiled: Vec<VoidReason> = spoiled.collect();
    let is_void = duel.end == RunEnd::Done && 2 * spoiled.len() >= first_loads().count();
    is_void.then(|| spoiled.into_iter().next())
}

/// Whether a side does not answer rightly, at the level where it has time to.
fn fails(duel: &DuelRecord, side: usize) -> bool {
    let mut sum = Ledger::default();
    let of_side = duel.turns.iter().filter(|turn| turn.side == side);
    let loads = of_side.filter_map(|turn| turn.loads.first());
    let counting = loads.filter(|load| void_reasons(&duel.terms.levels, load).is_empty());
    counting.for_each(|load| sum.add(&load.ledger));
    let ended = sum.intended.max(1) as f64;
    sum.intended > 0 && 1.0 - sum.ok as f64 / ended > FAILED_SHARE_MAX
}

#[cfg(test)]
mod tests;
