//! When a round is stressed: near a limit of CPU, of memory, or of the service level.
//!
//! A light load ties everybody, so a comparison in which no round was stressed makes no winner.

use galo_plan::units::{format_bytes, format_cpus};
use galo_plan::{Plan, Service};
use galo_record::{Ledger, RoundData, Sample, ServiceUsage};

use crate::measure::Measures;
use crate::signs::{CPU_SHARE, THROTTLED_SHARE, is_full_of_anonymous, throttled_share};
use crate::words::{counted, unanswered};

/// The length over which CPU use is averaged: ten quota periods, so that one burst is no stress.
pub const CPU_OVER_NS: u64 = 1_000_000_000;
/// Fewest quota periods from which that share is taken: one second's worth.
pub const THROTTLED_PERIODS_MIN: u64 = 10;

/// Why a round is stressed: one clause for each service that was near a limit, with all that it was near, one for what
/// failed, and one for a p99 over the service level; empty where it is not. Without a limit in force the contender's file
/// says what a service would have had. `ledger` and `measures` are those of the compared scenarios.
pub fn stress_reasons(plan: &Plan, round: &RoundData, ledger: &Ledger, measures: &Measures) -> Vec<String> {
    let mut reasons = Vec::new();
    if let (Some(window), Some(placement)) = (round.window(), &round.record.placement) {
        let written = plan.contenders.get(round.record.contender).map_or(&[][..], |c| &c.services);
        for (index, service) in placement.services.iter().enumerate() {
            let Some(usage) = window.usage(index) else { continue };
            let limits = Limits::of(service, written);
            let near = [
                cpu_reason(most_cpus(window.samples(), index), limits),
                throttled_reason(usage),
                memory_reason(usage, limits),
            ];
            let near: Vec<String> = near.into_iter().flatten().collect();
            reasons.extend((!near.is_empty()).then(|| format!("`{}` {}", service.name, near.join(", "))));
        }
    }
    reasons.extend(failure_reason(ledger));
    reasons.extend(slow_reason(plan, measures));
    reasons
}

/// What a service may use, as read back or else as written; `None`: nobody says.
#[derive(Debug, Clone, Copy)]
struct Limits {
    cpus_milli: Option<u32>,
    memory_bytes: Option<u64>,
}

impl Limits {
    fn of(placed: &galo_record::ServicePlacement, written: &[Service]) -> Self {
        let written = written.iter().find(|s| s.name == placed.name);
        Self {
            cpus_milli: placed.cpus_milli.or(written.map(|s| s.cpus_milli)).filter(|&limit| limit > 0),
            memory_bytes: placed.memory_bytes.or(written.map(|s| s.memory_bytes)).filter(|&limit| limit > 0),
        }
    }
}

fn cpu_reason(used: Option<f64>, limits: Limits) -> Option<String> {
    let (used, limit_milli) = (used?, limits.cpus_milli?);
    (used >= CPU_SHARE * f64::from(limit_milli) / 1000.0)
        .then(|| format!("CPU {used:.2} of {}", format_cpus(limit_milli)))
}

/// Most CPUs used over any stretch of samples of at least [`CPU_OVER_NS`].
fn most_cpus(samples: &[Sample], service: usize) -> Option<f64> {
    let mut end = 0;
    let mut most = None;
    for first in samples {
        while samples.get(end).is_some_and(|s| s.at_ns < first.at_ns.saturating_add(CPU_OVER_NS)) {
            end += 1;
        }
        let Some(last) = samples.get(end) else { break };
        let used_ns = last.services[service].cpu_ns.saturating_sub(first.services[service].cpu_ns);
        let cpus = used_ns as f64 / (last.at_ns - first.at_ns) as f64;
        most = Some(most.map_or(cpus, |most: f64| most.max(cpus)));
    }
    most
}

fn throttled_reason(usage: ServiceUsage) -> Option<String> {
    let share = throttled_share(usage.throttled_periods, usage.periods);
    (usage.periods >= THROTTLED_PERIODS_MIN && share >= THROTTLED_SHARE)
        .then(|| format!("throttled {:.0} %", share * 100.0))
}

fn memory_reason(usage: ServiceUsage, limits: Limits) -> Option<String> {
    let (most, limit) = (usage.anonymous_peak_bytes?, limits.memory_bytes?);
    is_full_of_anonymous(most, limit)
        .then(|| format!("anonymous memory {} of {}", format_bytes(most), format_bytes(limit)))
}

fn failure_reason(ledger: &Ledger) -> Option<String> {
    let unanswered = unanswered(ledger);
    (!unanswered.is_empty()).then(|| format!("of {}, {unanswered}", counted(ledger.intended, "operation")))
}

fn slow_reason(plan: &Plan, measures: &Measures) -> Option<String> {
    let bound_ms = plan.challenge.service_level.latency_ns as f64 / 1e6;
    let p99_ms = measures.latency_us_p99? / 1000.0;
    measures
        .miss_service_level(plan)
        .then(|| format!("p99 is {p99_ms:.0} ms, over the service level of {bound_ms:.0} ms"))
}

#[cfg(test)]
mod tests {
    use galo_record::OperationResult;

    use galo_plan::model::NoRows;

    use crate::judge_round;
    use crate::testing::*;

    fn stress(round: &RoundBuilder) -> String {
        let judgement = judge_round(&plan(), &NoRows, &round.0);
        let finding = judgement.findings.into_iter().find(|f| f.name() == "stressed");
        assert_eq!(judgement.stressed, finding.is_some());
        finding.map_or_else(String::new, |f| figures(&f))
    }

    /// The database's CPU for each 100 ms, by the number of the sample.
    fn database_cpu(ns: impl Fn(usize) -> u64) -> RoundBuilder {
        let mut round = RoundBuilder::clean();
        let mut used = 1;
        for (number, sample) in round.0.samples.iter_mut().enumerate() {
            used += ns(number);
            sample.services[1].cpu_ns = used;
        }
        round
    }

    #[test]
    fn four_fifths_of_a_cpu_limit_over_a_second_is_stress() {
        let almost = database_cpu(|_| 79_000_000);
        assert_eq!(stress(&almost), "");
        let second = database_cpu(|number| if (100..110).contains(&number) { 81_000_000 } else { 0 });
        insta::assert_snapshot!(stress(&second), @"it was near a limit: `db` CPU 0.81 of 1");
    }

    #[test]
    fn a_burst_shorter_than_a_second_is_no_stress() {
        let burst = database_cpu(|number| if (100..105).contains(&number) { 100_000_000 } else { 0 });
        assert_eq!(stress(&burst), "");
    }

    #[test]
    fn cpu_used_before_the_load_is_no_stress() {
        assert_eq!(stress(&database_cpu(|number| if number < 10 { 100_000_000 } else { 0 })), "");
    }

    #[test]
    fn a_tenth_of_the_periods_throttled_is_stress() {
        let throttled = |every: u64| {
            let mut round = RoundBuilder::clean();
            for (number, sample) in round.0.samples.iter_mut().enumerate() {
                sample.services[0].periods = number as u64;
                sample.services[0].throttled_periods = number as u64 / every;
            }
            stress(&round)
        };
        assert_eq!(throttled(11), "");
        insta::assert_snapshot!(throttled(9), @"it was near a limit: `api` throttled 11 %");
    }

    #[test]
    fn anonymous_memory_near_the_limit_is_stress_and_page_cache_is_not() {
        let mut round = RoundBuilder::clean();
        for sample in &mut round.0.samples {
            sample.services[0].memory_bytes = 256 << 20;
        }
        assert_eq!(stress(&round), "");
        round.0.samples[100].services[0].anonymous_bytes = 231 << 20;
        insta::assert_snapshot!(stress(&round), @"it was near a limit: `api` anonymous memory 231 MiB of 256 MiB");
    }

    #[test]
    fn a_service_near_several_limits_is_one_clause() {
        let mut round = database_cpu(|_| 90_000_000);
        for (number, sample) in round.0.samples.iter_mut().enumerate() {
            sample.services[1].anonymous_bytes = 500 << 20;
            for service in &mut sample.services {
                (service.periods, service.throttled_periods) = (number as u64, number as u64 / 2);
            }
        }
        insta::assert_snapshot!(stress(&round), @"it was near a limit: `api` throttled 50 %; `db` CPU 0.90 of 1, throttled 50 %, anonymous memory 500 MiB of 512 MiB");
    }

    #[test]
    fn failures_and_a_p99_over_the_service_level_are_stress() {
        let mut round = RoundBuilder::clean();
        round.operations(READ, 1, OperationResult::Failed);
        insta::assert_snapshot!(stress(&round), @"it was near a limit: of 251 operations, 1 failed");
        let mut slow = RoundBuilder::clean();
        slow.operations_of_ms(READ, 10, OperationResult::Ok, 1_500);
        insta::assert_snapshot!(stress(&slow), @"it was near a limit: p99 is 1501 ms, over the service level of 1200 ms");
    }

    #[test]
    fn without_limits_in_force_the_files_limits_say_what_is_near() {
        let mut round = database_cpu(|_| 90_000_000);
        for service in &mut round.0.record.placement.as_mut().expect("placed").services {
            (service.cpus_milli, service.memory_bytes) = (None, None);
        }
        insta::assert_snapshot!(stress(&round), @"it was near a limit: `db` CPU 0.90 of 1");
    }
}
