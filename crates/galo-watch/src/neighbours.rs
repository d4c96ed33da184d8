//! Who else used this machine's CPU while a load ran.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use galo_record::Placement;
use galo_record::group::Group;
use galo_record::round::Neighbour;

/// Processes that are told at most.
const TOLD: usize = 3;
/// CPU below which a process is not worth a word.
const LEAST_NS: u64 = 100_000_000;

/// Programs of container engines, as the kernel names them (it keeps 15 characters): the engine, what starts containers and stays
/// beside them, and what copies between a published port and its container.
const OF_CONTAINER_ENGINES: [&str; 7] =
    ["dockerd", "docker-proxy", "containerd", "containerd-shim", "podman", "conmon", "rootlessport"];

/// CPU of all processes at a moment.
#[derive(Debug)]
pub(crate) struct Neighbours {
    proc: PathBuf,
    tick_ns: u64,
    before: BTreeMap<u32, Process>,
}

#[derive(Debug)]
struct Process {
    name: String,
    /// Of two processes with one id only one can have begun at this tick.
    started: u64,
    cpu_ticks: u64,
}

impl Neighbours {
    /// Looks at all processes for the first time. `proc` is `/proc` but in tests.
    pub(crate) fn look(proc: &Path) -> Self {
        let tick_ns = 1_000_000_000 / rustix::param::clock_ticks_per_second().max(1);
        Self { proc: proc.to_owned(), tick_ns, before: processes(proc) }
    }

    /// Looks again: who used the most CPU since, and is neither in a group of this placement nor galo itself; and the CPU of all
    /// programs of container engines.
    pub(crate) fn since(&self, placement: &Placement) -> (Vec<Neighbour>, Option<u64>) {
        let own = std::process::id();
        let groups = placement.services.iter().filter_map(|service| service.group.as_ref());
        let contenders: BTreeSet<u32> = groups.flat_map(members).collect();
        let used = |(pid, now): (u32, Process)| {
            let before = self.before.get(&pid).filter(|before| before.started == now.started);
            let ticks = now.cpu_ticks.saturating_sub(before.map_or(0, |before| before.cpu_ticks));
            Neighbour { name: now.name, pid, cpu_ns: ticks.saturating_mul(self.tick_ns) }
        };
        let others = processes(&self.proc).into_iter();
        let others = others.filter(|(pid, _)| *pid != own && !contenders.contains(pid)).map(used);
        let others: Vec<Neighbour> = others.collect();
        let engines = || others.iter().filter(|n| OF_CONTAINER_ENGINES.contains(&n.name.as_str()));
        let engine_ns = engines().next().map(|_| engines().map(|n| n.cpu_ns).sum());
        let mut neighbours: Vec<Neighbour> = others.into_iter().filter(|n| n.cpu_ns >= LEAST_NS).collect();
        neighbours.sort_by_key(|neighbour| std::cmp::Reverse(neighbour.cpu_ns));
        neighbours.truncate(TOLD);
        (neighbours, engine_ns)
    }
}

/// Processes of a group, groups below it not included.
fn members(group: &Group) -> Vec<u32> {
    let text = fs::read_to_string(group.files().main.join("cgroup.procs")).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

fn processes(proc: &Path) -> BTreeMap<u32, Process> {
    let entries = fs::read_dir(proc).into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid: u32| {
        let stat = fs::read(proc.join(pid.to_string()).join("stat")).ok()?;
        Some((pid, process(&String::from_utf8_lossy(&stat))?))
    })
    .collect()
}

/// `/proc/PID/stat` (proc_pid_stat(5)): the name in brackets, which may be any bytes; after it user and system time are
/// fields 14 and 15, the start is field 22.
fn process(stat: &str) -> Option<Process> {
    let (head, rest) = stat.rsplit_once(')')?;
    let name = head.split_once('(')?.1.to_owned();
    let field = |number: usize| rest.split_ascii_whitespace().nth(number - 3)?.parse::<u64>().ok();
    Some(Process { name, started: field(22)?, cpu_ticks: field(14)? + field(15)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Recorded, placement};

    fn stat(name: &str, user: u64, system: u64, started: u64) -> String {
        format!("7 ({name}) R 1 1 1 0 -1 4194560 1 0 0 0 {user} {system} 0 0 20 0 1 0 {started} 1 1")
    }

    #[test]
    fn who_used_cpu_meanwhile_is_told_busiest_first() {
        let proc = Recorded::new(&[
            ("11/stat", &stat("idle", 1_000, 0, 5)),
            ("12/stat", &stat("a) b (c", 100, 50, 5)),
            ("13/stat", &stat("old", 900, 0, 5)),
            ("14/stat", &stat("api", 0, 0, 5)),
            ("15/stat", &stat("docker-proxy", 5, 0, 5)),
            ("16/stat", &stat("dockerd", 7, 1, 5)),
            ("self/stat", &stat("galo", 0, 0, 5)),
            ("groups/cgroup.procs", "14\n"),
        ]);
        let neighbours = Neighbours::look(proc.path("").as_path());
        proc.write("12/stat", &stat("a) b (c", 200, 250, 5));
        // Another process with the id of one that ended.
        proc.write("13/stat", &stat("new", 70, 0, 6));
        proc.write("14/stat", &stat("api", 9_000, 0, 5));
        proc.write("15/stat", &stat("docker-proxy", 7, 1, 5));
        proc.write("16/stat", &stat("dockerd", 7, 2, 5));
        let tick_ns = neighbours.tick_ns;
        let placement = placement([Some(Group::V2 { path: proc.path("groups") })]);
        let (told, engines_ns) = neighbours.since(&placement);
        let told: Vec<_> = told.into_iter().map(|n| (n.pid, n.name, n.cpu_ns / tick_ns)).collect();
        assert_eq!(told, [(12, "a) b (c".to_owned(), 300), (13, "new".to_owned(), 70)]);
        assert_eq!(engines_ns, Some(4 * tick_ns), "too little to be told each, but all of it is counted");
    }

    /// The kernel cuts a name at 15 bytes, which may be within a letter.
    #[test]
    fn a_process_whose_name_is_no_utf8_is_told() {
        let proc = Recorded::new(&[("11/stat", &stat("?", 0, 0, 5))]);
        let neighbours = Neighbours::look(proc.path("").as_path());
        let text = stat("?", 70, 0, 5).replace('?', "caf\u{e9}");
        let cut: Vec<u8> = text.bytes().filter(|&byte| byte != 0xa9).collect();
        fs::write(proc.path("11/stat"), cut).unwrap();
        let (told, _) = neighbours.since(&placement([None]));
        assert_eq!(told[0].name, "caf\u{fffd}");
    }
}
