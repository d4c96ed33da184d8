//! Latency as HDR histograms of one fixed layout: mergeable without loss, bounded in memory.

use hdrhistogram::Histogram;

/// A histogram of latencies from 100 ns (finer values are kept to 64 ns) to one hour, to three significant digits.
/// Longer values are counted as one hour. About 110 KB.
#[derive(Debug, Clone, PartialEq)]
pub struct Latencies(Histogram<u32>);

/// The non-empty buckets of a [`Latencies`]: bucket number and count, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SparseLatencies(pub Vec<(u32, u32)>);

impl Default for Latencies {
    fn default() -> Self {
        Self::new()
    }
}

impl Latencies {
    /// An empty one.
    pub fn new() -> Self {
        todo!()
    }
    /// Counts one latency.
    pub fn record_ns(&mut self, _ns: u64) {
        todo!()
    }
    /// Adds all of another's.
    pub fn add(&mut self, _other: &Self) {
        todo!()
    }
    /// Adds all of a sparse one's.
    pub fn add_sparse(&mut self, _other: &SparseLatencies) {
        todo!()
    }
    /// The non-empty buckets; `self` is emptied.
    pub fn take_sparse(&mut self) -> SparseLatencies {
        todo!()
    }
    /// Number of latencies.
    pub fn count(&self) -> u64 {
        todo!()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }
    /// The latency that a share `q` (0 to 1) of all does not exceed (the bucket's highest value), in microseconds;
    /// 0 where there are none.
    pub fn quantile_us(&self, _q: f64) -> f64 {
        todo!()
    }
    /// The largest, in microseconds.
    pub fn max_us(&self) -> f64 {
        todo!()
    }
    /// The mean, in microseconds.
    pub fn mean_us(&self) -> f64 {
        todo!()
    }
    /// How many do not exceed `bound_ns`.
    pub fn count_up_to_ns(&self, _bound_ns: u64) -> u64 {
        todo!()
    }
}

/// All latencies of one step in one round.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepLatencies {
    /// Of right answers, from the intended start, waiting for a connection included.
    pub ok: Latencies,
    /// Of right answers, from the actual send.
    pub ok_service: Latencies,
    /// Of everything else that ended (wrong, failed, timed out, unfinished), from the intended start: with the
    /// latency that it had.
    pub not_ok: Latencies,
    /// One entry a second of the load, by the second in which the operation ended; without gaps.
    pub seconds: Vec<SecondLatencies>,
}

/// One second of one step.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SecondLatencies {
    /// Operations that fell due in this second.
    pub intended: u32,
    /// Right answers in this second, from the intended start.
    pub ok: SparseLatencies,
    /// Right answers in this second, from the actual send.
    pub ok_service: SparseLatencies,
    /// Wrong answers in this second.
    pub wrong: u32,
    /// Failures in this second.
    pub failed: u32,
    /// Timeouts in this second.
    pub timed_out: u32,
}

impl StepLatencies {
    /// Everything that ended, from the intended start: what percentiles are taken of, so that failing is never fast.
    pub fn all(&self) -> Latencies {
        let mut all = self.ok.clone();
        all.add(&self.not_ok);
        all
    }

    /// Adds another thread's latencies of the same step.
    pub fn add(&mut self, _other: &Self) {
        todo!()
    }
}
