//! What services and machine used while the load ran, as the record's window tells it.

use galo_plan::{Plan, Runner};
use galo_record::sample::HostSample;
use galo_record::{RoundData, ServicePlacement, ServiceUsage, Window};

use crate::digits::seconds;
use crate::report::{HostReport, ServiceReport};

/// One report for each placed service.
pub(crate) fn services(round: &RoundData) -> Vec<ServiceReport> {
    let window = round.window();
    let placed = round.record.placement.iter().flat_map(|p| &p.services).enumerate();
    placed
        .map(|(index, placed)| {
            let usage = window.and_then(|window| window.usage(index)).unwrap_or_default();
            service(placed, &usage)
        })
        .collect()
}

fn service(placed: &ServicePlacement, usage: &ServiceUsage) -> ServiceReport {
    ServiceReport {
        name: placed.name.clone(),
        cpu_s: seconds(usage.cpu_ns.unwrap_or(0)),
        throttled_s: seconds(usage.throttled_ns),
        throttled_periods: usage.throttled_periods,
        periods: usage.periods,
        memory_peak_bytes: usage.memory_peak_bytes,
        anonymous_peak_bytes: usage.anonymous_peak_bytes,
        oom_kills: usage.oom_kills,
        cpus: placed.cpus_milli.map(|milli| f64::from(milli) / 1e3),
        memory_bytes: placed.memory_bytes,
    }
}

/// CPU of container engines beside a contender that runs in containers.
pub(crate) fn container_engine(plan: &Plan, round: &RoundData) -> Option<f64> {
    let contender = plan.contenders.get(round.record.contender)?;
    let spent_ns = round.record.beside.container_engine_ns.filter(|_| contender.runner == Runner::Docker)?;
    Some(seconds(spent_ns))
}

/// The machine's part.
pub(crate) fn host(round: &RoundData) -> HostReport {
    let grown = round.window().map_or_else(HostSample::default, Window::host);
    HostReport {
        busy_s: seconds(grown.busy_ns),
        steal_s: seconds(grown.steal_ns),
        listen_overflows: grown.listen_overflows,
        listen_drops: grown.listen_drops,
        retransmissions: grown.retransmissions,
    }
}
