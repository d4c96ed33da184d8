//! One round.

use std::collections::BTreeMap;

use galo_plan::JsonSchema;
use galo_plan::{Plan, Runner};
use galo_record::load::EngineRecord;
use galo_record::sample::HostSample;
use galo_record::{
    Latencies, Ledger, Percentiles, RoundData, ServicePlacement, ServiceUsage, StepLatencies, Window,
};
use serde::{Deserialize, Serialize};

use crate::judgement::Judgement;

/// One round: what it was worth, and what was measured while its load ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedRound {
    /// Contender's name.
    pub contender: String,
    /// What it was worth.
    #[serde(flatten)]
    pub judgement: Judgement,
    /// From the start to the end of the load.
    pub load_ns: u64,
    /// galo's own part.
    pub engine: EngineRecord,
    /// CPU of galo's whole process, user and system, from the last sample before the load to the first one after it:
    /// with the engine's threads also sampling and watching over the services. null: nothing was sampled.
    pub galo_cpu_ns: Option<u64>,
    /// Whether every limit was set and read back.
    pub limits_enforced: bool,
    /// What each service used between the start and the end of the load.
    pub services: Vec<ServiceSeen>,
    /// CPU of the machine's container engines, and of what they run beside containers, such as docker-proxy, in the same time: it
    /// is in no figure of the contender. null: it does not run in containers, or no engine was seen.
    pub container_engine_ns: Option<u64>,
    /// By how much the machine's counters grew between the start and the end of the load.
    pub host: HostSample,
    /// Latency from the intended start, of everything that ended in the compared scenarios.
    pub latency: Percentiles,
    /// Latency from the actual send, of the right answers of the compared scenarios.
    pub service_time: Percentiles,
    /// Right answers of the compared scenarios by latency from the intended start.
    pub classes: Vec<Class>,
    /// By step, in the challenge's order.
    pub steps: Vec<JudgedStep>,
}

/// A service and what it used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceSeen {
    /// Name in the Compose file.
    pub name: String,
    /// CPU limit as read back; null: no limit was set.
    pub cpus: Option<f64>,
    /// Memory limit as read back; null: no limit was set.
    pub memory_bytes: Option<u64>,
    /// Digest of its image, `NAME@sha256:...` where a registry gave it; null: it is a process.
    pub image: Option<String>,
    /// What it used; all null or 0 where nothing was seen.
    #[serde(flatten)]
    pub usage: ServiceUsage,
}

impl ServiceSeen {
    /// CPU used, in seconds; `None`: not seen.
    pub fn cpu_s(&self) -> Option<f64> {
        self.usage.cpu_ns.map(|ns| ns as f64 / 1e9)
    }
}

/// One class of the distribution of latency.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Class {
    /// Latencies above this ...
    pub above_ms: f64,
    /// ... and up to this; null: without end.
    pub up_to_ms: Option<f64>,
    /// Right answers in it.
    pub count: u64,
    /// Their share of all intended operations. What is missing to 1 over all classes was not answered rightly.
    pub share: f64,
}

/// One step of a scenario in one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedStep {
    /// Scenario's name.
    pub scenario: String,
    /// Step's name.
    pub step: String,
    /// Whether it belongs to the compared figures; a probe's does not.
    pub compared: bool,
    /// Operations by result.
    pub ledger: Ledger,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Failures by kind.
    pub errors: BTreeMap<String, u64>,
    /// Latency from the intended start, of everything that ended.
    pub latency: Percentiles,
    /// Latency from the actual send, of right answers.
    pub service_time: Percentiles,
}

impl JudgedRound {
    pub(super) fn of(plan: &Plan, round: &RoundData, judgement: Judgement) -> Self {
        let record = &round.record;
        let compared = round.compared_latencies(plan);
        let bounds = &plan.challenge.service_level.classes_ns;
        let window = round.window();
        Self {
            contender: plan.contender_name(record.contender),
            load_ns: record.load.elapsed_ns(),
            engine: record.load.engine.without_connects(),
            galo_cpu_ns: window.and_then(Window::galo_cpu_ns),
            limits_enforced: record.placement.as_ref().is_some_and(|placed| placed.limits_enforced),
            services: services(round, window),
            container_engine_ns: container_engine_ns(plan, round),
            host: window.map_or_else(HostSample::default, Window::host),
            latency: compared.all().percentiles(),
            service_time: compared.ok_service.percentiles(),
            classes: classes(bounds, &compared.ok, judgement.ledger.intended),
            steps: steps(plan, round),
            judgement,
        }
    }

    /// Whether there was anything to create, so that creations and their ceiling tell something.
    pub fn creates(&self) -> bool {
        let Judgement { ceiling, created, probes, unknown, .. } = &self.judgement;
        ceiling.max > 0 || created + probes + unknown > 0
    }
}

fn services(round: &RoundData, window: Option<Window<'_>>) -> Vec<ServiceSeen> {
    let placed = round.record.placement.iter().flat_map(|placement| &placement.services);
    let seen = |(index, placed): (usize, &ServicePlacement)| ServiceSeen {
        name: placed.name.clone(),
        cpus: placed.cpus_milli.map(|milli| f64::from(milli) / 1e3),
        memory_bytes: placed.memory_bytes,
        image: placed.image.clone(),
        usage: window.and_then(|window| window.usage(index)).unwrap_or_default(),
    };
    placed.enumerate().map(seen).collect()
}

fn container_engine_ns(plan: &Plan, round: &RoundData) -> Option<u64> {
    let contender = plan.contenders.get(round.record.contender)?;
    round.record.beside.container_engine_ns.filter(|_| contender.runner == Runner::Docker)
}

/// The steps of the profile. Those of a scenario that it leaves out have nothing to tell.
fn steps(plan: &Plan, round: &RoundData) -> Vec<JudgedStep> {
    let planned = plan.challenge.scenarios.iter().zip(&plan.traffic);
    let in_profile = planned.flat_map(|(s, traffic)| s.steps.iter().map(move |_| traffic.is_some()));
    let steps = plan.challenge.steps().zip(in_profile).enumerate();
    let nothing = StepLatencies::default();
    steps
        .filter(|(_, (_, in_profile))| *in_profile)
        .filter_map(|(index, ((scenario, step), _))| {
            let record = round.record.load.steps.get(index)?;
            let latencies = round.latencies.get(index).unwrap_or(&nothing);
            Some(JudgedStep {
                scenario: scenario.name.clone(),
                step: step.name.clone(),
                compared: scenario.compared,
                ledger: record.ledger,
                statuses: record.statuses.clone(),
                errors: record.errors.clone(),
                latency: latencies.all().percentiles(),
                service_time: latencies.ok_service.percentiles(),
            })
        })
        .collect()
}

/// Right answers by class, with bounds in nanoseconds; the last class is open.
pub fn classes(bounds: &[u64], ok: &Latencies, intended: u64) -> Vec<Class> {
    let mut classes = Vec::with_capacity(bounds.len() + 1);
    let (mut above_ns, mut below) = (0, 0);
    for bound in bounds.iter().map(|b| Some(*b)).chain([None]) {
        let up_to = bound.map_or(ok.count(), |bound| ok.count_up_to_ns(bound));
        let count = up_to.saturating_sub(below);
        classes.push(Class {
            above_ms: above_ns as f64 / 1e6,
            up_to_ms: bound.map(|b| b as f64 / 1e6),
            count,
            share: if intended == 0 { 0.0 } else { count as f64 / intended as f64 },
        });
        (above_ns, below) = (bound.unwrap_or(above_ns), up_to);
    }
    classes
}
