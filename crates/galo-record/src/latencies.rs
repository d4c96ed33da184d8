//! Latency as HDR histograms of one fixed layout: mergeable without loss, bounded in memory.

mod figures;
mod file;
mod layout;
mod percentiles;

pub use file::{read, write};
pub use percentiles::Percentiles;

use std::fmt;

use galo_plan::JsonSchema;
use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use layout::{HIGHEST_NS, SIGNIFICANT_DIGITS, bucket_of, highest_in, lowest_in};

/// Number of buckets of a [`Latencies`]; bucket numbers are below it.
pub const BUCKETS: u32 = layout::BUCKETS;

/// A histogram of latencies from 100 ns (finer values are kept to 64 ns) to one hour, to three significant digits.
/// Longer values are counted as one hour; a bucket that is full (4,294,967,295) stays full. About 110 KB.
#[derive(Clone)]
pub struct Latencies(Histogram<u32>);

/// The non-empty buckets of a [`Latencies`]: bucket number and count, ascending, each number once and below
/// [`BUCKETS`]. Numbers are HdrHistogram's `countsArrayIndex` for this layout, the same on every machine and in every file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SparseLatencies(pub Vec<(u32, u32)>);

/// Equal where all buckets are. (The histogram's own comparison tells an emptied one from a new one.)
impl PartialEq for Latencies {
    fn eq(&self, other: &Self) -> bool {
        self.to_sparse() == other.to_sparse()
    }
}

/// The non-empty buckets: the histogram's own would print tens of thousands of zeros.
impl fmt::Debug for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Latencies").field(&self.to_sparse().0).finish()
    }
}

impl Default for Latencies {
    fn default() -> Self {
        Self::new()
    }
}

impl Latencies {
    /// An empty one.
    pub fn new() -> Self {
        // The bounds are constants, so this cannot fail at run time: a test makes one.
        Self(
            Histogram::new_with_bounds(layout::LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS)
                .expect("constant bounds"),
        )
    }

    /// Counts one latency.
    pub fn record_ns(&mut self, ns: u64) {
        self.record_many(ns, 1);
    }

    /// Values are kept from 1 ns on: for the histogram's maximum 0 is no value, though it shares a bucket with 1.
    fn record_many(&mut self, ns: u64, count: u32) {
        self.0.saturating_record_n(ns.clamp(1, HIGHEST_NS), count);
    }

    /// Adds all of another's.
    pub fn add(&mut self, other: &Self) {
        // Addition only fails for values out of range, and both have one layout.
        self.0 += &other.0;
    }

    /// Adds all of a sparse one's.
    pub fn add_sparse(&mut self, other: &SparseLatencies) {
        for &(bucket, count) in &other.0 {
            if count > 0 {
                self.record_many(highest_in(bucket.min(BUCKETS - 1)), count);
            }
        }
    }

    /// The non-empty buckets.
    pub fn to_sparse(&self) -> SparseLatencies {
        if self.is_empty() {
            return SparseLatencies::default();
        }
        // Only from the smallest to the largest: engine threads ask every second, and most buckets are empty.
        let buckets = bucket_of(self.0.min())..=bucket_of(self.0.max());
        let counts = buckets.map(|bucket| (bucket, self.0.count_at(lowest_in(bucket))));
        SparseLatencies(counts.filter(|&(_, count)| count > 0).collect())
    }

    /// The histogram itself, for writing it in HdrHistogram's own formats.
    pub const fn as_hdr(&self) -> &Histogram<u32> {
        &self.0
    }

    /// The non-empty buckets; `self` is emptied.
    pub fn take_sparse(&mut self) -> SparseLatencies {
        let sparse = self.to_sparse();
        if !sparse.0.is_empty() {
            self.0.reset();
        }
        sparse
    }

    /// Number of latencies.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// The latency that a share `q` (0 to 1) of all does not exceed, in microseconds; 0 where there are none.
    ///
    /// As HdrHistogram defines it: the highest value of the bucket that holds the latency of rank `ceil(q * count)`,
    /// at least 1, counted from the smallest.
    pub fn quantile_us(&self, q: f64) -> f64 {
        self.quantile_us_among(q, self.count()).unwrap_or_default()
    }

    /// Quantile over `all` latencies, treating the missing ones as slower than all recorded; `None`: a missing one, or
    /// there are none.
    pub fn quantile_us_among(&self, q: f64, all: u64) -> Option<f64> {
        let rank = rank(q, all);
        (all > 0 && rank <= self.count()).then(|| self.at_rank(rank))
    }

    fn at_rank(&self, rank: u64) -> f64 {
        // Half a rank less, so that rounding errors on the way to the histogram's own `ceil` cannot reach another.
        let between = (rank as f64 - 0.5) / self.count() as f64;
        match self.0.value_at_quantile(between) {
            // No bucket reaches that rank: some bucket is full, and the ranks are beyond what buckets hold.
            0 => self.max_us(),
            ns => ns as f64 / 1e3,
        }
    }

    /// How many do not exceed `bound_ns`, or share a bucket with it (a bucket is at most 0.1 % wide, or 64 ns).
    pub fn count_up_to_ns(&self, bound_ns: u64) -> u64 {
        if bound_ns >= HIGHEST_NS { self.count() } else { self.0.count_between(0, bound_ns) }
    }
}

/// `ceil(q * count)`, from 1 to `count`. A product within rounding error of a whole number is that number: 0.07 of 100
/// is 7, though in floating point it is a little more.
fn rank(q: f64, count: u64) -> u64 {
    let product = q.clamp(0.0, 1.0) * count as f64;
    let whole = product.round();
    let rank = if (product - whole).abs() <= whole * 1e-12 { whole } else { product.ceil() };
    (rank as u64).clamp(1, count.max(1))
}

impl SparseLatencies {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of latencies.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|&(_, count)| u64::from(count)).sum()
    }

    /// Adds all of another's.
    pub fn add(&mut self, other: &Self) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        let mut sum = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            sum.push(match (left.peek(), right.peek()) {
                (Some(&&(a, n)), Some(&&(b, m))) if a == b => {
                    left.next();
                    right.next();
                    (a, n.saturating_add(m))
                }
                (Some(&&l), Some(&&r)) if l.0 > r.0 => {
                    right.next();
                    r
                }
                (Some(&&l), _) => {
                    left.next();
                    l
                }
                (None, Some(&&r)) => {
                    right.next();
                    r
                }
                (None, None) => break,
            });
        }
        self.0 = sum;
    }
}

/// All latencies of one step in one round.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepLatencies {
    /// Right answers, from the intended start, waiting for a connection included.
    pub ok: Latencies,
    /// Right answers, from the actual send.
    pub ok_service: Latencies,
    /// Of everything else that ended (wrong, failed, timed out, unfinished), from the intended start: with the
    /// latency that it had.
    pub not_ok: Latencies,
    /// One entry a second of the load, by the second in which the operation ended; without gaps.
    pub seconds: Vec<SecondLatencies>,
}

/// The same without its seconds, in the form that a line of `acts.jsonl` has.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StepSparse {
    /// As in [`StepLatencies`].
    pub ok: SparseLatencies,
    /// Same.
    pub ok_service: SparseLatencies,
    /// Same.
    pub not_ok: SparseLatencies,
}

impl StepSparse {
    /// Of a step.
    pub fn from_step(step: &StepLatencies) -> Self {
        let StepLatencies { ok, ok_service, not_ok, .. } = step;
        Self { ok: ok.to_sparse(), ok_service: ok_service.to_sparse(), not_ok: not_ok.to_sparse() }
    }

    /// Adds these to a step's.
    pub fn add_to(&self, step: &mut StepLatencies) {
        step.ok.add_sparse(&self.ok);
        step.ok_service.add_sparse(&self.ok_service);
        step.not_ok.add_sparse(&self.not_ok);
    }
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
    /// Everything else that ended in this second, from the intended start.
    pub not_ok: SparseLatencies,
    /// Wrong answers in this second.
    pub wrong: u32,
    /// Failures in this second.
    pub failed: u32,
    /// Timeouts in this second.
    pub timed_out: u32,
}

impl SecondLatencies {
    /// Everything that ended in this second, from the intended start.
    pub fn all(&self) -> SparseLatencies {
        let mut all = self.ok.clone();
        all.add(&self.not_ok);
        all
    }

    /// Adds another thread's part of the same second.
    pub fn add(&mut self, other: &Self) {
        self.intended = self.intended.saturating_add(other.intended);
        self.ok.add(&other.ok);
        self.ok_service.add(&other.ok_service);
        self.not_ok.add(&other.not_ok);
        self.wrong = self.wrong.saturating_add(other.wrong);
        self.failed = self.failed.saturating_add(other.failed);
        self.timed_out = self.timed_out.saturating_add(other.timed_out);
    }
}

impl StepLatencies {
    /// Everything that ended, from the intended start: what percentiles are taken of, so that failing is never fast.
    pub fn all(&self) -> Latencies {
        let mut all = self.ok.clone();
        all.add(&self.not_ok);
        all
    }

    /// Adds another thread's latencies of the same step.
    pub fn add(&mut self, other: &Self) {
        self.ok.add(&other.ok);
        self.ok_service.add(&other.ok_service);
        self.not_ok.add(&other.not_ok);
        if self.seconds.len() < other.seconds.len() {
            self.seconds.resize_with(other.seconds.len(), SecondLatencies::default);
        }
        for (mine, theirs) in self.seconds.iter_mut().zip(&other.seconds) {
            mine.add(theirs);
        }
    }
}

#[cfg(test)]
mod tests;
