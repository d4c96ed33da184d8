//! Figures of a histogram that are no quantiles: ends, means, deviation.
//!
//! Every latency is taken as the middle of its bucket, so a mean is off by at most half a bucket's width (0.05 %, or
//! 32 ns).

use super::Latencies;

impl Latencies {
    /// The smallest (its bucket's lowest value), in microseconds; 0 where there are none.
    pub fn min_us(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.0.min() as f64 / 1e3 }
    }

    /// The largest (its bucket's highest value), in microseconds; 0 where there are none.
    pub fn max_us(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.0.max() as f64 / 1e3 }
    }

    /// The mean, in microseconds; 0 where there are none.
    pub fn mean_us(&self) -> f64 {
        self.0.mean() / 1e3
    }

    /// The standard deviation of these latencies themselves (divided by their count, not by one less), in
    /// microseconds; 0 where there are none.
    pub fn standard_deviation_us(&self) -> f64 {
        self.0.stdev() / 1e3
    }

    /// The mean of the fastest `share` (0 to 1) of all, in microseconds; 0 where there are none, or of none.
    ///
    /// With `n` latencies it is of the fastest `k = share * n`, and `k` is not rounded: the latency in which it ends
    /// counts in part. Of 10 latencies the fastest 95 % are the 9 fastest and half of the slowest, together divided
    /// by 9.5. So it never jumps with the count, never exceeds the mean of all, and is defined for a single latency.
    pub fn trimmed_mean_us(&self, share: f64) -> f64 {
        let buckets = || self.0.iter_recorded();
        // Not the histogram's own count: a full bucket holds fewer than were counted.
        let held: f64 = buckets().map(|bucket| f64::from(bucket.count_at_value())).sum();
        let wanted = share.clamp(0.0, 1.0) * held;
        let (mut left, mut sum_ns) = (wanted, 0.0);
        for bucket in buckets() {
            let counted = f64::from(bucket.count_at_value()).min(left);
            sum_ns += counted * self.0.median_equivalent(bucket.value_iterated_to()) as f64;
            left -= counted;
            if left <= 0.0 {
                break;
            }
        }
        if wanted > 0.0 { sum_ns / wanted / 1e3 } else { 0.0 }
    }
}
