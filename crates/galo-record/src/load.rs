//! One load: what came of one plan of requests sent to one target.
//!
//! Its facts have a bounded size: totals by step, and galo's own part. What grows with the number of operations (history,
//! histograms by second, samples) is bulk, and lies beside it. Two loads are added here and nowhere else. The engine gives it to
//! whoever drives one. A load that leaves no bulk behind it has its [`LoadFigures`] beside it.

use std::collections::BTreeMap;

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::latencies::SparseLatencies;
use crate::ledger::Ledger;
use crate::window::LoadUsage;

/// What came of a load.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LoadRecord {
    /// Time 0 of the history.
    pub started_ns: u64,
    /// When the last operation ended.
    pub ended_ns: u64,
    /// Whether it was broken off.
    pub interrupted: bool,
    /// The status that ended it, if one did.
    pub stopped_by: Option<u16>,
    /// By flat step number.
    pub steps: Vec<StepRecord>,
    /// galo's own part.
    pub engine: EngineRecord,
}

/// What the bulk of a load would tell, of one that leaves none.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LoadFigures {
    /// Of everything that ended, from the intended start.
    pub latencies: SparseLatencies,
    /// What services and machine did meanwhile; `None`: nobody watched.
    pub usage: Option<LoadUsage>,
}

impl LoadRecord {
    /// From its start to the end of its last operation. Of loads that were added: all of them, without what lay between.
    pub const fn elapsed_ns(&self) -> u64 {
        self.ended_ns.saturating_sub(self.started_ns)
    }

    /// The time that its rates are over: that in which requests were to fall due, in the open model, and at least the time
    /// that it took; of a load that was ended early the time that it took.
    pub fn rate_ns(&self, asked_ns: u64) -> u64 {
        let is_cut_off = self.interrupted || self.stopped_by.is_some();
        if is_cut_off { self.elapsed_ns() } else { self.elapsed_ns().max(asked_ns) }
    }

    /// All steps as one.
    pub fn total(&self) -> StepRecord {
        let mut sum = StepRecord::default();
        self.steps.iter().for_each(|step| sum.add(step));
        sum
    }

    /// Adds a load of the same steps that was driven after this one.
    pub fn add(&mut self, later: &Self) {
        self.ended_ns += later.elapsed_ns();
        for (mine, its) in self.steps.iter_mut().zip(&later.steps) {
            mine.add(its);
        }
        self.engine.add(&later.engine);
        self.interrupted |= later.interrupted;
        self.stopped_by = self.stopped_by.or(later.stopped_by);
    }
}

impl StepRecord {
    /// Adds another's operations.
    pub fn add(&mut self, other: &Self) {
        self.ledger.add(&other.ledger);
        add_counts(&mut self.statuses, &other.statuses);
        add_counts(&mut self.errors, &other.errors);
    }
}

impl EngineRecord {
    /// The same without the histogram of connection attempts.
    pub fn without_connects(&self) -> Self {
        Self { connects: SparseLatencies::default(), ..self.clone() }
    }

    /// Adds that of a later load. All are sums, but for lag: its percentiles cannot be added, so the worst load's stand
    /// for all.
    fn add(&mut self, later: &Self) {
        self.threads = self.threads.max(later.threads);
        self.lag_us_p50 = self.lag_us_p50.max(later.lag_us_p50);
        self.lag_us_p99 = self.lag_us_p99.max(later.lag_us_p99);
        self.lag_us_p99_9 = self.lag_us_p99_9.max(later.lag_us_p99_9);
        self.lag_us_max = self.lag_us_max.max(later.lag_us_max);
        self.cpu_ns += later.cpu_ns;
        self.connections += later.connections;
        self.sent_bytes += later.sent_bytes;
        self.received_bytes += later.received_bytes;
        self.retries += later.retries;
        self.waited += later.waited;
        self.retransmitted_segments += later.retransmitted_segments;
        self.priority = self.priority.max(later.priority);
        match (&mut self.quota, &later.quota) {
            (Some(mine), Some(its)) => mine.add(its),
            (mine, its) => *mine = mine.take().or_else(|| its.clone()),
        }
        self.connects.add(&later.connects);
        add_counts(&mut self.own_errors, &later.own_errors);
        add_each(&mut self.thread_cpu_ns, &later.thread_cpu_ns);
        add_each(&mut self.run_queue_ns, &later.run_queue_ns);
    }
}

/// Adds counts by key.
pub fn add_counts<K: Ord + Clone>(counts: &mut BTreeMap<K, u64>, others: &BTreeMap<K, u64>) {
    for (key, n) in others {
        *counts.entry(key.clone()).or_default() += n;
    }
}

/// Adds figures by place; what only the other one has is taken over.
fn add_each(figures: &mut Vec<u64>, others: &[u64]) {
    figures.resize(figures.len().max(others.len()), 0);
    for (mine, its) in figures.iter_mut().zip(others) {
        *mine += its;
    }
}

/// One step's totals.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StepRecord {
    /// Operations by result.
    pub ledger: Ledger,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Failures by kind in words, e.g. `connection refused`.
    pub errors: BTreeMap<String, u64>,
}

/// galo's own part in a round.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct EngineRecord {
    /// Engine threads.
    pub threads: u32,
    /// How late requests were sent (or begun to connect) after their intended start, by galo's own doing.
    pub lag_us_p50: f64,
    /// Same.
    pub lag_us_p99: f64,
    /// Same.
    pub lag_us_p99_9: f64,
    /// Same.
    pub lag_us_max: f64,
    /// CPU of the engine's threads, user and system.
    pub cpu_ns: u64,
    /// Connections opened.
    pub connections: u64,
    /// Bytes written to sockets.
    pub sent_bytes: u64,
    /// Bytes read from sockets.
    pub received_bytes: u64,
    /// Operations that galo could not even try, by reason, e.g. `no free local port`, `too many open files`.
    pub own_errors: BTreeMap<String, u64>,
    /// How the kernel scheduled the engine's threads; of several the worst.
    pub priority: Priority,
    /// CPU of each engine thread, user and system.
    pub thread_cpu_ns: Vec<u64>,
    /// How long each engine thread was ready to run and had no core.
    pub run_queue_ns: Vec<u64>,
    /// What the engine waited with: `io_uring` or `epoll`.
    pub backend: String,
    /// Requests sent again because a kept connection was closed under them.
    pub retries: u64,
    /// Operations that began late because every connection was busy.
    pub waited: u64,
    /// TCP segments that were sent again while the load ran, by anybody in galo's network namespace.
    pub retransmitted_segments: u64,
    /// Successful connection attempts, from the attempt to the first byte that could be written.
    #[serde(default, skip_serializing_if = "SparseLatencies::is_empty")]
    pub connects: SparseLatencies,
    /// The CPU quota of the control group in which galo itself is; `None`: it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<CpuQuota>,
}

/// A CPU quota, and what it cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuQuota {
    /// CPUs that all processes of the group may use together.
    pub cpus: f64,
    /// The file that says so, e.g. `cpu.max`.
    pub file: String,
    /// How long the group was stopped while the load ran because it had used its quota up; summed over the cores on which
    /// it ran, so that it may be longer than the load.
    pub throttled_ns: u64,
}

impl CpuQuota {
    /// Adds what it cost in a later load. Of two quotas the one that cost more stands for both.
    fn add(&mut self, later: &Self) {
        let throttled_ns = self.throttled_ns + later.throttled_ns;
        if later.throttled_ns > self.throttled_ns {
            self.clone_from(later);
        }
        self.throttled_ns = throttled_ns;
    }
}

/// How the kernel schedules a thread, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Before everything that is not real-time itself (`SCHED_RR`).
    RealTime,
    /// In turn with all others, by this nice value.
    Nice(i32),
}

impl Default for Priority {
    fn default() -> Self {
        Self::Nice(0)
    }
}

impl std::fmt::Display for Priority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::RealTime => f.write_str("real-time"),
            Self::Nice(nice) => write!(f, "nice {nice}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(ok: u64, lag_us: f64) -> LoadRecord {
        let step = StepRecord {
            ledger: Ledger { intended: ok + 1, ok, failed: 1, ..Ledger::default() },
            statuses: [(200, ok)].into(),
            errors: [("connection refused".to_owned(), 1)].into(),
        };
        let engine = EngineRecord {
            threads: 1,
            lag_us_p99: lag_us,
            cpu_ns: 5,
            thread_cpu_ns: vec![5],
            run_queue_ns: vec![7],
            ..EngineRecord::default()
        };
        let (started_ns, ended_ns) = (5, 1_000_000_005);
        LoadRecord { started_ns, ended_ns, steps: vec![step; 2], engine, ..LoadRecord::default() }
    }

    #[test]
    fn rates_are_over_the_time_that_was_asked_for_or_that_it_took_where_that_is_longer() {
        let done = load(10, 0.0);
        assert_eq!((done.rate_ns(0), done.rate_ns(5_000_000_000)), (1_000_000_000, 5_000_000_000));
        assert_eq!(done.rate_ns(1_000_000), 1_000_000_000, "it overran its time");
        for ended in [
            LoadRecord { interrupted: true, ..done.clone() },
            LoadRecord { stopped_by: Some(429), ..done.clone() },
        ] {
            assert_eq!(ended.rate_ns(5_000_000_000), 1_000_000_000);
        }
    }

    #[test]
    fn loads_after_one_another_add_up_and_the_worst_lag_stands() {
        let mut sum = load(10, 30.0);
        sum.add(&LoadRecord { stopped_by: Some(500), interrupted: true, ..load(30, 20.0) });
        let total = sum.total();
        assert_eq!((sum.elapsed_ns(), total.ledger.intended, total.ledger.ok), (2_000_000_000, 84, 80));
        assert!(total.ledger.adds_up());
        assert_eq!((total.statuses[&200], total.errors["connection refused"]), (80, 4));
        assert_eq!((sum.engine.lag_us_p99, sum.engine.cpu_ns, sum.engine.threads), (30.0, 10, 1));
        assert_eq!((&sum.engine.thread_cpu_ns[..], &sum.engine.run_queue_ns[..]), (&[10][..], &[14][..]));
        assert_eq!((sum.interrupted, sum.stopped_by), (true, Some(500)));
    }
}
