//! One round's report.

use galo_judge::{Finding, Judgement};
use galo_plan::Plan;
use galo_record::load::EngineRecord;
use galo_record::{Latencies, RoundData, Window};

use super::usage;
use crate::digits::{decimals, seconds, share};
use crate::report::{CeilingReport, ClassReport, EngineReport, FindingReport, RoundReport, StepReport};
use crate::words::Told;

impl RoundReport {
    pub(crate) fn new(plan: &Plan, round: &RoundData, judgement: &Judgement) -> Self {
        let record = &round.record;
        let compared = round.compared_latencies(plan);
        let bounds = &plan.challenge.service_level.classes_ns;
        let process_cpu_ns = round.window().and_then(Window::galo_cpu_ns);
        let mut report = Self {
            number: record.number,
            contender: plan.contender_name(record.contender),
            standing: judgement.standing.clone(),
            why: None,
            ledger: judgement.ledger,
            probe_ledger: judgement.probe_ledger,
            created: judgement.created,
            probes: judgement.probes,
            unknown: judgement.unknown,
            ceiling: CeilingReport { min: judgement.ceiling.min, max: judgement.ceiling.max },
            counted: judgement.counted,
            settled_after_s: judgement.settled_after_s.map(|s| decimals(s, 3)),
            load_s: seconds(record.load.elapsed_ns()),
            engine: EngineReport::new(&record.load.engine, process_cpu_ns),
            limits_enforced: record.placement.as_ref().is_some_and(|p| p.limits_enforced),
            services: usage::services(round),
            container_engine_cpu_s: usage::container_engine(plan, round),
            host: usage::host(round),
            latency: compared.all().percentiles(),
            service_time: compared.ok_service.percentiles(),
            classes: classes(bounds, &compared.ok, judgement.ledger.intended),
            steps: steps(plan, round),
            measures: judgement.measures,
            stressed: judgement.stressed,
            conformance: judgement.conformance.as_ref().map(Into::into),
            findings: judgement.findings.iter().map(Into::into).collect(),
        };
        report.why = Some(report.told_why().en.into_owned()).filter(|why| !why.is_empty());
        report
    }
}

/// The steps of the profile. Those of a scenario that it leaves out have nothing to tell.
fn steps(plan: &Plan, round: &RoundData) -> Vec<StepReport> {
    let planned = plan.challenge.scenarios.iter().zip(&plan.traffic);
    let in_profile = planned.flat_map(|(s, traffic)| s.steps.iter().map(move |_| traffic.is_some()));
    let steps = plan.challenge.steps().zip(in_profile).enumerate();
    steps
        .filter(|(_, (_, in_profile))| *in_profile)
        .filter_map(|(index, ((scenario, step), _))| {
            let record = round.record.load.steps.get(index)?;
            let latencies = round.latencies.get(index);
            Some(StepReport {
                scenario: scenario.name.clone(),
                step: step.name.clone(),
                compared: scenario.compared,
                ledger: record.ledger,
                statuses: record.statuses.clone(),
                errors: record.errors.clone(),
                latency: latencies.map(|l| l.all().percentiles()).unwrap_or_default(),
                service_time: latencies.map(|l| l.ok_service.percentiles()).unwrap_or_default(),
            })
        })
        .collect()
}

/// Right answers by class, with bounds in nanoseconds; the last class is open.
pub(crate) fn classes(bounds: &[u64], ok: &Latencies, intended: u64) -> Vec<ClassReport> {
    let mut classes = Vec::with_capacity(bounds.len() + 1);
    let (mut above_ns, mut below) = (0, 0);
    for bound in bounds.iter().map(|b| Some(*b)).chain([None]) {
        let up_to = bound.map_or(ok.count(), |bound| ok.count_up_to_ns(bound));
        let count = up_to.saturating_sub(below);
        classes.push(ClassReport {
            above_ms: above_ns as f64 / 1e6,
            up_to_ms: bound.map(|b| b as f64 / 1e6),
            count,
            share: share(count, intended),
        });
        (above_ns, below) = (bound.unwrap_or(above_ns), up_to);
    }
    classes
}

impl EngineReport {
    /// `process_cpu_ns` is the CPU of galo's whole process, where it was seen.
    pub(crate) fn new(engine: &EngineRecord, process_cpu_ns: Option<u64>) -> Self {
        Self {
            lag_us_p50: decimals(engine.lag_us_p50, 1),
            lag_us_p99: decimals(engine.lag_us_p99, 1),
            lag_us_p99_9: decimals(engine.lag_us_p99_9, 1),
            lag_us_max: decimals(engine.lag_us_max, 1),
            cpu_s: seconds(engine.cpu_ns),
            process_cpu_s: process_cpu_ns.map(seconds),
            threads: engine.threads,
            priority: engine.priority.to_string(),
            connections: engine.connections,
            sent_bytes: engine.sent_bytes,
            received_bytes: engine.received_bytes,
            own_errors: engine.own_errors.clone(),
        }
    }
}

impl From<&Finding> for FindingReport {
    fn from(finding: &Finding) -> Self {
        let told = Told::of(finding);
        Self {
            name: finding.name().to_owned(),
            weight: finding.weight,
            blame: finding.blame,
            text: told.text.en.to_string(),
            evidence: told.evidence.iter().map(|piece| piece.en.to_string()).collect(),
            hint: told.remedy.as_ref().map(|remedy| remedy.en.to_string()),
            explains: finding.explains_milli.map(|milli| f64::from(milli) / 1000.0),
            fact: finding.fact.clone(),
            excuse: finding.excuse,
            told,
        }
    }
}
