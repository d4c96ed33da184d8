//! When a round is stressed: near a limit of CPU, of memory, or of the service level.
//!
//! A light load ties everybody, so a comparison in which no round was stressed makes no winner.

use galo_plan::{Plan, Service};
use galo_record::{Ledger, RoundData, Sample, ServiceUsage};

use crate::findings::{Near, Stress};
use crate::signs::{CPU_SHARE, THROTTLED_SHARE, is_full_of_anonymous, throttled_share};
use galo_words::significant;

/// The length over which CPU use is averaged: ten quota periods, so that one burst is no stress.
pub const CPU_OVER_NS: u64 = 1_000_000_000;
/// Fewest quota periods from which that share is taken: one second's worth.
pub const THROTTLED_PERIODS_MIN: u64 = 10;

/// Why a round is stressed: each service that was near a limit, with all that it was near, then what failed, then a p99
/// over the service level; empty where it is not. Without a limit in force the contender's file
/// says what a service would have had. `ledger` is that of the compared scenarios, and `slow_us`
/// their p99 where it is over the service level.
pub fn stress_reasons(plan: &Plan, round: &RoundData, ledger: &Ledger, slow_us: Option<f64>) -> Vec<Stress> {
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
            let near: Vec<Near> = near.into_iter().flatten().collect();
            let service = || service.name.clone();
            reasons.extend((!near.is_empty()).then(|| Stress::Service { service: service(), near }));
        }
    }
    reasons.extend(failure_reason(ledger));
    reasons.extend(slow_reason(plan, slow_us));
    reasons
}

/// What a service may use, as read back or else as written; `None`: nobody says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) cpus_milli: Option<u32>,
    pub(crate) memory_bytes: Option<u64>,
}

impl Limits {
    pub(crate) fn of(placed: &galo_record::ServicePlacement, written: &[Service]) -> Self {
        let written = written.iter().find(|s| s.name == placed.name);
        Self {
            cpus_milli: placed.cpus_milli.or(written.map(|s| s.cpus_milli)).filter(|&limit| limit > 0),
            memory_bytes: placed.memory_bytes.or(written.map(|s| s.memory_bytes)).filter(|&limit| limit > 0),
        }
    }
}

fn cpu_reason(used: Option<f64>, limits: Limits) -> Option<Near> {
    let (used, limit_milli) = (used?, limits.cpus_milli?);
    (used >= CPU_SHARE * f64::from(limit_milli) / 1000.0)
        .then(|| Near::Cpu { cpus: significant(used, 6), limit_milli })
}

/// Most CPUs used over any stretch of samples of at least [`CPU_OVER_NS`].
pub(crate) fn most_cpus(samples: &[Sample], service: usize) -> Option<f64> {
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

fn throttled_reason(usage: ServiceUsage) -> Option<Near> {
    let share = throttled_share(usage.throttled_periods, usage.periods);
    (usage.periods >= THROTTLED_PERIODS_MIN && share >= THROTTLED_SHARE)
        .then(|| Near::Throttled { share: significant(share, 6) })
}

fn memory_reason(usage: ServiceUsage, limits: Limits) -> Option<Near> {
    let (most, limit) = (usage.anonymous_peak_bytes?, limits.memory_bytes?);
    is_full_of_anonymous(most, limit).then_some(Near::Memory { bytes: most, limit_bytes: limit })
}

fn failure_reason(ledger: &Ledger) -> Option<Stress> {
    let Ledger { intended: operations, failed, timed_out, unfinished, .. } = *ledger;
    (failed + timed_out + unfinished > 0).then_some(Stress::Failed {
        operations,
        failed,
        timed_out,
        unfinished,
    })
}

fn slow_reason(plan: &Plan, slow_us: Option<f64>) -> Option<Stress> {
    let service_level_ns = plan.challenge.service_level.latency_ns;
    slow_us.map(|us| Stress::Slow { latency_us_p99: significant(us, 6), service_level_ns })
}

#[cfg(test)]
mod tests {
    use galo_record::OperationResult;

    use crate::judge_round;
    use crate::testing::*;

    fn stress(round: &RoundBuilder) -> String {
        let judgement = judge_round(&plan(), &Counted(CEILING), &round.0);
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
        insta::assert_snapshot!(stress(&second), @r#"{"kind":"stressed","by":[{"kind":"service","service":"db","near":[{"limit":"cpu","cpus":0.81,"limit_milli":1000}]}]}"#);
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
        insta::assert_snapshot!(throttled(9), @r#"{"kind":"stressed","by":[{"kind":"service","service":"api","near":[{"limit":"throttled","share":0.11}]}]}"#);
    }

    #[test]
    fn anonymous_memory_near_the_limit_is_stress_and_page_cache_is_not() {
        let mut round = RoundBuilder::clean();
        for sample in &mut round.0.samples {
            sample.services[0].memory_bytes = 256 << 20;
        }
        assert_eq!(stress(&round), "");
        round.0.samples[100].services[0].anonymous_bytes = 231 << 20;
        insta::assert_snapshot!(stress(&round), @r#"{"kind":"stressed","by":[{"kind":"service","service":"api","near":[{"limit":"memory","bytes":242221056,"limit_bytes":268435456}]}]}"#);
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
        insta::assert_snapshot!(stress(&round), @r#"{"kind":"stressed","by":[{"kind":"service","service":"api","near":[{"limit":"throttled","share":0.5}]},{"kind":"service","service":"db","near":[{"limit":"cpu","cpus":0.9,"limit_milli":1000},{"limit":"throttled","share":0.5},{"limit":"memory","bytes":524288000,"limit_bytes":536870912}]}]}"#);
    }

    #[test]
    fn failures_and_a_p99_over_the_service_level_are_stress() {
        let mut round = RoundBuilder::clean();
        round.operations(READ, 1, OperationResult::Failed);
        insta::assert_snapshot!(stress(&round), @r#"{"kind":"stressed","by":[{"kind":"failed","operations":251,"failed":1,"timed_out":0,"unfinished":0}]}"#);
        let mut slow = RoundBuilder::clean();
        slow.operations_of_ms(READ, 10, OperationResult::Ok, 1_500);
        insta::assert_snapshot!(stress(&slow), @r#"{"kind":"stressed","by":[{"kind":"slow","latency_us_p99":1500510.0,"service_level_ns":1200000000}]}"#);
    }

    #[test]
    fn without_limits_in_force_the_files_limits_say_what_is_near() {
        let mut round = database_cpu(|_| 90_000_000);
        for service in &mut round.0.record.placement.as_mut().expect("placed").services {
            (service.cpus_milli, service.memory_bytes) = (None, None);
        }
        insta::assert_snapshot!(stress(&round), @r#"{"kind":"stressed","by":[{"kind":"service","service":"db","near":[{"limit":"cpu","cpus":0.9,"limit_milli":1000}]}]}"#);
    }
}
