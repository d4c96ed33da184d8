//! The acts of a round that nobody drove: for tests and measurements, which make rounds by hand.

use super::{
    Act, Kill, Killed, LoadTerms, Loaded, Outcome, Reading, Started, Stopped, UnitKind, UnitTerms, Workload,
};
use crate::crash::{CrashRecord, RestartRecord, Restarted};
use crate::round::{CountReading, RoundEnd, RoundRecord};

/// Acts whose round is this one, but for what the host saw: that is all told at the end of its load.
pub(crate) fn acts_of(round: &RoundRecord) -> Vec<(Act, Outcome)> {
    let crash = round.crash.as_ref();
    let contender = round.contender;
    let kind = UnitKind::Round {
        contender,
        slot: round.slot,
        pair: round.pair,
        crash: crash.map(|crash| crash.kind),
    };
    let terms = UnitTerms { number: round.number, kind };
    let counted = |reading, readings: Vec<CountReading>| {
        (Act::Count { path: "/".to_owned(), reading }, Outcome::Counted(readings))
    };
    let mut acts = vec![(Act::Begin(terms), Outcome::Done)];
    match (&round.end, &round.placement) {
        (RoundEnd::NotReady(reason), _) => {
            acts.push((Act::Start { contender }, Outcome::NotReady(reason.clone())));
        }
        (_, Some(placement)) => {
            let started = Started { placement: placement.clone(), databases: round.databases.clone() };
            acts.push((Act::Start { contender }, Outcome::Started(Box::new(started))));
        }
        (_, None) => {}
    }
    if let Some(before) = &round.count_before {
        acts.push(counted(Reading::First, vec![before.clone()]));
        acts.push(counted(Reading::Quiet, round.counts_before.clone()));
    }
    if round.end == RoundEnd::Driven {
        acts.push((Act::Load(load_terms(contender, crash)), Outcome::Loaded(Box::new(loaded(round)))));
        acts.push(counted(Reading::AtRest, round.counts_after.clone()));
        acts.push((Act::AskCases, Outcome::Asked(round.cases)));
        acts.extend(crash.map(|crash| (Act::LookUp, Outcome::Found(crash.lookups.clone()))));
        acts.extend(round.restart.iter().flat_map(|restart| restarted(contender, restart)));
    }
    let stopped = Stopped { beside: round.beside.clone(), ..Stopped::default() };
    acts.push((Act::Stop { contender }, Outcome::Stopped(Box::new(stopped))));
    if let Some(renewed) = &round.count_renewed {
        acts.push(counted(Reading::First, vec![renewed.clone()]));
    }
    acts.push((Act::Close, Outcome::Done));
    acts
}

fn restarted(contender: usize, restart: &RestartRecord) -> Vec<(Act, Outcome)> {
    let RestartRecord { halt, restarted, count_before, count, lookups } = restart.clone();
    let rested = count_before.map(|count| {
        (Act::Count { path: "/".to_owned(), reading: Reading::Once }, Outcome::Counted(vec![count]))
    });
    let mut acts: Vec<(Act, Outcome)> = rested.into_iter().collect();
    acts.push((
        Act::Restart { contender, halt },
        Outcome::Restarted(Box::new(Restarted { findings: Vec::new(), ..restarted })),
    ));
    let counted =
        |count| (Act::Count { path: "/".to_owned(), reading: Reading::First }, Outcome::Counted(vec![count]));
    acts.extend(count.map(counted));
    acts.push((Act::LookUp, Outcome::Found(lookups)));
    acts
}

fn load_terms(contender: usize, crash: Option<&CrashRecord>) -> LoadTerms {
    let kill = crash.map(|crash| Kill { services: crash.services.clone(), after_ns: 0, down_ns: None });
    LoadTerms { contender, traffic: Workload::Profile { repeats: 1 }, kill }
}

fn loaded(round: &RoundRecord) -> Loaded {
    let killed = round.crash.as_ref().map(|crash| Killed {
        killed_at_ns: crash.killed_at_ns,
        restarted_at_ns: crash.restarted_at_ns,
        ready_at_ns: crash.ready_at_ns,
        not_up: crash.not_up.clone(),
        volumes_bytes: crash.volumes_bytes,
        traced: crash.traced,
    });
    Loaded {
        load: round.load.clone(),
        findings: round.findings.clone(),
        flushes: round.flushes.clone(),
        killed,
        ..Loaded::default()
    }
}
