use std::path::PathBuf;

use galo_judge::limit::judge_hold;
use galo_plan::{Kind, SearchTerms};
use galo_record::act::{Creations, LoadTerms, Loaded, Stopped, Unit, Workload, units};
use galo_record::finding::{Ended, ServiceDied};
use galo_record::latencies::StepSparse;
use galo_record::load::StepRecord;
use galo_record::round::CountReading;
use galo_record::{HostFact, Ledger, LoadRecord, RoundData, RoundRecord, Run, RunWriter, StepLatencies};

use super::*;
use crate::schedule::testing::{self, Nobody, replays, seeds, started, told};
use crate::{Before, DriveError, Stage, drive, round};

const SECOND: u64 = 1_000_000_000;

/// A search from scale 1 to 4 with few holds, of a profile of which scale 1 makes so many people.
fn plan(preloads: bool) -> Plan {
    let terms = LimitTerms {
        criterion: "p99<100ms".to_owned(),
        search: SearchTerms::new(1_000, 4_000, 2.0),
        hold_ns: 2 * SECOND,
        confirm_ns: 6 * SECOND,
        preloads,
        at_least_milli: None,
    };
    Plan { kind: Kind::Limit(terms), ..testing::plan(1, 1) }
}

/// A contender of which is known what it does.
#[derive(Debug, Clone)]
struct Script {
    plan: Plan,
    /// It holds this scale, and none above.
    capacity_milli: u64,
    /// It dies of a hold above this scale.
    dies_above_milli: u64,
    /// After a hold that it did not meet, so many light loads are slow.
    slow_lights: u32,
    /// Of people that fill it, it keeps one in so many.
    keeps_one_in: u64,
    /// It starts, and answers the count by a number.
    starts: bool,
    answers: bool,
    /// Of creations of a hold so many are of unknown effect.
    unknown: u64,
    /// Acts that are performed before the caller breaks it off.
    acts_left: usize,
}

impl Script {
    fn new(capacity_milli: u64) -> Self {
        Self {
            plan: plan(true),
            capacity_milli,
            dies_above_milli: u64::MAX,
            slow_lights: 0,
            keeps_one_in: 1,
            starts: true,
            answers: true,
            unknown: 0,
            acts_left: usize::MAX,
        }
    }
}

/// The stage of a script, which writes what every stage writes.
struct Performed<'a> {
    script: &'a mut Script,
    writer: &'a RunWriter,
    folder: PathBuf,
    data: RoundData,
    is_up: bool,
    people: u64,
    slow_lights: u32,
}

fn nothing() -> RoundData {
    RoundData::new(RoundRecord::new(0, 0, 0))
}

fn died() -> HostFact {
    HostFact::ServiceDied(ServiceDied {
        service: "api".to_owned(),
        ended: Ended::Status(1),
        out_of_memory: None,
        log: Vec::new(),
        log_path: String::new(),
    })
}

impl Performed<'_> {
    fn load(&mut self, traffic: &Workload) -> Outcome {
        assert!(self.is_up, "nothing is up");
        let (is_slow, dies) = match *traffic {
            Workload::Fill { rows, .. } => {
                let users = self.script.plan.traffic[0].as_ref().unwrap().users;
                self.people += rows * self.script.plan.ceiling.min / users / self.script.keeps_one_in;
                (false, false)
            }
            Workload::Light { .. } => {
                let is_slow = self.slow_lights > 0;
                self.slow_lights = self.slow_lights.saturating_sub(1);
                (is_slow, false)
            }
            Workload::Hold { scale_milli, .. } => {
                self.people += 10;
                let is_slow = scale_milli > self.script.capacity_milli;
                self.slow_lights = if is_slow { self.script.slow_lights } else { 0 };
                (is_slow, scale_milli > self.script.dies_above_milli)
            }
            _ => panic!("no load of a hold"),
        };
        let steps = self.script.plan.challenge.steps().count();
        let ledger = Ledger { intended: 20, ok: 20, ..Ledger::default() };
        let load = LoadRecord {
            started_ns: 1,
            ended_ns: 1 + 2 * SECOND,
            steps: vec![StepRecord { ledger, ..StepRecord::default() }; steps],
            ..LoadRecord::default()
        };
        let mut latencies = StepLatencies::default();
        let ns = if is_slow { 900_000_000 } else { 1_000_000 };
        (0..20).for_each(|_| latencies.ok.record_ns(ns));
        let latencies = vec![latencies; steps];
        let mut loaded = Loaded { load, ..Loaded::default() };
        loaded.findings.extend(dies.then(died));
        match traffic {
            Workload::Light { .. } => {
                loaded.latencies = latencies.iter().map(StepSparse::from_step).collect();
            }
            Workload::Hold { .. } => {
                let unknown = self.script.unknown;
                loaded.creations = Creations { acknowledged: 10 - unknown, unknown };
                self.data.latencies = latencies;
            }
            _ => {}
        }
        Outcome::Loaded(Box::new(loaded))
    }
}

impl Stage for Performed<'_> {
    type Bulk = RoundData;

    fn perform(&mut self, act: &Act) -> Result<Option<Outcome>, DriveError> {
        let Some(left) = self.script.acts_left.checked_sub(1) else { return Ok(None) };
        self.script.acts_left = left;
        Ok(Some(match act {
            Act::Begin(terms) => {
                self.data = nothing();
                self.folder = self.writer.open_round(terms.number, "c")?;
                Outcome::Done
            }
            Act::Start { .. } if !self.script.starts => Outcome::NotReady("no".to_owned()),
            Act::Start { .. } => {
                assert!(!std::mem::replace(&mut self.is_up, true), "it is up already");
                self.people = 0;
                started()
            }
            Act::Count { .. } => {
                assert!(self.is_up, "nothing is up");
                let text = if self.script.answers { self.people.to_string() } else { "many".to_owned() };
                Outcome::Counted(vec![CountReading::new(1, 200, text)])
            }
            Act::Load(LoadTerms { traffic, .. }) => self.load(traffic),
            Act::Stop { .. } => {
                assert!(std::mem::take(&mut self.is_up), "nothing is up");
                Outcome::Stopped(Box::<Stopped>::default())
            }
            Act::Close => {
                self.writer.write_bulk(&self.folder, &self.data)?;
                Outcome::Done
            }
            other => panic!("{other:?}"),
        }))
    }

    fn take_bulk(&mut self) -> RoundData {
        std::mem::replace(&mut self.data, nothing())
    }

    fn clear(&mut self) -> Result<(), DriveError> {
        self.is_up = false;
        Ok(())
    }
}

/// Goes on with a run, or begins it, until the script's end.
fn go_on(script: &mut Script, writer: &RunWriter, before: Before<Hold>) {
    let plan = script.plan.clone();
    let mut stage = Performed {
        script,
        writer,
        folder: PathBuf::new(),
        data: nothing(),
        is_up: false,
        people: 0,
        slow_lights: 0,
    };
    let judge = |unit: Unit<'_>, bulk| judge_hold(&plan, unit, &round(unit, bulk)?).map_err(DriveError::Bug);
    drive(&Limit::new(&plan).unwrap(), &mut stage, writer, judge, &mut Nobody, before).unwrap();
}

fn judged(plan: &Plan, run: &Run) -> Vec<Hold> {
    let all = units(&run.acts).unwrap();
    let closed = all.into_iter().filter(Unit::is_closed).enumerate();
    closed.map(|(index, unit)| judge_hold(plan, unit, &run.round(index).unwrap()).unwrap()).collect()
}

/// Drives a script, cut off and resumed after so many acts (`usize::MAX`: not); its acts, and what the judge says of its holds.
fn driven(script: &Script, cut: usize) -> (Vec<Acted>, Vec<Hold>) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    let writer = testing::writer(&path, &script.plan);
    go_on(&mut Script { acts_left: cut, ..script.clone() }, &writer, Before::default());
    drop(writer);
    if cut < usize::MAX {
        let (writer, run) = RunWriter::resume::<Plan>(&path, &seeds(&path)).unwrap();
        let facts = judged(&script.plan, &run);
        go_on(&mut script.clone(), &writer, Before { acts: run.acts, facts });
    }
    let run = Run::<Plan>::open(&path, &seeds(&path)).unwrap();
    let holds = judged(&script.plan, &run);
    replays(&Limit::new(&script.plan).unwrap(), &run.acts, &holds);
    (run.acts, holds)
}

/// The units of a run, in a few words.
fn lines(script: &Script) -> Vec<String> {
    told(&driven(script, usize::MAX).0)
}

fn outcomes(holds: &[Hold]) -> Vec<(u64, bool, bool)> {
    holds.iter().map(|hold| (hold.scale_milli, hold.confirms, hold.outcome.met)).collect()
}

#[test]
fn a_contender_is_started_once_filled_before_each_hold_and_ended_after_the_last() {
    let lines = lines(&Script::new(10_000));
    let fill = "fill, count atrest, hold, count once, close";
    assert_eq!(lines[0], format!("1000, start, count first, {fill}"));
    assert_eq!(lines[1], format!("2000, count once, {fill}"));
    let last = lines.last().unwrap();
    assert!(last.starts_with("4000 long, count once, ") && last.ends_with(", close, stop"), "{last}");
    assert!(lines[1..].iter().all(|line| !line.contains("start")));
}

#[test]
fn after_a_hold_that_was_not_met_it_must_come_to_rest_before_the_next() {
    let script = Script { slow_lights: 2, ..Script::new(3_000) };
    let lines = lines(&script);
    let next = lines.iter().position(|line| line.starts_with("4000,")).unwrap() + 1;
    let rest = "count atrest, light, count atrest, light, count atrest, light, count once, ";
    assert!(lines[next].contains(rest), "{lines:?}");
    assert!(!lines[next].contains("start"));
}

#[test]
fn who_does_not_come_to_rest_is_started_afresh() {
    let script = Script { slow_lights: u32::MAX, ..Script::new(3_000) };
    let plan = script.plan.clone();
    let (acts, holds) = driven(&Script { slow_lights: 1, ..script }, usize::MAX);
    // The recorded acts took no time; as if the first light load had taken half a minute.
    let light = acts
        .iter()
        .position(|acted| matches!(acted.act, Act::Load(LoadTerms { traffic: Workload::Light { .. }, .. })));
    let mut acts = acts[..=light.unwrap()].to_vec();
    let last = acts.last_mut().unwrap();
    last.ended_ns = last.began_ns + 30 * SECOND;
    let closed = units(&acts).unwrap().iter().filter(|unit| unit.is_closed()).count();
    let next = Limit::new(&plan).unwrap().next(&Heard { acts: &acts, facts: &holds[..closed] });
    assert_eq!(next, Some(Act::Stop { contender: 0 }));
}

#[test]
fn who_died_in_a_hold_is_started_afresh_at_once() {
    let script = Script { dies_above_milli: 3_000, ..Script::new(3_000) };
    let lines = lines(&script);
    let died = lines.iter().position(|line| line.starts_with("4000,")).unwrap();
    assert!(lines[died + 1].contains(", stop, start, count first, fill, "), "{lines:?}");
}

#[test]
fn who_does_not_start_or_never_answers_the_count_by_a_number_ends_the_search() {
    assert_eq!(lines(&Script { starts: false, ..Script::new(1_000) }), ["1000, start"]);
    let silent = Script { answers: false, ..Script::new(1_000) };
    assert_eq!(lines(&silent), ["1000, start, count first, stop"]);
}

#[test]
fn tables_that_cannot_be_filled_are_no_hold() {
    let script = Script { keeps_one_in: u64::MAX, ..Script::new(4_000) };
    let (acts, holds) = driven(&script, usize::MAX);
    assert_eq!(told(&acts)[0], "1000, start, count first, fill, count atrest, close");
    let reasons = &holds[0].outcome.reasons;
    assert!(matches!(reasons[..], [galo_judge::limit::NotMet::NotFilled { stored: 0, .. }]), "{reasons:?}");
}

#[test]
fn what_was_filled_in_part_is_filled_again() {
    let script = Script { keeps_one_in: 2, ..Script::new(4_000) };
    let first = &lines(&script)[0];
    assert!(first.contains("fill, count atrest, fill, count atrest, "), "{first}");
}

#[test]
fn far_too_many_people_are_a_reason_to_start_afresh() {
    let (acts, holds) = driven(&Script::new(1_500), usize::MAX);
    let mut acts = acts.clone();
    // The count before the second hold.
    let begun = acts.iter().rposition(|acted| matches!(acted.act, Act::Begin(_))).unwrap();
    let count =
        begun + acts[begun..].iter().position(|acted| matches!(acted.act, Act::Count { .. })).unwrap();
    acts.truncate(count + 1);
    let Act::Count { path, .. } = &acts[count].act else { panic!("no count") };
    acts[count].act = Act::Count { path: path.clone(), reading: galo_record::act::Reading::Once };
    acts[count].outcome = Outcome::Counted(vec![CountReading::new(1, 200, "99999999".to_owned())]);
    // As if the hold before had been met, so that there is nothing to rest of.
    let mut holds: Vec<Hold> = holds;
    holds.pop();
    holds.iter_mut().for_each(|hold| hold.outcome.met = true);
    let limit = script_limit();
    let unit = &acts[begun..];
    let ground = Ground::before(&acts[..begun], &holds);
    assert_eq!(Limit::new(&limit).unwrap().within(unit, &ground), Some(Act::Stop { contender: 0 }));
}

fn script_limit() -> Plan {
    plan(true)
}

#[test]
fn without_preload_a_hold_takes_the_people_that_there_are() {
    let script = Script { plan: plan(false), ..Script::new(4_000) };
    assert_eq!(lines(&script)[0], "1000, start, count first, hold, count once, close");
}

#[test]
fn creations_of_unknown_effect_are_waited_for_before_the_next_count() {
    let script = Script { unknown: 3, ..Script::new(4_000) };
    let lines = lines(&script);
    assert!(lines[0].ends_with("hold, count once, close"), "{lines:?}");
    assert!(lines[1].starts_with("2000, count atrest, "), "{lines:?}");
}

#[test]
fn a_search_that_was_cut_off_after_any_act_comes_to_the_same_holds_when_it_is_resumed() {
    let restless = Script { slow_lights: 1, ..Script::new(1_500) };
    let mortal = Script { dies_above_milli: 1_500, ..Script::new(1_500) };
    for script in [restless, mortal] {
        let (whole, holds) = driven(&script, usize::MAX);
        assert_eq!(outcomes(&holds)[..2], [(1_000, false, true), (2_000, false, false)]);
        for cut in 0..whole.len() {
            let (acts, resumed) = driven(&script, cut);
            assert_eq!(outcomes(&resumed), outcomes(&holds), "cut off after {cut} acts");
            assert!(matches!(acts.last().unwrap().act, Act::Stop { .. }), "nothing is left up");
        }
    }
}
