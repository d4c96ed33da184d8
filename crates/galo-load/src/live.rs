//! Where the load is, for the live view: written by the engine threads without waiting, read by whoever reports.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use galo_plan::LoadPlan;
use galo_record::OperationResult;
use galo_record::event::Progress;

/// Buckets per doubling of latency: 3 % apart, enough for a glance.
const FINENESS: u32 = 32;
/// Up to 2^36 us.
const BUCKETS: usize = (FINENESS * 32) as usize;

/// One engine thread's counters. Only that thread writes them, so plain loads and stores do, without a locked
/// instruction. Aligned so that two threads never share a line of cache.
#[derive(Debug)]
#[repr(align(128))]
pub(crate) struct Live {
    in_flight: AtomicU64,
    done: AtomicU64,
    wrong: AtomicU64,
    failed: AtomicU64,
    latencies: Counts,
    lags: Counts,
}

/// How many times were how long.
#[derive(Debug)]
struct Counts(Vec<AtomicU32>);

impl Counts {
    fn new() -> Self {
        Self(std::iter::repeat_with(|| AtomicU32::new(0)).take(BUCKETS).collect())
    }

    fn add(&self, ns: u64) {
        if let Some(count) = self.0.get(bucket(ns / 1000)) {
            count.store(count.load(Relaxed).wrapping_add(1), Relaxed);
        }
    }
}

impl Live {
    pub(crate) fn new() -> Self {
        Self {
            in_flight: AtomicU64::new(0),
            done: AtomicU64::new(0),
            wrong: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            latencies: Counts::new(),
            lags: Counts::new(),
        }
    }

    /// One operation fell due.
    pub(crate) fn begin(&self) {
        self.in_flight.store(self.in_flight.load(Relaxed) + 1, Relaxed);
    }

    /// Operations that fell due and have not ended.
    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight.load(Relaxed)
    }

    /// One request was sent, or its connection begun, so long after that was possible.
    pub(crate) fn lag(&self, ns: u64) {
        self.lags.add(ns);
    }

    /// One operation ended, or was given up with the load: that is no end.
    pub(crate) fn end(&self, result: OperationResult, latency_ns: u64) {
        self.in_flight.store(self.in_flight.load(Relaxed).saturating_sub(1), Relaxed);
        let add = |counter: &AtomicU64| counter.store(counter.load(Relaxed) + 1, Relaxed);
        match result {
            OperationResult::Unfinished => return,
            OperationResult::Ok => {}
            OperationResult::Wrong => add(&self.wrong),
            OperationResult::Failed | OperationResult::TimedOut => add(&self.failed),
        }
        add(&self.done);
        self.latencies.add(latency_ns);
    }
}

/// Below [`FINENESS`] microseconds a bucket each, then [`FINENESS`] buckets for every doubling.
fn bucket(us: u64) -> usize {
    let doublings = us.max(1).ilog2().saturating_sub(FINENESS.ilog2());
    let index = u64::from(doublings * FINENESS) + (us >> doublings);
    usize::try_from(index).map_or(BUCKETS - 1, |index| index.min(BUCKETS - 1))
}

/// The largest latency of a bucket, in microseconds.
fn upper_us(index: usize) -> u64 {
    let (index, fineness) = (index as u64, u64::from(FINENESS));
    let doublings = (index / fineness).saturating_sub(1);
    let mantissa = index - doublings * fineness;
    ((mantissa + 1) << doublings) - 1
}

/// Reads all threads' counters, time after time.
pub(crate) struct Reporter<'a> {
    plan: &'a LoadPlan,
    lives: &'a [Live],
    latencies: Intervals,
    lags: Intervals,
}

/// Counts of all threads as they were at the last look.
struct Intervals(Vec<u32>);

impl Intervals {
    fn new() -> Self {
        Self(vec![0; BUCKETS])
    }

    /// What was counted since the last call.
    fn next(&mut self, lives: &[Live], counts: fn(&Live) -> &Counts) -> Vec<u32> {
        let next = |(index, before): (usize, &mut u32)| {
            let of_thread = |live| counts(live).0[index].load(Relaxed);
            let now = lives.iter().map(of_thread).fold(0, u32::wrapping_add);
            now.wrapping_sub(std::mem::replace(before, now))
        };
        self.0.iter_mut().enumerate().map(next).collect()
    }
}

impl<'a> Reporter<'a> {
    pub(crate) fn new(plan: &'a LoadPlan, lives: &'a [Live]) -> Self {
        Self { plan, lives, latencies: Intervals::new(), lags: Intervals::new() }
    }

    /// Where the load is after `elapsed_ns`; its percentiles are over the time since the last call.
    pub(crate) fn progress(&mut self, elapsed_ns: u64) -> Progress {
        let sum = |counter: fn(&Live) -> &AtomicU64| {
            self.lives.iter().map(|live| counter(live).load(Relaxed)).sum()
        };
        let (in_flight, done) = (sum(|live| &live.in_flight), sum(|live| &live.done));
        let (wrong, failed) = (sum(|live| &live.wrong), sum(|live| &live.failed));
        let latencies = self.latencies.next(self.lives, |live| &live.latencies);
        let lags = self.lags.next(self.lives, |live| &live.lags);
        Progress {
            elapsed_ns,
            duration_ns: self.plan.duration_ns(),
            arrival_rate: self.plan.sources.iter().map(|source| source.arrivals.rate_at(elapsed_ns)).sum(),
            in_flight,
            done,
            wrong,
            failed,
            latency_us_p50: quantile_us(&latencies, 50),
            latency_us_p99: quantile_us(&latencies, 99),
            lag_us_p99: quantile_us(&lags, 99),
        }
    }
}

fn quantile_us(counts: &[u32], percent: u64) -> u64 {
    let total: u64 = counts.iter().copied().map(u64::from).sum();
    let rank = (total * percent).div_ceil(100).max(1);
    let mut seen = 0;
    for (index, &count) in counts.iter().enumerate() {
        seen += u64::from(count);
        if seen >= rank {
            return upper_us(index);
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_bucket_holds_its_latency_within_four_percent(us in 0u64..(1 << 34)) {
            let upper = upper_us(bucket(us));
            prop_assert!(us <= upper, "{us} above {upper}");
            prop_assert!(upper - us <= us / 25 + 1, "{us} far below {upper}");
        }
    }

    #[test]
    fn percentiles_are_of_the_last_interval_alone() {
        let plan = crate::testing::plan_of_one("/", 1_000_000, 1);
        let lives = [Live::new(), Live::new()];
        let mut reporter = Reporter::new(&plan, &lives);
        lives[0].begin();
        lives[0].end(OperationResult::Ok, 9_000_000_000);
        assert!(reporter.progress(0).latency_us_p99 >= 9_000_000);
        for live in &lives {
            for _ in 0..50 {
                live.begin();
                live.end(OperationResult::Wrong, 10_000);
            }
        }
        lives[1].lag(20_000);
        lives[1].begin();
        let progress = reporter.progress(1);
        assert_eq!((progress.latency_us_p50, progress.latency_us_p99), (10, 10));
        assert_eq!((progress.done, progress.wrong, progress.failed, progress.in_flight), (101, 100, 0, 1));
        assert_eq!((progress.lag_us_p99, reporter.progress(2).lag_us_p99), (20, 0));
        lives[1].end(OperationResult::Unfinished, 10_000);
        let last = reporter.progress(3);
        assert_eq!((last.done, last.in_flight, last.latency_us_p99), (101, 0, 0), "given up is not done");
    }
}
