//! What requests were answered, and how quickly.

use galo_plan::JsonSchema;
use galo_record::{Ledger, Percentiles, StepLatencies};
use serde::{Deserialize, Serialize};

use crate::fight::{Class, classes};

/// Bounds of the classes of a load, which has no service level: Gatling's own.
pub(super) const USUAL_BOUNDS_NS: [u64; 2] = [800_000_000, 1_200_000_000];

/// What requests were answered, and how quickly. Percentiles are in microseconds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Answered {
    /// Operations by result.
    pub ledger: Ledger,
    /// Latency from the intended start, of everything that ended.
    pub latency: Percentiles,
    /// Latency from the intended start, of right answers.
    pub latency_ok: Percentiles,
    /// Latency from the intended start, of everything else that ended.
    pub latency_not_ok: Percentiles,
    /// Latency from the actual send, of right answers.
    pub service_time: Percentiles,
    /// Right answers by latency from the intended start.
    pub classes: Vec<Class>,
}

/// One address of a load, one step of its users, or one name of requests.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// The scenario of a step.
    pub scenario: Option<String>,
    /// The address, or the name of the step.
    pub name: String,
    /// Users who did not come to the step: they had not been given what it sends, or the load ended before.
    pub left_out: u64,
    /// Its answers.
    #[serde(flatten)]
    pub answered: Answered,
}

impl Answered {
    /// Sums up a step. Its classes end at `bounds_ns`.
    pub fn from_step(ledger: Ledger, latencies: &StepLatencies, bounds_ns: &[u64]) -> Self {
        Self {
            ledger,
            latency: latencies.all().percentiles(),
            latency_ok: latencies.ok.percentiles(),
            latency_not_ok: latencies.not_ok.percentiles(),
            service_time: latencies.ok_service.percentiles(),
            classes: classes(bounds_ns, &latencies.ok, ledger.intended),
        }
    }

    /// Sums up a step of a load.
    pub(super) fn of_load(ledger: Ledger, latencies: &StepLatencies) -> Self {
        Self::from_step(ledger, latencies, &USUAL_BOUNDS_NS)
    }
}
