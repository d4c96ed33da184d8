//! The parts of a [`LoadReport`](super::LoadReport).

use std::collections::BTreeMap;

use galo_record::load::EngineRecord;
use galo_record::{Ledger, StepLatencies};
use schemars::JsonSchema;
use serde::Serialize;

use super::{UrlOutcome, per_second, rate};
use crate::digits::{decimals, seconds};
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

/// galo's own part in a round.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EngineReport {
    /// How late requests were sent after their intended start, by galo's own doing: median.
    pub lag_us_p50: f64,
    /// Same, 99 %.
    pub lag_us_p99: f64,
    /// Same, 99.9 %.
    pub lag_us_p99_9: f64,
    /// Same, the most.
    pub lag_us_max: f64,
    /// CPU of the engine's threads alone, user and system: what the load itself cost.
    pub cpu_s: f64,
    /// CPU of galo's whole process, user and system, from the last sample before the load to the first one after it:
    /// with the engine's threads also sampling and watching over the services. null: nothing was sampled.
    pub process_cpu_s: Option<f64>,
    /// Engine threads.
    pub threads: u32,
    /// How the kernel scheduled the engine's threads: `real-time`, or `nice` and the value.
    pub priority: String,
    /// Connections opened.
    pub connections: u64,
    /// Bytes written to sockets.
    pub sent_bytes: u64,
    /// Bytes read from sockets.
    pub received_bytes: u64,
    /// Operations that galo could not even try, by reason.
    pub own_errors: BTreeMap<String, u64>,
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
