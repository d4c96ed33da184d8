//! What a service, or a side of a duel, had no more of over a load: one order for holds and duels, the surest first.
//!
//! It is told of sums over the load, so it says what was used up, and not whether that is what anybody waited for: where a load's
//! moments are known, [`crate::causes`] weigh that. What cannot be said to be lacking, since the kernel did not tell of it, is
//! never ruled out: then nothing is said.

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::signs::{
    self, FAULTS_PER_S, THROTTLED_HARDLY, THROTTLED_MOSTLY, THROTTLED_SHARE, USED_UP, WAITING,
};

/// Less CPU than this, used by others or taken away, is nothing worth a word: the machine's own clock ticks in 0.01 s.
const TOLD_CPUS: f64 = 0.05;

/// What somebody had no more of, or waited for; of several services of a contender the first is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bottleneck {
    /// The kernel killed it, or a part of it, for want of memory.
    OutOfMemory,
    /// Its memory was at its limit, and full of what it needed.
    MemoryLimit,
    /// Its CPU limit was used up.
    CpuLimit,
    /// Its CPU limit was used up now and then.
    CpuLimitAtTimes,
    /// One thread took a whole core, and the others did little.
    OneThread,
    /// All cores were in use, its own part and galo's.
    AllCores,
    /// It was ready to run, and had no core.
    BusyCores,
    /// galo could not ask for more.
    Galo,
    /// Neither CPU nor memory was short: something that galo does not see.
    SomethingElse,
    /// Neither CPU nor memory was short at the rate that was asked for.
    Nothing,
}

/// What was seen of a service or a side, of galo and of the machine. CPU in cores, on average; null: not known.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// CPU that it used.
    pub cpus: f64,
    /// Its CPU limit in force; null: none.
    pub cpu_limit: Option<f64>,
    /// Cores of the machine.
    pub cores: Option<u32>,
    /// Share of the requests that it answered rightly.
    pub right_share: f64,
    /// CPU for each right answer, microseconds.
    pub cpu_us_per_answer: Option<f64>,
    /// CPU quota periods in which it wanted to run.
    pub periods: u64,
    /// ... of these throttled.
    pub throttled_periods: u64,
    /// CPU of its busiest thread, at least.
    pub busiest_thread: Option<f64>,
    /// Threads that were ready to run and had no core, on average; while it is throttled that counts as well.
    pub waiting_threads: Option<f64>,
    /// Its memory limit; null: none was asked for.
    pub memory_limit_bytes: Option<u64>,
    /// Most memory of it, page cache included.
    pub memory_peak_bytes: Option<u64>,
    /// Most anonymous memory of it.
    pub anonymous_peak_bytes: Option<u64>,
    /// Times that its memory was at its limit, and something had to be reclaimed or killed first.
    pub memory_limit_hits: u64,
    /// Page faults that had to read from a disk.
    pub major_faults: u64,
    /// ... for each second.
    pub major_faults_per_s: f64,
    /// Processes of it that the kernel killed for want of memory.
    pub oom_kills: u64,
    /// CPU that galo used.
    pub galo_cpus: Option<f64>,
    /// CPU of the busiest thread of galo's engine.
    pub engine_thread: f64,
    /// CPU that others used: neither it nor galo, nor who gives way to everybody.
    pub other_cpus: Option<f64>,
    /// CPU that a hypervisor took away.
    pub stolen_cpus: f64,
}

impl Usage {
    /// The first of all that was used up, or waited for. `Some(None)`: nothing was; `None`: it is not known.
    pub(crate) fn short_of(&self) -> Option<Option<Bottleneck>> {
        let (throttled, is_at_limit) = (self.throttled_share(), self.is_at_memory_limit());
        let ranked = [
            (self.oom_kills > 0, Bottleneck::OutOfMemory),
            (is_at_limit && self.major_faults_per_s >= FAULTS_PER_S, Bottleneck::MemoryLimit),
            (self.limit_share().is_some_and(is_used_up), Bottleneck::CpuLimit),
            (throttled >= THROTTLED_MOSTLY, Bottleneck::CpuLimitAtTimes),
            (self.full_thread().is_some(), Bottleneck::OneThread),
            (self.cores_share().is_some_and(is_used_up), Bottleneck::AllCores),
            (is_at_limit && self.is_full_of_anonymous_memory(), Bottleneck::MemoryLimit),
            (throttled >= THROTTLED_SHARE, Bottleneck::CpuLimitAtTimes),
        ];
        if let Some((_, by)) = ranked.into_iter().find(|(holds, _)| *holds) {
            return Some(Some(by));
        }
        if self.waited_share()? >= WAITING && self.waiting_threads? >= WAITING {
            return (throttled < THROTTLED_HARDLY).then_some(Some(Bottleneck::BusyCores));
        }
        Some(None)
    }

    /// CPU used, as a share of the limit.
    pub(crate) fn limit_share(&self) -> Option<f64> {
        self.cpu_limit.map(|limit| self.cpus / limit)
    }

    /// CPU used, as a share of what galo left of the machine.
    fn cores_share(&self) -> Option<f64> {
        let left = f64::from(self.cores?) - self.galo_cpus?;
        (left > 0.0).then(|| self.cpus / left)
    }

    fn is_at_memory_limit(&self) -> bool {
        let is_near = |(most, limit)| signs::is_at_memory_limit(most, limit);
        self.memory_limit_hits > 0 || self.memory_peak_bytes.zip(self.memory_limit_bytes).is_some_and(is_near)
    }

    fn throttled_share(&self) -> f64 {
        signs::throttled_share(self.throttled_periods, self.periods)
    }

    /// Share of the time in which its threads wanted a core, in which they had none.
    pub fn waited_share(&self) -> Option<f64> {
        let waiting = self.waiting_threads?;
        Some(if waiting > 0.0 { waiting / (waiting + self.cpus) } else { 0.0 })
    }

    /// CPU of its busiest thread, where that took a whole core.
    pub fn full_thread(&self) -> Option<f64> {
        self.busiest_thread.filter(|thread| is_used_up(*thread))
    }

    /// CPU that others used, where it is worth a word.
    pub fn told_other_cpus(&self) -> Option<f64> {
        self.other_cpus.filter(|cpus| *cpus >= TOLD_CPUS)
    }

    /// CPU that a hypervisor took away, where it is worth a word.
    pub fn told_stolen_cpus(&self) -> Option<f64> {
        Some(self.stolen_cpus).filter(|cpus| *cpus >= TOLD_CPUS)
    }

    fn is_full_of_anonymous_memory(&self) -> bool {
        let (most, limit) = (self.anonymous_peak_bytes, self.memory_limit_bytes);
        most.zip(limit).is_some_and(|(most, limit)| signs::is_full_of_anonymous(most, limit))
    }

    /// Whether there would have been more of everything, had it wanted more. What it waited for, and what a hypervisor took
    /// away, it would have used. `None`: not known.
    pub(crate) fn is_short_of_nothing(&self) -> Option<bool> {
        self.memory_peak_bytes?;
        let missing = self.waiting_threads? + self.stolen_cpus;
        let has_room = |used: f64, of: f64| !is_used_up((used + missing) / of);
        let thread = has_room(self.busiest_thread?, 1.0);
        let cores = has_room(self.cpus, f64::from(self.cores?) - self.galo_cpus?);
        Some(thread && cores && self.cpu_limit.is_none_or(|limit| has_room(self.cpus, limit)))
    }
}

fn is_used_up(share: f64) -> bool {
    share >= USED_UP
}

/// Without a binary tail.
pub(crate) fn thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
