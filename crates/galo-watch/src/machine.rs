//! The machine on which a run happens.

use std::fs;
use std::path::Path;

use galo_record::Machine;

/// Settings that bear on how many connections can be opened and accepted.
const SETTINGS: [&str; 4] = [
    "net.core.somaxconn",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_max_syn_backlog",
    "net.ipv4.tcp_tw_reuse",
];

/// Looks at the machine. `root` is `/` but in tests; only the number of cores is always that of this process.
/// What the machine does not tell is empty or 0.
pub fn machine(root: &Path) -> Machine {
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
    let line = |path: &str| words(&read(path));
    let cpuinfo = read("proc/cpuinfo");
    Machine {
        cpu: words(keyed(&cpuinfo, ':', "model name").unwrap_or_default()),
        cores: cores(),
        memory_bytes: memory_bytes(&read("proc/meminfo")).unwrap_or(0),
        kernel: words(&format!("{} {}", line("proc/sys/kernel/ostype"), line("proc/sys/kernel/osrelease"))),
        // Where the first is missing, os-release(5) names the second.
        system: system(&read("etc/os-release"))
            .or_else(|| system(&read("usr/lib/os-release")))
            .unwrap_or_default(),
        virtual_machine: keyed(&cpuinfo, ':', "flags")
            .is_some_and(|flags| flags.split_ascii_whitespace().any(|flag| flag == "hypervisor")),
        cgroups: cgroups(&read("proc/self/mountinfo")).into(),
        clock_source: line("sys/devices/system/clocksource/clocksource0/current_clocksource"),
        settings: SETTINGS
            .into_iter()
            .map(|name| (name.to_owned(), line(&format!("proc/sys/{}", name.replace('.', "/")))))
            .filter(|(_, value)| !value.is_empty())
            .collect(),
    }
}

/// Cores that this process may use.
fn cores() -> u32 {
    rustix::thread::sched_getaffinity(None).map_or(0, |cores| cores.count())
}

/// Single spaces between words, none around them.
fn words(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// The value of the first line `key`, `separator`, value.
fn keyed<'a>(text: &'a str, separator: char, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (found, value) = line.split_once(separator)?;
        (found.trim() == key).then(|| value.trim())
    })
}

fn memory_bytes(meminfo: &str) -> Option<u64> {
    let kib: u64 = keyed(meminfo, ':', "MemTotal")?.strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// `debian 12`; a rolling system has no version.
fn system(os_release: &str) -> Option<String> {
    let unquoted = |key| keyed(os_release, '=', key).map(|value| value.trim_matches(['"', '\'']));
    let id = unquoted("ID")?;
    Some(words(&format!("{id} {}", unquoted("VERSION_ID").unwrap_or_default())))
}

/// By the file systems that are mounted (proc_pid_mountinfo(5): after ` - ` come type, source and the options of the
/// file system, which for v1 are its controllers).
fn cgroups(mountinfo: &str) -> &'static str {
    let (mut v1, mut v2) = (false, false);
    for line in mountinfo.lines() {
        let Some((_, file_system)) = line.split_once(" - ") else { continue };
        let mut fields = file_system.split(' ');
        match fields.next() {
            Some("cgroup2") => v2 = true,
            // Not every v1 hierarchy counts: systemd keeps one without controllers beside v2.
            Some("cgroup") => {
                let mut options = fields.nth(1).unwrap_or_default().split(',');
                v1 |= options.any(|option| matches!(option, "cpu" | "memory"));
            }
            _ => {}
        }
    }
    match (v1, v2) {
        (true, true) => "hybrid",
        (true, false) => "v1",
        (false, true) => "v2",
        (false, false) => "none",
    }
}

#[cfg(test)]
mod tests;
