//! The end: no process, group, port or volume outlives a round, however the round or galo ends.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::host::bench::{
    self, BED, Bench, contender, eventually, free_port, get, group_folders, listener, lives, service, shell,
    state_root,
};
use galo_host::Running;
use galo_plan::Service;
use galo_plan::contender::{Ready, Stop};
use galo_record::HostFact;
use galo_record::Placement;
use galo_record::finding::{Ended, LogFlood, ServiceDied, ServiceLeftItsGroup};

/// Two processes that do what they can to escape: one forks twice, the other leaves its session as well. They are known by
/// how long they sleep, which no others do, since their own ids mean nothing outside of their namespace.
struct Escape {
    seconds: String,
}

impl Escape {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let own = std::process::id() * 100 + NEXT.fetch_add(1, Ordering::Relaxed);
        Self { seconds: (1_000_000_000 + u64::from(own)).to_string() }
    }

    fn script(&self) -> String {
        let seconds = &self.seconds;
        format!("(sleep {seconds} & ) & setsid sh -c 'exec sleep {seconds}' & wait; exec sleep 600")
    }

    /// Ids of those that run, as they are known here.
    fn pids(&self) -> Vec<u32> {
        let wanted = format!("sleep\0{}\0", self.seconds);
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        pids.filter(|pid| fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line == wanted))
            .collect()
    }

    /// Waits until both run. Returns their ids, and then the one of the service's first process.
    fn of(&self, running: &dyn Running) -> Vec<u32> {
        eventually("both processes run", || self.pids().len() == 2);
        let mut pids = self.pids();
        pids.push(running.placement().services[0].pid);
        assert!(pids.iter().all(|&pid| lives(pid)), "{pids:?}");
        pids
    }
}

fn nothing_is_left(pids: &[u32], folders: &[PathBuf]) {
    assert!(pids.iter().all(|&pid| !lives(pid)), "a process survived: {pids:?}");
    assert!(folders.iter().all(|folder| !folder.exists()), "a group survived: {folders:?}");
}

#[test]
fn processes_that_leave_their_parent_and_their_session_are_dead_after_stop() {
    let (bench, escape) = (Bench::new(), Escape::new());
    let running = bench.start(vec![shell("api1", &escape.script())]);
    let (pids, folders) = (escape.of(&*running), group_folders(running.placement()));
    running.stop().unwrap();
    nothing_is_left(&pids, &folders);
    assert!(bench.listed().contains("\"enclosures\": []"));
}

/// Moves processes into a control group beside the one that holds them, in every hierarchy, as PAM does with a session.
/// Returns the folders of that group.
fn moved_away(running: &dyn Running, pids: &[u32]) -> Vec<PathBuf> {
    let folders = group_folders(running.placement());
    let aside: Vec<PathBuf> = folders.iter().map(|folder| folder.with_extension("aside")).collect();
    for (folder, pid) in aside.iter().flat_map(|folder| pids.iter().map(move |pid| (folder, pid))) {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("cgroup.procs"), pid.to_string()).unwrap();
    }
    aside
}

fn remove_groups(folders: &[PathBuf]) {
    for folder in folders {
        eventually("the last process is out of the group", || {
            !folder.exists() || fs::remove_dir(folder).is_ok()
        });
    }
}

#[test]
fn processes_that_have_left_their_group_are_dead_after_stop() {
    let (bench, escape) = (Bench::new(), Escape::new());
    let running = bench.start(vec![shell("api1", &escape.script())]);
    let (pids, folders) = (escape.of(&*running), group_folders(running.placement()));
    let aside = moved_away(&*running, &pids);
    running.stop().unwrap();
    nothing_is_left(&pids, &folders);
    remove_groups(&aside);
    assert!(bench.listed().contains("\"enclosures\": []"));
}

#[test]
fn a_service_that_has_left_its_group_is_asked_and_waited_for() {
    let bench = Bench::new();
    let stop = Some(Stop { signal: 15, grace_ns: 600_000_000_000 });
    let script = "trap 'sleep 0.2; echo done; exit' TERM; echo up; while :; do sleep 0.01; done";
    let running = bench.start(vec![Service { stop, ..shell("db", script) }]);
    eventually("it is up", || bench.log("db").starts_with("up\n"));
    let aside = moved_away(&*running, &[running.placement().services[0].pid]);
    running.stop().unwrap();
    assert_eq!(bench.log("db"), "up\ndone\n");
    remove_groups(&aside);
}

#[test]
fn a_crash_takes_processes_that_have_left_their_group_too() {
    let (bench, escape) = (Bench::new(), Escape::new());
    let mut running = bench.start(vec![shell("api1", &escape.script())]);
    let pids = escape.of(&*running);
    let aside = moved_away(&*running, &pids);
    running.kill_services(&["api1".to_owned()]).unwrap();
    assert!(pids.iter().all(|&pid| !lives(pid)), "a process survived: {pids:?}");
    remove_groups(&aside);
    running.stop().unwrap();
}

#[test]
fn a_service_cannot_enter_another_group_and_its_limits_are_not_its_to_write() {
    let bench = Bench::new();
    let script = "for place in $(awk '$3 ~ /^cgroup/ { print $2 }' /proc/mounts); do \
                  echo $$ 2> /dev/null > $place/cgroup.procs && echo left in $place; done; echo tried; exec sleep 600";
    let running = bench.start(vec![shell("api1", script)]);
    eventually("it has tried", || bench.log("api1").ends_with("tried\n"));
    let told = bench.log("api1");
    assert!(!told.contains("left in"), "{told}");
    running.stop().unwrap();
}

#[test]
fn what_a_service_mounts_in_its_volume_is_not_removed_with_it() {
    let bench = Bench::new();
    let precious = bench.folder.path().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("file"), "x").unwrap();
    let script = format!(
        "mkdir ${{volume:db}}/m; mount --bind {} ${{volume:db}}/m; ls ${{volume:db}}/m; echo tried; exec sleep 600",
        precious.display()
    );
    let running = bench.start(vec![Service { volumes: vec!["db".to_owned()], ..shell("db", &script) }]);
    eventually("it has tried", || bench.log("db").ends_with("tried\n"));
    running.stop().unwrap();
    assert!(precious.join("file").exists());
    assert!(!bench.folder.path().join("volumes").exists());
}

#[test]
fn dropping_a_running_contender_does_the_same() {
    let (bench, escape) = (Bench::new(), Escape::new());
    let running = bench.start(vec![shell("api1", &escape.script())]);
    let (pids, folders) = (escape.of(&*running), group_folders(running.placement()));
    drop(running);
    nothing_is_left(&pids, &folders);
}

#[test]
fn a_service_that_forks_without_end_is_dead_after_stop() {
    let bench = Bench::new();
    // Each process makes its successor and dies, so that a list of processes is old when it is read.
    let script = "f() { f & }; while :; do f; sleep 0.01; done";
    let running = bench.start(vec![shell("fork", script)]);
    let folders = group_folders(running.placement());
    running.stop().unwrap();
    nothing_is_left(&[], &folders);
}

#[test]
fn a_group_that_the_service_made_below_its_own_goes_too() {
    let bench = Bench::new();
    let running = bench.start(vec![shell("api1", "exec sleep 600")]);
    let folders = group_folders(running.placement());
    let Some(folder) = folders.first() else {
        needs::lacked("there are no control groups");
        return;
    };
    let below = folder.join("below/further");
    fs::create_dir_all(&below).unwrap();
    let mut inside = Command::new("sleep").arg("600").spawn().unwrap();
    let joined = fs::write(below.join("cgroup.procs"), inside.id().to_string());
    running.stop().unwrap();
    if joined.is_err() {
        inside.kill().unwrap();
        needs::lacked("a process of another session may not be moved into a user's scope");
    }
    assert!(inside.wait().unwrap().code().is_none(), "it was not killed");
    nothing_is_left(&[], &folders);
}

#[test]
fn a_failed_start_leaves_nothing() {
    let (bench, escape) = (Bench::new(), Escape::new());
    let db =
        Service { volumes: vec!["db".to_owned()], ..shell("db", &format!("echo up; {}", escape.script())) };
    let ready = Ready::Http(format!("http://127.0.0.1:{}/", free_port()));
    bench.start_error(vec![db, Service { ready, ..shell("api1", "sleep 0.2; exit 1") }]);
    assert_eq!(bench.log("db"), "up\n");
    nothing_is_left(&escape.pids(), &[bench.folder.path().join("volumes")]);
    assert_eq!(bench::links(bench.folder.path()), Vec::<PathBuf>::new());
    assert!(bench.listed().contains("\"enclosures\": []"));
}

#[test]
fn a_port_is_free_again_after_stop() {
    let bench = Bench::new();
    let port = free_port();
    for _round in 0..3 {
        let running = bench.start(vec![listener("api1", port)]);
        assert_eq!(get(port), "ok");
        running.stop().unwrap();
        drop(TcpListener::bind(("0.0.0.0", port)).unwrap());
    }
}

#[test]
fn a_log_that_grows_without_end_is_cut_and_told_once() {
    let bench = Bench::new();
    // It writes on only once the log was cut.
    let flood = "echo begun; head -c 70000000 /dev/zero; echo; \
                 until [ $(wc -c < /proc/$$/fd/1) -lt 67108864 ]; do sleep 0.01; done; echo on; exec sleep 600";
    let mut running = bench.start(vec![shell("api1", flood)]);
    let log = running.placement().services[0].log.clone();
    eventually("the end of what it writes", || fs::read(&log).unwrap().ends_with(b"on\n"));
    let mut told = Vec::new();
    eventually("that it is told", || {
        told.extend(running.trouble());
        !told.is_empty()
    });
    let (service, log_path) = ("api1".to_owned(), log.display().to_string());
    assert_eq!(told, [HostFact::LogFlood(LogFlood { service, limit_bytes: 64 << 20, log_path })]);
    assert!(fs::metadata(&log).unwrap().len() <= 64 << 20);
    assert!(fs::read(&log).unwrap().starts_with(b"begun\n"));
    assert_eq!(running.trouble(), []);
    running.stop().unwrap();
}

#[test]
fn a_log_is_cut_while_galo_waits_for_setup_and_readiness_and_the_end() {
    let bench = Bench::new();
    let flood = "head -c 70000000 /dev/zero; sleep 1";
    let size = |name: &str| fs::metadata(bench.logs().join(format!("{name}.log"))).unwrap().len();
    let setup = Service { setup: Some(flood.to_owned()), ..shell("setup", "exec sleep 600") };
    let ready = Ready::Tcp(format!("127.0.0.1:{}", free_port()));
    let never = Service { ready, ready_timeout_ns: 3_000_000_000, ..shell("never", flood) };
    let running = bench.start(vec![setup]);
    assert!(size("setup") <= 64 << 20);
    running.stop().unwrap();
    bench.start_error(vec![Service {
        command: vec!["sh".into(), "-c".into(), format!("{flood}; exec sleep 600")],
        ..never
    }]);
    assert!(size("never") <= 64 << 20);
    let stop = Some(Stop { signal: 15, grace_ns: 600_000_000_000 });
    let script = format!("trap '{flood}; exit' TERM; echo up; while :; do sleep 0.01; done");
    let running = bench.start(vec![Service { stop, ..shell("last", &script) }]);
    eventually("it is up", || bench.log("last").starts_with("up\n"));
    running.stop().unwrap();
    assert!(size("last") <= 64 << 20);
}

#[test]
fn who_leaves_a_group_is_told_and_disqualifies() {
    let (bench, escape) = (Bench::new(), Escape::new());
    let mut running = bench.start(vec![shell("api1", &escape.script())]);
    let pids = escape.of(&*running);
    assert_eq!(running.faults(), []);
    let aside = moved_away(&*running, &pids[..1]);
    let told = running.faults();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].breaks_limits());
    let HostFact::ServiceLeftItsGroup(ServiceLeftItsGroup { service, pid, command, .. }) = &told[0] else {
        panic!("{told:?}")
    };
    assert_eq!((service.as_str(), pid.to_string(), command.as_str()), ("api1", pids[0].to_string(), "sleep"));
    assert_eq!(running.faults(), [], "it is told once");
    running.stop().unwrap();
    remove_groups(&aside);
}

/// A process beside a service's group that carries the group's mark: what a process is that left before anybody looked.
fn stray(running: &dyn Running) -> Option<std::process::Child> {
    let folders = group_folders(running.placement());
    let name = folders.first()?.file_name()?;
    Some(Command::new("sleep").arg("600").env("GALO_GROUP", name).spawn().unwrap())
}

#[test]
fn who_is_found_outside_of_a_group_when_it_ends_is_told_and_disqualifies() {
    let bench = Bench::new();
    let mut running = bench.start(vec![shell("api1", "exec sleep 600"), shell("api2", "exec sleep 600")]);
    let Some(mut outside) = stray(&*running) else {
        needs::lacked("there are no control groups");
        return;
    };
    assert_eq!(running.faults(), []);
    let told = running.stop().unwrap();
    assert!(outside.wait().unwrap().code().is_none(), "it was not killed");
    let [HostFact::ServiceLeftItsGroup(ServiceLeftItsGroup { service, pid, command, .. })] = &told[..] else {
        panic!("{told:?}")
    };
    assert_eq!((service.as_str(), *pid as u32, command.as_str()), ("api1", outside.id(), "sleep"));
}

#[test]
fn who_is_found_outside_of_a_group_in_a_crash_is_told_once() {
    let bench = Bench::new();
    let mut running = bench.start(vec![shell("api1", "exec sleep 600")]);
    let Some(mut outside) = stray(&*running) else {
        needs::lacked("there are no control groups");
        return;
    };
    running.kill_services(&["api1".to_owned()]).unwrap();
    assert!(outside.wait().unwrap().code().is_none(), "it was not killed");
    let told = running.faults();
    assert!(matches!(&told[..], [HostFact::ServiceLeftItsGroup(_)]), "{told:?}");
    assert_eq!(running.stop().unwrap(), [], "it is told once");
}

#[test]
fn processes_that_end_have_not_left() {
    let bench = Bench::new();
    let mut running = bench.start(vec![shell("api1", "while :; do true | sleep 0.002; done")]);
    for _ in 0..200 {
        assert_eq!(running.faults(), []);
        std::thread::sleep(std::time::Duration::from_millis(3));
    }
    assert_eq!(running.stop().unwrap(), []);
}

#[test]
fn a_service_that_dies_is_told_once_with_its_status_and_last_lines() {
    let bench = Bench::new();
    let mut running = bench.start(vec![shell("api1", "sleep 0.8; echo out of ideas; exit 4")]);
    let mut deaths = Vec::new();
    eventually("the death", || {
        deaths.extend(running.deaths());
        !deaths.is_empty()
    });
    assert_eq!(deaths.len(), 1);
    let HostFact::ServiceDied(ServiceDied { service, ended, out_of_memory, log, .. }) = &deaths[0] else {
        panic!("{deaths:?}")
    };
    assert_eq!((service.as_str(), *ended, *out_of_memory), ("api1", Ended::Status(4), None));
    assert_eq!(log, &["out of ideas"]);
    assert_eq!(running.deaths(), []);
    assert_eq!(running.stop().unwrap(), []);
}

#[test]
fn a_death_that_nobody_asked_about_is_told_by_stop() {
    let bench = Bench::new();
    let running = bench.start(vec![shell("api1", "exec sleep 600")]);
    let pid = running.placement().services[0].pid;
    // The first process of a namespace heeds only signals from outside (`pid_namespaces(7)`).
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
    eventually("the death", || !lives(pid));
    let findings = running.stop().unwrap();
    assert!(
        matches!(findings[0], HostFact::ServiceDied(ServiceDied { ended: Ended::Signal(9), .. })),
        "{findings:?}"
    );
}

#[test]
fn an_orderly_end_leaves_no_state() {
    let bench = Bench::new();
    bench.start(vec![shell("api1", "exec sleep 600")]).stop().unwrap();
    drop(bench.host);
    assert_eq!(bench::state_folders(bench.folder.path()), Vec::<PathBuf>::new());
}

/// A galo of its own, in a process of its own, with a contender that runs.
struct OtherGalo {
    process: Child,
    placement: Placement,
}

impl OtherGalo {
    fn start(folder: &Path, services: Vec<Service>) -> Self {
        let file = folder.join("contender.json");
        fs::write(&file, serde_json::to_string(&contender(services)).unwrap()).unwrap();
        // Its soft limit of open files is low, as most shells' is.
        let mut process = Command::new("sh")
            .args(["-c", "ulimit -Sn 256; exec \"$@\"", "sh", BED, "hold"])
            .args([state_root(folder), folder.join("logs"), file])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let placement = serde_json::from_str(&line).expect("the other galo did not start its contender");
        Self { process, placement }
    }

    /// Ids of its child processes: its service and its supervisor.
    fn supervisor(&self) -> u32 {
        let own = self.process.id();
        let children = fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap();
        let children: Vec<u32> = children.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
        let is_supervisor = |pid: &&u32| {
            fs::read(format!("/proc/{pid}/cmdline"))
                .unwrap()
                .split(|&b| b == 0)
                .any(|word| word == b"__supervise")
        };
        *children.iter().find(is_supervisor).unwrap()
    }
}

#[test]
fn a_galo_that_is_killed_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let escape = Escape::new();
    let db = Service { volumes: vec!["db".to_owned()], ..shell("db", &escape.script()) };
    let mut other = OtherGalo::start(folder.path(), vec![db, listener("api1", free_port())]);
    eventually("both processes run", || escape.pids().len() == 2);
    let mut pids = escape.pids();
    pids.extend(other.placement.services.iter().map(|s| s.pid));
    pids.push(other.supervisor());
    let folders = group_folders(&other.placement);
    let [link] = &bench::links(folder.path())[..] else { panic!("one link") };
    assert!(folder.path().join("volumes/db").exists() && link.join("db").exists());
    other.process.kill().unwrap();
    other.process.wait().unwrap();
    eventually("the supervisor is done", || bench::state_folders(folder.path()).is_empty());
    nothing_is_left(&pids[..4], &folders);
    assert!(!folder.path().join("volumes").exists());
    assert!(link.symlink_metadata().is_err(), "the link to the volumes is left");
    eventually("the supervisor ends", || !lives(pids[4]));
}

#[test]
fn a_supervisor_asks_nobody_to_end() {
    let folder = tempfile::tempdir().unwrap();
    // Longer than this test would wait.
    let stop = Some(Stop { signal: 15, grace_ns: 600_000_000_000 });
    let stubborn = Service { stop, ..shell("db", "trap '' TERM; exec sleep 600") };
    let mut other = OtherGalo::start(folder.path(), vec![stubborn]);
    other.process.kill().unwrap();
    other.process.wait().unwrap();
    eventually("the supervisor is done", || bench::state_folders(folder.path()).is_empty());
    nothing_is_left(&[other.placement.services[0].pid], &group_folders(&other.placement));
}

#[test]
fn the_supervisor_does_not_heed_a_terminals_signals() {
    let folder = tempfile::tempdir().unwrap();
    let mut other = OtherGalo::start(folder.path(), vec![shell("api1", "exec sleep 600")]);
    let supervisor = other.supervisor();
    for signal in ["-INT", "-TERM", "-HUP"] {
        assert!(Command::new("kill").args([signal, &supervisor.to_string()]).status().unwrap().success());
    }
    let service = other.placement.services[0].pid;
    other.process.kill().unwrap();
    other.process.wait().unwrap();
    eventually("the supervisor has done its work", || !lives(service) && !lives(supervisor));
    nothing_is_left(&[service], &group_folders(&other.placement));
}

#[test]
fn what_a_killed_galo_with_a_killed_supervisor_left_is_cleaned() {
    let folder = tempfile::tempdir().unwrap();
    let escape = Escape::new();
    let api1 = Service { volumes: vec!["db".to_owned()], ..shell("api1", &escape.script()) };
    let mut other = OtherGalo::start(folder.path(), vec![api1]);
    eventually("both processes run", || escape.pids().len() == 2);
    let pids = escape.pids();
    let supervisor = other.supervisor().to_string();
    assert!(Command::new("kill").args(["-KILL", &supervisor]).status().unwrap().success());
    other.process.kill().unwrap();
    other.process.wait().unwrap();
    assert!(pids.iter().all(|&pid| lives(pid)), "somebody cleaned already");
    let lines = galo_host::clean_below(&state_root(folder.path())).unwrap();
    nothing_is_left(&pids, &group_folders(&other.placement));
    assert_eq!(lines.len(), 4, "{lines:?}");
    let group = if bench::is_scope(&other.placement) { "-api1.scope" } else { "-api1" };
    assert!(lines[0].ends_with(&format!("{group}, with 3 processes that still ran")), "{lines:?}");
    assert!(lines[1..3].iter().all(|line| line.starts_with("removed volumes ")), "{lines:?}");
    assert_eq!(bench::links(folder.path()), Vec::<PathBuf>::new());
    assert!(!folder.path().join("volumes").exists());
    assert!(lines[3].starts_with("removed the state of galo "), "{lines:?}");
    assert_eq!(galo_host::clean_below(&state_root(folder.path())).unwrap(), Vec::<String>::new());
}

#[test]
fn the_next_galo_cleans_after_a_dead_one_and_spares_a_living_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut dead = OtherGalo::start(folder.path(), vec![shell("dead", "exec sleep 600")]);
    let mut living = OtherGalo::start(folder.path(), vec![shell("living", "exec sleep 600")]);
    let supervisor = dead.supervisor().to_string();
    assert!(Command::new("kill").args(["-KILL", &supervisor]).status().unwrap().success());
    dead.process.kill().unwrap();
    dead.process.wait().unwrap();
    let options = galo_host::HostOptions {
        limited: true,
        stop: std::sync::Arc::default(),
        events: galo_record::Events::none(),
    };
    let host = galo_host::Host::open_in(options, &bench::surroundings(folder.path())).unwrap();
    nothing_is_left(&[dead.placement.services[0].pid], &group_folders(&dead.placement));
    assert!(lives(living.placement.services[0].pid), "a living galo's service was killed");
    drop(host);
    assert!(lives(living.placement.services[0].pid), "a living galo's service was killed");
    living.process.kill().unwrap();
    living.process.wait().unwrap();
    eventually("its supervisor cleans", || !lives(living.placement.services[0].pid));
}

#[test]
fn two_hosts_at_once_do_not_touch_each_other() {
    let (first, second) = (Bench::new(), Bench::new());
    let (one, two) = (free_port(), free_port());
    let running_first = first.start(vec![service("api1", &[BED, "listen", &one.to_string(), "first"])]);
    let mut api = listener("api1", two);
    api.command = [BED, "listen", &two.to_string(), "second"].map(str::to_owned).to_vec();
    let mut running_second = second.start(vec![api]);
    running_first.stop().unwrap();
    drop(first.host);
    assert_eq!(get(two), "second");
    assert_eq!(running_second.deaths(), []);
    running_second.stop().unwrap();
}

#[test]
fn a_galo_does_not_start_on_a_port_that_another_galo_is_about_to_listen_on() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    // Neither listens: the port is free to look at all the while.
    let ready = Ready::Tcp(format!("127.0.0.1:{port}"));
    let silent = Service { ready, ..shell("api1", "exec sleep 600") };
    let options = || galo_host::HostOptions {
        limited: true,
        stop: std::sync::Arc::default(),
        events: galo_record::Events::none(),
    };
    let open = || galo_host::Host::open_in(options(), &bench::surroundings(folder.path())).unwrap();
    let (one, two) = (open(), open());
    let running =
        one.start(&contender(vec![shell("api1", "exec sleep 600")]), port, &folder.path().join("1")).unwrap();
    let error = two.start(&contender(vec![silent]), port + 1, &folder.path().join("2")).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("another galo uses port {port} (contender `subject`)\nhint: wait for its end, or end it")
    );
    running.stop().unwrap();
    two.start(&contender(vec![shell("api1", "exec sleep 600")]), port, &folder.path().join("3"))
        .unwrap()
        .stop()
        .unwrap();
}

#[test]
fn a_service_gets_as_many_open_files_as_galo_may_give_and_that_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let mut other = OtherGalo::start(folder.path(), vec![shell("api1", "exec sleep 600")]);
    let service = &other.placement.services[0];
    let limits = fs::read_to_string(format!("/proc/{}/limits", service.pid)).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let hard = line.split_whitespace().nth(4).unwrap();
    let expected = ["Max", "open", "files", hard, hard, "files"];
    assert_eq!(line.split_whitespace().collect::<Vec<_>>(), expected);
    let limit = service.ulimits["nofile"];
    assert_eq!((limit.soft, limit.hard), (hard.parse().ok(), hard.parse().ok()));
    other.process.kill().unwrap();
    other.process.wait().unwrap();
    eventually("its supervisor cleans", || !lives(service.pid));
}
