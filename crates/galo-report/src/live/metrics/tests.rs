use std::collections::BTreeMap;
use std::time::Instant;

use galo_plan::PairId;
use galo_record::act::{Act, Acted, LoadTerms, Loaded, Outcome, UnitKind, UnitTerms, Workload};
use galo_record::{Event, Ledger, LoadRecord, StepRecord};

use super::*;
use crate::metrics::tests::{assert_rules, sample};

fn placement(contender: &str) -> Event {
    let service = ServicePlacement {
        name: "api \"1\"".to_owned(),
        group: None,
        pid: 1,
        log: "log".into(),
        cpus_milli: Some(450),
        memory_bytes: None,
        ulimits: BTreeMap::new(),
        ready_after_ns: 0,
        listens: None,
        image: None,
    };
    Event::Watched(Box::new(Placement {
        contender: contender.to_owned(),
        target: "127.0.0.1:9999".parse().unwrap(),
        limits_enforced: true,
        limits_note: None,
        walls_note: None,
        services: vec![service],
    }))
}

fn progress(done: u64) -> Event {
    Event::Progress(Progress {
        arrival_rate: Some(62.5),
        in_flight: 3,
        done,
        wrong: 2,
        failed: 1,
        latency_us_p50: 1_500,
        latency_us_p99: 20_000,
        lag_us_p99: 40,
        ..Progress::default()
    })
}

fn sampled() -> Event {
    let service = ServiceSample {
        cpu_ns: 1_250_000_000,
        periods: 30,
        throttled_periods: 4,
        throttled_ns: 90_000_000,
        memory_bytes: 3 << 20,
        anonymous_bytes: 1 << 20,
        ..ServiceSample::default()
    };
    Event::Sampled(Sample { services: vec![service], ..Sample::default() })
}

/// A run that is heard act by act, and its metrics.
struct Heard {
    run: Ongoing,
    names: [&'static str; 2],
    planned: Option<usize>,
}

fn heard(kind: &'static str, unit: &'static str, planned: Option<usize>) -> Heard {
    let mut run = Ongoing::default();
    run.name_contenders(vec!["mine".to_owned(), "yours".to_owned()]);
    Heard { run, names: [kind, unit], planned }
}

fn fight(planned: usize) -> Heard {
    heard("fight", "round", Some(planned))
}

/// A round of the contender at this place.
const fn round(contender: usize) -> UnitKind {
    UnitKind::Round { contender, slot: 0, pair: PairId { pair: 0, attempt: 0 }, crash: None }
}

impl Heard {
    fn act(&mut self, act: &Act) {
        self.run.begins(act, Instant::now());
    }

    fn begin(&mut self, number: u32, kind: UnitKind) {
        self.act(&Act::Begin(UnitTerms { number, kind }));
    }

    fn load(&mut self, contender: usize) {
        self.act(&load_of(contender));
    }

    fn end_load(&mut self, ledger: Ledger) {
        let load =
            LoadRecord { steps: vec![StepRecord { ledger, ..Default::default() }], ..Default::default() };
        let outcome = Outcome::Loaded(Box::new(Loaded { load, ..Loaded::default() }));
        self.run.ended(&Acted { number: 0, began_ns: 0, ended_ns: 1, act: load_of(0), outcome });
    }

    fn hear(&mut self, event: &Event) {
        self.run.hears(event, Instant::now());
    }

    fn text(&self) -> String {
        run_metrics(&self.run, self.names, self.planned)
    }

    /// The value of a series as it is written; `None`: there is none.
    fn value(&self, series: &str) -> Option<f64> {
        let text = self.text();
        let line =
            text.lines().find(|line| line.strip_prefix(series).is_some_and(|rest| rest.starts_with(' ')));
        line.map(|line| sample(line).2)
    }
}

fn load_of(contender: usize) -> Act {
    Act::Load(LoadTerms { contender, traffic: Workload::Profile { repeats: 1 }, kill: None })
}

#[test]
fn a_round_under_way_is_told_as_prometheus_reads_it() {
    let mut fight = fight(12);
    fight.begin(1, round(0));
    fight.load(0);
    fight.end_load(Ledger { intended: 7, ok: 5, timed_out: 1, unfinished: 1, ..Ledger::default() });
    fight.run.judged("valid");
    fight.begin(2, round(1));
    fight.hear(&placement("yours"));
    fight.load(1);
    fight.hear(&sampled());
    fight.hear(&progress(10));
    assert_rules(&fight.text());
    insta::assert_snapshot!(fight.text());
}

#[test]
fn between_rounds_only_what_is_over_is_told() {
    let mut fight = fight(2);
    fight.begin(1, round(0));
    fight.hear(&placement("mine"));
    fight.hear(&sampled());
    fight.act(&Act::Stop { contender: 0 });
    fight.run.judged("void");
    let text = fight.text();
    assert_rules(&text);
    assert!(!text.contains("galo_service") && !text.contains("galo_fight_phase"), "{text}");
    assert_eq!(fight.value("galo_fight_rounds_total{contender=\"mine\",standing=\"void\"}"), Some(1.0));
}

#[test]
fn a_contender_that_stays_up_is_told_from_one_hold_to_the_next() {
    let mut limit = heard("limit", "hold", None);
    limit.hear(&placement("mine"));
    limit.begin(1, UnitKind::Hold { scale_milli: 1_000, confirms: false });
    limit.run.judged("met");
    limit.hear(&sampled());
    let text = limit.text();
    assert_rules(&text);
    assert!(text.contains("galo_service_cpu_seconds_total") && !text.contains("holds_planned"), "{text}");
    assert_eq!(limit.value("galo_limit_holds_total{contender=\"mine\",standing=\"met\"}"), Some(1.0));
}

#[test]
fn a_pair_is_of_both_sides_and_their_requests_are_told_apart() {
    let mut duel = heard("duel", "pair", Some(8));
    duel.begin(1, UnitKind::Pair { pair: 0, start: 0 });
    for side in [0, 1] {
        duel.load(side);
        duel.end_load(Ledger { ok: 3, ..Ledger::default() });
    }
    duel.run.judged("valid");
    assert_rules(&duel.text());
    assert_eq!(duel.value("galo_duel_pairs_total{standing=\"valid\"}"), Some(1.0));
    assert_eq!(duel.value("galo_duel_requests_total{contender=\"yours\",result=\"ok\"}"), Some(3.0));
}

#[test]
fn requests_go_on_over_the_rounds_of_a_contender_and_never_fall() {
    let ok = |fight: &Heard| fight.value("galo_fight_requests_total{contender=\"mine\",result=\"ok\"}");
    let mut fight = fight(2);
    fight.begin(1, round(0));
    assert_eq!(ok(&fight), Some(0.0));
    fight.load(0);
    fight.hear(&progress(103));
    assert_eq!(ok(&fight), Some(100.0));
    fight.end_load(Ledger { ok: 120, wrong: 2, failed: 1, ..Ledger::default() });
    assert_eq!(ok(&fight), Some(120.0));
    // What is left of the first load comes late.
    fight.hear(&progress(119));
    assert_eq!(ok(&fight), Some(120.0));
    fight.begin(2, round(0));
    fight.load(0);
    fight.hear(&progress(13));
    assert_eq!(ok(&fight), Some(130.0));
}

#[test]
fn news_of_the_load_before_is_not_taken_for_the_one_under_way() {
    let mut fight = fight(1);
    fight.begin(1, round(0));
    fight.load(0);
    let Event::Progress(last) = progress(90) else { panic!("no progress") };
    fight.hear(&Event::Progress(Progress { elapsed_ns: 3_600_000_000_000, ..last }));
    assert_eq!(fight.value("galo_fight_in_flight_requests{contender=\"mine\"}"), None);
    fight.hear(&progress(13));
    assert_eq!(fight.value("galo_fight_in_flight_requests{contender=\"mine\"}"), Some(3.0));
}

#[test]
fn a_round_goes_from_one_phase_to_the_next() {
    let mut fight = fight(1);
    let phase = |fight: &Heard| {
        let is = |phase: &&str| fight.value(&format!("galo_fight_phase{{phase=\"{phase}\"}}")) == Some(1.0);
        PHASES.map(|(_, name)| name).iter().filter(|name| is(name)).copied().collect::<Vec<_>>()
    };
    assert!(phase(&fight).is_empty());
    fight.begin(1, round(0));
    assert_eq!(phase(&fight), ["starting"]);
    fight.hear(&placement("mine"));
    assert_eq!(phase(&fight), ["ready"]);
    fight.load(0);
    fight.hear(&progress(4));
    assert_eq!(phase(&fight), ["load"]);
    fight.end_load(Ledger::default());
    assert_eq!(phase(&fight), ["rest"]);
    fight.act(&Act::Stop { contender: 0 });
    assert_eq!(phase(&fight), ["rest"], "until the unit is judged");
}
