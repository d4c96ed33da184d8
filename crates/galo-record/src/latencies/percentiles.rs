//! The figures of a histogram that are told.

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Latencies, SparseLatencies};

/// Percentiles, ends, means and deviation in microseconds; all 0 where the count is 0.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Percentiles {
    /// Number of operations behind the figures.
    pub count: u64,
    /// The shortest.
    pub min: f64,
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
    /// Standard deviation of these latencies themselves (divided by their count).
    pub standard_deviation: f64,
    /// Mean of the fastest 95 % ([`Latencies::trimmed_mean_us`]).
    pub tm95: f64,
    /// Mean of the fastest 99 %.
    pub tm99: f64,
    /// Mean of the fastest 99.9 %.
    pub tm99_9: f64,
}

impl Latencies {
    /// All figures at once.
    pub fn percentiles(&self) -> Percentiles {
        Percentiles {
            count: self.count(),
            min: self.min_us(),
            p50: self.quantile_us(0.5),
            p75: self.quantile_us(0.75),
            p90: self.quantile_us(0.9),
            p95: self.quantile_us(0.95),
            p99: self.quantile_us(0.99),
            p99_9: self.quantile_us(0.999),
            p99_99: self.quantile_us(0.9999),
            max: self.max_us(),
            mean: self.mean_us(),
            standard_deviation: self.standard_deviation_us(),
            tm95: self.trimmed_mean_us(0.95),
            tm99: self.trimmed_mean_us(0.99),
            tm99_9: self.trimmed_mean_us(0.999),
        }
    }
}

impl SparseLatencies {
    /// All figures at once.
    pub fn percentiles(&self) -> Percentiles {
        let mut latencies = Latencies::new();
        latencies.add_sparse(self);
        latencies.percentiles()
    }
}
