use galo_record::placement::ServicePlacement;

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

/// The value of a series as it is written; `None`: there is none.
fn value(metrics: &RunMetrics, series: &str) -> Option<f64> {
    let text = metrics.to_text();
    let line = text.lines().find(|line| line.strip_prefix(series).is_some_and(|rest| rest.starts_with(' ')));
    line.map(|line| sample(line).2)
}

fn fight(planned: usize) -> RunMetrics {
    RunMetrics::new("fight", "round", Some(planned))
}

#[test]
fn a_round_under_way_is_told_as_prometheus_reads_it() {
    let mut metrics = fight(12);
    metrics.begin_unit(1, Some("mine"));
    metrics.begin_load("mine");
    metrics.end_load(&Ledger { intended: 7, ok: 5, timed_out: 1, unfinished: 1, ..Ledger::default() });
    metrics.close_unit("valid");
    metrics.begin_unit(2, Some("yours"));
    metrics.hear(&placement("yours"));
    metrics.begin_load("yours");
    metrics.hear(&sampled());
    metrics.hear(&progress(10));
    assert_rules(&metrics.to_text());
    insta::assert_snapshot!(metrics.to_text());
}

#[test]
fn between_rounds_only_what_is_over_is_told() {
    let mut metrics = fight(2);
    metrics.begin_unit(1, Some("mine"));
    metrics.hear(&placement("mine"));
    metrics.hear(&sampled());
    metrics.stop();
    metrics.close_unit("void");
    let text = metrics.to_text();
    assert_rules(&text);
    assert!(!text.contains("galo_service") && !text.contains("galo_fight_phase"), "{text}");
    assert_eq!(value(&metrics, "galo_fight_rounds_total{contender=\"mine\",standing=\"void\"}"), Some(1.0));
}

#[test]
fn a_contender_that_stays_up_is_told_from_one_hold_to_the_next() {
    let mut metrics = RunMetrics::new("limit", "hold", None);
    metrics.hear(&placement("mine"));
    metrics.begin_unit(1, Some("mine"));
    metrics.close_unit("met");
    metrics.hear(&sampled());
    let text = metrics.to_text();
    assert_rules(&text);
    assert!(text.contains("galo_service_cpu_seconds_total") && !text.contains("holds_planned"), "{text}");
    assert_eq!(value(&metrics, "galo_limit_holds_total{contender=\"mine\",standing=\"met\"}"), Some(1.0));
}

#[test]
fn a_pair_is_of_both_sides_and_their_requests_are_told_apart() {
    let mut metrics = RunMetrics::new("duel", "pair", Some(8));
    metrics.begin_unit(1, None);
    for side in ["old", "new"] {
        metrics.begin_load(side);
        metrics.end_load(&Ledger { ok: 3, ..Ledger::default() });
    }
    metrics.close_unit("valid");
    assert_rules(&metrics.to_text());
    assert_eq!(value(&metrics, "galo_duel_pairs_total{standing=\"valid\"}"), Some(1.0));
    assert_eq!(value(&metrics, "galo_duel_requests_total{contender=\"new\",result=\"ok\"}"), Some(3.0));
}

#[test]
fn requests_go_on_over_the_rounds_of_a_contender_and_never_fall() {
    let ok =
        |metrics: &RunMetrics| value(metrics, "galo_fight_requests_total{contender=\"mine\",result=\"ok\"}");
    let mut metrics = fight(2);
    metrics.begin_unit(1, Some("mine"));
    assert_eq!(ok(&metrics), Some(0.0));
    metrics.begin_load("mine");
    metrics.hear(&progress(103));
    assert_eq!(ok(&metrics), Some(100.0));
    metrics.end_load(&Ledger { ok: 120, wrong: 2, failed: 1, ..Ledger::default() });
    assert_eq!(ok(&metrics), Some(120.0));
    // What is left of the first load comes late.
    metrics.hear(&progress(119));
    assert_eq!(ok(&metrics), Some(120.0));
    metrics.begin_unit(2, Some("mine"));
    metrics.begin_load("mine");
    metrics.hear(&progress(13));
    assert_eq!(ok(&metrics), Some(130.0));
}

#[test]
fn a_round_goes_from_one_phase_to_the_next() {
    let mut metrics = fight(1);
    let phase = |metrics: &RunMetrics| {
        let is =
            |phase: &&&str| value(metrics, &format!("galo_fight_phase{{phase=\"{phase}\"}}")) == Some(1.0);
        PHASES.iter().filter(is).copied().collect::<Vec<_>>()
    };
    assert!(phase(&metrics).is_empty());
    metrics.begin_unit(1, Some("mine"));
    assert_eq!(phase(&metrics), ["starting"]);
    metrics.hear(&placement("mine"));
    assert_eq!(phase(&metrics), ["ready"]);
    metrics.begin_load("mine");
    metrics.hear(&progress(4));
    assert_eq!(phase(&metrics), ["load"]);
    metrics.end_load(&Ledger::default());
    assert_eq!(phase(&metrics), ["rest"]);
}
