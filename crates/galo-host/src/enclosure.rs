//! What holds a service's processes together, so that all of them can be found and killed: the control group, or what
//! comes nearest to it. It is written into the state folder before it is made.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use galo_record::clock::now_ns;
use galo_record::group::Group;
use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::cgroup::{self, Limits, LimitsRead};
use crate::error::HostError;
use crate::reap::KILL_WITHIN;
use crate::session::{self, Leader, Left};
use crate::system::System;
use crate::systemd::Scope;

/// How long a freezer may take before the kill goes on without it.
const FREEZE_WITHIN: Duration = Duration::from_millis(200);
/// A freezer stops who runs within a scheduler's tick.
const STILL_WITHIN: Duration = Duration::from_millis(20);
const LOOK: Duration = Duration::from_millis(5);

/// What holds a service's processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Enclosure {
    /// A control group of galo's own making.
    Group {
        group: Group,
        /// The first process, once it runs.
        leader: Option<Leader>,
    },
    /// A scope of systemd's making.
    Scope(Scope),
    /// No control group: the processes of the first one's session, their descendants, and all that carry the marker in
    /// their environment. A process can escape from this.
    Session {
        /// Value of the variable [`session::MARKER`].
        marker: String,
        /// The first process, once it runs.
        leader: Option<Leader>,
    },
}

/// How a kill went.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Killed {
    /// Processes found.
    pub(crate) processes: usize,
    /// ... of these, such as were alive and not in the control group, where there is one.
    pub(crate) outside: Vec<Left>,
    /// Times that processes were found after all that were known had been killed.
    pub(crate) repeats: u32,
}

impl Enclosure {
    /// What has a control group of galo's making, before anything runs in it.
    pub(crate) fn of(group: Group) -> Self {
        Self::Group { group, leader: None }
    }

    /// Its control group, where it has one.
    pub(crate) fn group(&self) -> Option<Group> {
        match self {
            Self::Group { group, .. } => Some(group.clone()),
            Self::Scope(scope) => scope.folder.clone().map(|path| Group::V2 { path }),
            Self::Session { .. } => None,
        }
    }

    /// For messages; also the value of the variable [`session::MARKER`] in the environment of what runs in it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Group { group, .. } => {
                group.files().main.file_name().unwrap_or_default().to_string_lossy().into_owned()
            }
            Self::Scope(scope) => scope.unit.clone(),
            Self::Session { marker, .. } => marker.clone(),
        }
    }

    /// The files through which a process joins before it becomes the service's program.
    pub(crate) fn join_files(&self) -> Result<Vec<File>, HostError> {
        match self {
            Self::Group { group, .. } => cgroup::join_files(group),
            _ => Ok(Vec::new()),
        }
    }

    /// The limits, read back.
    pub(crate) fn limits(&self) -> LimitsRead {
        self.group().map_or_else(LimitsRead::default, |group| cgroup::read_limits(&group))
    }

    /// Whether the limits are what was asked for.
    pub(crate) fn verify(&self, asked: &Limits) -> Result<(), HostError> {
        let got = self.limits();
        if got.are(asked) {
            return Ok(());
        }
        Err(HostError::host(format!(
            "control group `{}` has other limits than were set: {got:?} instead of {asked:?}\n\
             hint: something else on this machine manages control groups; `galo doctor` tells more",
            self.name()
        )))
    }

    /// How often the kernel killed one of its processes for want of memory. Of a scope that systemd has removed already, how often in all
    /// such since it was made.
    pub(crate) fn oom_kills(&self) -> u64 {
        match self {
            Self::Scope(Scope { folder: Some(folder), kills_before, .. }) if !folder.exists() => {
                let around = folder.parent().map_or(0, cgroup::kills_in_gone);
                around.saturating_sub(*kills_before)
            }
            _ => self.group().map_or(0, |group| cgroup::oom_kills(&group)),
        }
    }

    /// Kills everything in it, until nothing is left, and then whatever is known to have come from it and is in it no longer:
    /// a root's process can leave its group (PAM moves sessions).
    pub(crate) fn kill(&self) -> Result<Killed, HostError> {
        let give_up = Instant::now() + KILL_WITHIN;
        let mut stopped = Vec::new();
        if let Self::Scope(scope) = self {
            stopped = self.processes();
            scope.stop();
            let left = self.processes();
            stopped.retain(|pid| !left.contains(pid));
        }
        self.hurry();
        let mut killed = self.kill_all(give_up, || self.processes(), |found| self.kill_once(found))?;
        killed.processes += stopped.len();
        let has_group = self.group().is_some();
        let mut outside = Vec::new();
        let strays = self.kill_all(
            give_up,
            || self.descendants(),
            |found| {
                let strays = found.iter().filter(|_| has_group);
                outside.extend(strays.filter_map(|pid| Left::living(&System::real(), *pid)));
                signal(&found, Signal::KILL);
                found
            },
        )?;
        killed.processes += strays.processes;
        Ok(Killed { outside, ..killed })
    }

    /// Kills what is found, again and again, until nothing is.
    fn kill_all(
        &self,
        give_up: Instant,
        find: impl Fn() -> Vec<i32>,
        mut kill: impl FnMut(Vec<i32>) -> Vec<i32>,
    ) -> Result<Killed, HostError> {
        let mut killed = Killed::default();
        let mut known: Vec<i32> = Vec::new();
        loop {
            let found = find();
            if found.is_empty() {
                return Ok(killed);
            }
            if Instant::now() > give_up {
                return Err(self.immortal(&found));
            }
            killed.repeats += u32::from(!known.is_empty() && found.iter().any(|pid| !known.contains(pid)));
            let mut dying = kill(found);
            dying.retain(|pid| !known.contains(pid));
            killed.processes += dying.len();
            known.extend(dying);
            std::thread::sleep(LOOK);
        }
    }

    /// The processes of the first one's session, their descendants, and all that carry the marker, wherever they are now.
    pub(crate) fn descendants(&self) -> Vec<i32> {
        session::processes(&self.name(), self.leader())
    }

    /// Which of its processes live outside of its group. While its first process lives none of a PID namespace is missing:
    /// whoever has lost its parent is that one's child.
    pub(crate) fn strays(&self) -> Vec<Left> {
        let known = if self.group().is_some() { self.descendants() } else { Vec::new() };
        let inside = self.processes();
        let outside = known.into_iter().filter(|pid| !inside.contains(pid));
        outside.filter_map(|pid| Left::living(&System::real(), pid)).collect()
    }

    /// Whether systemd made it for a container's engine. Then systemd writes the same limits again whenever it is reloaded, and a container
    /// sees no control group to write to. (A user's scope can: its files are the user's.)
    pub(crate) fn is_a_containers_scope(&self) -> bool {
        let is_scope = |path: &Path| path.extension().is_some_and(|kind| kind == "scope");
        matches!(self, Self::Group { group: Group::V2 { path }, .. } if is_scope(path))
    }

    /// The first process, as far as it is known.
    pub(crate) fn leader(&self) -> Option<&Leader> {
        let (Self::Group { leader, .. } | Self::Scope(Scope { leader, .. }) | Self::Session { leader, .. }) =
            self;
        leader.as_ref()
    }

    /// Keeps which process is the first.
    pub(crate) fn led_by(&mut self, first: Option<Leader>) {
        let (Self::Group { leader, .. } | Self::Scope(Scope { leader, .. }) | Self::Session { leader, .. }) =
            self;
        *leader = first;
    }

    /// Takes its CPU limit away: what is left for it to do is to end.
    pub(crate) fn hurry(&self) {
        if let Some(group) = self.group().filter(|_| self.exists()) {
            cgroup::lift_cpu_limit(&group);
        }
    }

    /// Whether no process is left in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.processes().is_empty()
    }

    /// Stops everything in it for the moment: by the kernel's freezer, or process by process where there is none.
    /// [`Self::thaw`] lets it go on, [`Self::kill`] ends it.
    pub(crate) fn freeze(&self) {
        if !self.set_frozen(true) {
            signal(&self.processes(), Signal::STOP);
        }
    }

    /// Lets go on what was frozen.
    pub(crate) fn thaw(&self) {
        if !self.set_frozen(false) {
            signal(&self.processes(), Signal::CONT);
        }
    }

    /// Whether everything in it has stopped, within [`STILL_WITHIN`] of being told to. Where there is no freezer nobody tells.
    pub(crate) fn stands_still(&self) -> bool {
        let Some((file, frozen)) = self.group().and_then(|group| group.files().frozen) else { return true };
        let until = Instant::now() + STILL_WITHIN;
        let is_frozen = || std::fs::read_to_string(&file).is_ok_and(|text| text.contains(frozen));
        while !is_frozen() {
            if Instant::now() > until || self.is_empty() {
                return self.is_empty();
            }
            std::thread::yield_now();
        }
        true
    }

    /// Tells the kernel's freezer; whether there is one.
    fn set_frozen(&self, frozen: bool) -> bool {
        self.group().and_then(|group| group.files().freezer).is_some_and(|(file, stop, go_on)| {
            std::fs::write(file, if frozen { stop } else { go_on }).is_ok()
        })
    }

    /// Kills what is in all of these now, and waits for nothing: none goes on while others die, since all are frozen first.
    /// Returns the moment of it, by [`now_ns`].
    pub(crate) fn strike_together<'a>(doomed: impl Iterator<Item = &'a Self> + Clone) -> u64 {
        doomed.clone().for_each(Self::freeze);
        let frozen_ns = now_ns();
        doomed.for_each(|enclosure| drop(enclosure.kill_once(enclosure.processes())));
        frozen_ns
    }

    /// One pass: in one stroke where the kernel has one, else frozen, so that nothing can fork between reading the
    /// list and killing what it names. Returns what it killed.
    fn kill_once(&self, found: Vec<i32>) -> Vec<i32> {
        let files = self.group().map(|group| group.files());
        let stroke = files.as_ref().and_then(|files| files.kill.as_ref()).filter(|stroke| stroke.exists());
        if stroke.is_some_and(|stroke| std::fs::write(stroke, "1").is_ok()) {
            return self.processes().into_iter().chain(found).collect::<BTreeSet<_>>().into_iter().collect();
        }
        let Some((state, stop, go_on)) = files.and_then(|files| files.freezer) else {
            signal(&found, Signal::KILL);
            return found;
        };
        let freezes = std::fs::write(&state, stop).is_ok();
        let until = Instant::now() + FREEZE_WITHIN;
        while freezes && Instant::now() < until && !reads(&state, stop) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let frozen = self.processes();
        signal(&frozen, Signal::KILL);
        // Frozen processes die only when they are thawed.
        let _ = std::fs::write(&state, go_on);
        frozen
    }

    /// Ids of the processes in it.
    pub(crate) fn processes(&self) -> Vec<i32> {
        let Some(group) = self.group() else {
            return match self {
                Self::Session { .. } => self.descendants(),
                Self::Scope(scope) => scope.processes(&System::real()),
                Self::Group { .. } => Vec::new(),
            };
        };
        let folders: Vec<PathBuf> =
            group.files().folders.iter().flat_map(|folder| cgroup::subfolders(folder)).collect();
        let lists = folders.iter().filter_map(|f| std::fs::read_to_string(f.join("cgroup.procs")).ok());
        let mut pids: Vec<i32> = lists
            .flat_map(|list| list.lines().filter_map(|l| l.parse().ok()).collect::<Vec<i32>>())
            .collect();
        pids.sort_unstable();
        pids.dedup();
        pids
    }

    fn immortal(&self, found: &[i32]) -> HostError {
        HostError::host(format!(
            "control group `{}` still has processes {found:?} {} s after they were killed\n\
             hint: see what they wait for: cat /proc/{}/stack; then `galo clean`",
            self.name(),
            KILL_WITHIN.as_secs(),
            found.first().copied().unwrap_or_default(),
        ))
    }

    /// Whether anything of it is left.
    pub(crate) fn exists(&self) -> bool {
        match self {
            Self::Group { group, .. } => group.files().folders.iter().any(|folder| folder.exists()),
            Self::Scope(Scope { folder: Some(folder), .. }) => folder.exists(),
            Self::Scope(_) | Self::Session { .. } => !self.is_empty(),
        }
    }

    /// Removes the group, which must be empty by now. What is not there is no error.
    pub(crate) fn remove(&self) -> Result<(), HostError> {
        let Self::Group { group, .. } = self else { return Ok(()) };
        for folder in group.files().folders {
            if folder.exists() {
                cgroup::remove_folder(&folder).map_err(|e| HostError::io("remove", &folder, &e))?;
            }
        }
        Ok(())
    }
}

fn signal(pids: &[i32], signal: Signal) {
    for &pid in pids {
        // A version 1 list shows 0 for a process of an outer namespace; signalling 0 would hit galo itself.
        if pid > 0
            && let Some(pid) = Pid::from_raw(pid)
        {
            let _ = kill_process(pid, signal);
        }
    }
}

fn reads(path: &std::path::Path, value: &str) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| text.trim() == value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn systemd_writes_to_a_containers_scope_and_to_no_group_of_galos() {
        let group = |path: &str| Enclosure::of(Group::V2 { path: path.into() });
        assert!(group("/sys/fs/cgroup/system.slice/docker-82bec3.scope").is_a_containers_scope());
        assert!(!group("/sys/fs/cgroup/user.slice/user-0.slice/galo-7-ab-1-api1").is_a_containers_scope());
        let folder = Some("/sys/fs/cgroup/user.slice/galo-7-ab-1-api1.scope".into());
        let scope = Scope {
            unit: "galo-7-ab-1-api1.scope".to_owned(),
            user: true,
            folder,
            leader: None,
            kills_before: 0,
        };
        assert!(!Enclosure::Scope(scope).is_a_containers_scope());
    }

    #[test]
    fn a_scope_that_is_gone_had_the_kills_that_no_group_beside_it_had() {
        let slice = tempfile::tempdir().unwrap();
        let counts = |folder: &Path, kills: u64| {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join("memory.events"), format!("oom 9\noom_kill {kills}\n")).unwrap();
        };
        let own = slice.path().join("galo-7-ab-1-api1.scope");
        // Three were in others that are gone, two are in one that lives.
        counts(slice.path(), 5);
        counts(&slice.path().join("other.scope"), 2);
        counts(&own, 0);
        let kills_before = cgroup::kills_in_gone(slice.path());
        assert_eq!(kills_before, 3);
        let (unit, folder) = ("galo-7-ab-1-api1.scope".to_owned(), Some(own.clone()));
        let scope = Enclosure::Scope(Scope { unit, user: true, folder, leader: None, kills_before });
        counts(slice.path(), 6);
        counts(&own, 1);
        assert_eq!(scope.oom_kills(), 1);
        std::fs::remove_dir_all(&own).unwrap();
        assert_eq!(scope.oom_kills(), 1);
        counts(&slice.path().join("other.scope"), 3);
        assert_eq!(scope.oom_kills(), 0);
    }

    /// A version 2 folder whose list holds one real process; a thread does what the kernel does when it dies.
    #[test]
    fn without_the_kernels_stroke_every_listed_process_is_killed() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let procs = folder.path().join("cgroup.procs");
        std::fs::write(&procs, format!("0\n{}\n", child.id())).unwrap();
        let list = procs.clone();
        let kernel = std::thread::spawn(move || {
            let status = child.wait().unwrap();
            std::fs::write(list, "").unwrap();
            status
        });
        let group = Enclosure::of(Group::V2 { path: folder.path().to_owned() });
        group.kill().unwrap();
        let status = kernel.join().unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
        assert!(reads(&folder.path().join("cgroup.freeze"), "0"), "the group was left frozen");
    }

    /// The group of a scope, made by hand: what `systemctl` does not kill (it knows no such unit) must die all the same.
    #[test]
    fn a_scope_whose_folder_is_not_known_is_killed_also_where_systemctl_fails() {
        let name = format!("galo-{}-aside.scope", std::process::id());
        let folder = match cgroup::find::find(&System::real()) {
            Ok(cgroup::find::Hierarchy::V1(own)) => own.files().main.join(&name),
            Ok(cgroup::find::Hierarchy::V2(parent)) => parent.folder.join(&name),
            Err(_) => return,
        };
        if std::fs::create_dir(&folder).is_err() {
            return;
        }
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let joined = std::fs::write(folder.join("cgroup.procs"), child.id().to_string());
        let scope =
            Enclosure::Scope(Scope { unit: name, user: false, folder: None, leader: None, kills_before: 0 });
        let found = scope.processes();
        let killed = scope.kill();
        let _ = child.kill();
        let status = child.wait().unwrap();
        cgroup::remove_folder(&folder).unwrap();
        if joined.is_ok() {
            assert_eq!(found, [i32::try_from(child.id()).unwrap()]);
            assert_eq!(killed.unwrap().processes, 1);
            assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
        }
    }

    #[test]
    fn the_kernels_stroke_is_used_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let stroke = folder.path().join("cgroup.kill");
        std::fs::write(&stroke, "").unwrap();
        let procs = folder.path().join("cgroup.procs");
        std::fs::write(&procs, "999999999\n").unwrap();
        let kernel = std::thread::spawn(move || {
            while !reads(&stroke, "1") {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::fs::write(procs, "").unwrap();
        });
        let group = Enclosure::of(Group::V2 { path: folder.path().to_owned() });
        assert_eq!(group.kill().unwrap(), Killed { processes: 1, ..Killed::default() });
        kernel.join().unwrap();
        assert!(!folder.path().join("cgroup.freeze").exists(), "it was killed one by one");
    }
}
