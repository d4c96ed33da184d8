use std::cell::RefCell;

use galo_judge::load::{Measured, Subject, judge_load};
use galo_plan::injection::Climb;
use galo_record::act::{Acted, Loaded, Outcome, Unit};
use galo_record::load::StepRecord;
use galo_record::{Ledger, LoadRecord, SecondLatencies, StepLatencies};

use super::*;
use crate::schedule::testing::replays;
use crate::{Before, DriveError, Driven, Stage, Watch, drive};

/// A server that answers so many requests a second, and what comes above it wrongly.
const ANSWERS_PER_S: u64 = 3_000;
/// At this rate it answers by a status that is to end the load.
const STOPS_AT_MICRO: u64 = 40_000_000_000;

/// Sends nothing, and is broken off after so many acts.
struct Scripted {
    acts_left: usize,
}

impl Stage for Scripted {
    type Bulk = ();

    fn perform(&mut self, act: &Act) -> Result<Option<Outcome>, DriveError> {
        let Some(left) = self.acts_left.checked_sub(1) else { return Ok(None) };
        self.acts_left = left;
        let Act::Load(terms) = act else { return Ok(Some(Outcome::Done)) };
        let (per_s, length_ns) = match terms.traffic {
            Workload::Rate { rate_micro, length_ns } => (rate_micro / 1_000_000, length_ns),
            Workload::Closed { length_ns, .. } => (ANSWERS_PER_S, length_ns),
            _ => (1, 1_000_000_000),
        };
        let seconds = length_ns / 1_000_000_000;
        let (intended, ok) = (per_s * seconds, per_s.min(ANSWERS_PER_S) * seconds);
        let ledger = Ledger { intended, ok, wrong: intended - ok, ..Ledger::default() };
        let stopped_by = (per_s * 1_000_000 >= STOPS_AT_MICRO).then_some(429);
        let steps = vec![StepRecord { ledger, ..StepRecord::default() }];
        let load = LoadRecord { ended_ns: length_ns, steps, stopped_by, ..LoadRecord::default() };
        Ok(Some(Outcome::Loaded(Box::new(Loaded { load, ..Loaded::default() }))))
    }

    fn take_bulk(&mut self) {}

    fn clear(&mut self) -> Result<(), DriveError> {
        Ok(())
    }
}

/// Keeps the acts.
#[derive(Default)]
struct Heard(RefCell<Vec<Acted>>);

impl Watch<LoadFacts> for Heard {
    fn begins(&mut self, _: &Act) {}

    fn ended(&mut self, acted: &Acted) {
        self.0.borrow_mut().push(acted.clone());
    }

    fn judged(&mut self, _: Unit<'_>, _: &LoadFacts) {}
}

/// No queue grows: in each second all are answered that were due in it.
fn answered_in_time(load: &LoadRecord) -> StepLatencies {
    let seconds = load.elapsed_ns() / 1_000_000_000;
    let wrong = (load.total().ledger.intended / seconds) as u32;
    let second = SecondLatencies { wrong, ..SecondLatencies::default() };
    StepLatencies { seconds: vec![second; seconds as usize], ..StepLatencies::default() }
}

/// All acts and facts of loads that are broken off after so many acts, and go on from what was heard before.
fn driven(loads: &Loads, acts_left: usize, before: Before<LoadFacts>) -> (Vec<Acted>, Vec<LoadFacts>) {
    let judge = |unit: Unit<'_>, ()| {
        let (terms, loaded) = unit.load().unwrap();
        let asked = loads.asked_load(&unit.terms.kind, &terms.traffic, Some(1_000_000_000));
        let latencies = vec![answered_in_time(&loaded.load)];
        let measured = Measured::new(loaded.load.clone(), latencies, Vec::new(), asked.arriving_ns);
        Ok(judge_load(&Subject::default(), asked, &measured))
    };
    let mut heard = Heard(RefCell::new(before.acts.clone()));
    let Driven { facts, .. } =
        drive(loads, &mut Scripted { acts_left }, None, judge, &mut heard, before).unwrap();
    (heard.0.into_inner(), facts)
}

fn whole(loads: &Loads) -> (Vec<Acted>, Vec<LoadFacts>) {
    driven(loads, usize::MAX, Before::default())
}

fn highest(range: Range) -> Loads {
    Loads::Highest(Highest {
        criterion: "errors==0".parse().unwrap(),
        range,
        hold: Duration::from_secs(10),
        spacing: Spacing::Even,
        scout_users: 64,
    })
}

fn steps(per_s: [u64; 3]) -> Loads {
    let [start_micro, step_micro, max_micro] = per_s.map(|per_s| per_s * 1_000_000);
    let climb = Climb { start_micro, step_micro, max_micro, length_ns: 2_000_000_000, repeats_of_last: 0 };
    Loads::Steps(RateSteps::new(&climb).unwrap())
}

/// The loads that count, in a few words.
fn told(acts: &[Acted]) -> Vec<String> {
    let units = galo_record::act::units(acts).unwrap();
    let closed = units.iter().filter(|unit| unit.is_closed());
    closed
        .map(|unit| match unit.load().unwrap().0.traffic {
            Workload::Rate { rate_micro, length_ns } => {
                let rests = unit.acts.iter().any(|acted| matches!(acted.act, Act::Rest { .. }));
                let rest = if rests { "rest, " } else { "" };
                format!("{rest}{}/s for {} s", rate_micro / 1_000_000, length_ns / 1_000_000_000)
            }
            ref other => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn one_load_is_driven_as_it_was_asked_for() {
    let (acts, facts) = whole(&Loads::One);
    assert_eq!(told(&acts), ["Asked"]);
    replays(&Loads::One, &acts, &facts);
}

#[test]
fn each_step_of_a_rate_is_a_load_of_its_own_until_a_status_ends_them() {
    let loads = steps([1_000, 1_000, 3_000]);
    let (acts, facts) = whole(&loads);
    assert_eq!(told(&acts), ["1000/s for 2 s", "2000/s for 2 s", "3000/s for 2 s"]);
    replays(&loads, &acts, &facts);
    let (acts, _) = whole(&steps([20_000, 20_000, 80_000]));
    assert_eq!(told(&acts), ["20000/s for 2 s", "40000/s for 2 s"]);
}

#[test]
fn a_search_scouts_grows_rests_after_what_was_not_met_and_holds_what_was() {
    let loads = highest(Range::default());
    let (acts, facts) = whole(&loads);
    let told = told(&acts);
    let begins = [
        "Closed { users: 64, length_ns: 2000000000 }",
        "750/s for 3 s",
        "1500/s for 3 s",
        "3000/s for 3 s",
        "6000/s for 3 s",
    ];
    assert_eq!(told[..begins.len()], begins);
    assert!(told[begins.len()].starts_with("rest, "), "{told:?}");
    assert!(told.last().unwrap().ends_with(" for 10 s"), "{told:?}");
    replays(&loads, &acts, &facts);
    let found = galo_judge::load::highest(&"errors==0".parse().unwrap(), Range::default(), &facts);
    let last = facts.last().unwrap();
    assert_eq!((found.answered, last.trial.as_ref().unwrap().hold), (last.judged.answered.clone(), true));
}

#[test]
fn loads_that_were_cut_off_after_any_act_come_to_the_same_ones_when_they_are_resumed() {
    let range = Range { start_milli: Some(2_000_000), max_milli: None };
    for loads in [Loads::One, steps([1_000, 1_000, 3_000]), highest(Range::default()), highest(range)] {
        let (acts, facts) = whole(&loads);
        for cut in 0..acts.len() {
            let (before, so_far) = driven(&loads, cut, Before::default());
            assert_eq!(before.len(), cut);
            let before = Before { acts: before, facts: so_far };
            let (resumed, again) = driven_again(&loads, before);
            assert_eq!(told(&resumed), told(&acts), "cut off after {cut} acts");
            assert_eq!(again.len(), facts.len());
            replays(&loads, &resumed, &again);
        }
    }
}

/// The same, with the act that was lost, which nobody is told of.
fn driven_again(loads: &Loads, before: Before<LoadFacts>) -> (Vec<Acted>, Vec<LoadFacts>) {
    let heard = crate::Heard { acts: &before.acts, facts: &before.facts };
    let lost = heard.under_way().is_some().then(|| loads.next(&heard)).flatten();
    let at = before.acts.len();
    let (mut acts, facts) = driven(loads, usize::MAX, before);
    if let Some(act) = lost {
        let number = at as u32;
        acts.insert(at, Acted { number, began_ns: 0, ended_ns: 0, act, outcome: Outcome::Lost });
    }
    (acts, facts)
}
