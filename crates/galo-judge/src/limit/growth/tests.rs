use galo_plan::Kind;
use galo_record::act::{LoadTerms, UnitKind, UnitTerms, Workload};
use galo_record::load::StepRecord;
use galo_record::{Ledger, LoadRecord};

use super::super::hold::{HoldOutcome, HoldService};
use super::*;
use crate::bottleneck::Usage;
use crate::findings::{BusyNeighbour, Caused, Waiting};
use crate::testing::{CREATE, READ, plan};

/// A hold to make up: its scale in thousandths, CPU and median latency of each request in microseconds, whether it was met.
#[derive(Clone, Copy)]
struct Made(u64, f64, f64, bool);

/// Creations and reads of a hold for each thousandth of its scale.
const REQUESTS: u64 = 1;

fn neighbour() -> Finding {
    let cause = BusyNeighbour { waited_share: 0.5, others_cpus: 0.5, busiest: Some("cc".to_owned()) };
    Finding::new(Caused { cause, share: 0.5, waiting: Waiting { operations: 9, slow_ns: None } })
}

fn hold(Made(scale_milli, cpu_us, p50_us, met): Made) -> Hold {
    let requests = 2 * REQUESTS * scale_milli;
    let usage = Usage {
        cores: Some(4),
        busiest_thread: Some(0.2),
        waiting_threads: Some(0.0),
        memory_peak_bytes: Some(1),
        galo_cpus: Some(0.1),
        other_cpus: Some(0.05),
        ..Usage::default()
    };
    let service = HoldService {
        name: "api".to_owned(),
        cpus_milli: None,
        memory_limit_bytes: None,
        cpu_ns: Some((requests as f64 * cpu_us * 1e3) as u64),
        cpu_share: None,
        throttled_share: 0.0,
        memory_peak_bytes: None,
        anonymous_peak_bytes: None,
        oom_kills: 0,
        usage: Some(usage),
    };
    Hold {
        scale_milli,
        ledger: Ledger { intended: requests, ok: requests, ..Ledger::default() },
        latency: galo_record::Percentiles { p50: p50_us, ..galo_record::Percentiles::default() },
        services: vec![service],
        causes: if met { Vec::new() } else { vec![neighbour()] },
        outcome: HoldOutcome { met, valid: true, ..HoldOutcome::default() },
        ..Hold::default()
    }
}

/// The acts of these holds; `starts`: which of them begin with a start.
fn acts(plan: &Plan, made: &[Made], starts: &[usize]) -> Vec<Acted> {
    let mut acts = Vec::new();
    for (index, Made(scale_milli, ..)) in made.iter().enumerate() {
        let kind = UnitKind::Hold { scale_milli: *scale_milli, confirms: false };
        acts.push((Act::Begin(UnitTerms { number: index as u32 + 1, kind }), Outcome::Done));
        if starts.contains(&index) {
            acts.push((Act::Stop { contender: 0 }, Outcome::Stopped(Box::default())));
        }
        let mut steps = vec![StepRecord::default(); plan.challenge.steps().count()];
        for step in [CREATE, READ] {
            steps[usize::from(step)].ledger.ok = REQUESTS * scale_milli;
        }
        let loaded = Loaded { load: LoadRecord { steps, ..LoadRecord::default() }, ..Loaded::default() };
        let traffic = Workload::Hold { scale_milli: *scale_milli, length_ns: 1 };
        let terms = LoadTerms { contender: 0, traffic, kill: None };
        acts.push((Act::Load(terms), Outcome::Loaded(Box::new(loaded))));
        acts.push((Act::Close, Outcome::Done));
    }
    let acted = |(number, (act, outcome))| Acted { number, began_ns: 0, ended_ns: 0, act, outcome };
    (0..).zip(acts).map(acted).collect()
}

fn told_with(made: &[Made], starts: &[usize], change: impl Fn(&mut Plan, &mut [Hold])) -> Vec<Vec<String>> {
    let mut plan = Plan { kind: Kind::Check { crashes: false }, ..plan() };
    let mut holds: Vec<Hold> = made.iter().copied().map(hold).collect();
    change(&mut plan, &mut holds);
    tell(&plan, &acts(&plan, made, starts), &mut holds);
    holds.iter().map(|hold| hold.causes.iter().map(|cause| cause.name().to_owned()).collect()).collect()
}

fn told(made: &[Made]) -> Vec<Vec<String>> {
    told_with(made, &[0], |_, _| {})
}

const GROWS: &str = "cost-grows-with-stored";

/// Every request costs more with what is there; from scale 4 on it is too much.
const GROWING: [Made; 5] = [
    Made(1_000, 100.0, 500.0, true),
    Made(2_000, 180.0, 600.0, true),
    Made(4_000, 400.0, 90_000.0, false),
    Made(4_000, 800.0, 120_000.0, false),
    Made(2_800, 1_100.0, 100_000.0, false),
];

#[test]
fn what_costs_more_at_a_scale_that_is_no_higher_is_the_first_cause_and_no_neighbour_is_blamed() {
    let causes = told(&GROWING);
    assert_eq!(causes, [vec![], vec![], vec![GROWS], vec![GROWS], vec![GROWS]]);
    let mut holds: Vec<Hold> = GROWING.iter().copied().map(hold).collect();
    let plan = plan();
    tell(&plan, &acts(&plan, &GROWING, &[0]), &mut holds);
    let HeldUp::CostGrows { earlier, later } = held_up_by(&holds[4]) else { panic!("it grows") };
    // Half of its own writes are there in the middle of a hold.
    assert_eq!((earlier.scale_milli, earlier.written, earlier.cpu_us_each), (4_000, 5_000, Some(400.0)));
    assert_eq!((later.scale_milli, later.written, later.cpu_us_each), (2_800, 12_400, Some(1_100.0)));
}

#[test]
fn what_was_stored_stays_for_the_holds_after_it() {
    let mut made = GROWING.to_vec();
    made.push(Made(10, 9_000.0, 90_000.0, false));
    assert_eq!(told(&made)[5], [GROWS], "so few requests say nothing themselves");
    assert_eq!(told_with(&made, &[0, 5], |_, _| {})[5], ["busy-neighbour"], "it was started afresh");
}

#[test]
fn what_costs_as_much_as_before_is_left_to_the_other_causes() {
    let flat = GROWING.map(|Made(scale, _, p50, met)| Made(scale, 400.0, p50, met));
    assert_eq!(
        told(&flat),
        [vec![], vec![], vec!["busy-neighbour"], vec!["busy-neighbour"], vec!["busy-neighbour"]]
    );
    // Less of everything makes each request dearer, but not three times and not step by step.
    let idle = [
        Made(8_000, 100.0, 90_000.0, false),
        Made(1_000, 140.0, 400.0, true),
        Made(2_000, 120.0, 90_000.0, false),
    ];
    assert!(told(&idle).iter().flatten().all(|name| name != GROWS));
}

#[test]
fn one_dear_hold_among_cheap_ones_is_no_growth() {
    let once = [
        Made(1_000, 300.0, 500.0, true),
        Made(2_000, 290.0, 600.0, true),
        Made(4_000, 280.0, 90_000.0, false),
        Made(4_000, 270.0, 120_000.0, false),
        Made(2_800, 265.0, 500.0, true),
        Made(3_400, 410.0, 90_000.0, false),
    ];
    assert!(told(&once).iter().flatten().all(|name| name != GROWS));
}

#[test]
fn a_fresh_start_begins_anew_and_a_load_that_writes_nothing_stores_nothing() {
    let anew = told_with(&GROWING, &[0, 3, 4], |_, _| {});
    assert!(anew.iter().flatten().all(|name| name != GROWS), "{anew:?}");
    let reads = told_with(&GROWING, &[0], |plan, _| {
        for step in plan.challenge.scenarios.iter_mut().flat_map(|scenario| &mut scenario.steps) {
            (step.creates, step.method) = (false, "GET".to_owned());
        }
    });
    assert!(reads.iter().flatten().all(|name| name != GROWS), "{reads:?}");
    let posts = told_with(&GROWING, &[0], |plan, _| {
        for step in plan.challenge.scenarios.iter_mut().flat_map(|scenario| &mut scenario.steps) {
            step.creates = false;
        }
    });
    assert_eq!(posts[4], [GROWS], "a POST may store something, whether the challenge counts it or not");
}

#[test]
fn latency_alone_shows_it_where_no_service_was_short_of_anything_and_nobody_else_was_there() {
    let slower = GROWING.map(|Made(scale, cpu, _, met)| Made(scale, 100.0, cpu * 100.0, met));
    assert_eq!(told(&slower)[4], ["busy-neighbour"], "not three times as long as at scale 4");
    let mut far = slower;
    far[4].2 = 400_000.0;
    assert_eq!(told(&far)[4], [GROWS]);
    let beside = told_with(&far, &[0], |_, holds| {
        for usage in
            holds.iter_mut().flat_map(|hold| &mut hold.services).flat_map(|service| &mut service.usage)
        {
            usage.other_cpus = Some(0.9);
        }
    });
    assert_eq!(beside[4], ["busy-neighbour"]);
}
