//! Control groups by systemd: an ordinary user's way to limits, and root's where systemd takes the whole tree for its
//! own. `systemd-run --scope` makes a scope with the limits, moves itself into it, and becomes the program, so the
//! process id stays and nothing of the program runs outside.
//!
//! Unit tests have a script in the place of `systemd-run` and recorded folders; `ci/vm` has a real systemd.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use galo_record::group::Group;
use serde::{Deserialize, Serialize};

use crate::cgroup::find::unified_folder;
use crate::cgroup::{self, Limits, PERIOD_US, SwapLimit, read_limits, swap_limit};
use crate::error::HostError;
use crate::reap;
use crate::session::{Leader, Stat};
use crate::system::{System, is_root};

/// How long systemd may take to make a scope.
const SCOPE_WITHIN: Duration = Duration::from_secs(10);
/// How long it may take to end one.
const STOP_WITHIN: Duration = Duration::from_secs(5);
/// By this the shell becomes the program; until then it is on the command line of whatever leads there.
const BECOMES: &str = "exec \"$0\" \"$@\"";

/// A transient scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Scope {
    /// E.g. `galo-12-ab-1-api1.scope`.
    pub(crate) unit: String,
    /// Whether the user's manager made it.
    pub(crate) user: bool,
    /// Its folder in the unified hierarchy, once its first process runs.
    pub(crate) folder: Option<PathBuf>,
    /// Its first process, once it runs.
    pub(crate) leader: Option<Leader>,
    /// What [`cgroup::kills_in_gone`] was around it when it was made.
    #[serde(default)]
    pub(crate) kills_before: u64,
}

impl Scope {
    /// The processes in it and in groups below it, by what each process says of its own group: this needs neither the
    /// folder nor systemd. A unit's name is never given twice. In version 2 also a dead process says it until it is reaped.
    pub(crate) fn processes(&self, system: &System) -> Vec<i32> {
        let entries = std::fs::read_dir(system.path("/proc")).into_iter().flatten().flatten();
        let inside = |pid: &i32| {
            let groups = system.read(format!("/proc/{pid}/cgroup")).unwrap_or_default();
            groups.lines().any(|line| line.split('/').any(|part| part == self.unit))
                && Stat::of(system, *pid).is_none_or(|stat| stat.lives())
        };
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(inside).collect()
    }

    /// Has systemd kill what is in it and forget it, by the unit's name alone. It may fail: what is left then is found
    /// by [`Self::processes`].
    pub(crate) fn stop(&self) {
        for verb in [&["kill", "--signal=KILL"][..], &["stop"][..]] {
            let manager = if self.user { "--user" } else { "--system" };
            let mut command = Command::new("systemctl");
            command.arg(manager).args(verb).arg(&self.unit);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            // A unit that is gone, or a manager that is gone with all its units, is what was wanted.
            if let Ok(mut child) = command.spawn() {
                wait_or_kill(&mut child, STOP_WITHIN);
            }
        }
    }
}

/// A manager of systemd.
#[derive(Debug, Clone)]
pub(crate) struct Manager {
    system: System,
    /// `systemd-run`.
    program: PathBuf,
    /// The user's or the system's.
    user: bool,
    /// Whether it has to be told that a scope goes on when the kernel kills one of its processes for want of memory: otherwise it ends
    /// the scope. (systemd 252 has to be; older ones let it go on, and do not know the property.)
    ends_scopes: bool,
}

impl Manager {
    /// The one that galo's user may ask.
    pub(crate) fn new(system: &System) -> Self {
        let program = PathBuf::from("systemd-run");
        Self { system: system.clone(), program, user: !is_root(), ends_scopes: true }
    }

    pub(crate) fn describe(&self) -> String {
        format!("version 2, by systemd-run {}", if self.user { "--user" } else { "--system" })
    }

    /// The scope for a name.
    pub(crate) fn scope(&self, name: &str) -> Scope {
        Scope { unit: format!("{name}.scope"), user: self.user, folder: None, leader: None, kills_before: 0 }
    }

    /// The command that puts a program into a scope. The environment is given as arguments, since `systemd-run`
    /// itself needs another one (to find the manager) than the service gets.
    pub(crate) fn wrap(
        &self,
        scope: &Scope,
        limits: Option<&Limits>,
        user: Option<(u32, u32)>,
        environment: &[(OsString, OsString)],
    ) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(if self.user { "--user" } else { "--system" });
        command.args(["--scope", "--quiet", "--collect"]).arg(format!("--unit={}", scope.unit));
        if self.ends_scopes {
            command.args(["-p", "OOMPolicy=continue"]);
        }
        if let Some(limits) = limits {
            let percent = f64::from(limits.cpus_milli) / 10.0;
            command.arg("-p").arg(format!("CPUQuota={percent}%"));
            if limits.period_us != PERIOD_US {
                command.arg("-p").arg(format!("CPUQuotaPeriodSec={}us", limits.period_us));
            }
            command
                .arg("-p")
                .arg(format!("MemoryMax={}", limits.memory_bytes))
                .args(["-p", "MemorySwapMax=0"]);
            let most = limits.pids_max.map_or_else(|| "infinity".to_owned(), |most| most.to_string());
            command.arg("-p").arg(format!("TasksMax={most}"));
        }
        if let Some((uid, gid)) = user {
            command.arg(format!("--uid={uid}")).arg(format!("--gid={gid}"));
        }
        command.args(["--", "/usr/bin/env", "-i"]);
        for (name, value) in environment {
            let mut entry = name.clone();
            entry.push("=");
            entry.push(value);
            command.arg(entry);
        }
        // The shell becomes the program; without it, `env` would take a path with `=` in it for a variable.
        command.args(["/bin/sh", "-c", BECOMES]);
        command
    }

    /// Waits until a started process is in its scope and has become the program, and returns the scope with its folder; `None` where
    /// the process ended before it was seen there and has left nobody in it.
    pub(crate) fn entered(&self, scope: &Scope, child: &mut Child) -> Result<Option<Scope>, HostError> {
        let give_up = Instant::now() + SCOPE_WITHIN;
        loop {
            let folder = unified_folder(&self.system, child.id());
            if let Some(folder) =
                folder.filter(|f| f.file_name().is_some_and(|name| name == scope.unit.as_str()))
            {
                let line = || self.system.read(format!("/proc/{}/cmdline", child.id())).unwrap_or_default();
                while line().contains(BECOMES) && Instant::now() < give_up {
                    std::thread::sleep(Duration::from_millis(1));
                }
                let kills_before = folder.parent().map_or(0, cgroup::kills_in_gone);
                return Ok(Some(Scope { folder: Some(folder), kills_before, ..scope.clone() }));
            }
            if !matches!(child.try_wait(), Ok(None)) {
                let left = scope.processes(&self.system).into_iter().find_map(|pid| u32::try_from(pid).ok());
                let folder = left.and_then(|pid| unified_folder(&self.system, pid));
                return Ok(folder.map(|folder| Scope { folder: Some(folder), ..scope.clone() }));
            }
            if Instant::now() > give_up {
                reap::end(child)?;
                return Err(self.failed(scope, &format!("within {} s", SCOPE_WITHIN.as_secs())));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn failed(&self, scope: &Scope, how: &str) -> HostError {
        let manager = if self.user { "--user" } else { "--system" };
        HostError::host(format!(
            "systemd-run made no scope `{}` ({how})\nhint: see that it works: systemd-run {manager} --scope true",
            scope.unit
        ))
    }

    /// Makes a scope with limits and reads them back.
    pub(crate) fn probe(&mut self, name: &str, limits: &Limits) -> Result<SwapLimit, HostError> {
        let scope = self.scope(name);
        let mut command = self.wrap(&scope, Some(limits), None, &[]);
        // Lives until its standard input, which galo holds, is closed.
        command.args(["/bin/sh", "-c", "read line"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|e| {
            HostError::host(format!(
                "cannot run `systemd-run`: {e}\nhint: install systemd, or run galo as root"
            ))
        })?;
        let entered = self.entered(&scope, &mut child);
        if self.ends_scopes && matches!(entered, Ok(None)) {
            // An older one refuses a property that it does not know.
            self.ends_scopes = false;
            return self.probe(name, limits);
        }
        let result = entered.and_then(|entered| {
            let Some(folder) = entered.and_then(|scope| scope.folder) else {
                let how =
                    child.try_wait().ok().flatten().map_or_else(String::new, |status| status.to_string());
                return Err(self.failed(&scope, &how));
            };
            let group = Group::V2 { path: folder };
            let verified = read_limits(&group).are(limits);
            let unlimited = || {
                HostError::host(format!(
                    "systemd-run does not limit CPU and memory\n\
                     hint: hand the controllers down: see Delegate= in systemd.resource-control(5) ({})",
                    scope.unit
                ))
            };
            if verified { Ok(swap_limit(&group)) } else { Err(unlimited()) }
        });
        drop(child.stdin.take());
        wait_or_kill(&mut child, STOP_WITHIN);
        result
    }
}

fn wait_or_kill(child: &mut Child, within: Duration) {
    let give_up = Instant::now() + within;
    while Instant::now() < give_up {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = reap::end(child);
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    use crate::testing;

    /// Does what systemd does, in a recorded folder: makes the scope's files from `-p`, says where the process is,
    /// and becomes the program.
    const FAKE: &str = r#"#!/bin/sh
root=@ROOT@
cpu="max 100000"; memory=max; unit=; policy=
while [ "$1" != -- ]; do
  case "$1" in
    --unit=*) unit=${1#--unit=} ;;
    CPUQuota=*) percent=${1#CPUQuota=}; percent=${percent%\%}
      cpu="$(awk "BEGIN { print $percent * 1000 }") 100000" ;;
    MemoryMax=*) memory=${1#MemoryMax=} ;;
    OOMPolicy=*) policy=known ;;
  esac
  echo "$1" >> $root/arguments
  shift
done
shift
group=/user.slice/user-1000.slice/app.slice/$unit
mkdir -p $root/sys/fs/cgroup$group $root/proc/$$
@BREAK@
echo "$cpu" > $root/sys/fs/cgroup$group/cpu.max
echo "$memory" > $root/sys/fs/cgroup$group/memory.max
echo "0::$group" > $root/proc/$$/cgroup
exec "$@"
"#;

    pub(crate) fn fake(root: &Path, broken: &str) -> Manager {
        fs::create_dir_all(root.join("proc/self")).unwrap();
        let mount = "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        fs::write(root.join("proc/self/mountinfo"), mount).unwrap();
        let program = root.join("systemd-run");
        let text = FAKE.replace("@ROOT@", &root.to_string_lossy()).replace("@BREAK@", broken);
        testing::program(&program, &text);
        Manager { system: System::at(root), program, user: true, ends_scopes: true }
    }

    #[test]
    fn a_scope_is_made_with_the_limits_and_they_are_read_back() {
        let root = tempfile::tempdir().unwrap();
        let limits =
            Limits { cpus_milli: 455, memory_bytes: 64 << 20, period_us: PERIOD_US, pids_max: Some(99) };
        fake(root.path(), "").probe("galo-1-probe", &limits).unwrap();
        let arguments = fs::read_to_string(root.path().join("arguments")).unwrap();
        let expected = "--user\n--scope\n--quiet\n--collect\n--unit=galo-1-probe.scope\n-p\nOOMPolicy=continue\n-p\nCPUQuota=45.5%\n-p\n\
                        MemoryMax=67108864\n-p\nMemorySwapMax=0\n-p\nTasksMax=99\n";
        assert_eq!(arguments, expected);
    }

    #[test]
    fn processes_of_a_scope_are_found_without_its_folder() {
        let root = tempfile::tempdir().unwrap();
        let scope = "/user.slice/user-1000.slice/app.slice/galo-1-api1.scope";
        for (pid, groups) in [
            ("11", format!("0::{scope}\n")),
            ("12", format!("1:name=systemd:{scope}\n0::{scope}/below\n")),
            ("13", "0::/user.slice/galo-1-api1.scopes\n".to_owned()),
            ("self", format!("0::{scope}\n")),
        ] {
            fs::create_dir_all(root.path().join("proc").join(pid)).unwrap();
            fs::write(root.path().join("proc").join(pid).join("cgroup"), groups).unwrap();
        }
        for (pid, state, threads) in [("12", "Z", 2), ("14", "Z", 1)] {
            let proc = root.path().join("proc").join(pid);
            fs::create_dir_all(&proc).unwrap();
            fs::write(proc.join("cgroup"), format!("0::{scope}\n")).unwrap();
            let stat = format!("{pid} (a) {state} 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 {threads} 0 5\n");
            fs::write(proc.join("stat"), stat).unwrap();
        }
        let (unit, user) = ("galo-1-api1.scope".to_owned(), true);
        let scope = Scope { unit, user, folder: None, leader: None, kills_before: 0 };
        let mut found = scope.processes(&System::at(root.path()));
        found.sort_unstable();
        assert_eq!(found, [11, 12]);
    }

    #[test]
    fn a_scope_whose_first_process_has_ended_is_found_by_those_it_left() {
        let root = tempfile::tempdir().unwrap();
        let manager = fake(root.path(), "");
        let scope = manager.scope("galo-1-api1");
        let group = "/user.slice/galo-1-api1.scope";
        fs::create_dir_all(root.path().join("proc/77")).unwrap();
        fs::write(root.path().join("proc/77/cgroup"), format!("0::{group}\n")).unwrap();
        let ended = || {
            let mut child = Command::new("true").spawn().unwrap();
            child.wait().unwrap();
            manager.entered(&scope, &mut child).unwrap()
        };
        let folder = root.path().join("sys/fs/cgroup").join(&group[1..]);
        assert_eq!(ended().and_then(|scope| scope.folder), Some(folder));
        fs::remove_dir_all(root.path().join("proc/77")).unwrap();
        assert_eq!(ended(), None);
    }

    #[test]
    fn an_older_systemd_is_not_asked_for_what_it_does_not_know() {
        let root = tempfile::tempdir().unwrap();
        let limits =
            Limits { cpus_milli: 250, memory_bytes: 64 << 20, period_us: PERIOD_US, pids_max: Some(99) };
        let mut older = fake(root.path(), "[ -z \"$policy\" ] || exit 1");
        older.probe("galo-1-probe", &limits).unwrap();
        assert!(!older.ends_scopes);
    }

    #[test]
    fn a_systemd_that_ignores_the_limits_is_found_out() {
        let root = tempfile::tempdir().unwrap();
        let limits =
            Limits { cpus_milli: 250, memory_bytes: 64 << 20, period_us: PERIOD_US, pids_max: Some(99) };
        let error = fake(root.path(), "cpu='max 100000'").probe("galo-1-probe", &limits).unwrap_err();
        assert!(
            error.message.starts_with("systemd-run does not limit CPU and memory\n"),
            "{}",
            error.message
        );
    }

    #[test]
    fn a_systemd_that_fails_is_told_with_its_status() {
        let root = tempfile::tempdir().unwrap();
        let limits =
            Limits { cpus_milli: 250, memory_bytes: 64 << 20, period_us: PERIOD_US, pids_max: Some(99) };
        let error = fake(root.path(), "exit 3").probe("galo-1-probe", &limits).unwrap_err();
        assert!(
            error.message.contains("made no scope `galo-1-probe.scope` (exit status: 3)"),
            "{}",
            error.message
        );
    }

    #[test]
    fn the_program_gets_its_arguments_and_nothing_but_its_own_environment() {
        let root = tempfile::tempdir().unwrap();
        let manager = fake(root.path(), "");
        let scope = manager.scope("galo-1-api1");
        let environment = [("A".into(), "b c=d".into()), ("PATH".into(), "/usr/bin:/bin".into())];
        let mut command = manager.wrap(&scope, None, None, &environment);
        command.args(["/bin/sh", "-c", "env | sort; echo \"$1\"", "sh", "x y"]);
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        // The shell itself adds PWD (and some add OLDPWD, SHLVL and _).
        let own = ["PWD=", "OLDPWD=", "SHLVL=", "_="];
        let lines: Vec<&str> = text.lines().filter(|l| !own.iter().any(|o| l.starts_with(o))).collect();
        assert_eq!(lines, ["A=b c=d", "PATH=/usr/bin:/bin", "x y"]);
    }
}
