//! What held up a contender in a hold that it did not meet, by what its services used in it.

use galo_plan::JsonSchema;
use galo_record::{RoundData, ServicePlacement, Window};
use serde::{Deserialize, Serialize};

use super::hold::{Hold, HoldService};
use crate::bottleneck::{Bottleneck, Usage, thousandths};
use crate::findings::HoldCost;

/// What held up a contender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum HeldUp {
    /// A service was short of something.
    Service {
        /// Which.
        service: String,
        /// The limit that it came to.
        by: Bottleneck,
        /// What shows it.
        usage: Box<Usage>,
    },
    /// A request cost more the more earlier holds had stored.
    CostGrows {
        /// A hold with less stored, at the same scale or a higher one.
        earlier: HoldCost,
        /// A later one.
        later: HoldCost,
    },
    /// No service was short of CPU or memory.
    NothingShort,
    /// What was seen of the services does not tell.
    Unknown,
}

/// The hold of the lowest scale that the contender did not meet, of those above what it holds.
pub fn lowest_not_met(holds: &[Hold], held_milli: u64) -> Option<&Hold> {
    let not_met = |hold: &&Hold| hold.outcome.is_not_met() && hold.scale_milli > held_milli;
    holds.iter().filter(not_met).min_by_key(|hold| hold.scale_milli)
}

/// What held up a contender in a hold: that its requests cost more than earlier ones did, if so; of several services that were short, the one of which that is surest, and of equals the
/// one that used most of its CPU limit.
pub fn held_up_by(hold: &Hold) -> HeldUp {
    if let Some((earlier, later)) = hold.grown_cost() {
        return HeldUp::CostGrows { earlier, later };
    }
    let short = |service: &HoldService| {
        let usage = service.usage.clone()?;
        Some((usage.short_of()??, usage, service.name.clone()))
    };
    let limit_share = |usage: &Usage| usage.limit_share().unwrap_or_default();
    let first =
        hold.services.iter().filter_map(short).min_by(|(a, of_a, _), (b, of_b, _)| {
            a.cmp(b).then(limit_share(of_b).total_cmp(&limit_share(of_a)))
        });
    match first {
        Some((by, usage, service)) => HeldUp::Service { service, by, usage: Box::new(usage) },
        None if !hold.services.is_empty() && hold.services.iter().all(has_room) => HeldUp::NothingShort,
        None => HeldUp::Unknown,
    }
}

/// Whether a service would have had more of everything, had it wanted more.
fn has_room(service: &HoldService) -> bool {
    service.usage.as_ref().and_then(Usage::is_short_of_nothing) == Some(true)
}

/// What a service used while users arrived; `None`: nobody saw it.
pub(super) fn usage(
    round: &RoundData,
    arriving: Window<'_>,
    index: usize,
    placed: &ServicePlacement,
) -> Option<Usage> {
    let (used, length_ns, total) = (arriving.usage(index)?, arriving.length_ns(), round.record.load.total());
    let [cpu_ns, host] = [used.cpu_ns?, arriving.host().taken_ns()];
    let on_average = |ns: u64| thousandths(ns as f64 / length_ns.max(1) as f64);
    let ledger = total.ledger;
    let galo_cpu_ns = arriving.galo_cpu_ns();
    let others_ns =
        |galo_ns| host.saturating_sub(arriving.cpu_ns().unwrap_or_default()).saturating_sub(galo_ns);
    Some(Usage {
        cpus: on_average(cpu_ns),
        cpu_limit: placed.cpus_milli.filter(|&milli| milli > 0).map(|milli| f64::from(milli) / 1e3),
        cores: arriving.samples().first().map(|sample| sample.cores_busy_ns.len() as u32).filter(|&n| n > 0),
        right_share: thousandths(ledger.ok as f64 / ledger.intended.max(1) as f64),
        cpu_us_per_answer: (ledger.ok > 0).then(|| thousandths(cpu_ns as f64 / 1e3 / ledger.ok as f64)),
        periods: used.periods,
        throttled_periods: used.throttled_periods,
        busiest_thread: used.busiest_task_ns.map(on_average),
        waiting_threads: used.run_queue_ns.map(on_average),
        memory_limit_bytes: placed.memory_bytes,
        memory_peak_bytes: used.memory_peak_bytes,
        anonymous_peak_bytes: used.anonymous_peak_bytes,
        memory_limit_hits: used.memory_limit_hits,
        major_faults: used.major_faults,
        major_faults_per_s: thousandths(used.major_faults as f64 * 1e9 / length_ns.max(1) as f64),
        oom_kills: used.oom_kills,
        galo_cpus: galo_cpu_ns.map(on_average),
        engine_thread: round.record.load.engine.thread_cpu_ns.iter().max().copied().map_or(0.0, on_average),
        other_cpus: galo_cpu_ns.map(others_ns).map(on_average),
        stolen_cpus: on_average(arriving.host().steal_ns),
    })
}
