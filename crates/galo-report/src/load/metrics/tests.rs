use super::*;
use crate::metrics::tests::{assert_rules, sample};

fn text(is_over: bool) -> String {
    let mut latency = Latencies::new();
    for us in [40, 60, 990, 1_100, 70_000, 61_000_000] {
        latency.record_ns(us * 1000);
    }
    let ledger = Ledger { intended: 8, ok: 5, timed_out: 1, ..Ledger::default() };
    let engine =
        EngineRecord { lag_us_p50: 31.0, lag_us_max: 2_000.0, cpu_ns: 12_345_678, ..EngineRecord::default() };
    Metrics {
        elapsed_ns: 1_500_000_000,
        ledger: &ledger,
        statuses: &[(200, 5)].into(),
        errors: &[("TLS: \"bad\"\\\n".to_owned(), 1)].into(),
        in_flight: 2,
        latency: &latency,
        service_time: &Latencies::new(),
        lag_us_p99: 40,
        engine: is_over.then_some(&engine),
    }
    .to_text()
}

#[test]
fn a_running_load_is_told_as_prometheus_reads_it() {
    insta::assert_snapshot!(text(true));
}

#[test]
fn what_is_known_of_lag_before_the_end_is_of_the_last_moment() {
    let text = text(false);
    let lags: Vec<_> = text.lines().filter(|line| line.starts_with("galo_load_lag")).collect();
    assert_eq!(lags, ["galo_load_lag_seconds{quantile=\"0.99\"} 0.00004"]);
    assert!(!text.contains("galo_load_cpu_seconds"), "{text}");
}

#[test]
fn every_line_follows_the_formats_rules() {
    assert_rules(&text(true));
    assert_rules(&text(false));
}

#[test]
fn buckets_are_cumulative_and_end_with_the_count() {
    for family in ["galo_load_latency_seconds", "galo_load_service_time_seconds"] {
        let samples: Vec<_> =
            text(true).lines().filter(|line| line.starts_with(family)).map(sample).collect();
        let buckets: Vec<_> = samples.iter().filter(|(name, ..)| name.ends_with("_bucket")).collect();
        assert!(buckets.windows(2).all(|pair| pair[0].2 <= pair[1].2));
        let bounds: Vec<f64> = buckets.iter().map(|(_, labels, _)| labels[0].1.parse().unwrap()).collect();
        assert!(bounds.windows(2).all(|pair| pair[0] < pair[1]) && bounds.last() == Some(&f64::INFINITY));
        let count = samples.iter().find(|(name, ..)| name.ends_with("_count")).unwrap().2;
        assert_eq!(buckets.last().unwrap().2, count);
    }
}
