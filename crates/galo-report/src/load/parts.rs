//! The parts of a [`LoadReport`](super::LoadReport).

use galo_record::load::EngineRecord;
use galo_record::{Ledger, StepLatencies};
use schemars::JsonSchema;
use serde::Serialize;

use super::{UrlOutcome, per_second, rate};
use crate::digits::{decimals, seconds};
use crate::report::EngineReport;
use galo_record::Percentiles;

/// galo's own part in a load.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LoadEngine {
    /// What every load has; there is no sampling beside this one, so `process_cpu_s` is null.
    #[serde(flatten)]
    pub all: EngineReport,
    /// CPU of the engine's threads for one operation that ended; null: none did.
    pub cpu_us_per_operation: Option<f64>,
    /// CPU of each engine thread, user and system.
    pub thread_cpu_s: Vec<f64>,
    /// How long each engine thread was ready to run and had no core.
    pub thread_run_queue_ms: Vec<f64>,
    /// What the engine waited with: `io_uring` or `epoll`.
    pub backend: String,
    /// Requests sent again because a kept connection was closed under them.
    pub retries: u64,
    /// Operations that began late because every connection was busy. The waiting is in their latency.
    pub waited: u64,
    /// TCP segments that the kernel sent again on galo's connections.
    pub retransmitted_segments: u64,
}

impl LoadEngine {
    pub(super) fn new(engine: &EngineRecord, ledger: &Ledger) -> Self {
        let ended = ledger.intended.saturating_sub(ledger.unfinished);
        let cpu_us = engine.cpu_ns as f64 / 1e3;
        Self {
            all: EngineReport::new(engine, None),
            cpu_us_per_operation: (ended > 0).then(|| decimals(cpu_us / ended as f64, 3)),
            thread_cpu_s: engine.thread_cpu_ns.iter().map(|&ns| seconds(ns)).collect(),
            thread_run_queue_ms: engine.run_queue_ns.iter().map(|&ns| decimals(ns as f64 / 1e6, 3)).collect(),
            backend: engine.backend.clone(),
            retries: engine.retries,
            waited: engine.waited,
            retransmitted_segments: engine.retransmitted_segments,
        }
    }
}

/// One of several addresses.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct UrlReport {
    /// The address.
    pub url: String,
    /// Operations by result.
    pub ledger: Ledger,
    /// Latency from the intended start, of everything that ended.
    pub latency: Percentiles,
    /// Latency from the actual send, of right answers.
    pub service_time: Percentiles,
}

impl From<&UrlOutcome<'_>> for UrlReport {
    fn from(outcome: &UrlOutcome<'_>) -> Self {
        Self {
            url: outcome.url.to_owned(),
            ledger: outcome.step.ledger,
            latency: outcome.latencies.all().percentiles(),
            service_time: outcome.latencies.ok_service.percentiles(),
        }
    }
}

/// One step of a rate that rises in steps. Latencies are from the intended start, of everything that ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct RateStep {
    /// Arrival rate asked for.
    pub asked_per_s: f64,
    /// Right answers per second.
    pub ok_per_s: f64,
    /// Right answers.
    pub ok: u64,
    /// Everything else: wrong, failed, timed out, unfinished.
    pub errors: u64,
    /// Median.
    pub latency_us_p50: f64,
    /// 99 %.
    pub latency_us_p99: f64,
    /// 99.9 %.
    pub latency_us_p99_9: f64,
}

impl RateStep {
    /// Sums up one step, whose rates are over `rate_ns`.
    pub fn new(asked_per_s: f64, rate_ns: u64, ledger: &Ledger, latencies: &StepLatencies) -> Self {
        let latency = latencies.all().percentiles();
        Self {
            asked_per_s: rate(asked_per_s),
            ok_per_s: per_second(ledger.ok, rate_ns),
            ok: ledger.ok,
            errors: ledger.not_ok(),
            latency_us_p50: latency.p50,
            latency_us_p99: latency.p99,
            latency_us_p99_9: latency.p99_9,
        }
    }
}
