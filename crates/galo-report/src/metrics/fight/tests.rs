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
    };
    Event::Watched(Box::new(Placement {
        contender: contender.to_owned(),
        target: "127.0.0.1:9999".parse().unwrap(),
        limits_enforced: true,
        limits_note: None,
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
fn value(metrics: &FightMetrics, series: &str) -> Option<f64> {
    let text = metrics.to_text();
    let line = text.lines().find(|line| line.strip_prefix(series).is_some_and(|rest| rest.starts_with(' ')));
    line.map(|line| sample(line).2)
}

#[test]
fn a_round_under_way_is_told_as_prometheus_reads_it() {
    let mut metrics = FightMetrics::new(12);
    metrics.begin_round(1, "mine");
    metrics.close_round(
        &Ledger { intended: 7, ok: 5, timed_out: 1, unfinished: 1, ..Ledger::default() },
        &Standing::Valid,
    );
    metrics.begin_round(2, "yours");
    for event in [placement("yours"), sampled(), progress(10)] {
        metrics.hear(&event);
    }
    assert_rules(&metrics.to_text());
    insta::assert_snapshot!(metrics.to_text());
}

#[test]
fn between_rounds_only_what_is_over_is_told() {
    let mut metrics = FightMetrics::new(2);
    metrics.begin_round(1, "mine");
    metrics.hear(&placement("mine"));
    metrics.hear(&sampled());
    metrics.close_round(&Ledger::default(), &Standing::Void { reasons: Vec::new() });
    let text = metrics.to_text();
    assert_rules(&text);
    assert!(!text.contains("galo_service") && !text.contains("galo_fight_phase"), "{text}");
    assert_eq!(value(&metrics, "galo_fight_rounds_total{contender=\"mine\",standing=\"void\"}"), Some(1.0));
}

#[test]
fn requests_go_on_over_the_rounds_of_a_contender_and_never_fall() {
    let ok = |metrics: &FightMetrics| {
        value(metrics, "galo_fight_requests_total{contender=\"mine\",result=\"ok\"}")
    };
    let mut metrics = FightMetrics::new(2);
    metrics.begin_round(1, "mine");
    assert_eq!(ok(&metrics), Some(0.0));
    metrics.hear(&placement("mine"));
    metrics.hear(&progress(103));
    assert_eq!(ok(&metrics), Some(100.0));
    metrics.close_round(&Ledger { ok: 120, wrong: 2, failed: 1, ..Ledger::default() }, &Standing::Valid);
    assert_eq!(ok(&metrics), Some(120.0));
    metrics.begin_round(2, "mine");
    // What the first round left comes late.
    metrics.hear(&progress(120));
    assert_eq!(ok(&metrics), Some(120.0));
    metrics.hear(&placement("mine"));
    metrics.hear(&progress(13));
    assert_eq!(ok(&metrics), Some(130.0));
}

#[test]
fn a_round_goes_from_one_phase_to_the_next() {
    let mut metrics = FightMetrics::new(1);
    let phase = |metrics: &FightMetrics| {
        let is =
            |phase: &&&str| value(metrics, &format!("galo_fight_phase{{phase=\"{phase}\"}}")) == Some(1.0);
        PHASES.iter().filter(is).copied().collect::<Vec<_>>()
    };
    assert!(phase(&metrics).is_empty());
    metrics.begin_round(1, "mine");
    assert_eq!(phase(&metrics), ["starting"]);
    let counted = Event::Counted { value: Some(1) };
    for (event, then) in
        [(placement("mine"), "ready"), (counted.clone(), "ready"), (progress(4), "load"), (counted, "rest")]
    {
        metrics.hear(&event);
        assert_eq!(phase(&metrics), [then]);
    }
}
