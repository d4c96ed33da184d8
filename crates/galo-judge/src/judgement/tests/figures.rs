//! The figures that are compared.

use super::*;
use crate::Measure;

#[test]
fn measures_are_of_compared_steps_and_of_the_loads_window_alone() {
    let mut round = RoundBuilder::clean();
    round.operations_of_ms(PROBE_SEARCH, 1, Right, 30_000);
    if let Some(placement) = &mut round.0.record.placement {
        placement.services[1].ready_after_ns = 1_250_000_000;
    }
    let plain = judged(&round).measures;
    assert_eq!(plain.get(Measure::CorrectWithinServiceLevel), Some(250.0));
    // Two services with 10 ms of CPU every 100 ms, over 20 s: 4 s for 250 right answers.
    assert_eq!(plain.get(Measure::CpuMsPer1000), Some(16_000.0));
    assert_eq!(plain.get(Measure::MemoryPeakBytes), Some(f64::from(200 << 20)));
    assert_eq!(plain.get(Measure::AnonymousPeakBytes), Some(f64::from(120 << 20)));
    assert_eq!(plain.get(Measure::ElapsedS), Some(2.5));
    assert_eq!(plain.get(Measure::StartS), Some(1.25), "the slowest one's");
    let p99_ms = plain.get(Measure::LatencyUsP99).expect("seen") / 1000.0;
    assert!((p99_ms - 10.0).abs() < 0.02, "{p99_ms}");
}

#[test]
fn slow_and_failed_answers_count_in_percentiles_with_the_latency_that_they_had() {
    let mut round = RoundBuilder::clean();
    round.operations_of_ms(READ, 3, TimedOut, 60_000);
    round.operations_of_ms(READ, 3, Right, 1_300);
    let measures = judged(&round).measures;
    assert_eq!(measures.get(Measure::CorrectWithinServiceLevel), Some(250.0));
    assert!(measures.get(Measure::LatencyUsP99).expect("seen") > 59_000_000.0);
    assert!(measures.get(Measure::LatencyUsP50).expect("seen") < 10_100.0);
}

#[test]
fn figures_that_nobody_saw_are_none_and_never_zero() {
    let mut round = RoundBuilder::clean();
    for sample in &mut round.0.samples {
        sample.services[1] = galo_record::sample::ServiceSample::default();
    }
    let measures = judged(&round).measures;
    assert_eq!((measures.get(Measure::CpuMsPer1000), measures.get(Measure::MemoryPeakBytes)), (None, None));
    round.0.samples.clear();
    assert_eq!(judged(&round).measures.get(Measure::AnonymousPeakBytes), None);
}
