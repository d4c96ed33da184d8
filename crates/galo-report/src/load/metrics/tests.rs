use std::collections::BTreeSet;

use super::*;

fn text() -> String {
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
        engine: Some(&engine),
    }
    .to_text()
}

#[test]
fn a_running_load_is_told_as_prometheus_reads_it() {
    insta::assert_snapshot!(text());
}

/// One sample: name, labels, value.
fn sample(line: &str) -> (String, Vec<(String, String)>, f64) {
    let (series, value) = line.rsplit_once(' ').unwrap();
    let (name, labels) =
        series.split_once('{').map_or((series, ""), |(name, rest)| (name, rest.strip_suffix('}').unwrap()));
    let labels = labels.split_terminator(',').map(|label| {
        let (key, value) = label.split_once('=').unwrap();
        let value = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap();
        (key.to_owned(), value.to_owned())
    });
    (name.to_owned(), labels.collect(), value.parse().unwrap())
}

#[test]
fn every_line_follows_the_formats_rules() {
    let text = text();
    assert!(text.ends_with('\n'));
    let (mut family, mut seen, mut kind) = (String::new(), BTreeSet::new(), String::new());
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let name = help.split(' ').next().unwrap();
            assert!(seen.insert(name.to_owned()), "{name} comes twice");
            family = name.to_owned();
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, its_kind) = rest.split_once(' ').unwrap();
            assert_eq!(name, family, "the type follows the help");
            assert_eq!(its_kind == "counter", name.ends_with("_total"), "{name}");
            kind = its_kind.to_owned();
        } else {
            let (name, labels, value) = sample(line);
            let suffixes: &[&str] = if kind == "histogram" { &["_bucket", "_sum", "_count"] } else { &[""] };
            assert!(suffixes.iter().any(|suffix| name == format!("{family}{suffix}")), "{line}");
            let valid = |s: &str| s.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
            assert!(valid(&name) && labels.iter().all(|(key, _)| valid(key)), "{line}");
            assert!(value.is_finite() && value >= 0.0, "{line}");
        }
    }
}

#[test]
fn buckets_are_cumulative_and_end_with_the_count() {
    for family in ["galo_load_latency_seconds", "galo_load_service_time_seconds"] {
        let samples: Vec<_> = text().lines().filter(|line| line.starts_with(family)).map(sample).collect();
        let buckets: Vec<_> = samples.iter().filter(|(name, ..)| name.ends_with("_bucket")).collect();
        assert!(buckets.windows(2).all(|pair| pair[0].2 <= pair[1].2));
        let bounds: Vec<f64> = buckets.iter().map(|(_, labels, _)| labels[0].1.parse().unwrap()).collect();
        assert!(bounds.windows(2).all(|pair| pair[0] < pair[1]) && bounds.last() == Some(&f64::INFINITY));
        let count = samples.iter().find(|(name, ..)| name.ends_with("_count")).unwrap().2;
        assert_eq!(buckets.last().unwrap().2, count);
    }
}
