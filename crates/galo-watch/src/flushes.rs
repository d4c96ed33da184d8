//! How often a service had the kernel put what it wrote on the disk.
//!
//! Counted is at the kernel's tracepoints, for each thread that a service has when counting begins and all that these start later. Where the
//! file system of its volumes tells of each file that it puts on the disk, that is counted, whoever asked for it and however
//! ([`tracepoints`]). Elsewhere system calls and requests to an io_uring are. As long as somebody counts, every system call of the machine
//! takes some 10 ns longer (measured with 6 million reads and writes of one byte: 0.80 s instead of 0.74 s).
//!
//! Services that have no volume are left out where others have one: nothing that they flush outlives them, and no doubt about them is of use.
//!
//! A file that is opened with O_SYNC or O_DSYNC flushes itself. It counts where it lies in a volume and changed ([`synchronous`]). A doubt is
//! left where something may have written through unseen, which stands beside the number; and what has ended before anybody looked leaves no
//! trace.

mod synchronous;
mod tracepoints;

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use galo_record::group::Group;
use galo_record::{Placement, ServiceFlushes};
use rustix::process::{Resource, getrlimit};

use crate::perf::Counter;
use synchronous::{Files, State};
use tracepoints::{Tracefs, Tracepoint, Tracepoints};

/// Which part of the files that galo may have open can be counters. The rest is the load's and the logs'.
const OPEN_FILES_PART: usize = 8;
/// Looks for threads that were started while others were being found.
const PASSES: usize = 5;
/// Control groups below a service's own, and below these, that are looked at.
const GROUPS_MAX: usize = 1000;

/// Counts until it is dropped.
#[derive(Debug)]
pub struct FlushCounter {
    services: Vec<Counted>,
}

#[derive(Debug)]
struct Counted {
    name: String,
    group: Option<Group>,
    /// The service's volumes.
    volumes: Vec<PathBuf>,
    /// Or why there are none.
    counters: Result<Counters, String>,
    /// What lay in its volumes when counting began.
    began: Files,
    /// The last reading: of whom it saw may have ended when the next one is made.
    last: Option<ServiceFlushes>,
}

/// One for each thread and tracepoint.
#[derive(Debug, Default)]
struct Counters {
    flushes: Vec<Counter>,
    /// What may have written through, with words for it.
    suspects: Vec<(&'static str, Counter)>,
    /// What no tracepoint of this kernel tells.
    unseen: Option<&'static str>,
}

/// What was flushed up to a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlushMark {
    calls: u64,
    /// The files that flush themselves, as they are.
    files: BTreeSet<State>,
}

impl FlushMark {
    /// Flushes since an earlier moment. A file that flushes itself and is not as it was counts as one.
    pub fn since(&self, earlier: &Self) -> u64 {
        self.calls.saturating_sub(earlier.calls) + self.files.difference(&earlier.files).count() as u64
    }
}

impl FlushCounter {
    /// Begins to count for every service that has a volume, or for all where none has; `volumes` gives a service's by its name. What cannot
    /// be counted is told by [`Self::read`].
    pub fn open(placement: &Placement, volumes: impl Fn(&str) -> Vec<PathBuf>) -> Self {
        let tracefs = Tracefs::open();
        let mut room = room();
        let all = || placement.services.iter().map(|service| (service, volumes(&service.name)));
        let has_volumes = all().any(|(_, volumes)| !volumes.is_empty());
        let kept = all().filter(|(_, volumes)| !has_volumes || !volumes.is_empty());
        let services = kept.map(|(service, volumes)| Counted {
            name: service.name.clone(),
            group: service.group.clone(),
            counters: match (&tracefs, &service.group) {
                (Err(lack), _) => Err(lack.clone()),
                (_, None) => Err("it has no control group, so its threads are not all known".to_owned()),
                (Ok(tracefs), Some(group)) => Tracepoints::of(tracefs, &volumes)
                    .and_then(|tracepoints| Counters::open(&tracepoints, group, &mut room)),
            },
            began: Files::of(&volumes),
            volumes,
            last: None,
        });
        Self { services: services.collect() }
    }

    /// What all services together flushed so far, whose doubts are not looked for; `None`: not all of those that wrote something can be
    /// counted.
    pub fn mark(&self) -> Option<FlushMark> {
        let mut mark = FlushMark { calls: 0, files: BTreeSet::new() };
        for counted in &self.services {
            let last = counted.last.as_ref();
            match counted.counters.as_ref().map(Counters::calls) {
                Ok(Ok(calls)) => mark.calls += calls,
                _ if last.is_some_and(|last| last.written_files == Some(0)) => {}
                _ => return None,
            }
            // Only who had such files under load is asked for them again and again.
            if last.is_some_and(|last| last.synchronous_files > 0) {
                let lying = Files::of(&counted.volumes);
                mark.files.extend(counted.synchronous(&lying).unwrap_or_default());
            }
        }
        Some(mark)
    }

    /// The calls so far, service by service in the order of the placement. A doubt that there was once stays.
    pub fn read(&mut self) -> Vec<ServiceFlushes> {
        self.services.iter_mut().map(Counted::read).collect()
    }
}

impl Counted {
    fn read(&mut self) -> ServiceFlushes {
        let lying = Files::of(&self.volumes);
        let last = self.last.take();
        let last = last.as_ref();
        let (found, unreadable) = match self.synchronous(&lying) {
            Ok(found) => (found, None),
            Err(error) => (BTreeSet::new(), Some(error)),
        };
        let changed = self.began.changed(found.iter().copied());
        let written = (!self.volumes.is_empty()).then(|| self.began.changed(lying.states()));
        let told = self.told();
        let doubt = match &told {
            Err(lack) => Some(lack.clone()),
            Ok((_, doubt)) => last.and_then(|last| last.doubt.clone()).or(doubt.clone()).or(unreadable),
        };
        let read = ServiceFlushes {
            service: self.name.clone(),
            calls: told.ok().map(|(calls, _)| calls),
            synchronous_files: changed.max(last.map_or(0, |last| last.synchronous_files)),
            written_files: written.max(last.and_then(|last| last.written_files)),
            doubt,
        };
        self.last = Some(read.clone());
        read
    }

    /// Flushes so far, and what may have written through beside them; or why they cannot be told.
    fn told(&self) -> Result<(u64, Option<String>), String> {
        let counters = self.counters.as_ref().map_err(Clone::clone)?;
        let sums = || Ok((counters.calls()?, counters.suspected()?));
        sums().map_err(|error: io::Error| format!("a counter could not be read: {error}"))
    }

    /// The files lying in its volumes that it has opened with O_SYNC or O_DSYNC; or why they cannot be told.
    fn synchronous(&self, lying: &Files) -> Result<BTreeSet<State>, String> {
        let Some(group) = &self.group else { return Ok(BTreeSet::new()) };
        synchronous::opened_by(&processes(group), lying)
    }
}

/// Why flushes cannot be counted on this machine, and what mends it; `None` where they can.
pub fn flushes_lack() -> Option<(String, String)> {
    let mend = || "run galo as root on a kernel with CONFIG_FTRACE_SYSCALLS".to_owned();
    let tracepoints = match Tracefs::open().and_then(|tracefs| Tracepoints::of(&tracefs, &[])) {
        Ok(tracepoints) => tracepoints,
        Err(lack) => return Some((lack, mend())),
    };
    let tried = tracepoints.all().try_for_each(|tracepoint| tracepoint.count(0).map(drop));
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
        let mut counters = Self { unseen: tracepoints.unseen, ..Self::default() };
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
                for tracepoint in &tracepoints.flushes {
                    counters.flushes.extend(of_thread(tracepoint, thread)?);
                }
                for (what, tracepoint) in &tracepoints.suspects {
                    counters.suspects.extend(of_thread(tracepoint, thread)?.map(|counter| (*what, counter)));
                }
            }
        }
        if known.is_empty() { Err("it has no threads".to_owned()) } else { Ok(counters) }
    }

    /// Flushes so far.
    fn calls(&self) -> io::Result<u64> {
        self.flushes.iter().map(Counter::read).sum()
    }

    /// What may have written through so far, in words.
    fn suspected(&self) -> io::Result<Option<String>> {
        let mut told: Option<(&str, u64)> = None;
        for (what, counter) in &self.suspects {
            match (counter.read()?, &mut told) {
                (0, _) => {}
                (times, None) => told = Some((what, times)),
                (times, Some((first, sum))) if first == what => *sum += times,
                _ => {}
            }
        }
        let told = told.map(|(what, times)| format!("it {what}, perhaps to write through (calls: {times})"));
        Ok(told.or_else(|| self.unseen.map(str::to_owned)))
    }
}

/// A counter, unless the thread has ended meanwhile.
fn of_thread(tracepoint: &Tracepoint, thread: i32) -> Result<Option<Counter>, String> {
    match tracepoint.count(thread) {
        Ok(counter) => Ok(Some(counter)),
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(None),
        Err(error) => Err(format!("the kernel refuses to count: {error}")),
    }
}

/// Ids of the threads of a group, and of groups below it.
fn threads(group: &Group) -> Vec<i32> {
    let files = group.files();
    ids(files.main, files.thread_list)
}

/// Ids of its processes, likewise.
fn processes(group: &Group) -> Vec<i32> {
    ids(group.files().main, "cgroup.procs")
}

fn ids(folder: PathBuf, list: &str) -> Vec<i32> {
    let (mut ids, mut folders, mut left) = (Vec::new(), vec![folder], GROUPS_MAX);
    while let Some(folder) = folders.pop().filter(|_| left > 0) {
        left -= 1;
        let text = fs::read_to_string(folder.join(list)).unwrap_or_default();
        ids.extend(text.lines().filter_map(|line| line.parse::<i32>().ok()));
        folders.extend(below(&folder));
    }
    ids
}

fn below(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(is_folder).map(|entry| entry.path())
}

#[cfg(test)]
mod tests;
