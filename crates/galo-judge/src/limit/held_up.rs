//! What kept a contender from holding more.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hold::{Hold, HoldService};
use crate::signs::{CPU_SHARE, THROTTLED_SHARE, is_full_of_anonymous};
use crate::words::significant;

/// The service that was nearest to a limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HeldUp {
    /// Which.
    pub service: String,
    /// How much it used of what it was near to, and its CPU.
    pub used: Vec<Used>,
}

/// How much a service used of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Used {
    /// The kernel killed processes of it for want of memory.
    OutOfMemory,
    /// Anonymous memory filled its limit.
    Memory {
        /// Most of it.
        bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// CPU.
    Cpu {
        /// Share of its limit.
        share: f64,
        /// The limit, in thousandths of a core.
        limit_milli: u32,
    },
    /// It was throttled.
    Throttled {
        /// Share of its quota periods.
        share: f64,
    },
}

/// The hold of the lowest scale that the contender did not meet, of those above what it holds.
pub fn lowest_not_met(holds: &[Hold], held_milli: u64) -> Option<&Hold> {
    let not_met = |hold: &&Hold| hold.outcome.valid && !hold.outcome.met && hold.scale_milli > held_milli;
    holds.iter().filter(not_met).min_by_key(|hold| hold.scale_milli)
}

/// The service that was nearest to a limit. `None`: none was near any, so they waited for something else: a disk, a lock,
/// connections.
pub fn held_up_by(hold: &Hold) -> Option<HeldUp> {
    let near = hold.services.iter().filter(|service| is_near(service));
    let worst = near.max_by(|a, b| nearness(a).total_cmp(&nearness(b)))?;
    let used = [killed(worst), memory(worst), cpu(worst), throttled(worst)];
    Some(HeldUp { service: worst.name.clone(), used: used.into_iter().flatten().collect() })
}

fn is_near(service: &HoldService) -> bool {
    killed(service).is_some()
        || memory(service).is_some()
        || service.cpu_share.is_some_and(|share| share >= CPU_SHARE)
        || service.throttled_share >= THROTTLED_SHARE
}

/// A service that was killed comes first, then the one that used most of its CPU.
fn nearness(service: &HoldService) -> f64 {
    let killed = if service.oom_kills > 0 { 10.0 } else { 0.0 };
    killed + service.cpu_share.unwrap_or(0.0) + service.throttled_share / 1000.0
}

fn killed(service: &HoldService) -> Option<Used> {
    (service.oom_kills > 0).then_some(Used::OutOfMemory)
}

fn memory(service: &HoldService) -> Option<Used> {
    let (bytes, limit_bytes) = (service.anonymous_peak_bytes?, service.memory_limit_bytes?);
    is_full_of_anonymous(bytes, limit_bytes).then_some(Used::Memory { bytes, limit_bytes })
}

fn cpu(service: &HoldService) -> Option<Used> {
    Some(Used::Cpu { share: significant(service.cpu_share?, 6), limit_milli: service.cpus_milli? })
}

fn throttled(service: &HoldService) -> Option<Used> {
    let share = significant(service.throttled_share, 6);
    (service.throttled_share >= THROTTLED_SHARE).then_some(Used::Throttled { share })
}
