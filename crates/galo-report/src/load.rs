//! The report of `galo load`: one request, repeated, without contender or verdict.

use std::collections::BTreeMap;

use galo_record::StepLatencies;
use galo_record::round::{EngineRecord, StepRecord};
use schemars::JsonSchema;
use serde::Serialize;

use crate::digits::{decimals, seconds};
use crate::report::{EngineReport, FORMAT, LatencyReport, LedgerReport, pretty};

/// What one address answered.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LoadReport {
    /// Version of this form: 1.
    pub format: u32,
    /// The address.
    pub url: String,
    /// From the start of the load to the end of its last operation.
    pub elapsed_s: f64,
    /// Right answers per second of it.
    pub ok_per_s: f64,
    /// Operations by result.
    pub ledger: LedgerReport,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Failures by kind.
    pub errors: BTreeMap<String, u64>,
    /// Latency from the intended start, of everything that ended.
    pub latency: LatencyReport,
    /// Latency from the actual send, of right answers.
    pub service_time: LatencyReport,
    /// galo's own part.
    pub engine: EngineReport,
}

impl LoadReport {
    /// Sums up one load.
    pub fn new(
        url: &str,
        elapsed_ns: u64,
        step: &StepRecord,
        latencies: &StepLatencies,
        engine: &EngineRecord,
    ) -> Self {
        let per_second = step.ledger.ok as f64 * 1e9 / elapsed_ns as f64;
        Self {
            format: FORMAT,
            url: url.to_owned(),
            elapsed_s: seconds(elapsed_ns),
            ok_per_s: decimals(per_second, 1),
            ledger: (&step.ledger).into(),
            statuses: step.statuses.clone(),
            errors: step.errors.clone(),
            latency: (&latencies.all()).into(),
            service_time: (&latencies.ok_service).into(),
            engine: EngineReport::new(engine, None),
        }
    }

    /// Pretty JSON with a newline at the end.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}
