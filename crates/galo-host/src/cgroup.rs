//! Control groups: where they are on this machine, and what is done with one.
//!
//! Groups are made where galo's own limits hold for them too:
//! - version 1: below galo's own group in each hierarchy;
//! - version 2: *beside* galo's own group, since a group that has processes of its own may not hand controllers to its
//!   children ("no internal processes"), and galo is in its own; below it only at the hierarchy's root, which the rule
//!   exempts. galo never moves itself or others;
//! - where systemd runs a version 2 machine, through `systemd-run`, since systemd takes the tree for its own.

pub(crate) mod find;
pub(crate) mod v1;
pub(crate) mod v2;

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use galo_plan::units::format_cpus;
use galo_record::group::Group;

use crate::error::HostError;

/// What one service may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// CPU in thousandths.
    pub(crate) cpus_milli: u32,
    /// The period in which that is given, of whole milliseconds.
    pub(crate) period_us: u64,
    /// Memory.
    pub(crate) memory_bytes: u64,
    /// Processes and threads; `None`: no limit. Where the machine has no such controller, there is none either.
    pub(crate) pids_max: Option<u32>,
}

/// The kernel's least quota is 1 ms, in a period of 100 ms.
const LEAST_CPUS_MILLI: u32 = 10;

/// The CPU quota's period. The kernel's default and Docker's; a shorter one throttles more often for less long.
pub(crate) const PERIOD_US: u64 = 100_000;

/// Quota period for a service that runs for a tenth of a second at a time: 5 ms, or the shortest in which
/// this limit is no less than the kernel's least quota, 1 ms.
pub(crate) fn short_period_us(cpus_milli: u32) -> u64 {
    const SHORTEST_MS: u64 = 5;
    1_000 * SHORTEST_MS.max(1_000_u64.div_ceil(u64::from(cpus_milli.max(1))))
}

impl Limits {
    /// CPU in each period.
    pub(crate) fn quota_us(&self) -> u64 {
        u64::from(self.cpus_milli) * self.period_us / 1000
    }

    /// An error for what no kernel enforces, before one says "invalid argument".
    pub(crate) fn require_enforceable(&self) -> Result<(), HostError> {
        if self.cpus_milli >= LEAST_CPUS_MILLI {
            return Ok(());
        }
        Err(HostError::contender(format!(
            "the CPU limit of {} is below the least that a kernel enforces, {}\n\
             hint: give it more of the budget in `cpus`",
            format_cpus(self.cpus_milli),
            format_cpus(LEAST_CPUS_MILLI)
        )))
    }
}

/// What the kernel says that a group may use; `None`: no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LimitsRead {
    pub(crate) cpus_milli: Option<u32>,
    pub(crate) memory_bytes: Option<u64>,
}

impl LimitsRead {
    /// Whether these are the limits that were asked for. The kernel keeps memory in whole pages, rounded down.
    pub(crate) fn are(&self, asked: &Limits) -> bool {
        let page = rustix::param::page_size() as u64;
        self.cpus_milli == Some(asked.cpus_milli)
            && self.memory_bytes.is_some_and(|got| got / page == asked.memory_bytes / page)
    }
}

/// Whether a group's memory limit holds for what it could swap out, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SwapLimit {
    /// Nothing of the group is swapped.
    Set,
    /// The kernel has no such limit: booted without swap accounting.
    Lacking,
}

impl SwapLimit {
    /// Why memory is not wholly limited, given the text of `/proc/swaps`: a table with one line of heads.
    pub(crate) fn lack(self, swaps: &str) -> Option<Lack> {
        let on = swaps.lines().skip(1).any(|line| !line.trim().is_empty());
        (on && self == Self::Lacking).then(|| Lack {
            why: "swap is on and cannot be limited".to_owned(),
            mend: "swapoff -a".to_owned(),
        })
    }
}

/// Reads back whether a group that has its limits may swap.
pub(crate) fn swap_limit(group: &Group) -> SwapLimit {
    let (file, text) = group.files().swap_limit;
    let set = std::fs::read_to_string(file).is_ok_and(|read| text.is_none_or(|text| read.trim() == text));
    if set { SwapLimit::Set } else { SwapLimit::Lacking }
}

/// Why there are no groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lack {
    pub(crate) why: String,
    pub(crate) mend: String,
}

/// The files through which a process joins, opened before it is forked.
pub(crate) fn join_files(group: &Group) -> Result<Vec<File>, HostError> {
    let open = |folder: PathBuf| {
        let path = folder.join("cgroup.procs");
        OpenOptions::new().write(true).open(&path).map_err(|e| HostError::io("open", &path, &e))
    };
    group.files().folders.into_iter().map(open).collect()
}

/// A memory limit that version 1 shows where none is set is near 2^63; nobody means as much.
const NO_MEMORY_LIMIT: u64 = 1 << 60;

/// The limits of a group, read back.
pub(crate) fn read_limits(group: &Group) -> LimitsRead {
    let files = group.files();
    let memory_bytes = number(&files.memory_limit).filter(|&bytes| bytes < NO_MEMORY_LIMIT);
    LimitsRead { cpus_milli: cpu_limit(&files.main).map(|(milli, _)| milli), memory_bytes }
}

/// CPU quota of a group's folder in thousandths, with the name of its file; `None`: it has none.
pub(crate) fn cpu_limit(folder: &Path) -> Option<(u32, &'static str)> {
    let v2 = v2::cpus_milli(folder).map(|milli| (milli, v2::CPU_MAX));
    v2.or_else(|| v1::cpus_milli(folder).map(|milli| (milli, v1::CPU_QUOTA)))
}

/// How often the kernel refused the group one more process or thread; 0 where it does not tell.
pub(crate) fn refused_processes(group: &Group) -> u64 {
    group.files().refusals.map_or(0, |file| counter(&file, "max"))
}

/// Sets a group's CPU limit. The quota comes first: a short one in a long period is under any limit above it.
fn set_quota(group: &Group, limits: &Limits) -> Result<(), HostError> {
    let Limits { period_us, .. } = limits;
    let quota_us = limits.quota_us();
    match group {
        Group::V1 { cpu, .. } => {
            write(&cpu.join(v1::CPU_QUOTA), &quota_us.to_string())?;
            write(&cpu.join(v1::CPU_PERIOD), &period_us.to_string())
        }
        Group::V2 { path } => write(&path.join(v2::CPU_MAX), &format!("{quota_us} {period_us}")),
    }
}

/// Lifts a group's CPU limit, so that what is being killed dies at once: a throttled process has to wait for its quota
/// to give its memory back. Fails where there is no limit to lift, which is as good.
pub(crate) fn lift_cpu_limit(group: &Group) {
    let (file, none) = group.files().cpu_limit;
    let _ = std::fs::write(file, none);
}

/// How often the kernel killed a process of the group for want of memory; 0 where it does not tell.
pub(crate) fn oom_kills(group: &Group) -> u64 {
    counter(&group.files().memory_kills, "oom_kill")
}

/// The same of all groups that were once in a folder of version 2 and are gone, which systemd removes as soon as they are empty: the
/// folder counts for all that ever were in it.
pub(crate) fn kills_in_gone(folder: &Path) -> u64 {
    let kills = |path: PathBuf| oom_kills(&Group::V2 { path });
    let inside = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let there: u64 = inside.filter(|entry| entry.path().is_dir()).map(|entry| kills(entry.path())).sum();
    kills(folder.to_owned()).saturating_sub(there)
}

fn counter(file: &Path, key: &str) -> u64 {
    std::fs::read_to_string(file).ok().and_then(|text| keyed(&text, key)).unwrap_or(0)
}

/// The number that is all of a file.
fn number(path: &Path) -> Option<u64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Writes a value into a file of a group.
pub(crate) fn write(path: &Path, value: &str) -> Result<(), HostError> {
    std::fs::write(path, value).map_err(|error| {
        let what = format!("cannot write `{value}` to `{}`: {error}", path.display());
        HostError::host(format!("{what}\nhint: `galo doctor` tells what this machine can limit"))
    })
}

/// Makes a group's folder, which must be new: a stranger's group is never taken over.
pub(crate) fn make_folder(path: &Path) -> Result<(), HostError> {
    std::fs::create_dir(path).map_err(|error| {
        let what = format!("cannot make control group `{}`: {error}", path.display());
        HostError::host(format!("{what}\nhint: `galo doctor` tells what this machine can limit"))
    })
}

/// Removes a group's folder and what the service made below it. A group whose last process has only just died can
/// still be busy for a moment, so this asks again for two seconds.
pub(crate) fn remove_folder(path: &Path) -> io::Result<()> {
    let mut tries = 0;
    loop {
        let result = subfolders(path).iter().rev().try_for_each(std::fs::remove_dir);
        match result {
            Ok(()) => return Ok(()),
            Err(e) if e.kind() == io::ErrorKind::NotFound && !path.exists() => return Ok(()),
            Err(e) if tries == 200 => return Err(e),
            Err(_) => std::thread::sleep(std::time::Duration::from_millis(10)),
        }
        tries += 1;
    }
}

/// The folder and all below it, parents first. A service that runs as root can make groups below its own.
pub(crate) fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    let mut next = 0;
    while next < found.len() {
        let entries = std::fs::read_dir(&found[next]);
        let below = entries.into_iter().flatten().flatten();
        found.extend(below.filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path()));
        next += 1;
    }
    found
}

/// The number after `key ` in a file of lines `key number`.
pub(crate) fn keyed(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: &str = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";

    #[test]
    fn swap_that_is_on_and_cannot_be_limited_is_a_lack() {
        let on = format!("{NONE}/dev/sda2                               partition\t8388604\t0\t-2\n");
        let lack = SwapLimit::Lacking.lack(&on).unwrap();
        assert_eq!(
            (lack.why.as_str(), lack.mend.as_str()),
            ("swap is on and cannot be limited", "swapoff -a")
        );
        assert_eq!(SwapLimit::Set.lack(&on), None);
        assert_eq!(SwapLimit::Lacking.lack(NONE), None);
        assert_eq!(SwapLimit::Lacking.lack(""), None);
    }

    #[test]
    fn whether_swap_is_limited_is_read_from_the_group() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let v1 = Group::V1 {
            cpu: path.clone(),
            cpuacct: path.clone(),
            memory: path.clone(),
            freezer: None,
            pids: None,
        };
        let v2 = Group::V2 { path: path.clone() };
        assert_eq!((swap_limit(&v1), swap_limit(&v2)), (SwapLimit::Lacking, SwapLimit::Lacking));
        std::fs::write(path.join("memory.memsw.limit_in_bytes"), "67108864\n").unwrap();
        std::fs::write(path.join("memory.swap.max"), "max\n").unwrap();
        assert_eq!((swap_limit(&v1), swap_limit(&v2)), (SwapLimit::Set, SwapLimit::Lacking));
        std::fs::write(path.join("memory.swap.max"), "0\n").unwrap();
        assert_eq!(swap_limit(&v2), SwapLimit::Set);
    }
}
