//! Looks after the services of a contender from the start of the first to the end of the last, whatever galo waits for meanwhile,
//! in a thread of its own: five times a second it cuts logs that have become too large, and once a second it looks who has left
//! a control group, whose limits were written to, and who has come to the limit of processes.
//!
//! It is cheap: five looks at a log's size a second, and once a second one list of processes for each hierarchy (version 1 has
//! five) of each service, with a look at each process that is new or gone. Some 1.6 ms a second for four services of nine processes
//! each, in groups of version 1 (an unoptimized build on a busy machine of two cores; less where it is optimized).

mod limits;
mod members;

use std::collections::HashSet;
use std::fs::File;
use std::mem::{Discriminant, discriminant};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use galo_record::HostFact;
use galo_record::finding::{LimitsLost, LogFlood, ServiceLeftItsGroup, ServiceOutOfProcesses};
use galo_record::group::Group;

use crate::cgroup::{self, Limits, LimitsRead};
use crate::enclosure::Enclosure;
use crate::log;
use crate::session::{Leader, Left};
use limits::LimitFiles;
use members::Members;

/// Time between two looks at the logs.
const LOOK: Duration = Duration::from_millis(200);
/// How many looks at the logs there are for one at the groups.
const LOOKS: u32 = 5;
/// A log is cut when it is larger than this ...
const LOG_MAX: u64 = 64 << 20;
/// ... back to its first so many bytes.
const LOG_KEPT: u64 = 1 << 20;

/// Looks after services until it is dropped.
#[derive(Debug)]
pub(crate) struct Keeper {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    services: Vec<Ward>,
    /// What was found and nobody has taken yet.
    findings: Vec<HostFact>,
}

/// A service that is looked after.
#[derive(Debug)]
struct Ward {
    name: String,
    /// Its readiness command's, and its own.
    logs: [PathBuf; 2],
    /// Its own, open as long as it is looked after: nobody gets a lease on it then, which would keep galo from
    /// cutting it (`fcntl(2)`).
    _log: Option<File>,
    limits: Option<Limits>,
    /// `None`: it does not run yet, or is about to be killed; then its group is its own affair.
    group: Option<Watched>,
    /// Kinds of what was told of it. Each is told once.
    told: HashSet<Discriminant<HostFact>>,
    /// Who has left its group and was alive then.
    left: Vec<Leader>,
}

/// A group that is looked at.
#[derive(Debug)]
struct Watched {
    enclosure: Enclosure,
    members: Members,
    files: Option<LimitFiles>,
}

impl Keeper {
    /// Begins to look. Without a thread (the limit of processes is reached) it looks only when it is asked.
    pub(crate) fn start() -> Self {
        let shared = Arc::<Shared>::default();
        let own = Arc::clone(&shared);
        let watch = move || {
            let mut looks = 0_u32;
            while !own.stop.load(Ordering::Acquire) {
                thread::park_timeout(LOOK);
                looks = looks.wrapping_add(1);
                own.kept().look(looks.is_multiple_of(LOOKS));
            }
        };
        let thread = thread::Builder::new().name("galo-keeper".to_owned()).spawn(watch).ok();
        Self { shared, thread }
    }

    /// Looks after the logs of a service from now on.
    pub(crate) fn add(&self, name: &str, log: PathBuf, limits: Option<Limits>) {
        let mut kept = self.shared.kept();
        kept.services.retain(|ward| ward.name != name);
        let own = log::open(&log).ok();
        let logs = [log.with_extension("ready.log"), log];
        let (name, told, left) = (name.to_owned(), HashSet::new(), Vec::new());
        kept.services.push(Ward { name, logs, _log: own, limits, group: None, told, left });
    }

    /// Looks after its group as well, in which its first process runs now.
    pub(crate) fn watch(&self, name: &str, enclosure: &Enclosure) {
        let mut kept = self.shared.kept();
        let Some(ward) = kept.services.iter_mut().find(|ward| ward.name == name) else { return };
        let files = ward.limits.and_then(|_| LimitFiles::of(&enclosure.group()?));
        let members = Members::of(enclosure.leader());
        ward.group = Some(Watched { enclosure: enclosure.clone(), members, files });
    }

    /// Looks at everything now, and takes what was found since the last time.
    pub(crate) fn look(&self) -> Vec<HostFact> {
        let mut kept = self.shared.kept();
        kept.look(true);
        std::mem::take(&mut kept.findings)
    }

    /// Looks at the groups of these services for the last time: they are about to be ended, for which galo writes to their
    /// limits. Returns who has left them.
    pub(crate) fn release(&self, is_meant: impl Fn(&str) -> bool) -> Vec<Leader> {
        let mut kept = self.shared.kept();
        let Kept { services, findings } = &mut *kept;
        let mut left = Vec::new();
        for ward in services.iter_mut().filter(|ward| is_meant(&ward.name)) {
            ward.look(findings);
            let strays = ward.group.iter().flat_map(|watched| watched.enclosure.strays()).collect::<Vec<_>>();
            for stray in strays {
                ward.left.push(stray.leader);
                ward.left_its_group(stray, findings);
            }
            ward.group = None;
            left.append(&mut ward.left);
        }
        left
    }

    /// Tells who was found outside of a service's group when it was killed, unless it was told before that somebody was.
    pub(crate) fn found_outside(&self, name: &str, outside: Vec<Left>) {
        let mut kept = self.shared.kept();
        let Kept { services, findings } = &mut *kept;
        let Some(ward) = services.iter_mut().find(|ward| ward.name == name) else { return };
        for left in outside {
            ward.left_its_group(left, findings);
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn look(&mut self, at_groups: bool) {
        for ward in &mut self.services {
            ward.cut_logs(&mut self.findings);
            if at_groups {
                ward.look(&mut self.findings);
            }
        }
    }
}

impl Ward {
    /// So that no service fills the disk.
    fn cut_logs(&mut self, findings: &mut Vec<HostFact>) {
        for log in &self.logs {
            if !log::cut(log, LOG_MAX, LOG_KEPT) {
                continue;
            }
            let found = HostFact::LogFlood(LogFlood {
                service: self.name.clone(),
                limit_bytes: LOG_MAX,
                log_path: log.display().to_string(),
            });
            if self.told.insert(discriminant(&found)) {
                findings.push(found);
            }
        }
    }

    fn look(&mut self, findings: &mut Vec<HostFact>) {
        let Some(Watched { enclosure, members, .. }) = &mut self.group else { return };
        let Some(group) = enclosure.group().filter(|_| enclosure.exists()) else { return };
        for left in members.left(&group) {
            self.left.push(left.leader);
            self.left_its_group(left, findings);
        }
        self.look_at_limits(&group, findings);
    }

    fn left_its_group(&mut self, left: Left, findings: &mut Vec<HostFact>) {
        let found = HostFact::ServiceLeftItsGroup(ServiceLeftItsGroup {
            service: self.name.clone(),
            pid: left.leader.pid,
            command: left.command,
            groups: left.groups,
        });
        // Where there are no limits, nothing is gained by it.
        if self.limits.is_some() && self.told.insert(discriminant(&found)) {
            findings.push(found);
        }
    }

    fn look_at_limits(&mut self, group: &Group, findings: &mut Vec<HostFact>) {
        let Some(Watched { enclosure, files, .. }) = &self.group else { return };
        let mut tell = |found: HostFact| {
            if self.told.insert(discriminant(&found)) {
                findings.push(found);
            }
        };
        let name = &self.name;
        let Some(limits) = &self.limits else { return };
        let written = files.as_ref().map(LimitFiles::written).unwrap_or_default();
        // An engine removes a container's group itself, once its first process has ended: then there is nothing to read.
        let is_gone = || {
            enclosure.limits() == LimitsRead::default()
                && enclosure.leader().is_some_and(|leader| !leader.lives())
        };
        let other = enclosure.verify(limits).err().filter(|_| !is_gone());
        let is_written = !written.is_empty() && !enclosure.is_a_containers_scope();
        if is_written || other.is_some() {
            tell(HostFact::LimitsLost(LimitsLost {
                service: name.clone(),
                written,
                difference: other.map(|error| error.message),
            }));
        }
        let refused = cgroup::refused_processes(group);
        if let Some(most) = limits.pids_max.filter(|_| refused > 0) {
            tell(HostFact::ServiceOutOfProcesses(ServiceOutOfProcesses {
                service: name.clone(),
                limit: most,
                refused,
            }));
        }
    }
}
