//! The walls of a service: what it sees, what it may do, and what of it lasts.

use std::fs;
use std::path::Path;

use crate::host::bench::{Bench, contender, eventually, free_port, lives, root, service, shell};
use galo_host::Running;
use galo_plan::Service;
use galo_plan::contender::Ready;
use rustix::mount::{UnmountFlags, mount_bind, unmount};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, configure_capability_in_ambient_set, set_capabilities,
};

/// Whether this machine's services have walls. Tests of them prove nothing without, and say so.
fn are_held(running: &dyn Running) -> bool {
    let note = &running.placement().walls_note;
    note.iter().for_each(|note| needs::lacked(note));
    note.is_none()
}

/// A script that ends with a line `done` in its log, and stays.
fn looks(name: &str, script: &str) -> Service {
    shell(name, &format!("{script}; echo done; exec sleep 600"))
}

fn said(bench: &Bench, name: &str) -> String {
    eventually("it has looked", || bench.log(name).ends_with("done\n"));
    bench.log(name).trim_end_matches("done\n").to_owned()
}

#[test]
fn a_service_sees_its_own_processes_and_none_of_anybody_elses() {
    let bench = Bench::new();
    let other = shell("other", "exec sleep 600");
    let alone = bench.start(vec![other.clone()]);
    // Without walls, all of the caller's own processes would be killed.
    if !are_held(&*alone) {
        return;
    }
    alone.stop().unwrap();
    let running = bench.start(vec![
        other,
        looks("api1", "echo $$; cat /proc/[0-9]*/cmdline | tr '\\0' ' '; kill -KILL -1; echo"),
    ]);
    let said = said(&bench, "api1");
    assert!(said.starts_with("1\n"), "it is not the first of a namespace: {said}");
    assert!(!said.contains("sleep 600 sleep") && !said.contains("galo-host"), "{said}");
    assert!(lives(running.placement().services[0].pid), "another service was killed");
    running.stop().unwrap();
}

#[test]
fn nothing_of_galos_is_seen_but_the_services_own_volumes() {
    let bench = Bench::new();
    let folder = bench.folder.path().canonicalize().unwrap();
    let secret = folder.join("plan.json").display().to_string();
    fs::write(folder.join("plan.json"), "seed").unwrap();
    let script = format!(
        "cat {secret} /proc/1/root{secret}; ls -A $(dirname {secret}); ls -d ${{volume:data}}; ls -A $(dirname ${{volume:data}})"
    );
    let other = Service { volumes: vec!["secret".to_owned()], ..shell("other", "exec sleep 600") };
    let api = Service { volumes: vec!["data".to_owned()], ..looks("api1", &script) };
    let running = bench.start(vec![other, api]);
    if !are_held(&*running) {
        return;
    }
    let said = said(&bench, "api1");
    assert!(!said.contains("seed\n") && !said.contains("\nplan.json\n"), "{said}");
    assert!(said.ends_with("-volumes/data\ndata\n"), "another's volume is seen: {said}");
    running.stop().unwrap();
}

/// A folder that is mounted at a second place until this is dropped.
struct Bound<'a>(&'a Path);

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        let _ = unmount(self.0, UnmountFlags::DETACH);
    }
}

#[test]
fn nothing_of_galos_is_seen_through_another_mount_of_its_file_system() {
    let bench = Bench::new();
    let place = tempfile::tempdir_in("/var/tmp").unwrap();
    let (folder, alias) = (place.path().join("folder"), place.path().join("alias"));
    fs::create_dir_all(folder.join("run/logs")).unwrap();
    fs::create_dir(&alias).unwrap();
    fs::write(folder.join("run/plan.json"), "seed\n").unwrap();
    fs::write(folder.join("open"), "open\n").unwrap();
    if mount_bind(&folder, &alias).is_err() {
        return needs::lacked("this user may not mount");
    }
    let _bound = Bound(&alias);
    let script = format!("cat {0}/open; cat {0}/run/plan.json", alias.display());
    let contender = contender(vec![looks("api1", &script)]);
    let running = bench.host.start(&contender, free_port(), &folder.join("run/logs")).unwrap();
    if !are_held(&*running) {
        return;
    }
    let log = folder.join("run/logs/api1.log");
    eventually("it has looked", || fs::read_to_string(&log).is_ok_and(|text| text.ends_with("done\n")));
    let said = fs::read_to_string(&log).unwrap();
    assert!(said.starts_with("open\n") && !said.contains("seed"), "{said}");
    running.stop().unwrap();
}

#[test]
fn only_volumes_outlast_a_start_and_a_restart() {
    let bench = Bench::new();
    let places = "/tmp /run /dev/shm /var/tmp /root /opt";
    let script = format!(
        "for place in {places} ${{volume:data}}; do \
           if [ -e $place/kept ]; then echo $place lasts; fi; echo kept > $place/kept || echo $place is closed; done"
    );
    let api = Service { volumes: vec!["data".to_owned()], ..looks("api1", &script) };
    let mut running = bench.start(vec![api.clone()]);
    if !are_held(&*running) {
        return;
    }
    assert_eq!(said(&bench, "api1"), "");
    running.kill_services(&["api1".to_owned()]).unwrap();
    running.restart(&["api1".to_owned()]).unwrap();
    eventually("it has looked again", || bench.log("api1").matches("done").count() == 2);
    let both = bench.log("api1");
    assert!(both.starts_with("done\n/") && both.ends_with("-volumes/data lasts\ndone\n"), "{both}");
    assert_eq!(both.lines().count(), 3, "{both}");
    running.stop().unwrap();
    let again = bench.start(vec![api]);
    eventually("it has looked again", || bench.log("api1").matches("done").count() == 3);
    assert!(bench.log("api1").starts_with("done\ndone\n"), "{}", bench.log("api1"));
    again.stop().unwrap();
    for place in places.split(' ') {
        assert!(!std::path::Path::new(place).join("kept").exists(), "{place}");
    }
}

#[test]
fn the_services_of_a_contender_share_memory_and_those_of_another_do_not() {
    let bench = Bench::new();
    let ready = Ready::Command {
        command: ["sh", "-c", "test -e /dev/shm/made && ipcs -m | grep -q 4096"].map(str::to_owned).to_vec(),
        interval_ns: 10_000_000,
        timeout_ns: 5_000_000_000,
    };
    let maker = Service { ready, ..shell("maker", "ipcmk -M 4096; echo x > /dev/shm/made; exec sleep 600") };
    let reader = Service {
        depends_on: vec!["maker".to_owned()],
        ..looks("reader", "cat /dev/shm/made; ipcs -m | grep -c 4096")
    };
    let running = bench.start(vec![maker, reader.clone()]);
    if !are_held(&*running) {
        return;
    }
    assert_eq!(said(&bench, "reader"), "x\n1\n");
    let stranger = Bench::new();
    let other = stranger.start(vec![Service { depends_on: Vec::new(), ..reader }]);
    assert_eq!(said(&stranger, "reader").lines().last(), Some("0"));
    assert!(!std::path::Path::new("/dev/shm/made").exists());
    other.stop().unwrap();
    running.stop().unwrap();
}

#[test]
fn root_in_a_service_has_few_rights() {
    let bench = Bench::new();
    let tries = [
        "mount -t tmpfs none /mnt",
        "mount -o remount,rw /sys/fs/cgroup/cpu",
        "mknod /tmp/disk b 254 0",
        "sysctl -w vm.swappiness=60",
        "echo x > /proc/sys/kernel/core_pattern",
        "chroot /proc/1/root/.. ls /work-of-galo",
        "renice -n -5 $$",
        "date -s '2020-01-01'",
        "ip link add dummy0 type dummy",
        "nsenter -t 1 -m true && unshare -m true",
    ];
    let script = tries.map(|one| format!("{one} > /dev/null 2>&1 && echo '{one}'")).join("; ");
    let script = format!("({script}) 2> /dev/null; grep CapBnd /proc/self/status");
    let running = bench.start(vec![looks("api1", &script)]);
    if !are_held(&*running) {
        return;
    }
    assert_eq!(said(&bench, "api1"), "CapBnd:\t00000000800405fb\n");
    running.stop().unwrap();
}

/// The kernel gives a program what is inheritable or ambient, whatever the bounding set is.
#[test]
fn rights_that_galo_was_handed_down_reach_no_service() {
    let bench = Bench::new();
    let own = capabilities(None).unwrap();
    set_capabilities(None, CapabilitySets { inheritable: own.permitted, ..own }).unwrap();
    // An ordinary user has none to hand down, and no walls.
    let _ = configure_capability_in_ambient_set(CapabilitySet::SYSLOG, true);
    // It only looks: with such rights it could harm the machine.
    let running = bench.start(vec![looks("api1", "grep Cap /proc/self/status")]);
    if !are_held(&*running) {
        return;
    }
    let few = "00000000800405fb";
    let expected = format!(
        "CapInh:\t{none}\nCapPrm:\t{few}\nCapEff:\t{few}\nCapBnd:\t{few}\nCapAmb:\t{none}\n",
        none = "0".repeat(16)
    );
    assert_eq!(said(&bench, "api1"), expected);
    running.stop().unwrap();
}

#[test]
fn a_service_with_a_user_gains_no_rights_by_a_program() {
    if !root() {
        return;
    }
    let bench = Bench::new();
    let service =
        Service { user: Some("nobody".to_owned()), ..looks("api1", "grep NoNewPrivs /proc/self/status") };
    let running = bench.start(vec![service]);
    if !are_held(&*running) {
        return;
    }
    assert_eq!(said(&bench, "api1"), "NoNewPrivs:\t1\n");
    running.stop().unwrap();
}

/// It sees whoever joins it.
#[test]
fn a_service_that_stops_the_checks_of_its_readiness_does_not_stop_galo() {
    let bench = Bench::new();
    let ready = Ready::Command {
        command: vec!["true".to_owned()],
        interval_ns: 10_000_000,
        timeout_ns: 1_000_000_000,
    };
    let script = "import os, signal\nwhile True:\n  for pid in range(2, 400):\n    try: os.kill(pid, signal.SIGSTOP)\n    except OSError: pass";
    let service =
        Service { ready, ready_timeout_ns: 3_000_000_000, ..service("api1", &["python3", "-c", script]) };
    // Each check is stopped, before it is a program or after, or gets through.
    match bench.try_start(vec![service]) {
        Ok(running) => drop(running.stop().unwrap()),
        Err(error) => assert!(error.to_string().contains("was not ready after 3 s"), "{error}"),
    }
    assert!(bench.listed().contains("\"enclosures\": []"));
}

/// What is written to the log of one start is not there for the next.
#[test]
fn a_service_that_is_started_again_does_not_find_what_it_wrote_before() {
    let bench = Bench::new();
    let script = "grep -c secret /proc/self/fd/1; echo secret";
    let mut running = bench.start(vec![looks("api1", script)]);
    if !are_held(&*running) {
        return;
    }
    assert_eq!(said(&bench, "api1"), "0\nsecret\n");
    running.kill_services(&["api1".to_owned()]).unwrap();
    running.restart(&["api1".to_owned()]).unwrap();
    eventually("it has looked again", || bench.log("api1").matches("done").count() == 2);
    assert_eq!(bench.log("api1"), "0\nsecret\ndone\n0\nsecret\ndone\n");
    running.stop().unwrap();
}

#[test]
fn a_service_cannot_become_root_in_a_user_namespace() {
    let bench = Bench::new();
    let script = "unshare --user true 2> /dev/null && echo made; unshare --map-root-user true 2> /dev/null && echo made";
    let running = bench.start(vec![looks("api1", script)]);
    if !are_held(&*running) {
        return;
    }
    assert_eq!(said(&bench, "api1"), "");
    running.stop().unwrap();
}

/// They are the machine's own, and no other program would find them as they were.
#[test]
fn a_service_does_not_change_the_machines_devices() {
    let bench = Bench::new();
    let script =
        "chmod 600 /dev/full /dev/null 2> /dev/null && echo changed; echo x > /dev/null && echo written";
    let running = bench.start(vec![looks("api1", script)]);
    if !are_held(&*running) {
        return;
    }
    assert_eq!(said(&bench, "api1"), "written\n");
    running.stop().unwrap();
}

/// They would outlive it. Python is there wherever these tests are (`ci/validate`).
#[test]
fn a_service_has_no_keyring() {
    let bench = Bench::new();
    // add_key, request_key and keyctl of x86-64 and of ARM, and one other call.
    let script = "python3 -c 'import ctypes, platform; libc = ctypes.CDLL(None, use_errno=True); \
                  first = 248 if platform.machine() == \"x86_64\" else 217; \
                  [print(libc.syscall(n, b\"user\", b\"k\", b\"v\", 1, -4), ctypes.get_errno()) for n in range(first, first + 3)]; \
                  print(libc.getppid())'";
    let running = bench.start(vec![looks("api1", script)]);
    if !are_held(&*running) {
        return;
    }
    assert_eq!(said(&bench, "api1"), "-1 38\n-1 38\n-1 38\n1\n");
    running.stop().unwrap();
}

/// What it does to its walls is over with it, and costs galo nothing.
#[test]
fn a_service_that_fills_its_layer_and_builds_deep_trees_is_bounded_and_gone() {
    let bench = Bench::new();
    let script = "sleep 0.3; head -c 100000000 /dev/zero > /tmp/full; \
                  name=$(printf 'x%.0s' $(seq 255)); cd ${volume:data}; \
                  i=0; while [ $i -lt 300 ]; do mkdir $name; cd ./$name; i=$((i + 1)); done";
    let service =
        Service { volumes: vec!["data".to_owned()], memory_bytes: 32 << 20, ..looks("api1", script) };
    let running = bench.start(vec![service]);
    if !are_held(&*running) {
        return;
    }
    let pid = running.placement().services[0].pid;
    eventually("it has filled its layer", || !lives(pid) || bench.log("api1").ends_with("done\n"));
    running.stop().unwrap();
    assert!(!bench.folder.path().join("volumes").exists());
}

/// As Docker's do: checks look at the first process of their container.
#[test]
fn a_check_of_readiness_runs_beside_its_service() {
    let bench = Bench::new();
    let plain = bench.start(vec![shell("plain", "exec sleep 600")]);
    if !are_held(&*plain) {
        return;
    }
    plain.stop().unwrap();
    let ready = Ready::Command {
        command: ["sh", "-c", "grep -q sleep /proc/1/comm && test -e /tmp/made && test $$ != 1"]
            .map(str::to_owned)
            .to_vec(),
        interval_ns: 10_000_000,
        timeout_ns: 5_000_000_000,
    };
    let service =
        Service { ready, setup: Some("echo x > /tmp/made".to_owned()), ..shell("api1", "exec sleep 600") };
    let running = bench.start(vec![service]);
    running.stop().unwrap();
}
