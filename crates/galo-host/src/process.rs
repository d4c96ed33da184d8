//! Starts one process of a service: in its group, its session, its user, its limits and its environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeWriter, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use galo_plan::contender::Ulimit;
use rustix::process::{Gid, Resource, Rlimit, Uid};
use rustix::thread::CpuSet;

use crate::account::Account;
use crate::cgroup::Limits;
use crate::enclosure::Enclosure;
use crate::error::HostError;
use crate::groups::Groups;
use crate::session::{Leader, MARKER};
use crate::system::open_files;
use crate::walls::{self, Inside};

/// One process to start.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    /// Absolute.
    pub(crate) program: &'a Path,
    pub(crate) arguments: &'a [String],
    /// The whole environment.
    pub(crate) environment: &'a [(OsString, OsString)],
    pub(crate) workdir: &'a Path,
    pub(crate) account: Option<&'a Account>,
    pub(crate) ulimits: &'a BTreeMap<String, Ulimit>,
    /// Cores that it may run on; empty: those of galo.
    pub(crate) cpuset: &'a [u16],
    pub(crate) limits: Option<&'a Limits>,
    /// Its walls, where it shall have some and can.
    pub(crate) inside: Option<Inside<'a>>,
    /// Gets standard output and error.
    pub(crate) output: &'a File,
}

/// The last of the signals.
const SIGNAL_MAX: libc::c_int = 64;

/// What is done between fork and exec. Each step has a letter, which the child writes into a pipe before the step, so
/// that an error can be told with what it was about: the error number alone is all that comes back otherwise.
const STEPS: [(u8, &str); 8] = [
    (b'g', "cannot enter its control group"),
    (b'm', "cannot mount its `/proc`"),
    (b's', "cannot start a session"),
    (b'l', "cannot get its `ulimits`"),
    (b'c', "cannot be kept on the cores of its `cpuset`"),
    (b'r', "cannot give up rights that it does not need"),
    (b'u', "cannot become its user"),
    (b'x', "cannot be executed"),
];

impl Launch<'_> {
    /// Starts it in `enclosure`, and completes what is known of that.
    pub(crate) fn start(&self, groups: &Groups, enclosure: &mut Enclosure) -> Result<Child, HostError> {
        let mut command = self.command(groups, enclosure);
        let output = || self.output.try_clone().map(Stdio::from);
        let plain =
            |e: io::Error| HostError::host(format!("it cannot be started: {e}\nhint: see `galo doctor`"));
        command.stdin(Stdio::null()).stdout(output().map_err(plain)?).stderr(output().map_err(plain)?);
        command.current_dir(self.workdir);
        let (mut steps, told) = io::pipe().map_err(plain)?;
        let account = self.account.filter(|_| !matches!(groups, Groups::Systemd(_)));
        let prepare = Preparation {
            join: enclosure.join_files()?,
            is_walled: self.inside.is_some(),
            is_init: self.inside.is_some_and(|inside| inside.joins.is_none()),
            ulimits: self
                .ulimits
                .iter()
                .map(|(name, limit)| resource(name, *limit))
                .collect::<Result<_, _>>()?,
            cores: cores(self.cpuset)?,
            account: account.cloned(),
            told,
        };
        arm(&mut command, prepare);
        let spawned = match self.inside {
            None => Ok(command.spawn()),
            Some(inside) => inside.spawn(&mut command),
        };
        // The closure owns the child's end of the pipe; without it gone the read below would not end.
        drop(command);
        let spawned = spawned.map_err(|error| walls::not_held(&error))?;
        let mut child = spawned.map_err(|error| self.failed(&mut steps, &error))?;
        if let (Enclosure::Scope(scope), Groups::Systemd(manager)) = (&mut *enclosure, groups)
            && let Some(entered) = manager.entered(scope, &mut child)?
        {
            *scope = entered;
        }
        enclosure.led_by(Leader::of(child.id()));
        Ok(child)
    }

    fn command(&self, groups: &Groups, enclosure: &Enclosure) -> Command {
        if let (Groups::Systemd(manager), Enclosure::Scope(scope)) = (groups, enclosure) {
            let user = self.account.map(|account| (account.uid, account.gid));
            let mut environment = self.environment.to_vec();
            environment.push((MARKER.into(), enclosure.name().into()));
            let mut command = manager.wrap(scope, self.limits, user, &environment);
            command.arg(self.program).args(self.arguments);
            return command;
        }
        let mut command = Command::new(self.program);
        command.args(self.arguments).env_clear().envs(self.environment.iter().map(|(k, v)| (k, v)));
        command.env(MARKER, enclosure.name());
        command
    }

    fn failed(&self, steps: &mut impl Read, error: &io::Error) -> HostError {
        let mut taken = Vec::new();
        let _ = steps.read_to_end(&mut taken);
        let program = self.program.display();
        let what = taken.last().and_then(|last| STEPS.iter().find(|(letter, _)| letter == last));
        match what {
            Some((b'x', what)) if error.kind() == io::ErrorKind::NotFound => HostError::contender(format!(
                "`{program}` {what}: {error}\nhint: the interpreter or loader that the file names is missing"
            )),
            Some((b'x', what)) => HostError::contender(format!(
                "`{program}` {what}: {error}\nhint: see that its user may reach and execute it"
            )),
            Some((_, what)) => HostError::host(format!(
                "it {what}: {error}\nhint: `galo doctor` tells what galo may do here"
            )),
            None => HostError::contender(format!(
                "it cannot be started in `{}`: {error}\nhint: see that the folder is there",
                self.workdir.display()
            )),
        }
    }
}

/// What the child does before it becomes the program.
struct Preparation {
    /// Open `cgroup.procs` files.
    join: Vec<File>,
    /// Whether it has namespaces of its own.
    is_walled: bool,
    /// Whether it is the first in its PID namespace.
    is_init: bool,
    ulimits: Vec<(Resource, Rlimit)>,
    cores: Option<CpuSet>,
    account: Option<Account>,
    told: PipeWriter,
}

impl Preparation {
    fn run(&self) -> io::Result<()> {
        self.tell(b'g')?;
        for mut file in &self.join {
            // "0" is the writing process. From here on no child can be born outside of the group.
            file.write_all(b"0")?;
        }
        self.tell(b'm')?;
        if self.is_init {
            walls::settle()?;
        }
        self.tell(b's')?;
        rustix::process::setsid()?;
        self.tell(b'l')?;
        for (resource, limit) in &self.ulimits {
            rustix::process::setrlimit(*resource, *limit)?;
        }
        self.tell(b'c')?;
        if let Some(cores) = &self.cores {
            rustix::thread::sched_setaffinity(None, cores)?;
        }
        self.tell(b'r')?;
        if self.is_walled {
            walls::give_up_rights()?;
        }
        self.tell(b'u')?;
        if let Some(account) = &self.account {
            become_user(account)?;
            // Programs that change their user must not give it back what it has not.
            rustix::thread::set_no_new_privs(true)?;
        }
        keep_no_files();
        ignore_no_signals();
        self.tell(b'x')
    }

    fn tell(&self, step: u8) -> io::Result<()> {
        (&self.told).write_all(&[step])
    }
}

/// The child has one thread, so what these set for a thread holds for the process. The order matters: the groups need
/// the rights that the user then gives up.
fn become_user(account: &Account) -> io::Result<()> {
    // At most a few dozen, and no allocation is allowed here.
    let mut groups = [Gid::ROOT; 64];
    let number = account.groups.len().min(groups.len());
    for (slot, &gid) in groups.iter_mut().zip(&account.groups) {
        *slot = Gid::from_raw(gid);
    }
    rustix::thread::set_thread_groups(&groups[..number])?;
    let gid = Gid::from_raw(account.gid);
    rustix::thread::set_thread_res_gid(gid, gid, gid)?;
    let uid = Uid::from_raw(account.uid);
    rustix::thread::set_thread_res_uid(uid, uid, uid)?;
    Ok(())
}

/// Has exec close every file but the three standard ones: galo's own close anyway, but galo may have been started
/// with files of its caller's. A kernel before 5.11 does not know this; nothing else depends on it.
#[allow(unsafe_code)]
pub(crate) fn keep_no_files() {
    // SAFETY: the call takes plain numbers, touches no memory, and only marks files to be closed by exec.
    unsafe {
        libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
    }
}

/// Has every signal do what it does by default: whoever starts galo in the background of a script, or by `nohup`, has it
/// ignore some, which a service would inherit, and a shell could not even trap.
#[allow(unsafe_code)]
fn ignore_no_signals() {
    for signal in 1..=SIGNAL_MAX {
        // SAFETY: the call takes plain numbers and is allowed between fork and exec (`signal-safety(7)`). It refuses
        // SIGKILL, SIGSTOP and what libraries keep for themselves.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

#[allow(unsafe_code)]
fn arm(command: &mut Command, prepare: Preparation) {
    // SAFETY: `run` makes system calls only; it takes no lock and allocates nothing, so it is sound in the child of a
    // process with several threads.
    unsafe {
        command.pre_exec(move || prepare.run());
    }
}

/// What the file names, and the limit of open files in any case: it decides how many connections a service takes.
pub(crate) fn ulimits_in_force(named: &BTreeMap<String, Ulimit>) -> BTreeMap<String, Ulimit> {
    let mut ulimits = named.clone();
    ulimits.entry("nofile".to_owned()).or_insert_with(open_files);
    ulimits
}

/// The cores of a `cpuset`. Those that are not there would silently be left out by the kernel.
fn cores(cpuset: &[u16]) -> Result<Option<CpuSet>, HostError> {
    if cpuset.is_empty() {
        return Ok(None);
    }
    let own = rustix::thread::sched_getaffinity(None)
        .map_err(|error| HostError::host(format!("cores: {error}")))?;
    let mut cores = CpuSet::new();
    for &core in cpuset {
        if !own.is_set(core.into()) {
            let count = own.count();
            return Err(HostError::contender(format!(
                "`cpuset` names core {core}, which galo has not: it has {count} here\nhint: name others, or leave \
                 `cpuset` out"
            )));
        }
        cores.set(core.into());
    }
    Ok(Some(cores))
}

/// The resource of a `ulimits` name, and its limit.
fn resource(name: &str, limit: Ulimit) -> Result<(Resource, Rlimit), HostError> {
    let resource = match name {
        "as" => Resource::As,
        "core" => Resource::Core,
        "cpu" => Resource::Cpu,
        "data" => Resource::Data,
        "fsize" => Resource::Fsize,
        "locks" => Resource::Locks,
        "memlock" => Resource::Memlock,
        "msgqueue" => Resource::Msgqueue,
        "nice" => Resource::Nice,
        "nofile" => Resource::Nofile,
        "nproc" => Resource::Nproc,
        "rss" => Resource::Rss,
        "rtprio" => Resource::Rtprio,
        "rttime" => Resource::Rttime,
        "sigpending" => Resource::Sigpending,
        "stack" => Resource::Stack,
        _ => {
            let known = "as core cpu data fsize locks memlock msgqueue nice nofile nproc rss rtprio rttime sigpending stack";
            return Err(HostError::contender(format!("`ulimits` has no `{name}`\nhint: use one of {known}")));
        }
    };
    let limit = Rlimit { current: limit.soft, maximum: limit.hard };
    let own = rustix::process::getrlimit(resource);
    let above = own.maximum.is_some_and(|own| limit.maximum.is_none_or(|asked| asked > own));
    if above && !crate::system::is_root() {
        let (asked, own) = (words(limit.maximum), words(own.maximum));
        return Err(HostError::host(format!(
            "`ulimits` `{name}` is {asked}, above galo's own hard limit of {own}\nhint: raise it as root: prlimit \
             --pid $$ --{name}={asked}"
        )));
    }
    Ok((resource, limit))
}

fn words(limit: Option<u64>) -> String {
    limit.map_or_else(|| "unlimited".to_owned(), |limit| limit.to_string())
}

/// The file of a program: relative to the working directory where it has a `/`, else looked for along `PATH`.
pub(crate) fn find_program(
    program: &str,
    workdir: &Path,
    environment: &[(OsString, OsString)],
) -> Result<PathBuf, HostError> {
    if program.contains('/') {
        let path = workdir.join(program);
        return if path.is_file() {
            Ok(path)
        } else {
            Err(HostError::contender(format!(
                "no such command `{program}` (looked for `{}`)\nhint: does `x-galo.build` make it there?",
                path.display()
            )))
        };
    }
    let path = environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let path = path.unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| workdir.join(folder).join(program))
        .find(|p| executable(p))
        .ok_or_else(|| {
            HostError::contender(format!(
                "no such command `{program}` in PATH ({})\nhint: install it, or write a path with a `/`",
                path.to_string_lossy()
            ))
        })
}

fn executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cgroup::{Lack, PERIOD_US};

    /// Starts a program and returns it with what holds it then.
    fn started(groups: &Groups, arguments: &[&str]) -> (Child, Enclosure) {
        let output = tempfile::tempfile().unwrap();
        let arguments: Vec<String> = arguments.iter().map(|word| (*word).to_owned()).collect();
        let launch = Launch {
            program: Path::new("/bin/sleep"),
            arguments: &arguments,
            environment: &[("A".into(), "b".into())],
            workdir: Path::new("/"),
            account: None,
            ulimits: &BTreeMap::new(),
            cpuset: &[],
            limits: Some(&Limits {
                cpus_milli: 250,
                memory_bytes: 64 << 20,
                period_us: PERIOD_US,
                pids_max: Some(99),
            }),
            inside: None,
            output: &output,
        };
        let mut enclosure = groups.planned("galo-test-launch");
        let child = launch.start(groups, &mut enclosure).unwrap();
        (child, enclosure)
    }

    #[test]
    #[allow(unsafe_code)]
    fn a_signal_that_galo_ignores_is_not_ignored_by_a_service() {
        // SAFETY: plain numbers; by default this signal does nothing, so nobody misses it.
        unsafe { libc::signal(libc::SIGURG, libc::SIG_IGN) };
        let groups = Groups::None(Lack { why: String::new(), mend: String::new() });
        let (mut child, enclosure) = started(&groups, &["600"]);
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
        let ignored = u64::from_str_radix(ignored.trim(), 16).unwrap();
        assert_eq!(ignored >> (libc::SIGURG - 1) & 1, 0, "{ignored:x}");
        enclosure.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn without_control_groups_a_process_carries_the_marker_and_can_be_killed() {
        let groups = Groups::None(Lack { why: String::new(), mend: String::new() });
        let (mut child, enclosure) = started(&groups, &["600"]);
        let environment = std::fs::read(format!("/proc/{}/environ", child.id())).unwrap();
        assert_eq!(environment, b"A=b\0GALO_GROUP=galo-test-launch\0");
        enclosure.kill().unwrap();
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&child.wait().unwrap()), Some(9));
    }

    #[test]
    fn by_systemd_the_process_is_in_its_scope_with_limits_that_read_back() {
        let root = tempfile::tempdir().unwrap();
        let groups = Groups::Systemd(crate::systemd::tests::fake(root.path(), ""));
        let (mut child, enclosure) = started(&groups, &["600"]);
        enclosure
            .verify(&Limits {
                cpus_milli: 250,
                memory_bytes: 64 << 20,
                period_us: PERIOD_US,
                pids_max: Some(99),
            })
            .unwrap();
        let folder = "sys/fs/cgroup/user.slice/user-1000.slice/app.slice/galo-test-launch.scope";
        let group = galo_record::group::Group::V2 { path: root.path().join(folder) };
        assert_eq!(enclosure.group(), Some(group));
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn every_ulimit_name_of_the_hint_is_known() {
        let error = resource("nofiles", Ulimit { soft: Some(0), hard: Some(0) }).unwrap_err().message;
        let names = error.rsplit_once("one of ").unwrap().1;
        assert_eq!(names.split(' ').count(), 16);
        for name in names.split(' ') {
            assert!(resource(name, Ulimit { soft: Some(0), hard: Some(0) }).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_program_with_a_slash_is_found_from_the_working_directory() {
        let path = find_program("bin/sh", Path::new("/"), &[]).unwrap();
        assert_eq!(path, Path::new("/bin/sh"));
        let error = find_program("target/release/x", Path::new("/work"), &[]).unwrap_err();
        assert!(
            error
                .message
                .starts_with("no such command `target/release/x` (looked for `/work/target/release/x`)")
        );
    }

    #[test]
    fn a_plain_name_is_looked_for_along_the_services_path_alone() {
        let environment = [("PATH".into(), "/nowhere:/bin".into())];
        assert_eq!(find_program("sh", Path::new("/"), &environment).unwrap(), Path::new("/bin/sh"));
        let environment = [("PATH".into(), "/nowhere".into())];
        assert!(find_program("sh", Path::new("/"), &environment).is_err());
    }
}
