use galo_record::load::StepRecord;

use super::*;
use crate::capacity::Capacity;

const RANGE: Range = Range { start_milli: Some(1_000_000), max_milli: Some(2_000_000) };

fn load(ok: u64) -> LoadRecord {
    let ledger = Ledger { intended: ok, ok, ..Ledger::default() };
    let steps = vec![StepRecord { ledger, ..StepRecord::default() }];
    LoadRecord { ended_ns: 1_000_000_000, steps, ..LoadRecord::default() }
}

fn latencies(ok: u64) -> Vec<StepLatencies> {
    let mut latencies = StepLatencies::default();
    (0..ok).for_each(|_| latencies.ok.record_ns(1_000_000));
    vec![latencies]
}

/// One address.
fn subject() -> Subject {
    let url = "http://a/".to_owned();
    Subject { parts: PartName::addresses(std::slice::from_ref(&url)), url, ..Subject::default() }
}

fn judged(load: &LoadRecord, latencies: Vec<StepLatencies>, asked: AskedLoad<'_>) -> LoadFacts {
    let measured = Measured::new(load.clone(), latencies, Vec::new(), asked.arriving_ns);
    judge_load(&subject(), asked, &measured)
}

fn tried(load: &LoadRecord, criterion: &str, rate_milli: u64) -> LoadFacts {
    let criterion: Assertions = criterion.parse().unwrap();
    let length = Duration::from_secs(1);
    let trial = TrialTerms { criterion: &criterion, rate_milli, length, hold: false, spacing: Spacing::Even };
    let asked = AskedLoad { arriving_ns: Some(1_000_000_000), rate_per_s: None, trial: Some(trial) };
    judged(load, latencies(load.total().ledger.ok), asked)
}

fn found(loads: &[LoadFacts]) -> JudgedLoad {
    highest(&"errors==0".parse().unwrap(), RANGE, loads)
}

#[test]
fn what_is_met_in_spite_of_galos_lateness_is_met_and_what_is_not_says_nothing() {
    let mut late = load(1_000);
    late.engine.lag_us_p99 = 90_000.0;
    let met = tried(&late, "p99<50ms", 1_000_000);
    assert!(met.judged.void.is_empty() && met.trial.unwrap().outcome.valid);
    let unmet = tried(&late, "p99<1us", 1_000_000);
    assert!(!unmet.judged.void.is_empty() && !unmet.trial.unwrap().outcome.valid);
}

#[test]
fn one_request_at_a_low_rate_is_that_rate_and_no_thousands() {
    let mut one = load(1);
    one.ended_ns = 857_000;
    let of = |arriving_ns: Option<u64>, assertions: Vec<Assertions>| {
        let subject = Subject { assertions, ..subject() };
        let measured = Measured::new(one.clone(), latencies(1), Vec::new(), arriving_ns);
        judge_load(&subject, AskedLoad { arriving_ns, ..AskedLoad::default() }, &measured).judged
    };
    assert_eq!(of(Some(5_000_000_000), Vec::new()).ok_per_s, 0.2);
    let closed = of(None, Vec::new());
    assert!((closed.ok_per_s - 1_166.86).abs() < 0.01, "a closed loop takes as long as it takes");
    let met = |bound: &str| of(Some(5_000_000_000), vec![bound.parse().unwrap()]).is_met();
    assert!(met("rate<=0.2") && !met("rate>1"));
}

#[test]
fn a_rate_at_which_nothing_is_answered_rightly_is_not_held_however_quick_the_refusals() {
    let mut refusing = load(0);
    refusing.steps[0].ledger = Ledger { intended: 1_000, failed: 1_000, ..Ledger::default() };
    let mut latencies = StepLatencies::default();
    (0..1_000).for_each(|_| latencies.not_ok.record_ns(100_000));
    let criterion: Assertions = "p99<10ms".parse().unwrap();
    let length = Duration::from_secs(1);
    let (rate_milli, spacing) = (1_000_000, Spacing::Even);
    let trial = TrialTerms { criterion: &criterion, rate_milli, length, hold: false, spacing };
    let asked = AskedLoad { arriving_ns: Some(1_000_000_000), rate_per_s: None, trial: Some(trial) };
    assert!(!judged(&refusing, vec![latencies], asked).trial.unwrap().is_met());
}

#[test]
fn what_a_higher_rate_would_take_more_of_is_told_from_what_galo_may_not_do_at_all() {
    let mut engine = EngineRecord::default();
    assert_eq!(ran_out_of(&engine), None);
    engine.own_errors.insert("not permitted to connect".to_owned(), 9);
    assert_eq!(ran_out_of(&engine), None);
    engine.own_errors.insert("too many open files".to_owned(), 1);
    assert_eq!(ran_out_of(&engine).as_deref(), Some("too many open files"));
}

#[test]
fn a_search_begins_where_it_was_told_or_near_what_a_closed_loop_reached() {
    let first = |range, loads: &[LoadFacts]| search(range, loads).unwrap().next().unwrap().rate_milli;
    assert_eq!(first(RANGE, &[]), 1_000_000);
    assert!(search(Range::default(), &[]).is_none());
    let closed = JudgedLoad { ok_per_s: 4_000.0, ..JudgedLoad::default() };
    assert_eq!(first(Range::default(), &[LoadFacts { judged: closed, ..LoadFacts::default() }]), 1_000_000);
    let nobody = LoadFacts::default();
    assert_eq!(first(Range::default(), &[nobody]), SearchOptions::default().start_milli);
}

#[test]
fn the_figures_of_a_search_are_those_of_the_last_valid_trial_of_its_rate() {
    let mut loads = Vec::new();
    while let Some(trial) = search(RANGE, &loads).unwrap().next() {
        let mut load = load(trial.rate_milli / 1_000);
        load.steps[0].statuses = [(200, loads.len() as u64)].into();
        loads.push(tried(&load, "errors==0", trial.rate_milli));
    }
    let judged = found(&loads);
    assert_eq!(judged.statuses[&200], loads.len() as u64 - 1, "the last of them stands");
    assert_eq!((judged.answered.ledger.ok, judged.void.len()), (2_000, 0));
    let found = judged.highest_rate.unwrap();
    assert!(
        matches!(found.capacity, Capacity::Highest { rate_milli: 2_000_000, held: true, .. }),
        "{found:?}"
    );
    assert_eq!((found.trials.len(), found.criterion.as_str()), (loads.len(), "errors == 0"));
    assert!(found.stopped_at.is_none());
}

#[test]
fn a_search_tells_the_lowest_rate_at_which_galo_ran_into_a_limit() {
    let mut short = load(1_000);
    short.engine.own_errors.insert("too many open files".to_owned(), 1);
    let loads = [2_000_000, 1_500_000].map(|rate_milli| tried(&short, "errors==0", rate_milli));
    let stopped = found(&loads).highest_rate.unwrap().stopped_at;
    assert_eq!(
        stopped,
        Some(StoppedAt { rate_milli: 1_500_000, ran_out_of: "too many open files".to_owned() })
    );
}

#[test]
fn a_search_that_found_nothing_because_of_galo_is_void_and_one_that_the_server_failed_is_not() {
    let outcome = |load: &LoadRecord| {
        let mut loads = Vec::new();
        while let Some(trial) = search(RANGE, &loads).unwrap().next() {
            loads.push(tried(load, "p99<1us", trial.rate_milli));
        }
        found(&loads).void.len()
    };
    let mut late = load(1_000);
    late.engine.lag_us_p99 = 90_000.0;
    assert_eq!((outcome(&load(1_000)), outcome(&late)), (0, 1));
}

#[test]
fn what_was_broken_off_says_nothing_about_its_rate() {
    let broken_off = LoadRecord { interrupted: true, ..load(10) };
    let judged = found(&[tried(&broken_off, "errors==0", 1_000_000)]);
    assert_eq!(judged.answered.ledger.ok, 10, "its figures are all that there are");
    let found = judged.highest_rate.unwrap();
    assert!(matches!(found.capacity, Capacity::Nothing { trials: 0, .. }), "{found:?}");
}

/// Two addresses, each with so many right answers and a failure.
fn two(ok: u64, lag_us: f64) -> Measured {
    let step = StepRecord {
        ledger: Ledger { intended: ok + 1, ok, failed: 1, ..Ledger::default() },
        statuses: [(200, ok)].into(),
        errors: [("connection refused".to_owned(), 1)].into(),
    };
    let engine = EngineRecord { threads: 1, lag_us_p99: lag_us, ..EngineRecord::default() };
    let load = LoadRecord { ended_ns: 1_000_000_000, steps: vec![step; 2], engine, ..LoadRecord::default() };
    let latencies = [latencies(ok), latencies(ok)].concat();
    Measured { load, latencies, evidence: Vec::new(), rate_ns: 1_000_000_000 }
}

fn of_two() -> Subject {
    let urls = ["http://a/", "http://b/"].map(str::to_owned);
    let assertions = vec!["rate<=0.2".parse().unwrap(), "p99<2ms,lag.p99<1ms".parse().unwrap()];
    Subject { url: urls[0].clone(), parts: PartName::addresses(&urls), spins: false, assertions }
}

#[test]
fn steps_of_the_rate_add_up_and_keep_what_each_was_worth() {
    let asked = AskedLoad { arriving_ns: Some(1_000_000_000), ..AskedLoad::default() };
    let at = |rate, measured: &Measured| {
        judge_load(&of_two(), AskedLoad { rate_per_s: Some(rate), ..asked }, measured)
    };
    let (mut sum, late) = (two(10, 30.0), two(30, 90_000.0));
    let facts = [at(20.0, &sum), at(60.0, &late)];
    sum.add(late);
    let judged = stepped(&of_two(), asked, &sum, &facts);
    assert_eq!((judged.ok_per_s, judged.statuses[&200], judged.errors["connection refused"]), (40.0, 80, 4));
    assert_eq!((judged.rate_over_s, judged.elapsed_s, judged.asked_per_s), (2.0, 2.0, None));
    assert_eq!(judged.parts.iter().map(|part| part.answered.ledger.ok).collect::<Vec<_>>(), [40, 40]);
    let steps: Vec<_> =
        judged.steps_of_rate.iter().map(|step| (step.asked_per_s, step.ok_per_s, step.void.len())).collect();
    assert_eq!((steps, judged.void.len()), (vec![(20.0, 20.0, 0), (60.0, 60.0, 1)], 1));
    assert_eq!(judged.assertions.iter().map(|outcome| outcome.met).collect::<Vec<_>>(), [false, true, false]);
    assert!(!judged.is_met());
}

#[test]
fn a_load_that_was_over_early_is_told_by_the_time_that_was_asked_for() {
    let slow = Measured { rate_ns: 100_000_000_000, ..two(10, 30.0) };
    let judged = judge_load(&of_two(), AskedLoad::default(), &slow).judged;
    assert_eq!((judged.ok_per_s, judged.rate_over_s, judged.elapsed_s), (0.2, 100.0, 1.0));
    assert!(judged.is_met());
    let mut sum = slow;
    sum.add(two(10, 30.0));
    let judged = stepped(&of_two(), AskedLoad::default(), &sum, &[]);
    assert_eq!((judged.ok_per_s, judged.rate_over_s, judged.elapsed_s), (40.0 / 101.0, 101.0, 2.0));
}

#[test]
fn users_who_do_not_come_to_a_step_are_left_out_of_it() {
    let name = |scenario: &str, name: &str, is_first| PartName {
        scenario: Some(scenario.to_owned()),
        name: name.to_owned(),
        is_first,
    };
    let parts = vec![name("a", "in", true), name("a", "out", false), name("b", "in", true)];
    let step = |intended| StepRecord {
        ledger: Ledger { intended, ok: intended, ..Ledger::default() },
        ..StepRecord::default()
    };
    let load = LoadRecord { steps: vec![step(9), step(4), step(2)], ..LoadRecord::default() };
    let measured = Measured::new(load, vec![StepLatencies::default(); 3], Vec::new(), None);
    let asked = AskedLoad { rate_per_s: Some(3.0), ..AskedLoad::default() };
    let judged = judge_load(&Subject { parts, ..Subject::default() }, asked, &measured).judged;
    assert_eq!(judged.users, Some(Users { begun: 11, asked_per_s: Some(3.0) }));
    assert_eq!(judged.parts.iter().map(|part| part.left_out).collect::<Vec<_>>(), [0, 5, 0]);
    assert_eq!(judged.asked_per_s, None, "requests have no rate of their own");
}

#[test]
fn figures_of_a_log_are_those_of_the_whole_milliseconds_that_gatling_wrote() {
    let run = "RUN\ta.Simulation\tsimulation\t1700000000000\t \t3.9.5\n".to_owned();
    let lines = (0..=999).map(|ms| format!("REQUEST\t\tx\t1000\t{}\tOK\t \n", 1_000 + ms));
    let text = lines.fold(run, |text, line| text + &line);
    let log = galo_record::gatling::GatlingLog::parse(std::path::Path::new("log"), text.as_bytes()).unwrap();
    let judged = JudgedLoad::of_log(log);
    for answered in [&judged.answered, &judged.parts[0].answered] {
        let of = &answered.latency_ok;
        assert_eq!([of.min, of.p50, of.p75, of.p99, of.max], [0.0, 499e3, 749e3, 989e3, 999e3]);
        let classes: Vec<_> = answered.classes.iter().map(|class| (class.up_to_ms, class.count)).collect();
        assert_eq!(classes, [(Some(800.0), 800), (Some(1_200.0), 200), (None, 0)], "800 ms is above 800 ms");
    }
}

#[test]
fn what_a_load_came_to_reads_back_from_its_json() {
    let asked = AskedLoad { arriving_ns: Some(1_000_000_000), ..AskedLoad::default() };
    let late = two(30, 90_000.0);
    let step = judge_load(&of_two(), AskedLoad { rate_per_s: Some(60.0), ..asked }, &late);
    let mut short = load(1_000);
    short.engine.own_errors.insert("too many open files".to_owned(), 1);
    let log = include_str!("../../../galo-record/tests/gatling/simulation-3.10.log").as_bytes();
    let log = galo_record::gatling::GatlingLog::parse(std::path::Path::new("log"), log).unwrap();
    for judged in [
        JudgedLoad::default(),
        stepped(&of_two(), asked, &late, &[step]),
        found(&[tried(&short, "errors==0", 2_000_000)]),
        JudgedLoad::of_log(log),
    ] {
        let json = crate::json::pretty(&judged);
        let read: JudgedLoad = serde_json::from_str(&json).unwrap();
        assert_eq!(crate::json::pretty(&read), json);
    }
}
