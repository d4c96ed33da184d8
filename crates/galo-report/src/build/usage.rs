//! What services and machine used between two moments, from cumulative counters.

use galo_record::sample::{HostSample, ServiceSample};
use galo_record::{RoundRecord, Sample};

use crate::digits::seconds;
use crate::report::{HostReport, ServiceReport};

/// The samples from the last one before the load's start to the first one after its end, so that nothing is cut off.
pub(crate) fn window<'a>(record: &RoundRecord, samples: &'a [Sample]) -> &'a [Sample] {
    let first = samples.partition_point(|s| s.at_ns <= record.load_started_ns).saturating_sub(1);
    let last = samples.partition_point(|s| s.at_ns < record.load_ended_ns).saturating_add(1);
    samples.get(first..last.min(samples.len())).unwrap_or_default()
}

/// One report for each placed service.
pub(crate) fn services(record: &RoundRecord, window: &[Sample]) -> Vec<ServiceReport> {
    let placed = record.placement.iter().flat_map(|p| &p.services).enumerate();
    placed
        .map(|(index, placed)| {
            let seen: Vec<_> = window.iter().filter_map(|s| s.services.get(index)).collect();
            let grown = |counter: fn(&ServiceSample) -> u64| growth(&seen, counter);
            ServiceReport {
                name: placed.name.clone(),
                cpu_s: seconds(grown(|s| s.cpu_ns)),
                throttled_s: seconds(grown(|s| s.throttled_ns)),
                throttled_periods: grown(|s| s.throttled_periods),
                periods: grown(|s| s.periods),
                memory_peak_bytes: memory_peak(&seen),
                anonymous_peak_bytes: seen.iter().map(|s| s.anonymous_bytes).max().unwrap_or(0),
                oom_kills: grown(|s| s.oom_kills),
                cpus: placed.cpus_milli.map(|milli| f64::from(milli) / 1e3),
                memory_bytes: placed.memory_bytes,
            }
        })
        .collect()
}

/// The machine's part.
pub(crate) fn host(window: &[Sample]) -> HostReport {
    let seen: Vec<_> = window.iter().map(|s| &s.host).collect();
    let grown = |counter: fn(&HostSample) -> u64| growth(&seen, counter);
    HostReport {
        steal_s: seconds(grown(|s| s.steal_ns)),
        listen_overflows: grown(|s| s.listen_overflows),
        listen_drops: grown(|s| s.listen_drops),
        retransmissions: grown(|s| s.retransmissions),
    }
}

/// The kernel's own peak sees what falls between two samples, but it also remembers what was before the load. So it
/// counts only where it rose during the load.
fn memory_peak(seen: &[&ServiceSample]) -> u64 {
    let sampled = seen.iter().map(|s| s.memory_bytes).max().unwrap_or(0);
    let before = seen.first().map_or(0, |s| s.memory_peak_bytes);
    let after = seen.last().map_or(0, |s| s.memory_peak_bytes);
    if after > before { sampled.max(after) } else { sampled }
}

fn growth<T>(seen: &[&T], counter: impl Fn(&T) -> u64) -> u64 {
    match (seen.first(), seen.last()) {
        (Some(first), Some(last)) => counter(last).saturating_sub(counter(first)),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at_ns: u64, memory_bytes: u64, memory_peak_bytes: u64) -> ServiceSample {
        ServiceSample { cpu_ns: at_ns, memory_bytes, memory_peak_bytes, ..ServiceSample::default() }
    }

    fn samples(times: &[u64]) -> Vec<Sample> {
        times.iter().map(|at_ns| Sample { at_ns: *at_ns, ..Sample::default() }).collect()
    }

    fn window_of(times: &[u64]) -> Vec<u64> {
        let mut record = RoundRecord::new(1, 0, 0);
        record.load_started_ns = 100;
        record.load_ended_ns = 200;
        window(&record, &samples(times)).iter().map(|s| s.at_ns).collect()
    }

    #[test]
    fn the_window_holds_the_samples_around_the_load() {
        assert_eq!(window_of(&[10, 90, 110, 190, 210, 300]), [90, 110, 190, 210]);
        assert_eq!(window_of(&[100, 150, 200, 250]), [100, 150, 200]);
        assert_eq!(window_of(&[120, 180]), [120, 180]);
        assert_eq!(window_of(&[]), [0; 0]);
    }

    #[test]
    fn a_peak_from_before_the_load_is_not_the_loads() {
        let (first, last) = (sample(0, 10, 500), sample(1, 20, 500));
        assert_eq!(memory_peak(&[&first, &last]), 20);
    }

    #[test]
    fn a_peak_between_two_samples_is_seen_by_the_kernel() {
        let (first, last) = (sample(0, 10, 10), sample(1, 20, 90));
        assert_eq!(memory_peak(&[&first, &last]), 90);
    }

    #[test]
    fn a_counter_that_fell_back_has_not_grown() {
        let (first, last) = (sample(9, 0, 0), sample(3, 0, 0));
        assert_eq!(growth(&[&first, &last], |s| s.cpu_ns), 0);
    }
}
