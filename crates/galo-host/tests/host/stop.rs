//! Services that are asked to end by the signal that their file names, before they are killed.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::host::bench::{Bench, eventually, group_folders, lives, root, shell};
use galo_plan::challenge::Policy;
use galo_plan::contender::Stop;
use galo_plan::{Contender, Reading, Service};
use galo_record::HostFact;
use galo_record::finding::ServiceLateToStop;

const INT: u8 = 2;
const QUIT: u8 = 3;
const TERM: u8 = 15;

/// A shell script that is asked to end by a signal, within more time than a test takes.
fn asked(name: &str, signal: u8, script: &str) -> Service {
    let stop = Some(Stop { signal, grace_ns: 600_000_000_000 });
    Service { volumes: vec!["data".to_owned()], stop, ..shell(name, script) }
}

fn is_up(bench: &Bench, names: &[&str]) {
    for name in names {
        eventually("it is up", || bench.log(name).starts_with("up\n"));
    }
}

#[test]
fn a_service_puts_its_things_in_order_when_it_gets_its_stop_signal() {
    let bench = Bench::new();
    let script = "trap 'echo asked; kill $!; sleep 0.1; echo done; exit' QUIT; sleep 600 & echo up; wait";
    let running = bench.start(vec![asked("db", QUIT, script)]);
    is_up(&bench, &["db"]);
    let folders = group_folders(running.placement());
    assert_eq!(running.stop().unwrap(), []);
    assert_eq!(bench.log("db"), "up\nasked\ndone\n");
    assert!(folders.iter().all(|folder| !folder.exists()), "a group survived: {folders:?}");
}

#[test]
fn a_contender_that_is_dropped_is_asked_as_well() {
    let bench = Bench::new();
    let running = bench.start(vec![asked(
        "db",
        INT,
        "trap 'echo asked; exit' INT; echo up; while :; do sleep 0.01; done",
    )]);
    is_up(&bench, &["db"]);
    drop(running);
    assert_eq!(bench.log("db"), "up\nasked\n");
}

#[test]
fn a_service_that_does_not_end_when_it_is_asked_is_killed_and_that_is_told() {
    let bench = Bench::new();
    let script = "trap '' TERM; echo up; exec sleep 600";
    let stop = Some(Stop { signal: TERM, grace_ns: 150_000_000 });
    let running = bench.start(vec![Service { stop, ..shell("db", script) }]);
    is_up(&bench, &["db"]);
    let pid = running.placement().services[0].pid;
    let findings = running.stop().unwrap();
    let late =
        HostFact::ServiceLateToStop(ServiceLateToStop { service: "db".to_owned(), grace_ns: 150_000_000 });
    assert_eq!(findings, [late]);
    assert!(!lives(pid));
}

#[test]
fn without_a_stop_signal_nobody_is_asked() {
    let bench = Bench::new();
    let script = "trap 'echo asked' HUP INT QUIT TERM USR1; echo up; while :; do sleep 0.01; done";
    let running = bench.start(vec![shell("api1", script)]);
    is_up(&bench, &["api1"]);
    running.stop().unwrap();
    assert_eq!(bench.log("api1"), "up\n");
}

#[test]
fn all_are_asked_at_once_after_those_that_started_last_and_before_those_that_started_first() {
    let bench = Bench::new();
    let plain = |name: &str| Service {
        volumes: vec!["data".to_owned()],
        ..shell(name, &format!("exec flock ${{volume:data}}/{name} sh -c 'echo up; exec sleep 600'"))
    };
    // Each waits for the other to be asked too. Both look at once, so their locks are shared ones.
    let meeting = |name: &str, other: &str| {
        let on_signal = format!(
            "cd ${{volume:data}}; touch {name}-asked; until [ -e {other}-asked ]; do sleep 0.01; done; \
             flock -sn first true || echo first runs; flock -sn last true && echo last is gone; exit"
        );
        asked(name, TERM, &format!("trap '{on_signal}' TERM; echo up; while :; do sleep 0.01; done"))
    };
    let services = vec![plain("first"), meeting("one", "two"), meeting("two", "one"), plain("last")];
    let running = bench.start(services);
    is_up(&bench, &["first", "one", "two", "last"]);
    assert_eq!(running.stop().unwrap(), []);
    for name in ["one", "two"] {
        assert_eq!(bench.log(name), "up\nfirst runs\nlast is gone\n", "{name}");
    }
}

#[test]
fn a_crash_asks_nobody() {
    let bench = Bench::new();
    let script = "trap 'echo asked; exit' TERM; echo up; while :; do sleep 0.01; done";
    let mut running = bench.start(vec![asked("db", TERM, script)]);
    is_up(&bench, &["db"]);
    running.kill_services(&["db".to_owned()]).unwrap();
    assert_eq!(bench.log("db"), "up\n");
    running.restart(&["db".to_owned()]).unwrap();
    eventually("it is up again", || bench.log("db") == "up\nup\n");
    running.stop().unwrap();
    assert_eq!(bench.log("db"), "up\nup\nasked\n");
}

/// How many segments of shared memory there are (`proc_sysvipc_shm(5)`) where a process runs, or here.
fn segments(process: Option<u32>) -> usize {
    let mut command = Command::new("nsenter");
    if let Some(pid) = process {
        command.args(["--ipc", "--target", &pid.to_string()]);
    }
    let output = command.args(["cat", "/proc/sysvipc/shm"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().skip(1).count()
}

#[test]
fn postgresqls_shared_memory_is_its_own_and_ends_with_it() {
    let _ = needs::program("postgres", "postgresql");
    if !root() {
        return;
    }
    let bench = Bench::new();
    fs::set_permissions(bench.folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contenders/pessoas/rust-postgres/compose.yaml");
    let policy = Policy::of_budget(9999, 1500, 3072 << 20);
    let mut services = Contender::load(&file, &Reading::untrusted(&policy)).unwrap().services;
    services.retain(|service| service.name == "db");
    let before = segments(None);
    let mut running = bench.start(services);
    let pid = running.placement().services[0].pid;
    assert_eq!(segments(Some(pid)), 1, "it makes none, so this test proves nothing");
    // It has no time to remove anything.
    running.kill_services(&["db".to_owned()]).unwrap();
    running.restart(&["db".to_owned()]).unwrap();
    let pid = running.placement().services[0].pid;
    assert_eq!(segments(Some(pid)), 1, "the one of before is still there");
    assert_eq!(running.stop().unwrap(), []);
    assert_eq!(segments(None), before);
}
