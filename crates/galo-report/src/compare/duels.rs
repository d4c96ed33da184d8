//! Duels side by side.

use galo_judge::duel::{Compared, DuelVerdict, Figure, LEAST_STARTS, figures_of};
use galo_record::duel::Level;
use galo_record::{DuelRecord, RunHeader};
use galo_words::{Both, say};

use super::terms::{FigureKind, Spoils, Term, enforced, places};
use super::{CompareReport, ComparedRun, Entry, Kind, Measured, Parts, Row, Unit};
use crate::duel::{DuelLevel, DuelReport, figure as figure_in_words};
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
    pub record: DuelRecord,
}

/// A duel with its report.
struct Told<'a> {
    duel: &'a DuelRun,
    report: DuelReport,
}

impl CompareReport {
    /// Puts duels side by side, in this order.
    pub fn of_duels(duels: &[DuelRun]) -> Self {
        let told: Vec<Told<'_>> =
            duels.iter().map(|duel| Told { duel, report: DuelReport::of(&duel.record) }).collect();
        Parts {
            kind: Kind::Duels,
            runs: told.iter().map(Told::compared).collect(),
            terms: terms(&told),
            entries: told.iter().enumerate().flat_map(|(run, told)| told.entries(run)).collect(),
            rows: rows(&told),
        }
        .into()
    }
}

impl Told<'_> {
    fn compared(&self) -> ComparedRun {
        let DuelRun { folder, header, .. } = self.duel;
        ComparedRun {
            folder: folder.clone(),
            started: header.started.clone(),
            galo: header.galo.clone(),
            machine: Both::told(|lang| words::machine(&header.machine, lang)),
            subject: self.report.subject(),
            verdict: self.report.told.clone(),
            command: header.command.clone(),
        }
    }

    fn entries(&self, run: usize) -> [Entry; 2] {
        let units = self.report.compared.iter().map(|compared| compared.pairs).max().unwrap_or(0);
        let by_start = self.report.starts as usize >= LEAST_STARTS;
        let out = |side: usize| match &self.report.verdict {
            DuelVerdict::Fails { sides } if sides.contains(&side) => {
                Some(Both::word("does not answer rightly", "não responde corretamente"))
            }
            DuelVerdict::Disqualified { sides, .. } if sides.contains(&side) => Some(labels::DISQUALIFIED),
            _ => None,
        };
        [0, 1].map(|side| Entry {
            run: run + 1,
            name: self.report.sides[side].name.clone(),
            rounds: units,
            unit: if by_start { Unit::Start } else { Unit::Turn },
            ranked: units > 0 && out(side).is_none(),
            note: out(side),
        })
    }

    fn level(&self, name: &str) -> Option<&DuelLevel> {
        self.report.levels.iter().find(|level| level.level == name)
    }
}

/// Figures and levels in the order of the first duel that has them.
fn rows(told: &[Told<'_>]) -> Vec<Row> {
    let mut known: Vec<(Figure, &str)> = Vec::new();
    for compared in told.iter().flat_map(|told| &told.report.compared) {
        let found = (compared.figure, compared.level.as_str());
        if !known.contains(&found) {
            known.push(found);
        }
    }
    let rows = known.into_iter().enumerate();
    rows.map(|(index, (figure, level))| row(told, figure, level, index == 0)).collect()
}

fn row(told: &[Told<'_>], figure: Figure, level: &str, primary: bool) -> Row {
    let cells = told.iter().flat_map(|told| {
        let is_it = |compared: &&Compared| compared.figure == figure && compared.level == level;
        let compared = told.report.compared.iter().find(is_it);
        let terms = told.duel.record.terms.levels.iter().find(|terms| terms.level.name() == level);
        [0, 1].map(|side| {
            let value = compared.and_then(|compared| compared.values[side]);
            let rounds = terms.map(|terms| figures_of(&told.duel.record, side, figure, terms.level));
            Measured {
                value,
                text: Both::figure(figure_in_words(figure, value)),
                rounds: rounds.unwrap_or_default(),
            }
        })
    });
    Row {
        figure: serde_json::to_value(figure)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default(),
        label: labels::duel_figure(figure).then(&Both::same(", ")).then(&at(level)),
        level: Some(level.to_owned()),
        primary,
        kind: FigureKind::AtLevel(level.to_owned(), figure != Figure::Memory),
        cells: cells.collect(),
    }
}

/// A level without its rate, which may differ.
fn at(level: &str) -> Both {
    let levels = [Level::Asked, Level::Half, Level::Near, Level::Highest];
    levels.into_iter().find(|known| known.name() == level).map_or(Both::same(""), labels::level)
}

fn terms(told: &[Told<'_>]) -> Vec<Term> {
    let each = |of: fn(&DuelReport) -> Both| told.iter().map(|told| of(&told.report)).collect();
    let mut terms = vec![
        Term::new(
            Both::word("request", "requisição"),
            Spoils::Everything,
            each(|report| Both::same(report.request.clone())),
        ),
        Term::new(Both::word("limits", "limites"), Spoils::Everything, each(limits)),
    ];
    for level in ["asked", "half", "near", "highest"] {
        if told.iter().any(|told| told.level(level).is_some()) {
            let none = Both::word("none", "nenhuma");
            let words = told.iter().map(|told| told.level(level).map_or(none.clone(), DuelLevel::told));
            let same = |a: usize, b: usize| match (told[a].level(level), told[b].level(level)) {
                (Some(a), Some(b)) => same_load(a, b),
                _ => false,
            };
            let spoils = Spoils::Level(level.to_owned());
            terms.push(Term::judged(Both::word("load", "carga"), spoils, words.collect(), same));
        }
    }
    let machines: Vec<_> = told.iter().map(|told| &told.duel.header.machine).collect();
    terms.extend(places(&machines, told.iter().map(|told| told.duel.header.galo.clone()).collect()));
    terms
}

fn same_load(a: &DuelLevel, b: &DuelLevel) -> bool {
    let same_rate = match (a.rate_per_s, b.rate_per_s) {
        (Some(a), Some(b)) => a.max(b) <= SAME_RATE * a.min(b),
        (None, None) => true,
        _ => false,
    };
    same_rate && a.varies == b.varies && a.connections == b.connections
}

fn limits(report: &DuelReport) -> Both {
    if report.sides.iter().all(|side| side.command.is_none()) {
        return Both::word("none (servers that ran before)", "nenhum (servidores que já estavam no ar)");
    }
    Both::told(|lang| {
        let enforced = enforced(report.cpus.is_none() || report.limits_enforced, lang);
        let (cpu, memory) = (cpu_limit(report.cpus, lang), memory_limit(report.memory_bytes, lang));
        say!(lang, "{cpu}, memory {memory}{enforced}", "{cpu}, memória {memory}{enforced}")
    })
}
