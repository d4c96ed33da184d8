//! What held a side back in words: what was used up, with its figures, and what follows of that by arithmetic alone.

use galo_plan::units::format_bytes;

use super::{Bottleneck, SideUsage};
use crate::words::{counted, grouped, limit_hits, listed};

/// One sentence without a full stop.
pub(super) fn sentence(name: &str, by: Bottleneck, connections: u32, usage: &SideUsage) -> String {
    let used = used(usage);
    match by {
        Bottleneck::OutOfMemory => {
            let limit = of_memory_limit(usage);
            format!(
                "{name} ran out of its memory{limit}: the kernel killed {} of its processes",
                grouped(usage.oom_kills)
            )
        }
        Bottleneck::MemoryLimit => format!("{name} {}", at_memory_limit(usage)),
        Bottleneck::CpuLimit => {
            let thread = usage
                .full_thread()
                .map_or_else(String::new, |cpu| format!(", {} of it in one thread", two(cpu)));
            format!("{name} used up its CPU limit: {used}{thread}{}{}", throttled(usage), cost_decides(usage))
        }
        Bottleneck::CpuLimitAtTimes => format!(
            "{name} used up its CPU limit in {} of {}, and {used} in all",
            grouped(usage.throttled_periods),
            counted(usage.periods, "quota period")
        ),
        Bottleneck::OneThread => format!(
            "{name} used up one core: one of its threads used {}, all of them {used}; to use more it would need more threads",
            two(usage.busiest_thread.unwrap_or_default())
        ),
        Bottleneck::AllCores => format!(
            "{name} used up the cores that galo left: {} CPU beside galo's {}, of {}{}",
            two(usage.cpus),
            two(usage.galo_cpus.unwrap_or_default()),
            counted(usage.cores.unwrap_or_default().into(), "core"),
            cost_decides(usage)
        ),
        Bottleneck::BusyCores => format!(
            "{name} waited for a core in {} of the time in which it wanted one: it used {used}{}",
            percent(usage.waited_share().unwrap_or_default()),
            meanwhile(usage)
        ),
        Bottleneck::Galo => format!(
            "{name} could have been asked for more: galo's busiest thread was busy {} of the time, while {name} used {used}; \
             --threads gives galo more of them",
            percent(usage.engine_thread)
        ),
        Bottleneck::SomethingElse => format!(
            "{name} was short of neither CPU nor memory: it used {used}; so it waited for something else: its own sleep, \
             a lock, a database, the network, or more than {} at once",
            counted(connections.into(), "request")
        ),
        Bottleneck::Nothing => format!(
            "{name} was short of neither CPU nor memory: it used {used}; a higher rate would tell more"
        ),
    }
}

/// `0.48 of 0.5 CPU`, `1.31 CPU of 2 cores`.
fn used(usage: &SideUsage) -> String {
    let used = two(usage.cpus);
    match (usage.cpu_limit, usage.cores) {
        (Some(limit), _) => format!("{used} of {limit} CPU"),
        (None, Some(cores)) => format!("{used} CPU of {}", counted(cores.into(), "core")),
        (None, None) => format!("{used} CPU"),
    }
}

fn throttled(usage: &SideUsage) -> String {
    match usage.throttled_periods {
        0 => String::new(),
        some => format!(", throttled in {} of {}", grouped(some), counted(usage.periods, "quota period")),
    }
}

/// Answers per second are CPU used, divided by the CPU for each answer.
fn cost_decides(usage: &SideUsage) -> String {
    usage.cpu_us_per_answer.map_or_else(String::new, |us| {
        let us = if us < 1e3 { format!("{us:.1}") } else { grouped(us.round_ties_even() as u64) };
        format!("; so the CPU for each answer decides: {us} us")
    })
}

fn at_memory_limit(usage: &SideUsage) -> String {
    let limit = of_memory_limit(usage);
    let most = usage
        .anonymous_peak_bytes
        .map_or_else(String::new, |most| format!(", {} of it anonymous at most", format_bytes(most)));
    format!(
        "was at its memory limit{limit}: {}{most}",
        limit_hits(usage.memory_limit_hits, usage.major_faults)
    )
}

/// ` of 64 MiB`, or nothing.
fn of_memory_limit(usage: &SideUsage) -> String {
    usage.memory_limit_bytes.map_or_else(String::new, |limit| format!(" of {}", format_bytes(limit)))
}

/// What else used the machine.
fn meanwhile(usage: &SideUsage) -> String {
    let told = [
        usage.galo_cpus.map(|cpus| format!("galo used {}", two(cpus))),
        usage.told_other_cpus().map(|cpus| format!("other programs used {}", two(cpus))),
        usage.told_stolen_cpus().map(|cpus| format!("a hypervisor took {}", two(cpus))),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    if told.is_empty() { String::new() } else { format!(", while {}", listed(&told)) }
}

fn two(cpus: f64) -> String {
    format!("{cpus:.2}")
}

/// A share of the time; a sample is seldom exactly where a load is.
fn percent(share: f64) -> String {
    format!("{:.0} %", share.min(1.0) * 100.0)
}
