use std::collections::BTreeMap;

use galo_record::load::StepRecord;
use galo_record::{CpuQuota, Ledger};

use super::*;
use crate::testing::{RoundBuilder, reasons, samples};

/// Why a load of 10 s with these percentiles of latency is void.
fn told(latency_us: [u64; 2], engine: &EngineRecord, is_open: bool) -> Vec<VoidReason> {
    let mut latencies = StepLatencies::default();
    for us in [[latency_us[0]; 8], [latency_us[1]; 8]].concat() {
        latencies.ok.record_ns(us * 1000);
    }
    let load = LoadRecord { ended_ns: 10_000_000_000, engine: engine.clone(), ..LoadRecord::default() };
    of_load(&load, &latencies, is_open, false)
}

#[test]
fn lag_is_held_against_the_latency_that_it_would_hide_in() {
    let late = |lag_us: [f64; 2], latency_us| {
        let [lag_us_p50, lag_us_p99] = lag_us;
        let engine = EngineRecord { lag_us_p50, lag_us_p99, ..EngineRecord::default() };
        told(latency_us, &engine, true).into_iter().next().map(|reason| match reason {
            VoidReason::GaloLate(GaloLate { percentile, .. }) => percentile,
            other => panic!("{other:?}"),
        })
    };
    assert_eq!(late([0.0, 990.0], [50, 50]), None, "a millisecond is always fine");
    assert_eq!(late([0.0, 1_010.0], [50, 50]), Some(99));
    assert_eq!(late([0.0, 9_900.0], [100_000, 100_000]), None);
    assert_eq!(late([0.0, 9_900.0], [50, 100_000]), None, "the tail's lag hides in the tail");
    assert_eq!(late([0.0, 10_200.0], [50, 100_000]), Some(99));
    assert_eq!(late([1_010.0, 1_010.0], [50, 100_000]), Some(50), "and the median's does not");
    assert_eq!(late([0.0, f64::NAN], [50, 50]), Some(99), "what is no number does not pass");
    let engine = EngineRecord { lag_us_p50: 1e6, lag_us_p99: 1e6, ..EngineRecord::default() };
    assert!(told([50, 50], &engine, false).is_empty(), "a closed loop is never late");
}

#[test]
fn lag_is_judged_before_it_is_rounded() {
    let engine = EngineRecord { lag_us_p99: 1_000.04, ..EngineRecord::default() };
    assert_eq!(told([50, 50], &engine, true).len(), 1);
}

#[test]
fn waiting_for_a_core_counts_by_its_share_and_from_some_length_on() {
    let waited = |ms: u64| EngineRecord { run_queue_ns: vec![0, ms * 1_000_000], ..EngineRecord::default() };
    assert!(told([50, 50], &waited(490), false).is_empty());
    let reason = VoidReason::GaloBusy(GaloBusy::Waited { share: 0.051, bound: 0.05 });
    assert_eq!(told([50, 50], &waited(510), false), [reason]);
    assert!(of_engine(&waited(19), (100_000_000, 1_000), [50.0; 2], false).is_empty());
}

#[test]
fn who_waited_for_a_connection_may_have_waited_for_a_galo_that_was_always_busy() {
    let told = |busy_ms: u64, waited, is_open, spins| {
        let engine =
            EngineRecord { thread_cpu_ns: vec![0, busy_ms * 1_000_000], waited, ..EngineRecord::default() };
        let load = LoadRecord {
            ended_ns: 10_000_000_000,
            engine,
            steps: vec![of_a_hundred()],
            ..LoadRecord::default()
        };
        of_load(&load, &StepLatencies::default(), is_open, spins)
    };
    let reason = GaloBusy::KeptWaiting { share: 0.95, bound: 0.9, waited: 0.02 };
    assert_eq!(told(9_500, 2, true, false), [reason.into()]);
    for (busy_ms, waited, is_open, spins) in
        [(9_500, 1, true, false), (9_500, 2, false, false), (9_500, 2, true, true), (8_900, 2, true, false)]
    {
        assert_eq!(told(busy_ms, waited, is_open, spins), []);
    }
}

/// A step of a hundred operations.
fn of_a_hundred() -> StepRecord {
    StepRecord { ledger: Ledger { intended: 100, ok: 100, ..Ledger::default() }, ..StepRecord::default() }
}

#[test]
fn a_quota_that_stopped_galo_is_named_before_what_it_led_to_and_spoils_nothing_alone() {
    let quota = |throttled_ns| {
        let quota = CpuQuota { cpus: 0.5, file: "cpu.max".to_owned(), throttled_ns };
        EngineRecord { quota: Some(quota), ..EngineRecord::default() }
    };
    assert!(told([50, 50], &quota(3_200_000_000), true).is_empty());
    let late = |throttled_ns| EngineRecord { lag_us_p99: 9_000.0, ..quota(throttled_ns) };
    let reasons = told([50, 50], &late(3_200_000_000), true);
    let throttled = |stopped_s| {
        let file = "cpu.max".to_owned();
        VoidReason::GaloThrottled(GaloThrottled { cpus: 0.5, file, stopped_s, length_s: 10.0 })
    };
    assert_eq!(reasons[0], throttled(3.2));
    assert!(matches!(reasons[1..], [VoidReason::GaloLate(_)]), "{reasons:?}");
    assert_eq!(told([50, 50], &late(0), true).len(), 1, "a quota that stopped nobody is no cause");
    let cores = 4 * 9_000_000_000;
    assert_eq!(told([50, 50], &late(cores), true)[0], throttled(10.0), "of several cores it is the sum");
    let waited = EngineRecord { run_queue_ns: vec![5_000_000_000], ..quota(3_200_000_000) };
    assert_eq!(told([50, 50], &waited, false)[0], throttled(3.2));
}

#[test]
fn what_galo_could_not_try_makes_a_load_void() {
    let operations: BTreeMap<_, _> =
        [("no free local port".to_owned(), 4), ("too many open files".to_owned(), 1)].into();
    let engine = EngineRecord { own_errors: operations.clone(), ..EngineRecord::default() };
    assert_eq!(
        told([50, 50], &engine, false),
        [VoidReason::GaloCouldNotSend(GaloCouldNotSend { operations })]
    );
}

#[test]
fn a_busy_engine_is_noted_of_a_load_unless_it_was_told_to_stay_awake() {
    let engine = EngineRecord { threads: 2, cpu_ns: 19_000_000_000, ..EngineRecord::default() };
    assert!(told([50, 50], &engine, true).is_empty());
    let load = LoadRecord { ended_ns: 10_000_000_000, engine, ..LoadRecord::default() };
    assert_eq!(busy_share(&load, false), Some(0.95));
    assert_eq!(busy_share(&load, true), None);
}

#[test]
fn a_hold_is_late_from_a_rounds_bound_on_and_by_what_its_answers_take() {
    let hold = |lag_us_p99, latency_ms: u64| {
        let mut round = RoundBuilder::clean().0;
        round.record.load.engine.lag_us_p99 = lag_us_p99;
        let mut latencies = StepLatencies::default();
        latencies.ok.record_ns(latency_ms * 1_000_000);
        (of_hold(&round, &latencies).len(), of_round(&round, true).len())
    };
    assert_eq!(hold(4_900.0, 1), (0, 0));
    assert_eq!(hold(5_100.0, 1), (1, 1));
    assert_eq!(hold(5_100.0, 100), (0, 1), "contenders that are compared have one bound");
}

/// Why a round is void in which the first service, limited to 0.5 CPU, used so many milliseconds until each look.
fn using(used_ms: impl Fn(u64) -> u64) -> Vec<VoidReason> {
    let mut round = RoundBuilder::clean();
    let placed = round.0.record.placement.as_mut().expect("placed");
    placed.services[0].cpus_milli = Some(500);
    let look = std::cell::Cell::new(0);
    round.0.samples = samples(|service, sample| {
        if service == 0 {
            sample.cpu_ns = used_ms(look.replace(look.get() + 1)) * 1_000_000;
        }
    });
    of_round(&round.0, true)
}

#[test]
fn a_service_that_used_more_than_its_quota_for_a_second_makes_a_round_void() {
    let over = using(|look| 50 * look + 25 * look.saturating_sub(5).min(20));
    insta::assert_snapshot!(reasons(&over), @r#"{"kind":"unequal-terms","by":"over-quota","service":"api","over_s":0.3975,"limit_cpus":0.5,"factor":1.05}"#);
}

#[test]
fn a_quota_used_up_and_one_period_more_is_nothing_unusual() {
    assert_eq!(using(|look| 50 * look), []);
    // All of a period at its end, then all of the next ones at their beginnings.
    assert_eq!(using(|look| 50 * look + if look > 5 { 50 } else { 0 }), []);
}
