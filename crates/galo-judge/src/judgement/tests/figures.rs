//! The figures that are compared.

use super::*;

#[test]
fn measures_are_of_compared_steps_and_of_the_loads_window_alone() {
    let mut round = RoundBuilder::clean();
    round.operations_of_ms(PROBE_SEARCH, 1, Right, 30_000);
    let plain = judged(&round).measures;
    assert_eq!(plain.correct_within_service_level, Some(250.0));
    // Two services with 10 ms of CPU every 100 ms, over 20 s: 4 s for 250 right answers.
    assert_eq!(plain.cpu_ms_per_1000, Some(16_000.0));
    assert_eq!(plain.memory_peak_bytes, Some(f64::from(200 << 20)));
    assert_eq!(plain.anonymous_peak_bytes, Some(f64::from(120 << 20)));
    assert_eq!(plain.elapsed_s, Some(2.5));
    let p99_ms = plain.latency_us_p99.expect("seen") / 1000.0;
    assert!((p99_ms - 10.0).abs() < 0.02, "{p99_ms}");
}

#[test]
fn slow_and_failed_answers_count_in_percentiles_with_the_latency_that_they_had() {
    let mut round = RoundBuilder::clean();
    round.operations_of_ms(READ, 3, TimedOut, 60_000);
    round.operations_of_ms(READ, 3, Right, 1_300);
    let measures = judged(&round).measures;
    assert_eq!(measures.correct_within_service_level, Some(250.0));
    assert!(measures.latency_us_p99.expect("seen") > 59_000_000.0);
    assert!(measures.latency_us_p50.expect("seen") < 10_100.0);
}

#[test]
fn figures_that_nobody_saw_are_none_and_never_zero() {
    let mut round = RoundBuilder::clean();
    for sample in &mut round.0.samples {
        sample.services[1] = galo_record::sample::ServiceSample::default();
    }
    let measures = judged(&round).measures;
    assert_eq!((measures.cpu_ms_per_1000, measures.memory_peak_bytes), (None, None));
    round.0.samples.clear();
    assert_eq!(judged(&round).measures.anonymous_peak_bytes, None);
}
