//! What kept a contender from holding more.

use super::hold::{Hold, HoldService};
use crate::signs::{CPU_SHARE, THROTTLED_SHARE, is_full_of_anonymous};
use galo_plan::units::{format_bytes, format_cpus};

/// The hold of the lowest scale that the contender did not meet, of those above what it holds.
pub fn lowest_not_met(holds: &[Hold], held_milli: u64) -> Option<&Hold> {
    let not_met = |hold: &&Hold| hold.outcome.valid && !hold.outcome.met && hold.scale_milli > held_milli;
    holds.iter().filter(not_met).min_by_key(|hold| hold.scale_milli)
}

/// The service that was nearest to a limit, with what it was near: `db used 98 % of its 0.45 CPU`. `None`: none was near
/// any, so they waited for something else: a disk, a lock, connections.
pub fn held_up_by(hold: &Hold) -> Option<String> {
    let near = hold.services.iter().filter(|service| is_near(service));
    let worst = near.max_by(|a, b| nearness(a).total_cmp(&nearness(b)))?;
    let told = [killed(worst), memory(worst), cpu(worst), throttled(worst)];
    let told: Vec<String> = told.into_iter().flatten().collect();
    Some(format!("{} {}", worst.name, told.join(" and ")))
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

fn killed(service: &HoldService) -> Option<String> {
    (service.oom_kills > 0).then(|| "ran out of memory".to_owned())
}

fn memory(service: &HoldService) -> Option<String> {
    let (most, limit) = (service.anonymous_peak_bytes?, service.memory_limit_bytes?);
    is_full_of_anonymous(most, limit)
        .then(|| format!("filled {} of its {}", format_bytes(most), format_bytes(limit)))
}

fn cpu(service: &HoldService) -> Option<String> {
    let (share, limit) = (service.cpu_share?, service.cpus_milli?);
    Some(format!("used {:.0} % of its {} CPU", share * 100.0, format_cpus(limit)))
}

fn throttled(service: &HoldService) -> Option<String> {
    (service.throttled_share >= THROTTLED_SHARE)
        .then(|| format!("was throttled in {:.0} % of periods", service.throttled_share * 100.0))
}
