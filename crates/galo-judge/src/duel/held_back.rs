//! What held a side back at the hardest load of its turns, by what it, galo and the machine used meanwhile.
//!
//! All turns that count are one: figures are sums over them, since a turn of half a second is too short for any. As in
//! [`crate::causes`] it is told what was seen *while* the side was driven; unlike there no calm moments are compared, as a closed
//! loop asks for more at once whatever comes back: something is used up then, or waited for.

use galo_record::duel::{LevelTerms, Turn, TurnLoad, TurnUsage};
use galo_record::{DuelRecord, Ledger};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FAILED_SHARE_MAX, counting};
use crate::bottleneck::{Bottleneck, Usage, thousandths};
use crate::void::ENGINE_BUSY_MAX;

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
    pub usage: Usage,
}

/// What held a side back at its hardest load; `None` where nothing was watched, or what was seen does not tell.
pub(super) fn held_back(duel: &DuelRecord, side: usize) -> Option<HeldBack> {
    let terms = duel.terms.levels.iter().max_by_key(|terms| terms.level)?;
    let usage = usage(duel, side, terms)?;
    let by = bottleneck(&usage, terms)?;
    Some(HeldBack { by, level: terms.level.name().to_owned(), connections: terms.connections, usage })
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

/// What was seen of a side over all turns that count.
fn usage(duel: &DuelRecord, side: usize, terms: &LevelTerms) -> Option<Usage> {
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
    let others = |galo_ns| sum(|usage| usage.machine_busy_ns).saturating_sub(cpu_ns).saturating_sub(galo_ns);
    let major_faults = sum(|usage| usage.major_faults);
    let limit = duel.terms.cpus_milli.filter(|_| duel.limits_enforced);
    Some(Usage {
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

/// Whatever a file holds.
fn total(values: impl Iterator<Item = u64>) -> u64 {
    values.fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests;
