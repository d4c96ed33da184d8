//! Whether the machine is fit to measure on.

use std::thread::available_parallelism;

use galo_plan::units::format_bytes;
use rustix::process::{Resource, getrlimit};

use crate::doctor::Check;
use crate::quota::Quotas;
use crate::system::System;

/// Cores for a contender with the contest's budget (1.5 CPU) and for galo beside it.
const CORES: usize = 2;
/// Name of a check.
const QUOTA: &str = "CPU quota";
/// The contest's budget (3 GiB) and some for galo.
const MEMORY_BYTES: u64 = 4 << 30;
/// Sockets of galo's under the official traffic, with room for a contender that answers late.
const OPEN_FILES: u64 = 20_000;
/// The kernel's default range has 28,232.
const LOCAL_PORTS: u32 = 28_000;
/// Below this, bursts of new connections are dropped by the kernel and not by the contender.
const ACCEPT_QUEUE: u64 = 1024;

pub(super) fn kernel(system: &System) -> Check {
    let release = system.setting("kernel/osrelease").unwrap_or_else(|| "unknown".to_owned());
    Check::good("kernel", format!("Linux {release}"))
}

pub(super) fn open_files() -> Check {
    open_files_of(getrlimit(Resource::Nofile).maximum)
}

fn open_files_of(hard: Option<u64>) -> Check {
    let name = "open files";
    match hard {
        Some(hard) if hard < OPEN_FILES => Check::lacking(
            name,
            format!("at most {hard}, fewer than {OPEN_FILES}"),
            "ulimit -n 65536  (as root)",
        ),
        Some(hard) => Check::good(name, format!("at most {hard}")),
        None => Check::good(name, "unlimited"),
    }
}

pub(super) fn local_ports(system: &System) -> Check {
    let name = "local ports";
    let range = system.setting("net/ipv4/ip_local_port_range").unwrap_or_default();
    let bounds: Vec<u32> = range.split(' ').filter_map(|n| n.parse().ok()).collect();
    let [first, last] = bounds[..] else { return Check::good(name, "the kernel does not tell") };
    let number = (last + 1).saturating_sub(first);
    let found = format!("{number} ({first} to {last})");
    if number < LOCAL_PORTS {
        return Check::lacking(name, found, "sysctl -w net.ipv4.ip_local_port_range='32768 60999'");
    }
    Check::good(name, found)
}

/// Closed connections keep their local port for a minute; every virtual user has a connection of its own.
pub(super) fn port_reuse(system: &System) -> Check {
    let name = "port reuse";
    match system.setting("net/ipv4/tcp_tw_reuse").as_deref() {
        Some("0") => {
            let found = "off: some 470 new connections a second would use up the local ports";
            Check::lacking(name, found, "sysctl -w net.ipv4.tcp_tw_reuse=1")
        }
        Some("2") => Check::good(name, "on for loopback"),
        Some(_) => Check::good(name, "on"),
        None => Check::good(name, "the kernel does not tell"),
    }
}

pub(super) fn accept_queue(system: &System) -> Check {
    let name = "accept queue";
    match system.setting("net/core/somaxconn").and_then(|n| n.parse::<u64>().ok()) {
        Some(n) if n < ACCEPT_QUEUE => {
            Check::lacking(name, format!("at most {n} connections"), "sysctl -w net.core.somaxconn=4096")
        }
        Some(n) => Check::good(name, format!("up to {n} connections")),
        None => Check::good(name, "the kernel does not tell"),
    }
}

pub(super) fn cores() -> Check {
    cores_of(available_parallelism().map_or(1, usize::from))
}

fn cores_of(cores: usize) -> Check {
    let found = format!("{cores}");
    if cores < CORES {
        let mend = "use a machine with 2 cores or more";
        return Check::lacking("cores", format!("{found}: the contender's budget leaves none to galo"), mend);
    }
    Check::good("cores", found)
}

/// The CPU quota of the container or the job that galo itself runs in.
pub(super) fn quota(quotas: &Quotas) -> Check {
    let Some((cpus, file)) = quotas.tightest() else { return Check::good(QUOTA, "none") };
    let found = format!("galo and what it starts may use {cpus} CPU in all ({file} of galo's control group)");
    let mend = format!("give the container or the job that galo runs in {CORES} CPU or more");
    if cpus < CORES as f64 { Check::lacking(QUOTA, found, mend) } else { Check::good(QUOTA, found) }
}

pub(super) fn memory(system: &System) -> Check {
    let available = system.meminfo("MemAvailable:");
    let found = format!("{} available", format_bytes(available));
    if available < MEMORY_BYTES {
        let mend = "end other programs, or use a larger machine";
        return Check::lacking("memory", format!("{found}, less than {}", format_bytes(MEMORY_BYTES)), mend);
    }
    Check::good("memory", found)
}

pub(super) fn swap(system: &System) -> Check {
    match system.meminfo("SwapTotal:") {
        0 => Check::good("swap", "none"),
        bytes => {
            let found = format!("{}: what swaps is slow for reasons of its own", format_bytes(bytes));
            Check::lacking("swap", found, "swapoff -a")
        }
    }
}

/// Reading a clock that is no register takes a system call, some hundred times a millisecond in the engine.
pub(super) fn clock_source(system: &System) -> Check {
    let name = "clock source";
    let folder = "/sys/devices/system/clocksource/clocksource0";
    let read = |file: &str| system.read(format!("{folder}/{file}")).unwrap_or_default().trim().to_owned();
    let current = read("current_clocksource");
    match current.as_str() {
        "" => Check::good(name, "the kernel does not tell"),
        "tsc" | "kvm-clock" | "arch_sys_counter" | "hyperv_clocksource_tsc_page" => {
            Check::good(name, current)
        }
        _ if read("available_clocksource").split(' ').any(|source| source == "tsc") => Check::lacking(
            name,
            format!("{current}, which is slow to read"),
            format!("echo tsc > {folder}/current_clocksource"),
        ),
        _ => Check::lacking(
            name,
            format!("{current}, which is slow to read"),
            "use a machine with a steady TSC",
        ),
    }
}

pub(super) fn frequency(system: &System) -> Check {
    let name = "CPU frequency";
    let file = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    match system.read(file).map(|text| text.trim().to_owned()) {
        Err(_) => Check::good(name, "not governed here (a virtual machine, or fixed)"),
        Ok(governor) if governor == "performance" => Check::good(name, governor),
        Ok(governor) => {
            let mend = "echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor";
            Check::lacking(name, format!("governed by `{governor}`: rounds may differ by it"), mend)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::CheckState;
    use std::fs;

    /// A machine with these files.
    fn recorded(files: &[(&str, &str)]) -> (tempfile::TempDir, System) {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let system = System::at(root.path());
        (root, system)
    }

    #[test]
    fn a_short_range_of_local_ports_is_lacking_and_the_default_is_good() {
        let range = "proc/sys/net/ipv4/ip_local_port_range";
        let (_root, system) = recorded(&[(range, "50000\t60999\n")]);
        let check = local_ports(&system);
        assert_eq!((check.state, check.found.as_str()), (CheckState::Lacking, "11000 (50000 to 60999)"));
        let (_root, system) = recorded(&[(range, "32768\t60999\n")]);
        assert_eq!(local_ports(&system), Check::good("local ports", "28232 (32768 to 60999)"));
    }

    #[test]
    fn ports_that_are_not_reused_come_with_the_command_that_mends_it() {
        let (_root, system) = recorded(&[("proc/sys/net/ipv4/tcp_tw_reuse", "0\n")]);
        assert_eq!(port_reuse(&system).mend.as_deref(), Some("sysctl -w net.ipv4.tcp_tw_reuse=1"));
        let (_root, system) = recorded(&[("proc/sys/net/ipv4/tcp_tw_reuse", "2\n")]);
        assert_eq!(port_reuse(&system).state, CheckState::Good);
    }

    #[test]
    fn memory_and_swap_are_read_from_meminfo() {
        let text = "MemTotal: 9 kB\nMemAvailable:    2097152 kB\nSwapTotal:       1048576 kB\n";
        let (_root, system) = recorded(&[("proc/meminfo", text)]);
        assert_eq!(memory(&system).found, "2 GiB available, less than 4 GiB");
        assert_eq!(swap(&system).mend.as_deref(), Some("swapoff -a"));
    }

    #[test]
    fn a_slow_clock_is_mended_only_where_a_fast_one_is_there() {
        let folder = "sys/devices/system/clocksource/clocksource0";
        let (current, available) =
            (format!("{folder}/current_clocksource"), format!("{folder}/available_clocksource"));
        let (_root, system) = recorded(&[(&current, "hpet\n"), (&available, "tsc hpet acpi_pm\n")]);
        assert_eq!(clock_source(&system).mend, Some(format!("echo tsc > /{current}")));
        let (_root, system) = recorded(&[(&current, "hpet\n"), (&available, "hpet acpi_pm\n")]);
        assert_eq!(clock_source(&system).mend.as_deref(), Some("use a machine with a steady TSC"));
        let (_root, system) = recorded(&[(&current, "tsc\n")]);
        assert_eq!(clock_source(&system), Check::good("clock source", "tsc"));
    }

    #[test]
    fn a_powersaving_governor_and_a_short_accept_queue_are_lacking() {
        let (_root, system) = recorded(&[
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("proc/sys/net/core/somaxconn", "128\n"),
        ]);
        assert_eq!(frequency(&system).state, CheckState::Lacking);
        assert_eq!(accept_queue(&system).state, CheckState::Lacking);
    }

    #[test]
    fn one_core_and_few_open_files_are_lacking() {
        assert_eq!(cores_of(1).state, CheckState::Lacking);
        assert_eq!(cores_of(2).state, CheckState::Good);
        assert_eq!(open_files_of(Some(1024)).mend.as_deref(), Some("ulimit -n 65536  (as root)"));
        assert_eq!(open_files_of(Some(20_000)).state, CheckState::Good);
        assert_eq!(open_files_of(None).found, "unlimited");
    }
}
