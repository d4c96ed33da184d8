//! What held a side back at the hardest load of its turns, by what it, galo and the machine used meanwhile.
//!
//! All turns that count are one: figures are sums over them, since a turn of half a second is too short for any. As in
//! [`crate::causes`] it is told what was seen *while* the side was driven; unlike there no calm moments are compared, as a closed
//! loop asks for more at once whatever comes back: something is used up then, or waited for. What a side cannot be said to
//! lack, since the kernel did not tell of it, is never ruled out: then nothing is said.

use galo_record::duel::{LevelTerms, Turn, TurnLoad, TurnUsage};
use galo_record::{DuelRecord, Ledger};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FAILED_SHARE_MAX, counting};
use crate::signs::{
    self, FAULTS_PER_S, THROTTLED_HARDLY, THROTTLED_MOSTLY, THROTTLED_SHARE, USED_UP, WAITING,
};
use crate::void::ENGINE_BUSY_MAX;

/// Less CPU than this, used by others or taken away, is nothing worth a word: the machine's own clock ticks in 0.01 s.
const TOLD_CPUS: f64 = 0.05;

/// What held a side back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeldBack {
    /// What it was.
    pub by: Bottleneck,
    /// At which load: `highest`, or `asked`.
    pub level: String,
    /// Requests at once, at most.
    pub connections: u32,
    /// What shows it.
    pub usage: SideUsage,
}

/// What a side had no more of, or waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// What was seen of a side, of galo and of the machine, over all turns that count. CPU in cores, on average; null: not known.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SideUsage {
    /// CPU that the side used.
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
    /// CPU that others used: neither the side nor galo, nor who gives way to everybody.
    pub other_cpus: Option<f64>,
    /// CPU that a hypervisor took away.
    pub stolen_cpus: f64,
}

/// What held a side back at its hardest load; `None` where nothing was watched, or what was seen does not tell.
pub(super) fn held_back(duel: &DuelRecord, side: usize) -> Option<HeldBack> {
    let terms = duel.terms.levels.iter().max_by_key(|terms| terms.level)?;
    let usage = SideUsage::of(duel, side, terms)?;
    let by = usage.bottleneck(terms)?;
    Some(HeldBack { by, level: terms.level.name().to_owned(), connections: terms.connections, usage })
}

impl SideUsage {
    fn of(duel: &DuelRecord, side: usize, terms: &LevelTerms) -> Option<Self> {
        let turns: Vec<&Turn> = duel.turns.iter().filter(|turn| turn.side == side).collect();
        let watched = turns.iter().filter_map(|turn| {
            let load = counting(turn, terms)?;
            Some((load, load.usage.as_ref()?, load.cpu_ns?))
        });
        let watched: Vec<(&TurnLoad, &TurnUsage, u64)> = watched.collect();
        let sum = |of: fn(&TurnUsage) -> u64| total(watched.iter().map(|(_, usage, _)| of(usage)));
        let sum_known = |of: fn(&TurnUsage) -> Option<u64>| {
            watched.iter().try_fold(0_u64, |sum, (_, usage, _)| Some(sum.saturating_add(of(usage)?)))
        };
        let most = |of: fn(&TurnLoad) -> Option<u64>| watched.iter().filter_map(|(load, ..)| of(load)).max();
        let [elapsed_ns, watched_ns] =
            [total(watched.iter().map(|(load, ..)| load.elapsed_ns)), sum(|usage| usage.watched_ns)];
        // Of a side of which galo spoiled most, what is left is no picture.
        if elapsed_ns == 0 || watched_ns == 0 || 2 * watched.len() < turns.len() {
            return None;
        }
        // What a side, or the engine, does it does while it is driven; the machine never rests.
        let on_average = |ns: u64| thousandths(ns as f64 / elapsed_ns as f64);
        let around = |ns: u64| thousandths(ns as f64 / watched_ns as f64);
        let cpu_ns = total(watched.iter().map(|(_, _, cpu_ns)| *cpu_ns));
        let mut ledger = Ledger::default();
        watched.iter().for_each(|(load, ..)| ledger.add(&load.ledger));
        let galo_cpu_ns = sum_known(|usage| usage.galo_cpu_ns);
        let others =
            |galo_ns| sum(|usage| usage.machine_busy_ns).saturating_sub(cpu_ns).saturating_sub(galo_ns);
        let major_faults = sum(|usage| usage.major_faults);
        let limit = duel.terms.cpus_milli.filter(|_| duel.limits_enforced);
        Some(Self {
            cpus: on_average(cpu_ns),
            cpu_limit: limit.map(|milli| f64::from(milli) / 1e3),
            cores: duel.terms.cores,
            right_share: thousandths(ledger.ok as f64 / ledger.intended.max(1) as f64),
            cpu_us_per_answer: (ledger.ok > 0).then(|| thousandths(cpu_ns as f64 / 1e3 / ledger.ok as f64)),
            periods: sum(|usage| usage.periods),
            throttled_periods: sum(|usage| usage.throttled_periods),
            busiest_thread: sum_known(|usage| usage.busiest_thread_ns).map(on_average),
            waiting_threads: sum_known(|usage| usage.run_queue_ns).map(on_average),
            memory_limit_bytes: duel.terms.memory_bytes.filter(|_| duel.limits_enforced),
            memory_peak_bytes: most(|load| load.memory_peak_bytes),
            anonymous_peak_bytes: most(|load| load.anonymous_peak_bytes),
            memory_limit_hits: sum(|usage| usage.memory_limit_hits),
            major_faults,
            major_faults_per_s: thousandths(major_faults as f64 * 1e9 / elapsed_ns as f64),
            oom_kills: sum(|usage| usage.oom_kills),
            galo_cpus: galo_cpu_ns.map(on_average),
            engine_thread: on_average(sum(|usage| usage.engine_thread_ns)),
            other_cpus: galo_cpu_ns.map(others).map(around),
            stolen_cpus: around(sum(|usage| usage.stolen_ns)),
        })
    }

    /// The first of all that holds, the surest first; then what is left over, where all of it is known.
    fn bottleneck(&self, terms: &LevelTerms) -> Option<Bottleneck> {
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
            return Some(by);
        }
        if self.waited_share()? >= WAITING && self.waiting_threads? >= WAITING {
            return (throttled < THROTTLED_HARDLY).then_some(Bottleneck::BusyCores);
        }
        // Who is dead, or refuses, uses nothing up either.
        if self.right_share < 1.0 - FAILED_SHARE_MAX {
            return None;
        }
        let is_closed_loop = terms.injection.is_none();
        if is_closed_loop && self.engine_thread >= ENGINE_BUSY_MAX {
            return Some(Bottleneck::Galo);
        }
        // An average says nothing of a rate's peak.
        if terms.varies() || !self.is_short_of_nothing()? {
            return None;
        }
        Some(if is_closed_loop { Bottleneck::SomethingElse } else { Bottleneck::Nothing })
    }

    /// CPU used, as a share of the limit.
    fn limit_share(&self) -> Option<f64> {
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
    fn is_short_of_nothing(&self) -> Option<bool> {
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

/// Whatever a file holds.
fn total(values: impl Iterator<Item = u64>) -> u64 {
    values.fold(0, u64::saturating_add)
}

/// Without a binary tail.
fn thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests;
