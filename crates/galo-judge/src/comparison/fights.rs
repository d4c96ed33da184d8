//! Fights side by side.

use galo_record::Run;

use super::terms::{Term, TermDifference, of_places};
use super::{Compared, ComparedRun, Entry, EntryNote, JudgedComparison, Measured, Row, Unit};
use crate::fight::{JudgedContender, JudgedFight};
use crate::judgement::Standing;
use crate::measure::Measure;
use crate::pairing::figure;

/// A fight to compare.
#[derive(Debug)]
pub struct FightRun {
    /// Its run folder.
    pub run: Run,
    /// What it came to.
    pub fight: JudgedFight,
}

/// A contender with its fight, and the number of that from 0.
type Fought<'a> = (usize, &'a JudgedFight, &'a JudgedContender);

impl JudgedComparison {
    /// Puts fights side by side, in this order.
    pub fn of_fights(fights: Vec<FightRun>) -> Self {
        let traffic = traffic_differs(&fights);
        let runs: Vec<ComparedRun> = fights
            .into_iter()
            .map(|FightRun { run, fight }| ComparedRun {
                folder: run.path.display().to_string(),
                run: Compared::Fight(Box::new(fight)),
            })
            .collect();
        let fights = runs.iter().enumerate().filter_map(|(run, compared)| match &compared.run {
            Compared::Fight(fight) => Some((run, fight)),
            Compared::Duel(_) => None,
        });
        let fought: Vec<Fought<'_>> = fights
            .flat_map(|(run, fight)| fight.contenders.iter().map(move |contender| (run, &**fight, contender)))
            .collect();
        let entries = fought.iter().map(|(run, _, contender)| entry(*run, contender, &fought)).collect();
        let rows: Vec<Row> = Measure::of_rounds().map(|measure| row(measure, &fought)).collect();
        let differences = differences(&runs, traffic);
        Self::new(runs, differences, entries, &rows)
    }
}

fn entry(run: usize, contender: &JudgedContender, all: &[Fought<'_>]) -> Entry {
    let summary = &contender.summary;
    let namesake = all.iter().find(|(_, _, other)| other.name == contender.name);
    let changed = namesake.filter(|(_, _, other)| other.file_sha256 != contender.file_sha256);
    let note = match changed {
        _ if summary.disqualified > 0 => Some(EntryNote::Disqualified),
        _ if summary.not_ready > 0 => Some(EntryNote::DidNotStart),
        changed => changed.map(|(first, _, _)| EntryNote::OtherFileThanInRun(first + 1)),
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

fn row(measure: Measure, fought: &[Fought<'_>]) -> Row {
    let values = fought.iter().map(|(_, fight, contender)| {
        let rounds = fight.rounds.iter().filter(|round| round.contender == contender.name);
        let valid = rounds.filter(|round| round.judgement.standing == Standing::Valid);
        Measured {
            value: contender.summary.measures.get(measure),
            rounds: valid.filter_map(|round| figure(measure, &round.judgement)).collect(),
        }
    });
    Row { measure, level: None, primary: measure == Measure::PRIMARY, values: values.collect() }
}

fn traffic_differs(fights: &[FightRun]) -> Option<TermDifference> {
    let plan = |run: usize| &fights[run].run.plan;
    TermDifference::of(Term::Traffic, fights.len(), |a, b| {
        plan(a).traffic == plan(b).traffic && plan(a).challenge.scenarios == plan(b).challenge.scenarios
    })
}

fn differences(runs: &[ComparedRun], traffic: Option<TermDifference>) -> Vec<TermDifference> {
    let differs = |term, is_same: fn(&JudgedFight, &JudgedFight) -> bool| {
        TermDifference::of(term, runs.len(), |a, b| match (&runs[a].run, &runs[b].run) {
            (Compared::Fight(a), Compared::Fight(b)) => is_same(a, b),
            _ => false,
        })
    };
    let terms = [
        differs(Term::Challenge, |a, b| a.challenge == b.challenge),
        traffic,
        differs(Term::Budget, |a, b| a.budget == b.budget && a.limits_enforced == b.limits_enforced),
        differs(Term::Data, |a, b| a.seed == b.seed && a.data_sha256 == b.data_sha256),
        differs(Term::ServiceLevel, |a, b| a.service_level_ms == b.service_level_ms),
    ];
    terms.into_iter().flatten().chain(of_places(runs)).collect()
}
