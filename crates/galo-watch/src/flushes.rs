//! How often a service asks the kernel to put what it wrote on the disk.
//!
//! Counted are system calls, by the kernel's tracepoints at their entry, for each thread that a service has when
//! counting begins and all that these start later. As long as somebody counts, every system call of the machine takes
//! some 10 ns longer (measured with 6 million reads and writes of one byte: 0.80 s instead of 0.74 s).
//!
//! What is not seen is what writes through without such a call: files opened with O_SYNC or O_DSYNC, and what an
//! io_uring or the kernel's AIO is told to do. A service that holds one of these when counting ends gets a doubt beside
//! its number, and so does one that may have asked `pwritev2` for it or keeps threads where nobody counts. What was
//! opened and closed again before the end, and by processes that have ended, leaves no trace.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use galo_record::placement::Group;
use galo_record::{Placement, ServiceFlushes, ServicePlacement};
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags};
use rustix::process::{Resource, getrlimit};

use crate::perf::Counter;

/// System calls after which something is on the disk, or an error was told.
const CALLS: [&str; 6] = ["fsync", "fdatasync", "msync", "sync_file_range", "syncfs", "sync"];
/// System calls that may write through, if their flags say so (RWF_DSYNC, RWF_SYNC); the flags are not seen.
const SUSPECTS: [&str; 1] = ["pwritev2"];
/// Which part of the files that galo may have open can be counters. The rest is the load's and the logs'.
const OPEN_FILES_PART: usize = 8;
/// Where tracefs is mounted, if it is.
const TRACEFS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];
/// How such a ring is named in `/proc/PID/maps`.
const AIO_RING: &[u8] = b" /[aio]";
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
    /// Or why there are none.
    counters: Result<Counters, String>,
    /// What a reading saw, of whom may have ended when the next one is made.
    doubt: Option<String>,
}

/// One for each thread and call.
#[derive(Debug, Default)]
struct Counters {
    /// Of [`CALLS`].
    flushes: Vec<Counter>,
    /// Of [`SUSPECTS`].
    suspects: Vec<Counter>,
}

/// The numbers of the tracepoints that this kernel has.
#[derive(Debug)]
struct Tracepoints {
    /// Of [`CALLS`].
    flushes: Vec<u64>,
    /// Of [`SUSPECTS`].
    suspects: Vec<u64>,
}

impl FlushCounter {
    /// Begins to count for every service. What cannot be counted is told by [`Self::read`].
    pub fn open(placement: &Placement) -> Self {
        let tracepoints = tracepoints();
        let mut room = room();
        let of = |service: &ServicePlacement| Counted {
            name: service.name.clone(),
            group: service.group.clone(),
            counters: match (&tracepoints, &service.group) {
                (Err(lack), _) => Err(lack.clone()),
                (_, None) => Err("it has no control group, so its threads are not all known".to_owned()),
                (Ok(tracepoints), Some(group)) => Counters::open(tracepoints, group, &mut room),
            },
            doubt: None,
        };
        Self { services: placement.services.iter().map(of).collect() }
    }

    /// The calls so far of all services together, whose doubts are not looked for; `None`: not all of them can be counted.
    pub fn calls(&self) -> Option<u64> {
        let of = |counted: &Counted| counted.counters.as_ref().ok()?.calls().ok();
        self.services.iter().map(of).sum()
    }

    /// The calls so far, service by service in the order of the placement. A doubt that there was once stays.
    pub fn read(&mut self) -> Vec<ServiceFlushes> {
        self.services.iter_mut().map(Counted::read).collect()
    }
}

impl Counted {
    fn read(&mut self) -> ServiceFlushes {
        let sums = self.counters.as_ref().map_err(Clone::clone).and_then(|counters| {
            let sums = counters.calls().and_then(|calls| Ok((calls, sum(&counters.suspects)?)));
            sums.map_err(|error| format!("a counter could not be read: {error}"))
        });
        let service = self.name.clone();
        match sums {
            Ok((calls, suspects)) => {
                let told = (suspects > 0).then(|| {
                    format!("it called {}, perhaps to write through (calls: {suspects})", SUSPECTS[0])
                });
                let doubt =
                    told.or_else(|| self.doubt.take()).or_else(|| self.group.as_ref().and_then(unseen));
                self.doubt.clone_from(&doubt);
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
    let tried = tracepoints.all().try_for_each(|tracepoint| Counter::open(tracepoint, 0).map(drop));
    tried.err().map(|error| (format!("the kernel refuses to count: {error}"), mend()))
}

/// How many counters there may be.
fn room() -> usize {
    let open_files = getrlimit(Resource::Nofile).current;
    open_files.map_or(usize::MAX, |files| usize::try_from(files).unwrap_or(usize::MAX)) / OPEN_FILES_PART
}

impl Counters {
    /// Counters for all threads of a group, those included that are started meanwhile; as many as there is `room` for,
    /// which they take.
    fn open(tracepoints: &Tracepoints, group: &Group, room: &mut usize) -> Result<Self, String> {
        let mut known = BTreeSet::new();
        let mut counters = Self::default();
        for _ in 0..PASSES {
            // A thread whose parent was known before it started is counted by inheritance; to count it again would be
            // wrong by as much as it flushes, but never make something of nothing.
            let new: Vec<i32> = threads(group).into_iter().filter(|thread| known.insert(*thread)).collect();
            if new.is_empty() {
                break;
            }
            let wanted = new.len() * tracepoints.all().count();
            *room = room.checked_sub(wanted).ok_or_else(|| {
                format!(
                    "too many threads to count: {} here, for the open files that galo may have",
                    known.len()
                )
            })?;
            for thread in new {
                counters.flushes.extend(of_thread(&tracepoints.flushes, thread)?);
                counters.suspects.extend(of_thread(&tracepoints.suspects, thread)?);
            }
        }
        if known.is_empty() { Err("it has no threads".to_owned()) } else { Ok(counters) }
    }

    /// Flushes so far.
    fn calls(&self) -> io::Result<u64> {
        sum(&self.flushes)
    }
}

fn sum(counters: &[Counter]) -> io::Result<u64> {
    counters.iter().map(Counter::read).sum()
}

/// One counter for each tracepoint; fewer if the thread ends meanwhile.
fn of_thread(tracepoints: &[u64], thread: i32) -> Result<Vec<Counter>, String> {
    let mut counters = Vec::with_capacity(tracepoints.len());
    for tracepoint in tracepoints {
        match Counter::open(*tracepoint, thread) {
            Ok(counter) => counters.push(counter),
            // It has ended meanwhile.
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => break,
            Err(error) => return Err(format!("the kernel refuses to count: {error}")),
        }
    }
    Ok(counters)
}

/// Ids of the threads of a group, without those of groups below it ([`unseen`]).
fn threads(group: &Group) -> Vec<i32> {
    ids(&match group {
        Group::V1 { cpu, .. } => cpu.join("tasks"),
        Group::V2 { path } => path.join("cgroup.threads"),
    })
}

/// Ids of its processes.
fn processes(group: &Group) -> Vec<i32> {
    ids(&folder(group).join("cgroup.procs"))
}

fn folder(group: &Group) -> &Path {
    let (Group::V1 { cpu: folder, .. } | Group::V2 { path: folder }) = group;
    folder
}

fn ids(list: &Path) -> Vec<i32> {
    fs::read_to_string(list).unwrap_or_default().lines().filter_map(|line| line.parse().ok()).collect()
}

impl Tracepoints {
    fn all(&self) -> impl Iterator<Item = u64> {
        self.flushes.iter().chain(&self.suspects).copied()
    }
}

/// Of the calls that this kernel has; those it must have are fsync and fdatasync.
fn tracepoints() -> Result<Tracepoints, String> {
    let number = |read: &dyn Fn(&Path) -> io::Result<String>, call: &str| -> Option<u64> {
        let path = PathBuf::from(format!("events/syscalls/sys_enter_{call}/id"));
        read(&path).ok().and_then(|text| text.trim().parse().ok())
    };
    let all = |read: &dyn Fn(&Path) -> io::Result<String>| -> Option<Tracepoints> {
        let numbers: Vec<Option<u64>> = CALLS.iter().map(|call| number(read, call)).collect();
        (numbers[0].is_some() && numbers[1].is_some()).then(|| Tracepoints {
            flushes: numbers.into_iter().flatten().collect(),
            suspects: SUSPECTS.iter().filter_map(|call| number(read, call)).collect(),
        })
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

/// Why a group may hold what nobody counts or sees, in words.
fn unseen(group: &Group) -> Option<String> {
    let is_folder = |entry: fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    if fs::read_dir(folder(group)).is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(is_folder))) {
        return Some("it has control groups below its own, whose threads are not counted".to_owned());
    }
    written_through(&processes(group))
}

/// Whether one of these processes may write through without a call: why, in words.
fn written_through(processes: &[i32]) -> Option<String> {
    processes.iter().find_map(|id| {
        let process = PathBuf::from(format!("/proc/{id}"));
        let doubt = of_files(&process).and_then(|doubt| Ok(doubt.or(of_maps(&process)?)));
        doubt.unwrap_or_else(|error| {
            (!has_ended(&error)).then(|| format!("process {id} cannot be read: {error}"))
        })
    })
}

/// Whether a file in `/proc` was refused because its process is gone.
fn has_ended(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH)
}

fn of_files(process: &Path) -> io::Result<Option<String>> {
    let doubt = |entry: fs::DirEntry| -> Option<String> {
        let target = fs::read_link(entry.path()).ok()?;
        let target = target.to_string_lossy();
        if target == "anon_inode:[io_uring]" {
            return Some("it uses io_uring, whose flushes are not seen".to_owned());
        }
        let info = fs::read_to_string(process.join("fdinfo").join(entry.file_name())).ok()?;
        (target.starts_with('/') && !target.starts_with("/dev/") && opened_synchronously(&info))
            .then(|| format!("it has `{target}` opened with O_SYNC or O_DSYNC"))
    };
    Ok(fs::read_dir(process.join("fd"))?.flatten().find_map(doubt))
}

/// The kernel's AIO shows by the ring that it maps into a process (io_setup(2)).
fn of_maps(process: &Path) -> io::Result<Option<String>> {
    // Paths may hold any bytes.
    let maps = fs::read(process.join("maps"))?;
    let is_ring = |line: &[u8]| line.windows(AIO_RING.len()).any(|part| part == AIO_RING);
    let found = maps.split(|byte| *byte == b'\n').any(is_ring);
    Ok(found.then(|| "it uses the kernel's AIO, whose flushes are not seen".to_owned()))
}

/// By the flags in `/proc/PID/fdinfo/FD`, which are octal. O_SYNC holds the bit of O_DSYNC.
fn opened_synchronously(info: &str) -> bool {
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|text| i32::from_str_radix(text.trim(), 8).ok());
    flags.is_some_and(|flags| flags & libc::O_DSYNC != 0)
}

#[cfg(test)]
mod tests;
