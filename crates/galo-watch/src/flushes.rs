//! How often a service asks the kernel to put what it wrote on the disk.
//!
//! Counted are system calls, by the kernel's tracepoints at their entry, for each thread that a service has when
//! counting begins and all that these start later. As long as somebody counts, every system call of the machine takes
//! some 10 ns longer (measured with 6 million reads and writes of one byte: 0.80 s instead of 0.74 s).
//!
//! What is not seen: files opened with O_SYNC or O_DSYNC, and what an io_uring is told to do. A service that holds
//! either gets a doubt beside its number.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use galo_record::placement::Group;
use galo_record::{Placement, ServiceFlushes, ServicePlacement};
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags};

use crate::perf::Counter;

/// System calls after which something is on the disk, or an error was told.
const CALLS: [&str; 6] = ["fsync", "fdatasync", "msync", "sync_file_range", "syncfs", "sync"];
/// Where tracefs is mounted, if it is.
const TRACEFS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];
/// Looks for threads that were started while others were being found.
const PASSES: usize = 5;

/// Counts until it is dropped.
#[derive(Debug)]
pub struct FlushCounter {
    services: Vec<Counted>,
}

#[derive(Debug)]
struct Counted {
    name: String,
    group: Option<Group>,
    /// One for each thread and call; or why there are none.
    counters: Result<Vec<Counter>, String>,
}

impl FlushCounter {
    /// Begins to count for every service. What cannot be counted is told by [`Self::read`].
    pub fn open(placement: &Placement) -> Self {
        let tracepoints = tracepoints();
        let of = |service: &ServicePlacement| Counted {
            name: service.name.clone(),
            group: service.group.clone(),
            counters: match (&tracepoints, &service.group) {
                (Err(lack), _) => Err(lack.clone()),
                (_, None) => Err("it has no control group, so its threads are not all known".to_owned()),
                (Ok(tracepoints), Some(group)) => counters(tracepoints, group),
            },
        };
        Self { services: placement.services.iter().map(of).collect() }
    }

    /// The calls so far, service by service in the order of the placement.
    pub fn read(&self) -> Vec<ServiceFlushes> {
        self.services.iter().map(Counted::read).collect()
    }
}

impl Counted {
    fn read(&self) -> ServiceFlushes {
        let sum = self.counters.as_ref().map_err(Clone::clone).and_then(|counters| {
            let calls = counters.iter().map(Counter::read).sum::<io::Result<u64>>();
            calls.map_err(|error| format!("a counter could not be read: {error}"))
        });
        let service = self.name.clone();
        match sum {
            Ok(calls) => {
                let doubt = self.group.as_ref().and_then(|group| written_through(&processes(group)));
                ServiceFlushes { service, calls: Some(calls), doubt }
            }
            Err(lack) => ServiceFlushes { service, calls: None, doubt: Some(lack) },
        }
    }
}

/// Why flushes cannot be counted on this machine, and what mends it; `None` where they can.
pub fn flushes_lack() -> Option<(String, String)> {
    let mend = || "run galo as root on a kernel with CONFIG_FTRACE_SYSCALLS".to_owned();
    let tracepoints = match tracepoints() {
        Ok(tracepoints) => tracepoints,
        Err(lack) => return Some((lack, mend())),
    };
    let tried = tracepoints.iter().try_for_each(|tracepoint| Counter::open(*tracepoint, 0).map(drop));
    tried.err().map(|error| (format!("the kernel refuses to count: {error}"), mend()))
}

/// Counters for all threads of a group, those included that are started meanwhile.
fn counters(tracepoints: &[u64], group: &Group) -> Result<Vec<Counter>, String> {
    let mut known = BTreeSet::new();
    let mut counters = Vec::new();
    for _ in 0..PASSES {
        // A thread whose parent was known before it started is counted by inheritance; to count it again would be
        // wrong by as much as it flushes, but never make something of nothing.
        let new: Vec<i32> = threads(group).into_iter().filter(|thread| known.insert(*thread)).collect();
        if new.is_empty() {
            break;
        }
        for thread in new {
            for tracepoint in tracepoints {
                match Counter::open(*tracepoint, thread) {
                    Ok(counter) => counters.push(counter),
                    // It has ended meanwhile.
                    Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
                    Err(error) => return Err(format!("the kernel refuses to count: {error}")),
                }
            }
        }
    }
    if known.is_empty() { Err("it has no threads".to_owned()) } else { Ok(counters) }
}

/// Ids of the threads of a group. Groups below it are not looked at; services seldom make any.
fn threads(group: &Group) -> Vec<i32> {
    ids(&match group {
        Group::V1 { cpu, .. } => cpu.join("tasks"),
        Group::V2 { path } => path.join("cgroup.threads"),
    })
}

/// Ids of its processes.
fn processes(group: &Group) -> Vec<i32> {
    let (Group::V1 { cpu: folder, .. } | Group::V2 { path: folder }) = group;
    ids(&folder.join("cgroup.procs"))
}

fn ids(list: &Path) -> Vec<i32> {
    fs::read_to_string(list).unwrap_or_default().lines().filter_map(|line| line.parse().ok()).collect()
}

/// The numbers of the tracepoints of [`CALLS`] that this kernel has; those it must have are fsync and fdatasync.
fn tracepoints() -> Result<Vec<u64>, String> {
    let number = |read: &dyn Fn(&Path) -> io::Result<String>, call: &str| {
        let path = PathBuf::from(format!("events/syscalls/sys_enter_{call}/id"));
        read(&path).ok().and_then(|text| text.trim().parse().ok())
    };
    let all = |read: &dyn Fn(&Path) -> io::Result<String>| -> Option<Vec<u64>> {
        let numbers: Vec<Option<u64>> = CALLS.iter().map(|call| number(read, call)).collect();
        (numbers[0].is_some() && numbers[1].is_some()).then(|| numbers.into_iter().flatten().collect())
    };
    for root in TRACEFS {
        if let Some(found) = all(&|path| fs::read_to_string(Path::new(root).join(path))) {
            return Ok(found);
        }
    }
    // Not mounted: a mount that has no place in the tree changes nothing for anybody else.
    let mount = detached().map_err(|error| format!("tracefs is not mounted, and cannot be: {error}"))?;
    let read = |path: &Path| -> io::Result<String> {
        let file = rustix::fs::openat(&mount, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
        io::read_to_string(fs::File::from(file))
    };
    all(&read).ok_or_else(|| "this kernel has no tracepoints of system calls".to_owned())
}

/// A tracefs of galo's own.
fn detached() -> rustix::io::Result<OwnedFd> {
    let context = rustix::mount::fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    rustix::mount::fsconfig_create(&context)?;
    rustix::mount::fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())
}

/// Whether one of these processes may write through without a call: why, in words.
fn written_through(processes: &[i32]) -> Option<String> {
    processes.iter().find_map(|process| {
        let process = PathBuf::from(format!("/proc/{process}"));
        fs::read_dir(process.join("fd")).ok()?.flatten().find_map(|entry| {
            let target = fs::read_link(entry.path()).ok()?;
            let target = target.to_string_lossy();
            if target == "anon_inode:[io_uring]" {
                return Some("it uses io_uring, whose flushes are not seen".to_owned());
            }
            let info = fs::read_to_string(process.join("fdinfo").join(entry.file_name())).ok()?;
            (target.starts_with('/') && !target.starts_with("/dev/") && opened_synchronously(&info))
                .then(|| format!("it has `{target}` opened with O_SYNC or O_DSYNC"))
        })
    })
}

/// By the flags in `/proc/PID/fdinfo/FD`, which are octal. O_SYNC holds the bit of O_DSYNC.
fn opened_synchronously(info: &str) -> bool {
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|text| i32::from_str_radix(text.trim(), 8).ok());
    flags.is_some_and(|flags| flags & libc::O_DSYNC != 0)
}

#[cfg(test)]
mod tests;
