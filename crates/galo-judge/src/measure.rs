//! The figures of a round that are compared between contenders.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One kind of figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Correct answers within the service level.
    CorrectWithinServiceLevel,
    /// Median latency from the intended start, in microseconds, of everything that ended.
    LatencyUsP50,
    /// Same, 99 %.
    LatencyUsP99,
    /// Same, 99.9 %.
    LatencyUsP999,
    /// CPU of all services per 1,000 correct answers, in milliseconds.
    CpuMsPer1000,
    /// Most memory of all services at one moment, page cache included.
    MemoryPeakBytes,
    /// Same, anonymous memory alone.
    AnonymousPeakBytes,
    /// From the start of the load to the end of its last operation, in seconds.
    ElapsedS,
}

/// The figures of one round; `None` where something was not seen.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Measures {
    /// See [`Measure::CorrectWithinServiceLevel`].
    pub correct_within_service_level: Option<f64>,
    /// See [`Measure::LatencyUsP50`].
    pub latency_us_p50: Option<f64>,
    /// See [`Measure::LatencyUsP99`].
    pub latency_us_p99: Option<f64>,
    /// See [`Measure::LatencyUsP999`].
    pub latency_us_p99_9: Option<f64>,
    /// See [`Measure::CpuMsPer1000`].
    pub cpu_ms_per_1000: Option<f64>,
    /// See [`Measure::MemoryPeakBytes`].
    pub memory_peak_bytes: Option<f64>,
    /// See [`Measure::AnonymousPeakBytes`].
    pub anonymous_peak_bytes: Option<f64>,
    /// See [`Measure::ElapsedS`].
    pub elapsed_s: Option<f64>,
}
