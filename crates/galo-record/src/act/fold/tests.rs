use super::*;
use crate::act::{Act, Workload, acts_of};
use crate::clock::now_ns;
use crate::crash::{CrashKind, Lookup, LookupBy};
use crate::finding::{ServiceLateToStop, ServiceLeftItsGroup};
use crate::load::{LoadRecord, StepRecord};

fn acted(acts: Vec<(Act, Outcome)>) -> Vec<Acted> {
    let acted =
        |(number, (act, outcome))| Acted { number, began_ns: now_ns(), ended_ns: now_ns(), act, outcome };
    (0..).zip(acts).map(acted).collect()
}

fn driven() -> RoundRecord {
    let mut round = RoundRecord::new(1, 0, 0);
    round.load = LoadRecord {
        started_ns: 5,
        ended_ns: 9,
        steps: vec![StepRecord::default()],
        ..LoadRecord::default()
    };
    round.count_before = Some(CountReading::new(1, 200, "0".to_owned()));
    round.counts_before = vec![CountReading::new(2, 200, "0".to_owned())];
    round.counts_after = vec![CountReading::new(10, 200, "7".to_owned())];
    round.cases = 3;
    round
}

fn round_of(acts: &[Acted]) -> Result<RoundRecord, String> {
    let units = units(acts)?;
    assert_eq!(units.len(), 1);
    units[0].round()
}

#[test]
fn a_round_is_what_its_acts_add_up_to() {
    let mut renewed = driven();
    renewed.count_renewed = Some(CountReading::new(11, 200, "0".to_owned()));
    let mut crashed = driven();
    let lookup = Lookup { creation: 0, by: LookupBy::Id, service: None, status: 200, digests: vec![1] };
    crashed.crash = Some(CrashRecord {
        killed_at_ns: Some(6),
        lookups: vec![lookup],
        ..CrashRecord::new(CrashKind::Outage, vec!["api1".to_owned()])
    });
    let not_ready = RoundRecord { end: RoundEnd::NotReady("no".to_owned()), ..RoundRecord::new(1, 0, 0) };
    for round in [driven(), renewed, crashed, not_ready] {
        assert_eq!(round_of(&acted(acts_of(&round))), Ok(round));
    }
}

#[test]
fn of_the_end_of_a_second_start_only_what_breaks_a_rule_is_told() {
    let mut renewed = driven();
    renewed.count_renewed = Some(CountReading::new(11, 200, "0".to_owned()));
    let mut acts = acts_of(&renewed);
    let left = HostFact::ServiceLeftItsGroup(ServiceLeftItsGroup {
        service: "api1".to_owned(),
        pid: 7,
        command: "sh".to_owned(),
        groups: Vec::new(),
    });
    let late = HostFact::ServiceLateToStop(ServiceLateToStop { service: "api1".to_owned(), grace_ns: 1 });
    let stopped = Stopped { findings: vec![late, left.clone()], ..Stopped::default() };
    let stop = (Act::Stop { contender: 0 }, Outcome::Stopped(Box::new(stopped)));
    acts.insert(acts.len() - 1, stop);
    assert_eq!(round_of(&acted(acts)).unwrap().findings, [left]);
}

#[test]
fn a_unit_counts_only_once_its_last_line_is_there_and_so_far_its_round_was_broken_off() {
    let acts = acted(acts_of(&driven()));
    for cut in 1..acts.len() {
        let unit = units(&acts[..cut]).unwrap()[0];
        assert!(!unit.is_closed(), "{cut}");
        let is_loaded = unit.acts.iter().any(|acted| matches!(acted.act, Act::Load(_)));
        assert_eq!(unit.round().unwrap().end == RoundEnd::Interrupted, !is_loaded);
    }
    assert!(units(&acts).unwrap()[0].is_closed());
}

#[test]
fn what_was_lost_ends_its_unit_and_the_next_one_has_the_next_number() {
    let mut acts = acts_of(&driven());
    acts.truncate(3);
    let load = LoadTerms { contender: 0, traffic: Workload::Profile { repeats: 1 }, kill: None };
    acts.push((Act::Load(load), Outcome::Lost));
    acts.extend(acts_of(&RoundRecord { number: 2, ..driven() }));
    let acts = acted(acts);
    let units = units(&acts).unwrap();
    assert_eq!(units.iter().map(Unit::is_closed).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn contenders_may_come_up_and_go_between_units_but_not_between_rounds() {
    let between = |acts: Vec<(Act, Outcome)>| units(&acted(acts)).map(|units| units.len());
    let start = (Act::Start { contender: 0 }, Outcome::NotReady("no".to_owned()));
    assert_eq!(between(vec![start.clone()]), Ok(0));
    for outside in [Act::Close, Act::AskCases, Act::LookUp] {
        assert!(between(vec![start.clone(), (outside, Outcome::Done)]).is_err());
    }
    let whole = acts_of(&driven());
    assert!(between([vec![start.clone()], whole.clone()].concat()).is_err());
    assert!(between([whole, vec![start]].concat()).is_err());
}

#[test]
fn acts_of_no_unit_and_units_out_of_order_are_no_run() {
    let whole = acts_of(&driven());
    let again = [whole.clone(), whole.clone()].concat();
    let after_its_end = [whole.clone(), vec![(Act::Start { contender: 0 }, Outcome::Lost)]].concat();
    let headless = whole[1..].to_vec();
    for acts in [again, after_its_end, headless] {
        assert!(units(&acted(acts)).is_err());
    }
    let other = vec![whole[0].clone(), (Act::Start { contender: 0 }, Outcome::Asked(1))];
    assert!(round_of(&acted(other)).is_err());
}

#[test]
fn a_contender_that_never_answers_the_count_was_not_ready() {
    let mut acts = acts_of(&driven());
    acts.truncate(1);
    let count = Act::Count { path: "/count".to_owned(), reading: Reading::First };
    acts.push((count, Outcome::Counted(vec![CountReading::new(1, 503, "no".to_owned())])));
    let round = round_of(&acted(acts)).unwrap();
    let reason = "it never answered the count at /count by a 2xx (last: status 503)";
    assert_eq!((round.end, round.count_before), (RoundEnd::NotReady(reason.to_owned()), None));
}
