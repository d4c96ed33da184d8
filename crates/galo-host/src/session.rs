//! Finding a service's processes without its control group, where there is none or they have left it: by session, by descent,
//! and by a variable that they inherit. A process that leaves its session, loses its parents *and* drops its environment is
//! not found.

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::system::System;

/// The variable that all processes of a service carry: the name of what holds it.
pub(crate) const MARKER: &str = "GALO_GROUP";

/// A process, told apart from a later one of the same id by its start time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Leader {
    pub(crate) pid: i32,
    /// In clock ticks since the boot: field 22 of `/proc/PID/stat`.
    pub(crate) started: u64,
}

impl Leader {
    /// Kills it, if it is still there.
    pub(crate) fn kill(&self) {
        let is_there = Stat::of(&System::real(), self.pid).is_some_and(|stat| stat.started == self.started);
        if let Some(pid) = Pid::from_raw(self.pid).filter(|_| is_there) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }

    /// Whether it runs: a dead process that nobody has reaped does not.
    pub(crate) fn lives(&self) -> bool {
        Stat::of(&System::real(), self.pid).is_some_and(|stat| stat.started == self.started && stat.lives())
    }

    /// Looks a running process up.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let pid = i32::try_from(pid).ok()?;
        Some(Self { pid, started: Stat::of(&System::real(), pid)?.started })
    }
}

/// Lines of a process's groups that are told.
const TOLD_GROUPS: usize = 8;

/// A process that is not where its service's control group is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) leader: Leader,
    pub(crate) command: String,
    /// Where it is now: `/proc/PID/cgroup`.
    pub(crate) groups: Vec<String>,
}

impl Left {
    /// Looks a process up. `None`: it has ended or is about to, so that it is no longer listed but has gone nowhere.
    pub(crate) fn living(system: &System, pid: i32) -> Option<Self> {
        let stat = Stat::of(system, pid).filter(|stat| stat.lives() && !stat.is_exiting())?;
        let read = |name: &str| system.read(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let groups = read("cgroup").lines().take(TOLD_GROUPS).map(str::to_owned).collect();
        let command = read("comm").trim().chars().filter(|c| !c.is_control()).collect();
        Some(Self { leader: Leader { pid, started: stat.started }, command, groups })
    }
}

/// What is used of `/proc/PID/stat`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pid: i32,
    state: char,
    parent: i32,
    session: i32,
    threads: u32,
    /// The kernel's `PF_` flags.
    flags: u32,
    pub(crate) started: u64,
}

/// The flag of a process that is about to end.
const EXITING: u32 = 4;

impl Stat {
    pub(crate) fn of(system: &System, pid: i32) -> Option<Self> {
        Self::parse(pid, &system.read(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The name, in parentheses, can hold anything, so fields count from the last parenthesis.
    fn parse(pid: i32, text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        Some(Self {
            pid,
            state: fields.first()?.chars().next()?,
            parent: fields.get(1)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            flags: fields.get(6)?.parse().ok()?,
            threads: fields.get(17)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }

    /// Whether it is more than a dead process that nobody has reaped. One whose first thread alone has ended looks like that, but for
    /// its other threads.
    pub(crate) const fn lives(&self) -> bool {
        !matches!(self.state, 'Z' | 'X') || self.threads > 1
    }

    /// Whether it has begun to end.
    pub(crate) fn is_exiting(&self) -> bool {
        self.flags & EXITING != 0
    }
}

/// Kills the children of this process in a PID namespace, told by its inode, that somebody has stopped.
pub(crate) fn kill_stopped_children(namespace: u64) {
    let (system, own) = (System::real(), rustix::process::getpid().as_raw_nonzero().get());
    let entries = std::fs::read_dir(system.path("/proc")).into_iter().flatten().flatten();
    let all = entries.filter_map(|entry| Stat::of(&system, entry.file_name().to_str()?.parse().ok()?));
    let is_inside = |pid: i32| {
        let link = system.path(format!("/proc/{pid}/ns/pid"));
        std::fs::metadata(link).is_ok_and(|meta| std::os::unix::fs::MetadataExt::ino(&meta) == namespace)
    };
    for stat in all.filter(|stat| stat.parent == own && stat.state == 'T' && is_inside(stat.pid)) {
        if let Some(pid) = Pid::from_raw(stat.pid) {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// The processes that belong to a service; dead ones that nobody has reaped are left out.
pub(crate) fn processes(marker: &str, leader: Option<&Leader>) -> Vec<i32> {
    let system = System::real();
    let entries = std::fs::read_dir(system.path("/proc")).into_iter().flatten().flatten();
    let all: Vec<Stat> = entries
        .filter_map(|entry| Stat::of(&system, entry.file_name().to_str()?.parse().ok()?))
        .filter(Stat::lives)
        .collect();
    let wanted = format!("{MARKER}={marker}");
    // A session's number stays taken while a member lives; a process of that number with another start time means
    // that all members are gone. Where there is no such process, the number can be that of a stranger's session whose
    // leader has ended like ours; only a member that carries the marker tells that it is not.
    let marked = |session: i32| all.iter().any(|s| s.session == session && carries(&system, s.pid, &wanted));
    let session = leader.filter(|l| match Stat::of(&system, l.pid) {
        Some(stat) => stat.started == l.started,
        None => marked(l.pid),
    });
    let mut found: Vec<i32> = all
        .iter()
        .filter(|s| session.is_some_and(|l| s.session == l.pid) || carries(&system, s.pid, &wanted))
        .map(|s| s.pid)
        .collect();
    let mut next = 0;
    while next < found.len() {
        let parent = found[next];
        let children = all.iter().filter(|s| s.parent == parent).map(|s| s.pid);
        let new: Vec<i32> = children.filter(|pid| !found.contains(pid)).collect();
        found.extend(new);
        next += 1;
    }
    found
}

fn carries(system: &System, pid: i32, variable: &str) -> bool {
    let environment = std::fs::read(system.path(format!("/proc/{pid}/environ"))).unwrap_or_default();
    environment.split(|&b| b == 0).any(|entry| entry == variable.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enclosure::Enclosure;
    use std::process::{Command, Stdio};

    #[test]
    fn a_name_with_parentheses_and_spaces_does_not_shift_the_fields() {
        let text = "7 (a) b (c) S 3 7 5 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4242 1 2";
        let stat = Stat::parse(7, text).unwrap();
        let expected =
            Stat { pid: 7, state: 'S', parent: 3, session: 5, threads: 1, flags: 4194560, started: 4242 };
        assert_eq!(stat, expected);
        assert!(stat.lives() && Stat { state: 'Z', threads: 2, ..expected }.lives());
        assert!(!Stat { state: 'Z', ..stat }.lives());
    }

    #[test]
    fn a_process_whose_name_is_no_utf8_is_seen() {
        let root = tempfile::tempdir().unwrap();
        let process = root.path().join("proc/7");
        std::fs::create_dir_all(&process).unwrap();
        std::fs::write(process.join("stat"), b"7 (a\xff) S 3 7 5 0 -1 0 1 2 3 4 5 6 7 8 20 0 1 0 4242 1 2")
            .unwrap();
        std::fs::write(process.join("comm"), b"a\xff\n").unwrap();
        let left = Left::living(&System::at(root.path()), 7).unwrap();
        assert_eq!((left.leader, left.command.as_str()), (Leader { pid: 7, started: 4242 }, "a\u{fffd}"));
    }

    #[test]
    fn a_process_that_left_its_session_and_its_parent_is_found_by_its_environment() {
        let marker = format!("galo-test-{}", std::process::id());
        let mut shell = Command::new("sh")
            .args(["-c", "setsid sleep 600 & sleep 0.2"])
            .env(MARKER, &marker)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let leader = Leader::of(shell.id());
        shell.wait().unwrap();
        let session = Enclosure::Session { marker, leader };
        assert!(session.exists(), "the process that left its session was not found");
        session.kill().unwrap();
        assert!(!session.exists());
    }

    /// A session of two processes whose leader has ended; its number and the ids of the two.
    fn leaderless(script: &str, marker: &str) -> (Leader, Vec<i32>) {
        let output = Command::new("setsid").args(["sh", "-c", script]).env(MARKER, marker).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut pids: Vec<i32> = text.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
        let leader = Leader { pid: pids.remove(0), started: 1 };
        (leader, pids)
    }

    #[test]
    fn a_session_whose_leader_is_gone_is_a_services_own_only_where_a_member_carries_the_marker() {
        let bare = "echo $$; for _ in 1 2; do env -i sleep 600 > /dev/null 2>&1 & echo $!; done";
        let half =
            "echo $$; sleep 600 > /dev/null 2>&1 & echo $!; env -i sleep 600 > /dev/null 2>&1 & echo $!";
        let marker = format!("galo-test-leaderless-{}", std::process::id());
        let (strangers, unmarked) = leaderless(bare, &marker);
        let (ours, half_marked) = leaderless(half, &marker);
        // The second member of each has exec'd when its environment is empty.
        let emptied =
            |pid: &i32| std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(|text| text.is_empty());
        let members = [&unmarked[..], &half_marked[1..]].concat();
        while !members.iter().all(emptied) {
            std::thread::yield_now();
        }
        let found = (processes(&marker, Some(&strangers)), processes(&marker, Some(&ours)));
        for pid in unmarked.iter().chain(&half_marked) {
            let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
        }
        // By its marker alone, one process of the other session is found; the first session gives none.
        assert_eq!(found.0, half_marked[..1]);
        assert_eq!(found.1, half_marked);
    }

    #[test]
    fn a_later_process_of_the_same_id_is_a_stranger() {
        let mut stranger = Command::new("setsid").args(["sleep", "600"]).spawn().unwrap();
        let mut leader = Leader::of(stranger.id()).unwrap();
        leader.started -= 1;
        assert_eq!(processes("no such marker", Some(&leader)), Vec::<i32>::new());
        stranger.kill().unwrap();
        stranger.wait().unwrap();
    }
}
