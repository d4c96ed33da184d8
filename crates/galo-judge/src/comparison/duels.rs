//! Duels side by side.

use galo_record::duel::{Level, LevelTerms};

use super::terms::{Term, TermDifference, of_places};
use super::{Compared, ComparedRun, Entry, EntryNote, JudgedComparison, Measured, Row, Unit};
use crate::duel::{DuelVerdict, JudgedDuel};
use crate::measure::Measure;
use crate::stats;

/// With fewer starts than this a turn is the unit of comparison, else a start.
const LEAST_STARTS: usize = 8;
/// Rates within this factor are one load.
const SAME_RATE: f64 = 1.02;

impl JudgedComparison {
    /// Puts duels with their folders side by side, in this order.
    pub fn of_duels(duels: Vec<(String, JudgedDuel)>) -> Self {
        let compared = |(folder, duel)| ComparedRun { folder, run: Compared::Duel(Box::new(duel)) };
        let runs: Vec<ComparedRun> = duels.into_iter().map(compared).collect();
        let duels: Vec<&JudgedDuel> = runs.iter().filter_map(|of| of.run.duel()).collect();
        let entries = duels.iter().enumerate().flat_map(|(run, duel)| entries(run, duel)).collect();
        let (rows, differences) = (rows(&duels), differences(&runs, &duels));
        Self::new(runs, differences, entries, &rows)
    }
}

impl Compared {
    fn duel(&self) -> Option<&JudgedDuel> {
        match self {
            Self::Duel(duel) => Some(duel),
            Self::Fight(_) => None,
        }
    }
}

fn entries(run: usize, duel: &JudgedDuel) -> [Entry; 2] {
    let pairs = duel.compared.iter().map(|compared| compared.ratios.pairs).max().unwrap_or(0);
    let by_start = duel.starts as usize >= LEAST_STARTS;
    let units = if by_start { duel.starts as usize } else { pairs };
    let note = |side: usize| match &duel.verdict {
        DuelVerdict::Fails { sides } if sides.contains(&side) => Some(EntryNote::Fails),
        DuelVerdict::Disqualified { sides, .. } if sides.contains(&side) => Some(EntryNote::Disqualified),
        _ => None,
    };
    [0, 1].map(|side| Entry {
        run: run + 1,
        name: duel.sides[side].name.clone(),
        rounds: units,
        unit: if by_start { Unit::Start } else { Unit::Turn },
        ranked: units > 0 && note(side).is_none(),
        note: note(side),
    })
}

/// A figure of one side in each unit of comparison: the geometric mean of a start's turns, or each turn.
fn figures_of(duel: &JudgedDuel, side: usize, measure: Measure, level: Level) -> Vec<f64> {
    let starts = duel.figures_of(side, measure, level);
    if (duel.starts as usize) < LEAST_STARTS {
        return starts.concat();
    }
    let of_start =
        |turns: &Vec<f64>| stats::mean(&turns.iter().map(|figure| figure.ln()).collect::<Vec<_>>());
    starts.iter().filter_map(of_start).map(f64::exp).collect()
}

/// Figures and levels in the order of the first duel that has them.
fn rows(duels: &[&JudgedDuel]) -> Vec<Row> {
    let mut known: Vec<(Measure, Level)> = Vec::new();
    for compared in duels.iter().flat_map(|duel| &duel.compared) {
        let figure = (compared.measure, compared.level);
        if !known.contains(&figure) {
            known.push(figure);
        }
    }
    let rows = known.into_iter().enumerate();
    rows.map(|(index, (measure, level))| row(duels, measure, level, index == 0)).collect()
}

fn row(duels: &[&JudgedDuel], measure: Measure, level: Level, primary: bool) -> Row {
    let values = duels.iter().flat_map(|duel| {
        let compared = duel.compared.iter().find(|of| of.measure == measure && of.level == level);
        [0, 1].map(|side| Measured {
            value: compared.and_then(|compared| compared.values[side]),
            rounds: figures_of(duel, side, measure, level),
        })
    });
    Row { measure, level: Some(level), primary, values: values.collect() }
}

fn differences(runs: &[ComparedRun], duels: &[&JudgedDuel]) -> Vec<TermDifference> {
    let differs = |term, is_same: &dyn Fn(&JudgedDuel, &JudgedDuel) -> bool| {
        TermDifference::of(term, duels.len(), |a, b| is_same(duels[a], duels[b]))
    };
    let terms = [
        differs(Term::Request, &|a, b| a.request == b.request),
        differs(Term::Limits, &|a, b| limits(a) == limits(b)),
    ];
    let loads = [Level::Asked, Level::Half, Level::Near, Level::Highest].map(|level| {
        differs(Term::Load(level), &|a, b| match (a.level(level), b.level(level)) {
            (Some(a), Some(b)) => is_same_load(a, b),
            (None, None) => true,
            _ => false,
        })
    });
    terms.into_iter().chain(loads).flatten().chain(of_places(runs)).collect()
}

/// CPU, memory and whether they are enforced; `None`: servers that ran before, which galo does not limit.
fn limits(duel: &JudgedDuel) -> Option<(Option<u32>, Option<u64>, bool)> {
    let has_commands = duel.sides.iter().any(|side| side.command.is_some());
    let are_enforced = duel.cpus_milli.is_none() || duel.limits_enforced;
    has_commands.then_some((duel.cpus_milli, duel.memory_bytes, are_enforced))
}

fn is_same_load(a: &LevelTerms, b: &LevelTerms) -> bool {
    let is_same_rate = match (a.mean_rate(), b.mean_rate()) {
        (Some(a), Some(b)) => a.max(b) <= SAME_RATE * a.min(b),
        (None, None) => true,
        _ => false,
    };
    is_same_rate && a.varies() == b.varies() && a.connections == b.connections
}
