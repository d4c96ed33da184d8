//! How near a round came to its limits, and what its load would come to at another scale.

use galo_plan::JsonSchema;
use galo_plan::Plan;
use galo_record::{Operation, RoundData};
use galo_words::{Figure, Lang, say};
use serde::{Deserialize, Serialize};

use crate::findings::{Near, Stress};
use crate::stress::{CPU_OVER_NS, Limits, most_cpus};
use galo_words::significant;

/// How much of its limits a round used.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Nearness {
    /// Largest share that was used of the CPU limit, the memory limit and the service level; `None`: there is no limit, or
    /// nothing was seen.
    pub used: [Option<Used>; 3],
    /// Share of its CPU limit that the busiest service uses in the second with the most answers, by the CPU that it
    /// used for each answer of the whole load: a program that warms up is not taken for a busy one. `None`: no limit,
    /// or nothing was seen.
    pub cpu_at_peak: Option<f64>,
    /// Share of their time that galo's engine threads are busy in that second, by their CPU for each answer.
    pub client_at_peak: Option<f64>,
}

/// How much of one limit was used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Used {
    /// Share of the limit.
    pub share: f64,
    /// Which limit, and both figures.
    pub of: Stress,
}

impl Used {
    /// The service whose limit it is; `None`: it is the service level.
    pub fn service(&self) -> Option<&str> {
        match &self.of {
            Stress::Service { service, .. } => Some(service),
            _ => None,
        }
    }

    /// How much of a limit was used: the share, then both figures.
    pub fn sentence(&self, lang: Lang) -> String {
        let share = lang.figure(Figure::Share(self.share));
        match &self.of {
            Stress::Slow { latency_us_p99, service_level_ns } => {
                let p99 = lang.figure(Figure::Ms(*latency_us_p99));
                let level = lang.decimals(*service_level_ns as f64 / 1e6, 0);
                say!(
                    lang,
                    "p99 {share} ({p99} of the service level of {level} ms)",
                    "p99 {share} ({p99} do nível de serviço de {level} ms)"
                )
            }
            of => {
                let told = of.clause(lang);
                format!("{told} ({share})")
            }
        }
    }
}

impl Nearness {
    /// How near one round came. `p99_us`: p99 of its compared scenarios.
    pub(crate) fn of(plan: &Plan, round: &RoundData, p99_us: Option<f64>) -> Self {
        let peak = Peak::of(&round.history);
        let mut nearness = Self { client_at_peak: client_at_peak(round, peak), ..Self::default() };
        let (mut cpu, mut memory) = (Vec::new(), Vec::new());
        if let (Some(window), Some(placement)) = (round.window(), &round.record.placement) {
            let written = plan.contenders.get(round.record.contender).map_or(&[][..], |c| &c.services);
            for (index, service) in placement.services.iter().enumerate() {
                let Some(usage) = window.usage(index) else { continue };
                let limits = Limits::of(service, written);
                let of = |near| Stress::Service { service: service.name.clone(), near: vec![near] };
                if let Some(limit_milli) = limits.cpus_milli {
                    let share = |cpus: f64| cpus * 1000.0 / f64::from(limit_milli);
                    let most = usage.cpu_ns.and(most_cpus(window.samples(), index));
                    cpu.extend(most.map(|cpus| {
                        let near = Near::Cpu { cpus: significant(cpus, 6), limit_milli };
                        Used { share: share(cpus), of: of(near) }
                    }));
                    let at_peak =
                        usage.cpu_ns.zip(peak).map(|(ns, peak)| share(peak.cpus(ns))).or(most.map(share));
                    nearness.cpu_at_peak = larger(nearness.cpu_at_peak, at_peak);
                }
                memory.extend(usage.anonymous_peak_bytes.zip(limits.memory_bytes).map(
                    |(bytes, limit_bytes)| {
                        let near = Near::Memory { bytes, limit_bytes };
                        Used { share: bytes as f64 / limit_bytes as f64, of: of(near) }
                    },
                ));
            }
        }
        let level_ns = plan.challenge.service_level.latency_ns;
        let latency = p99_us.filter(|_| level_ns > 0).map(|us| Used {
            share: us * 1e3 / level_ns as f64,
            of: Stress::Slow { latency_us_p99: significant(us, 6), service_level_ns: level_ns },
        });
        nearness.used = [most(cpu), most(memory), latency];
        nearness
    }
}

/// The one with the largest share.
fn most(used: Vec<Used>) -> Option<Used> {
    used.into_iter().max_by(|a, b| a.share.total_cmp(&b.share))
}

/// The larger of two, where there are two.
pub(crate) fn larger(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    }
}

/// The second of a load with the most answers.
#[derive(Debug, Clone, Copy)]
struct Peak {
    answers: u64,
    /// Answers of the whole load.
    all: u64,
}

impl Peak {
    /// `None`: no history was kept, or nothing was answered.
    fn of(history: &[Operation]) -> Option<Self> {
        let mut done: Vec<u64> = history.iter().map(|operation| operation.done_ns).collect();
        done.sort_unstable();
        let (mut first, mut answers) = (0, 0);
        for (index, at_ns) in done.iter().enumerate() {
            while done[first] + CPU_OVER_NS <= *at_ns {
                first += 1;
            }
            answers = answers.max(index + 1 - first);
        }
        (answers > 0).then_some(Self { answers: answers as u64, all: done.len() as u64 })
    }

    /// CPUs in use in that second, by what all answers together took.
    fn cpus(self, cpu_ns: u64) -> f64 {
        cpu_ns as f64 / self.all as f64 * self.answers as f64 / CPU_OVER_NS as f64
    }
}

fn client_at_peak(round: &RoundData, peak: Option<Peak>) -> Option<f64> {
    let engine = &round.record.load.engine;
    let threads = f64::from(engine.threads);
    peak.filter(|_| threads > 0.0).map(|peak| peak.cpus(engine.cpu_ns) / threads)
}

#[cfg(test)]
mod tests {
    use galo_record::OperationResult;

    use super::*;
    use crate::testing::*;

    fn nearness(round: &RoundBuilder) -> Nearness {
        Nearness::of(&plan(), &round.0, Some(12_000.0))
    }

    /// 270 answers of 10 ms each, one after the other: at most 100 in a second.
    #[test]
    fn the_largest_share_of_each_kind_of_limit_is_told_with_its_figures() {
        let told = nearness(&RoundBuilder::clean());
        insta::assert_snapshot!(serde_json::to_string(&told.used).expect("plain data"), @r#"[{"share":0.2,"of":{"kind":"service","service":"api","near":[{"limit":"cpu","cpus":0.1,"limit_milli":500}]}},{"share":0.234375,"of":{"kind":"service","service":"api","near":[{"limit":"memory","bytes":62914560,"limit_bytes":268435456}]}},{"share":0.01,"of":{"kind":"slow","latency_us_p99":12000.0,"service_level_ns":1200000000}}]"#);
    }

    #[test]
    fn what_the_busiest_second_takes_goes_by_the_cpu_for_each_answer() {
        // Two services use 100 ms of CPU a second over 20.2 s: 2.02 s for 270 answers, of which 100 are in one second.
        let clean = nearness(&RoundBuilder::clean());
        let cpu = clean.cpu_at_peak.expect("there are limits");
        assert!((cpu - 2.02 / 270.0 * 100.0 / 0.5).abs() < 0.02, "{cpu}");
        // The engine's thread used 2 s.
        let client = clean.client_at_peak.expect("the engine told");
        assert!((client - 2.0 / 270.0 * 100.0).abs() < 0.01, "{client}");
        // One burst at the start is spread over all answers.
        let mut burst = RoundBuilder::clean();
        for sample in burst.0.samples.iter_mut().skip(12) {
            sample.services[0].cpu_ns += 400_000_000;
        }
        let burst = nearness(&burst);
        assert!(burst.used[0].as_ref().is_some_and(|cpu| cpu.share > 0.9), "{burst:?}");
        assert!(
            (burst.cpu_at_peak.expect("as before") - 2.42 / 270.0 * 100.0 / 0.5).abs() < 0.02,
            "{burst:?}"
        );
    }

    #[test]
    fn without_limits_or_a_history_less_is_known() {
        let mut round = RoundBuilder::clean();
        round.operations(READ, 1, OperationResult::Ok);
        round.0.history.clear();
        let told = nearness(&round);
        assert_eq!(
            (told.cpu_at_peak.map(|share| significant(share, 2)), told.client_at_peak),
            (Some(0.2), None)
        );
        let mut plan = plan();
        plan.contenders.clear();
        for service in &mut round.0.record.placement.as_mut().expect("placed").services {
            (service.cpus_milli, service.memory_bytes) = (None, None);
        }
        assert_eq!(Nearness::of(&plan, &round.0, None), Nearness::default());
    }
}
