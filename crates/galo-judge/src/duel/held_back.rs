//! What held a side back at the hardest load of its turns, by what it, galo and the machine used meanwhile.
//!
//! All turns that count are one: figures are sums over them, since a turn of half a second is too short for any. As in
//! [`crate::causes`] it is told what was seen *while* the side was driven; unlike there no calm moments are compared, as a closed
//! loop asks for more at once whatever comes back: something is used up then, or waited for.

use galo_plan::JsonSchema;
use galo_record::duel::{Level, LevelTerms};
use galo_record::{Ledger, LoadUsage, ServiceUsage};
use serde::{Deserialize, Serialize};

use super::{FAILED_SHARE_MAX, JudgedDuel, Turn, TurnLoad};
use crate::bottleneck::{Bottleneck, Usage, thousandths};
use crate::void::ENGINE_BUSY_MAX;

/// What held a side back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeldBack {
    /// What it was.
    pub by: Bottleneck,
    /// At which load: `highest`, or `asked`.
    pub level: Level,
    /// Requests at once, at most.
    pub connections: u32,
    /// What shows it.
    pub usage: Usage,
}

/// What held a side back at its hardest load; `None` where nothing was watched, or what was seen does not tell.
pub(super) fn held_back(duel: &JudgedDuel, side: usize) -> Option<HeldBack> {
    let terms = duel.levels.iter().max_by_key(|terms| terms.level)?;
    let usage = usage(duel, side, terms)?;
    let by = bottleneck(&usage, terms)?;
    Some(HeldBack { by, level: terms.level, connections: terms.connections, usage })
}

/// What a side was short of, or else what is left over, where all of it is known.
fn bottleneck(usage: &Usage, terms: &LevelTerms) -> Option<Bottleneck> {
    if let Some(by) = usage.short_of()? {
        return Some(by);
    }
    // Who is dead, or refuses, uses nothing up either.
    if usage.right_share < 1.0 - FAILED_SHARE_MAX {
        return None;
    }
    let is_closed_loop = terms.injection.is_none();
    if is_closed_loop && usage.engine_thread >= ENGINE_BUSY_MAX {
        return Some(Bottleneck::Galo);
    }
    // An average says nothing of a rate's peak.
    if terms.varies() || !usage.is_short_of_nothing()? {
        return None;
    }
    Some(if is_closed_loop { Bottleneck::SomethingElse } else { Bottleneck::Nothing })
}

/// One load that counts, and what was seen of the side meanwhile.
struct Watched<'a> {
    load: &'a TurnLoad,
    usage: &'a LoadUsage,
    service: &'a ServiceUsage,
    cpu_ns: u64,
}

impl<'a> Watched<'a> {
    fn of(turn: &'a Turn, level: Level) -> Option<Self> {
        let load = turn.counting(level)?;
        let usage = load.usage.as_ref()?;
        Some(Self { load, usage, service: usage.services.first()?, cpu_ns: usage.cpu_ns()? })
    }
}

/// What was seen of a side over all turns that count.
fn usage(duel: &JudgedDuel, side: usize, terms: &LevelTerms) -> Option<Usage> {
    let turns: Vec<&Turn> = duel.turns.iter().filter(|turn| turn.side == side).collect();
    let watched: Vec<Watched<'_>> = turns.iter().filter_map(|turn| Watched::of(turn, terms.level)).collect();
    let sum = |of: fn(&Watched<'_>) -> u64| watched.iter().map(of).fold(0, u64::saturating_add);
    let sum_known = |of: fn(&Watched<'_>) -> Option<u64>| {
        watched.iter().try_fold(0_u64, |sum, watched| Some(sum.saturating_add(of(watched)?)))
    };
    let most = |of: fn(&LoadUsage) -> Option<u64>| watched.iter().filter_map(|w| of(w.usage)).max();
    let [elapsed_ns, watched_ns] = [sum(|w| w.load.elapsed_ns), sum(|w| w.usage.watched_ns)];
    // Of a side of which galo spoiled most, what is left is no picture.
    if elapsed_ns == 0 || watched_ns == 0 || 2 * watched.len() < turns.len() {
        return None;
    }
    // What a side, or the engine, does it does while it is driven; the machine never rests.
    let on_average = |ns: u64| thousandths(ns as f64 / elapsed_ns as f64);
    let around = |ns: u64| thousandths(ns as f64 / watched_ns as f64);
    let cpu_ns = sum(|w| w.cpu_ns);
    let mut ledger = Ledger::default();
    watched.iter().for_each(|w| ledger.add(&w.load.ledger));
    let galo_cpu_ns = sum_known(|w| w.usage.galo_cpu_ns);
    let busy_ns = sum(|w| w.usage.host.taken_ns());
    let others = |galo_ns| busy_ns.saturating_sub(cpu_ns).saturating_sub(galo_ns);
    let major_faults = sum(|w| w.service.major_faults);
    Some(Usage {
        cpus: on_average(cpu_ns),
        cpu_limit: duel.cpu_limit(),
        cores: duel.cores,
        right_share: thousandths(ledger.ok as f64 / ledger.intended.max(1) as f64),
        cpu_us_per_answer: (ledger.ok > 0).then(|| thousandths(cpu_ns as f64 / 1e3 / ledger.ok as f64)),
        periods: sum(|w| w.service.periods),
        throttled_periods: sum(|w| w.service.throttled_periods),
        busiest_thread: sum_known(|w| w.service.busiest_task_ns).map(on_average),
        waiting_threads: sum_known(|w| w.service.run_queue_ns).map(on_average),
        memory_limit_bytes: duel.memory_bytes.filter(|_| duel.limits_enforced),
        memory_peak_bytes: most(|usage| usage.memory_peak_bytes),
        anonymous_peak_bytes: most(|usage| usage.anonymous_peak_bytes),
        memory_limit_hits: sum(|w| w.service.memory_limit_hits),
        major_faults,
        major_faults_per_s: thousandths(major_faults as f64 * 1e9 / elapsed_ns as f64),
        oom_kills: sum(|w| w.service.oom_kills),
        galo_cpus: galo_cpu_ns.map(on_average),
        engine_thread: on_average(sum(|w| w.load.engine.thread_cpu_ns.iter().copied().max().unwrap_or(0))),
        other_cpus: galo_cpu_ns.map(others).map(around),
        stolen_cpus: around(sum(|w| w.usage.host.steal_ns)),
    })
}

#[cfg(test)]
mod tests;
