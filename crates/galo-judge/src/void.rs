//! When a load is void: spoiled by galo or its machine, so that it says nothing about who was asked.
//!
//! One set of rules for all kinds of load. Where their bounds differ there is a reason:
//!
//! | rule | round | hold of a search | load by itself, turn of a duel |
//! |---|---|---|---|
//! | galo could not even try an operation | always | always | always |
//! | galo was late, open model (in a closed one nothing is due, so nothing can be late) | p99 of lag over 5 ms: contenders are compared, so every one has the same bound | p50 or p99 of lag over 5 ms, and over a tenth of that percentile of the latency, which it would hide in | the same, from 1 ms on: a server may take microseconds |
//! | galo's threads were busy over 90 % of the time | void | void | void where users also waited for a connection, which galo may have been slow to free (any one thread; not threads that spin, which are always busy); else told only: an open model shows it as lag, and a closed loop merely waits for galo |
//! | a thread of galo's waited for a core, over 5 % of the time and 20 ms | shows as lag | shows as lag | void: a closed loop has no lag that would show it |
//! | a CPU quota stopped galo itself | named first where galo was late or busy | the same | the same, and where a thread of galo's waited |
//! | a hypervisor took over 10 % of the CPU time wanted, and 1 % of the time | void | void | not known of a load by itself; of a side of a duel it is told beside what held it back |
//! | unequal terms: limits that did not hold, a service that used over 1.05 of its quota | void | void | not looked at in a load by itself; either makes a duel void |
//! | broken off by the caller | void | no hold at all | the figures are of what was done |

pub(crate) mod quota;

use std::any::Any;

use galo_record::HostFact;
use galo_record::load::EngineRecord;
use galo_record::round::RoundEnd;
use galo_record::{LoadRecord, RoundData, StepLatencies, Window};

use crate::findings::{
    GaloBusy, GaloCouldNotSend, GaloLate, GaloThrottled, HostSteal, Interrupted, JudgeFailed, UnequalTerms,
};
pub use crate::findings::{Spoils, VoidReason};
use galo_words::significant;

/// galo's own lag (99 %) above which a round is void, in microseconds. Latency is counted from the intended start,
/// so galo's lateness is charged to the contender; more than this would be seen in its percentiles.
pub const LAG_US_P99_MAX: f64 = 5_000.0;
/// galo's goal for the same: above it the round counts, but the report says so.
pub const LAG_US_P99_GOAL: f64 = 2_000.0;
/// Lag up to this is always fine in a load by itself, in microseconds.
const LAG_US_FINE: f64 = 1_000.0;
/// Where a load is compared with none, lag up to this share of the latency is fine as well: what is slower is measured well
/// enough all the same.
const LAG_SHARE_FINE: f64 = 0.1;
/// Share of the CPU time wanted on the machine that a hypervisor took away, above which a round is void.
pub const STEAL_SHARE_MAX: f64 = 0.10;
/// ... if it also took more than this share of the load's time: less cannot reach a 99th percentile, however little the
/// machine wanted meanwhile.
pub const STEAL_OF_TIME_MAX: f64 = 0.01;
/// Share of their wall time that galo's engine threads may be busy; above it they were the bottleneck, or about to
/// be: the arrivals of the next moment would have waited for them.
pub const ENGINE_BUSY_MAX: f64 = 0.90;
/// Share of the time that an engine thread may have been ready to run without a core.
const WAITING_SHARE_MAX: f64 = 0.05;
/// Share of the operations that may have waited for a connection while a thread of galo's was always busy: fewer do not move p99.
const KEPT_WAITING_MAX: f64 = 0.01;
/// Waiting up to this is fine however short the load was, in nanoseconds.
const WAITING_NS_FINE: u64 = 20_000_000;

/// What a load is part of: that says which bounds it is held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Round {
        /// Whether users arrive whatever the contender does.
        is_open: bool,
    },
    Hold,
    /// A load by itself, or a turn of a duel.
    Load {
        /// Whether users arrive whatever the server does.
        is_open: bool,
        /// Whether galo's threads stay awake, so that being busy means nothing.
        spins: bool,
    },
}

/// What is known of a load.
#[derive(Clone, Copy)]
struct Facts<'a> {
    engine: &'a EngineRecord,
    elapsed_ns: u64,
    operations: u64,
    /// p50 and p99.
    latency_us: [f64; 2],
    window: Option<Window<'a>>,
}

/// Why a round is void, gravest first; empty where it is not. Contradictions of its records are judged elsewhere.
/// `is_open`: some of its users arrive whatever the contender does.
pub fn of_round(round: &RoundData, is_open: bool) -> Vec<VoidReason> {
    let interrupted = (round.record.end == RoundEnd::Interrupted).then(|| Interrupted {}.into());
    // Latencies bound nothing in a round.
    let measured = reasons(Facts::of_round(round, [0.0; 2]), Part::Round { is_open });
    interrupted.into_iter().chain(measured).chain(unequal(round)).collect()
}

/// Why a hold is void, of which these are the compared latencies.
pub fn of_hold(round: &RoundData, latencies: &StepLatencies) -> Vec<VoidReason> {
    let measured = reasons(Facts::of_round(round, percentiles(latencies)), Part::Hold);
    measured.into_iter().chain(unequal(round)).collect()
}

/// Why a load by itself is void. `is_open`: of the open model; `spins`: galo's threads stay awake.
pub fn of_load(load: &LoadRecord, latencies: &StepLatencies, is_open: bool, spins: bool) -> Vec<VoidReason> {
    reasons(Facts::of(load, percentiles(latencies), None), Part::Load { is_open, spins })
}

/// The same of what is known of a part of a duel or a soak: galo's own part, how long it took, its operations, and p50 and p99 of the
/// latency in microseconds.
pub fn of_engine(
    engine: &EngineRecord,
    (elapsed_ns, operations): (u64, u64),
    latency_us: [f64; 2],
    is_open: bool,
) -> Vec<VoidReason> {
    let facts = Facts { engine, elapsed_ns, operations, latency_us, window: None };
    reasons(facts, Part::Load { is_open, spins: false })
}

/// The share of the time in which galo's threads were busy, where that is worth a note beside a load that counts. `spins`:
/// they stay awake, so that being busy means nothing.
pub fn busy_share(load: &LoadRecord, spins: bool) -> Option<f64> {
    engine_share(&load.engine, load.elapsed_ns()).filter(|share| *share > ENGINE_BUSY_MAX && !spins)
}

impl<'a> Facts<'a> {
    fn of(load: &'a LoadRecord, latency_us: [f64; 2], window: Option<Window<'a>>) -> Self {
        let operations = load.total().ledger.intended;
        Self { engine: &load.engine, elapsed_ns: load.elapsed_ns(), operations, latency_us, window }
    }

    fn of_round(round: &'a RoundData, latency_us: [f64; 2]) -> Self {
        Self::of(&round.record.load, latency_us, round.window())
    }
}

fn percentiles(latencies: &StepLatencies) -> [f64; 2] {
    let all = latencies.all();
    [all.quantile_us(0.5), all.quantile_us(0.99)]
}

fn reasons(facts: Facts<'_>, part: Part) -> Vec<VoidReason> {
    let is_load = matches!(part, Part::Load { .. });
    let all = [
        own_errors(facts.engine),
        stolen(facts).filter(|_| !is_load),
        waited(facts).filter(|_| is_load),
        busy(facts).filter(|_| !is_load),
        kept_waiting(facts, part),
        // What it comes to, so it is told after what made it so.
        late(facts, part),
    ];
    let mut all: Vec<VoidReason> = all.into_iter().flatten().collect();
    // The cause stands before what it leads to.
    let symptom =
        all.iter().position(|reason| matches!(reason, VoidReason::GaloLate(_) | VoidReason::GaloBusy(_)));
    if let (Some(symptom), Some(cause)) = (symptom, throttled(facts)) {
        all.insert(symptom, cause);
    }
    all
}

/// That a quota stopped galo itself, which alone makes nothing void.
fn throttled(facts: Facts<'_>) -> Option<VoidReason> {
    let quota = facts.engine.quota.as_ref().filter(|quota| quota.throttled_ns > 0)?;
    let stopped_ns = quota.throttled_ns.min(facts.elapsed_ns);
    let [stopped_s, length_s] = [stopped_ns, facts.elapsed_ns].map(|ns| significant(ns as f64 / 1e9, 6));
    Some(GaloThrottled { cpus: quota.cpus, file: quota.file.clone(), stopped_s, length_s }.into())
}

/// What the host found against equal terms, and a service that used more than its limit allows. What was found in both
/// starts of a round is told once.
fn unequal(round: &RoundData) -> impl Iterator<Item = VoidReason> + '_ {
    let findings = &round.record.findings;
    let is_new = |(index, found): &(usize, &HostFact)| !findings[..*index].contains(found);
    let found = findings.iter().enumerate().filter(is_new).filter_map(|(_, found)| of_fact(found));
    found.chain(quota::over_quota(round))
}

/// Why what the host found makes the terms unequal; `None`: it does not.
pub(crate) fn of_fact(found: &HostFact) -> Option<VoidReason> {
    matches!(found, HostFact::LimitsLost(_)).then(|| UnequalTerms::Found { found: found.clone() }.into())
}

fn own_errors(engine: &EngineRecord) -> Option<VoidReason> {
    let operations = engine.own_errors.clone();
    (!operations.is_empty()).then(|| GaloCouldNotSend { operations }.into())
}

fn late(facts: Facts<'_>, part: Part) -> Option<VoidReason> {
    let EngineRecord { lag_us_p50, lag_us_p99, .. } = *facts.engine;
    let [latency_us_p50, latency_us_p99] = facts.latency_us;
    let bound = |fine_us: f64, latency_us: f64| (LAG_SHARE_FINE * latency_us).max(fine_us);
    let fine_us = match part {
        Part::Round { is_open: true } => return over(99, lag_us_p99, LAG_US_P99_MAX),
        Part::Round { is_open: false } | Part::Load { is_open: false, .. } => return None,
        Part::Hold => LAG_US_P99_MAX,
        Part::Load { is_open: true, .. } => LAG_US_FINE,
    };
    over(50, lag_us_p50, bound(fine_us, latency_us_p50))
        .or_else(|| over(99, lag_us_p99, bound(fine_us, latency_us_p99)))
}

fn over(percentile: u8, lag_us: f64, bound_us: f64) -> Option<VoidReason> {
    // Not `lag > bound`: a figure that is no number must not pass.
    let in_time = lag_us <= bound_us;
    (!in_time).then(|| GaloLate { percentile, lag_us, bound_us }.into())
}

fn busy(facts: Facts<'_>) -> Option<VoidReason> {
    let threads = facts.engine.threads;
    let share = engine_share(facts.engine, facts.elapsed_ns).filter(|share| *share > ENGINE_BUSY_MAX)?;
    Some(GaloBusy::Busy { threads, share: significant(share, 6), bound: ENGINE_BUSY_MAX }.into())
}

/// That users may have waited for galo where they waited for a connection: it is free when galo reads the answer, and a thread that is
/// always busy reads it late. Such waiting is no lag.
fn kept_waiting(facts: Facts<'_>, part: Part) -> Option<VoidReason> {
    let Part::Load { is_open: true, spins: false } = part else { return None };
    let waited = facts.engine.waited as f64 / facts.operations.max(1) as f64;
    let longest_ns = facts.engine.thread_cpu_ns.iter().copied().max()?;
    let share = longest_ns as f64 / facts.elapsed_ns as f64;
    (share > ENGINE_BUSY_MAX && waited > KEPT_WAITING_MAX).then(|| {
        let [share, waited] = [share, waited].map(|share| significant(share, 6));
        GaloBusy::KeptWaiting { share, bound: ENGINE_BUSY_MAX, waited }.into()
    })
}

fn engine_share(engine: &EngineRecord, elapsed_ns: u64) -> Option<f64> {
    let wall_ns = elapsed_ns as f64 * f64::from(engine.threads);
    (wall_ns > 0.0).then(|| engine.cpu_ns as f64 / wall_ns)
}

fn waited(facts: Facts<'_>) -> Option<VoidReason> {
    let longest_ns = facts.engine.run_queue_ns.iter().copied().max().unwrap_or(0);
    let share = longest_ns as f64 / facts.elapsed_ns as f64;
    (longest_ns > WAITING_NS_FINE && share > WAITING_SHARE_MAX)
        .then(|| GaloBusy::Waited { share: significant(share, 6), bound: WAITING_SHARE_MAX }.into())
}

/// Stolen time as a share of the time that something wanted to run, which does not depend on how many cores idled.
fn stolen(facts: Facts<'_>) -> Option<VoidReason> {
    let host = facts.window?.host();
    let [stolen_ns, busy_ns] = [host.steal_ns, host.busy_ns].map(|ns| ns as f64);
    let share = if stolen_ns > 0.0 { stolen_ns / (stolen_ns + busy_ns) } else { 0.0 };
    let matters = stolen_ns > STEAL_OF_TIME_MAX * facts.elapsed_ns as f64;
    (share > STEAL_SHARE_MAX && matters)
        .then(|| HostSteal { share: significant(share, 6), bound: STEAL_SHARE_MAX }.into())
}

/// That the judge itself crashed, and what it said.
pub(crate) fn judge_failed(panic: &(dyn Any + Send)) -> VoidReason {
    let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
    JudgeFailed { said: said.or_else(|| panic.downcast_ref::<String>().cloned()) }.into()
}

#[cfg(test)]
mod tests;
