//! Latencies as they are told: rounded percentiles of a histogram, in microseconds.

use galo_record::{Latencies, SparseLatencies};
use schemars::JsonSchema;
use serde::Serialize;

use crate::digits::decimals;

/// Percentiles in microseconds; all 0 where the count is 0.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct LatencyReport {
    /// How many operations they are taken of.
    pub count: u64,
    /// Median.
    pub p50: f64,
    /// 75 %.
    pub p75: f64,
    /// 90 %.
    pub p90: f64,
    /// 95 %.
    pub p95: f64,
    /// 99 %.
    pub p99: f64,
    /// 99.9 %.
    pub p99_9: f64,
    /// 99.99 %.
    pub p99_99: f64,
    /// The longest.
    pub max: f64,
    /// Mean.
    pub mean: f64,
}

impl From<&Latencies> for LatencyReport {
    fn from(latencies: &Latencies) -> Self {
        let quantile = |q| decimals(latencies.quantile_us(q), 1);
        if latencies.is_empty() {
            return Self::default();
        }
        Self {
            count: latencies.count(),
            p50: quantile(0.5),
            p75: quantile(0.75),
            p90: quantile(0.9),
            p95: quantile(0.95),
            p99: quantile(0.99),
            p99_9: quantile(0.999),
            p99_99: quantile(0.9999),
            max: decimals(latencies.max_us(), 1),
            mean: decimals(latencies.mean_us(), 1),
        }
    }
}

/// Percentiles, ends, means and deviation in microseconds; all 0 where the count is 0.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
pub struct LoadLatency {
    /// Count, percentiles, the longest, the mean.
    #[serde(flatten)]
    pub percentiles: LatencyReport,
    /// The shortest.
    pub min: f64,
    /// Standard deviation of these latencies themselves (divided by their count).
    pub standard_deviation: f64,
    /// Mean of the fastest 95 %. The operation in which such a share ends counts in part, so it is defined for any
    /// count.
    pub tm95: f64,
    /// Same, 99 %.
    pub tm99: f64,
    /// Same, 99.9 %.
    pub tm99_9: f64,
}

impl From<&Latencies> for LoadLatency {
    fn from(latencies: &Latencies) -> Self {
        let trimmed = |share| decimals(latencies.trimmed_mean_us(share), 1);
        Self {
            percentiles: latencies.into(),
            min: decimals(latencies.min_us(), 1),
            standard_deviation: decimals(latencies.standard_deviation_us(), 1),
            tm95: trimmed(0.95),
            tm99: trimmed(0.99),
            tm99_9: trimmed(0.999),
        }
    }
}

impl From<&SparseLatencies> for LoadLatency {
    fn from(sparse: &SparseLatencies) -> Self {
        let mut latencies = Latencies::new();
        latencies.add_sparse(sparse);
        (&latencies).into()
    }
}
