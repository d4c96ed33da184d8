//! What a round was near to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a round was near to: never empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stressed {
    /// Each limit.
    pub by: Vec<Stress>,
}

/// One way in which a round was near a limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Stress {
    /// A service was near limits of its own.
    Service {
        /// Which.
        service: String,
        /// All that it was near; never empty.
        near: Vec<Near>,
    },
    /// Operations had no complete answer.
    Failed {
        /// All operations.
        operations: u64,
        /// No complete answer, or a 5xx.
        failed: u64,
        /// No complete answer in time.
        timed_out: u64,
        /// Under way at the end.
        unfinished: u64,
    },
    /// p99 was over the service level.
    Slow {
        /// p99.
        latency_us_p99: f64,
        /// The service level.
        service_level_ns: u64,
    },
}

/// A limit of a service, and how much of it was used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "limit")]
pub enum Near {
    /// CPU over a second.
    Cpu {
        /// Used, in cores.
        cpus: f64,
        /// The limit, in thousandths of a core.
        limit_milli: u32,
    },
    /// Quota periods that were throttled.
    Throttled {
        /// Share of all.
        share: f64,
    },
    /// Anonymous memory.
    Memory {
        /// Most of it.
        bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
}
