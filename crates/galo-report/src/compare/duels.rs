//! Duels side by side.

use galo_judge::Measure;
use galo_judge::duel::{Compared, DuelVerdict, JudgedDuel, LEAST_STARTS};
use galo_judge::measure::Quantity;
use galo_record::RunHeader;
use galo_record::duel::{Level, LevelTerms};
use galo_words::{Both, say};

use super::terms::{FigureKind, Spoils, Term, enforced, places};
use super::{CompareReport, ComparedRun, Entry, Kind, Measured, Parts, Row, Unit};
use crate::duel::{self, cpus, mean_rate};
use crate::words::{self, cpu_limit, labels, memory_limit};

/// Rates within this factor are one load.
const SAME_RATE: f64 = 1.02;

/// A duel to compare.
#[derive(Debug)]
pub struct DuelRun {
    /// Its run folder.
    pub folder: String,
    /// `run.json`.
    pub header: RunHeader,
    /// What it came to.
    pub duel: JudgedDuel,
}

impl CompareReport {
    /// Puts duels side by side, in this order.
    pub fn of_duels(duels: &[DuelRun]) -> Self {
        Parts {
            kind: Kind::Duels,
            runs: duels.iter().map(DuelRun::compared).collect(),
            terms: terms(duels),
            entries: duels.iter().enumerate().flat_map(|(run, duel)| duel.entries(run)).collect(),
            rows: rows(duels),
        }
        .into()
    }
}

impl DuelRun {
    fn compared(&self) -> ComparedRun {
        let Self { folder, header, duel } = self;
        ComparedRun {
            folder: folder.clone(),
            started: header.started.clone(),
            galo: header.galo.clone(),
            machine: Both::told(|lang| words::machine(&header.machine, lang)),
            subject: duel::subject(duel),
            verdict: duel::verdict(duel),
            command: header.command.clone(),
        }
    }

    fn entries(&self, run: usize) -> [Entry; 2] {
        let units = self.duel.compared.iter().map(|compared| compared.ratios.pairs).max().unwrap_or(0);
        let by_start = self.duel.starts as usize >= LEAST_STARTS;
        let out = |side: usize| match &self.duel.verdict {
            DuelVerdict::Fails { sides } if sides.contains(&side) => {
                Some(Both::word("does not answer rightly", "não responde corretamente"))
            }
            DuelVerdict::Disqualified { sides, .. } if sides.contains(&side) => Some(labels::DISQUALIFIED),
            _ => None,
        };
        [0, 1].map(|side| Entry {
            run: run + 1,
            name: self.duel.sides[side].name.clone(),
            rounds: units,
            unit: if by_start { Unit::Start } else { Unit::Turn },
            ranked: units > 0 && out(side).is_none(),
            note: out(side),
        })
    }
}

/// Figures and levels in the order of the first duel that has them.
fn rows(duels: &[DuelRun]) -> Vec<Row> {
    let mut known: Vec<(Measure, Level)> = Vec::new();
    for compared in duels.iter().flat_map(|run| &run.duel.compared) {
        let found = (compared.measure, compared.level);
        if !known.contains(&found) {
            known.push(found);
        }
    }
    let rows = known.into_iter().enumerate();
    rows.map(|(index, (measure, level))| row(duels, measure, level, index == 0)).collect()
}

fn row(duels: &[DuelRun], measure: Measure, level: Level, primary: bool) -> Row {
    let cells = duels.iter().flat_map(|DuelRun { duel, .. }| {
        let is_it = |compared: &&Compared| compared.measure == measure && compared.level == level;
        let compared = duel.compared.iter().find(is_it);
        [0, 1].map(|side| {
            let value = compared.and_then(|compared| compared.values[side]);
            Measured {
                value,
                text: duel::figure(measure, value).both(),
                rounds: duel.figures_of(side, measure, level),
            }
        })
    });
    Row {
        figure: measure.id().to_owned(),
        label: labels::duel_measure(measure).then(&Both::same(", ")).then(&labels::level(level)),
        level: Some(level),
        primary,
        kind: FigureKind::AtLevel(level, measure.quantity() != Quantity::Bytes),
        cells: cells.collect(),
    }
}

fn terms(duels: &[DuelRun]) -> Vec<Term> {
    let each = |of: fn(&JudgedDuel) -> Both| duels.iter().map(|run| of(&run.duel)).collect();
    let mut terms = vec![
        Term::new(
            Both::word("request", "requisição"),
            Spoils::Everything,
            each(|duel| Both::same(duel.request.clone())),
        ),
        Term::new(Both::word("limits", "limites"), Spoils::Everything, each(limits)),
    ];
    for level in [Level::Asked, Level::Half, Level::Near, Level::Highest] {
        if duels.iter().any(|run| run.duel.level(level).is_some()) {
            let none = Both::word("none", "nenhuma");
            let words = duels.iter().map(|run| run.duel.level(level).map_or(none.clone(), duel::level));
            let same = |a: usize, b: usize| match (duels[a].duel.level(level), duels[b].duel.level(level)) {
                (Some(a), Some(b)) => same_load(a, b),
                _ => false,
            };
            terms.push(Term::judged(
                Both::word("load", "carga"),
                Spoils::Level(level),
                words.collect(),
                same,
            ));
        }
    }
    let machines: Vec<_> = duels.iter().map(|run| &run.header.machine).collect();
    terms.extend(places(&machines, duels.iter().map(|run| run.header.galo.clone()).collect()));
    terms
}

fn same_load(a: &LevelTerms, b: &LevelTerms) -> bool {
    let same_rate = match (mean_rate(a), mean_rate(b)) {
        (Some(a), Some(b)) => a.max(b) <= SAME_RATE * a.min(b),
        (None, None) => true,
        _ => false,
    };
    same_rate && a.varies() == b.varies() && a.connections == b.connections
}

fn limits(duel: &JudgedDuel) -> Both {
    if duel.sides.iter().all(|side| side.command.is_none()) {
        return Both::word("none (servers that ran before)", "nenhum (servidores que já estavam no ar)");
    }
    Both::told(|lang| {
        let enforced = enforced(duel.cpus_milli.is_none() || duel.limits_enforced, lang);
        let (cpu, memory) = (cpu_limit(cpus(duel), lang), memory_limit(duel.memory_bytes, lang));
        say!(lang, "{cpu}, memory {memory}{enforced}", "{cpu}, memória {memory}{enforced}")
    })
}
