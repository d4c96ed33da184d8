//! Fights side by side.

use galo_judge::fight::{JudgedContender, JudgedFight};
use galo_judge::measure::Quantity;
use galo_judge::{Measure, Standing};
use galo_record::{Run, RunHeader};
use galo_words::{Both, Figure, say};

use super::terms::{FigureKind, Spoils, Term, enforced, places};
use super::{CompareReport, ComparedRun, Entry, Kind, Measured, Parts, Row, Unit};
use crate::fight::subject;
use crate::words::{self, labels, memory_limit};

/// A fight to compare.
#[derive(Debug)]
pub struct FightRun {
    /// Its run folder.
    pub run: Run,
    /// Its report.
    pub report: JudgedFight,
}

impl CompareReport {
    /// Puts fights side by side, in this order.
    pub fn of_fights(fights: &[FightRun]) -> Self {
        let entries: Vec<(usize, &JudgedFight, &JudgedContender)> = fights
            .iter()
            .enumerate()
            .flat_map(|(run, FightRun { report, .. })| {
                report.contenders.iter().map(move |c| (run, report, c))
            })
            .collect();
        Parts {
            kind: Kind::Fights,
            runs: fights.iter().map(FightRun::compared).collect(),
            terms: terms(fights),
            entries: entries.iter().map(|(run, _, contender)| entry(*run, contender, &entries)).collect(),
            rows: Measure::of_rounds().map(|measure| row(measure, &entries)).collect(),
        }
        .into()
    }
}

impl FightRun {
    fn compared(&self) -> ComparedRun {
        let RunHeader { started, galo, machine, command, .. } = &self.report.header;
        ComparedRun {
            folder: self.run.path.display().to_string(),
            started: started.clone(),
            galo: galo.clone(),
            machine: Both::told(|lang| words::machine(machine, lang)),
            subject: Both::told(|lang| subject(&self.report, lang)),
            verdict: words::fight_verdict(&self.report),
            command: command.clone(),
        }
    }
}

fn entry(run: usize, contender: &JudgedContender, all: &[(usize, &JudgedFight, &JudgedContender)]) -> Entry {
    let summary = &contender.summary;
    let namesake = all.iter().find(|(_, _, other)| other.name == contender.name);
    let changed = namesake.filter(|(_, _, other)| other.file_sha256 != contender.file_sha256);
    let note = if summary.disqualified > 0 {
        Some(Both::word("disqualified", "desclassificado"))
    } else if summary.not_ready > 0 {
        Some(Both::word("did not start", "não subiu"))
    } else {
        changed.map(|(first, _, _)| {
            let first = first + 1;
            Both::told(|lang| {
                say!(
                    lang,
                    "its Compose file is another one than in run {first}",
                    "seu arquivo do Compose é outro que o da execução {first}"
                )
            })
        })
    };
    Entry {
        run: run + 1,
        name: contender.name.clone(),
        rounds: if summary.ranked { summary.valid } else { summary.valid + summary.disqualified },
        unit: Unit::Round,
        ranked: summary.ranked,
        note,
    }
}

fn row(measure: Measure, entries: &[(usize, &JudgedFight, &JudgedContender)]) -> Row {
    let kind = match measure.quantity() {
        Quantity::Answers => FigureKind::Count,
        Quantity::Bytes => FigureKind::Memory,
        _ => FigureKind::Time,
    };
    let cells = entries.iter().map(|(_, report, contender)| {
        let value = contender.summary.measures.get(measure);
        let rounds = report.rounds.iter().filter(|r| r.contender == contender.name);
        let valid = rounds.filter(|r| r.judgement.standing == Standing::Valid);
        Measured {
            value,
            text: words::figure(measure, value).both(),
            rounds: valid.filter_map(|round| round.judgement.measures.get(measure)).collect(),
        }
    });
    let service_level_ms = entries.first().map_or(0.0, |(_, report, _)| report.service_level_ms);
    Row {
        figure: measure.id().to_owned(),
        label: labels::measure(measure, service_level_ms),
        level: None,
        primary: measure == Measure::PRIMARY,
        kind,
        cells: cells.collect(),
    }
}

fn terms(fights: &[FightRun]) -> Vec<Term> {
    let told = |of: fn(&JudgedFight) -> Both| fights.iter().map(|fight| of(&fight.report)).collect();
    let plan = |run: usize| &fights[run].run.plan;
    let same_traffic = |a, b| {
        plan(a).traffic == plan(b).traffic && plan(a).challenge.scenarios == plan(b).challenge.scenarios
    };
    let same_data =
        |a: usize, b: usize| plan(a).seed == plan(b).seed && plan(a).data_sha256 == plan(b).data_sha256;
    let mut terms = vec![
        Term::new(
            Both::word("challenge", "desafio"),
            Spoils::Everything,
            told(|r| Both::same(r.challenge.clone())),
        ),
        Term::judged(Both::word("traffic", "tráfego"), Spoils::Everything, told(traffic), same_traffic),
        Term::new(Both::word("budget", "orçamento"), Spoils::Everything, told(budget)),
        Term::judged(Both::word("data", "dados"), Spoils::Counts, told(seed), same_data),
        Term::new(
            Both::word("service level", "nível de serviço"),
            Spoils::Counts,
            told(|r| Both::figure(Figure::Of(r.service_level_ms, "ms"))),
        ),
    ];
    let machines: Vec<_> = fights.iter().map(|fight| &fight.run.header.machine).collect();
    terms.extend(places(&machines, fights.iter().map(|fight| fight.report.header.galo.clone()).collect()));
    terms
}

fn traffic(JudgedFight { profile, scale, .. }: &JudgedFight) -> Both {
    let scale = Both::figure(Figure::Plain(*scale));
    Both::new(
        format!("profile {profile}, scale {}", scale.en),
        format!("perfil {profile}, escala {}", scale.pt),
    )
}

fn seed(JudgedFight { seed, .. }: &JudgedFight) -> Both {
    Both::told(|lang| say!(lang, "seed {seed}", "semente {seed}"))
}

fn budget(report: &JudgedFight) -> Both {
    let budget = &report.budget;
    Both::told(|lang| {
        let (cpus, enforced) =
            (lang.figure(Figure::Plain(budget.cpus)), enforced(report.limits_enforced, lang));
        format!("{cpus} CPU, {}{enforced}", memory_limit(Some(budget.memory_bytes), lang))
    })
}
