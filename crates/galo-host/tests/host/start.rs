//! Starting: order, environment, user, volumes, setup, readiness, and an error for everything that can go wrong.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::host::bench::{
    self, BED, Bench, contender, free_port, get, group_folders, listener, root, service, shell,
};
use galo_host::{Host, HostOptions};
use galo_plan::contender::Ready;
use galo_plan::{Blame, Service};
use galo_record::{Event, Events};

#[test]
fn a_service_starts_when_those_that_it_depends_on_are_ready() {
    let folder = tempfile::tempdir().unwrap();
    let (events, news) = Events::channel();
    let options = HostOptions { limited: true, stop: Arc::default(), events };
    let host = Host::open_in(options, &bench::surroundings(folder.path())).unwrap();
    let (db, mut api) = (listener("db", free_port()), listener("api1", free_port()));
    api.depends_on = vec!["db".to_owned()];
    let running = host.start(&contender(vec![db, api]), free_port(), &folder.path().join("logs")).unwrap();
    let told: Vec<String> = news
        .try_iter()
        .map(|event| match event {
            Event::ServiceStarted { service } => format!("{service} started"),
            Event::ServiceReady { service, .. } => format!("{service} ready"),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(told, ["db started", "db ready", "api1 started", "api1 ready"]);
    let names: Vec<&str> = running.placement().services.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["db", "api1"]);
    running.stop().unwrap();
}

#[test]
fn a_service_that_is_late_is_told_with_where_it_listens() {
    let folder = tempfile::tempdir().unwrap();
    let (events, news) = Events::channel();
    let options = HostOptions { limited: true, stop: Arc::default(), events };
    let host = Host::open_in(options, &bench::surroundings(folder.path())).unwrap();
    let (own, expected) = (free_port(), free_port());
    let elsewhere = Service {
        ready: Ready::Tcp(format!("127.0.0.1:{expected}")),
        ready_timeout_ns: 4_000_000_000,
        ..listener("api1", own)
    };
    let error = host
        .start(&contender(vec![elsewhere]), expected, &folder.path().join("logs"))
        .expect_err("it listens elsewhere");
    let listens_there = format!("127.0.0.1:{own}");
    assert!(error.to_string().contains(&format!("hint: it listens on {listens_there}; see ")), "{error}");
    let late: Vec<String> = news
        .try_iter()
        .filter_map(|event| match event {
            Event::ServiceLate { service, last, listens } => Some(format!("{service}: {last}, {listens}")),
            _ => None,
        })
        .collect();
    assert_eq!(late, [format!("api1: connection refused, {listens_there}")], "once");
}

#[test]
fn services_that_do_not_depend_on_each_other_start_together() {
    let bench = Bench::new();
    let waiting_for = |name: &str, other: &str| {
        let ready = format!("test -e ${{volume:meeting}}/{other}");
        Service {
            ready: Ready::Command {
                command: vec!["sh".to_owned(), "-c".to_owned(), ready],
                interval_ns: 10_000_000,
                timeout_ns: 1_000_000_000,
            },
            volumes: vec!["meeting".to_owned()],
            ..shell(name, &format!("touch ${{volume:meeting}}/{name}; exec sleep 600"))
        }
    };
    let services = vec![waiting_for("api1", "api2"), waiting_for("api2", "api1")];
    let running = bench.start(services);
    let names: Vec<&str> = running.placement().services.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["api1", "api2"]);
    running.stop().unwrap();
}

#[test]
fn a_service_sees_path_home_lang_and_its_own_variables_alone() {
    let bench = Bench::new();
    let port = free_port();
    let mut api = Service {
        ready: Ready::Tcp(format!("127.0.0.1:{port}")),
        ..service("api1", &[BED, "environment", &port.to_string()])
    };
    api.environment.insert("HTTP_PORT".to_owned(), "8081".to_owned());
    api.environment.insert("LANG".to_owned(), "pt_BR.UTF-8".to_owned());
    let running = bench.start(vec![api]);
    let answer = get(port);
    let mut names: Vec<&str> = answer.lines().filter_map(|line| line.split('=').next()).collect();
    // The shell that becomes the program in a scope tells its folder.
    names.retain(|name| *name != "PWD" || !bench::is_scope(running.placement()));
    names.sort_unstable();
    // By the first of them its processes are found wherever they go.
    assert_eq!(names, ["GALO_GROUP", "HOME", "HTTP_PORT", "LANG", "PATH"]);
    assert!(answer.contains("LANG=pt_BR.UTF-8") && answer.contains("HTTP_PORT=8081"), "{answer}");
    running.stop().unwrap();
}

#[test]
fn the_service_leads_a_session_of_its_own_and_holds_no_file_of_galos() {
    let bench = Bench::new();
    let running = bench.start(vec![shell("api1", "exec sleep 600")]);
    let pid = running.placement().services[0].pid;
    let program = || fs::read_to_string(format!("/proc/{pid}/comm")).unwrap();
    bench::eventually("it is the service's program", || program() == "sleep\n");
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let session = stat.rsplit_once(") ").unwrap().1.split(' ').nth(3).unwrap().to_owned();
    assert_eq!(session, pid.to_string());
    // What it loads it opens for a moment.
    let files = || fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
    bench::eventually("it holds three files", || files() == 3);
    assert_eq!(fs::read_link(format!("/proc/{pid}/fd/0")).unwrap().to_str(), Some("/dev/null"));
    running.stop().unwrap();
}

#[test]
fn a_service_becomes_its_user_and_owns_its_volume() {
    if !root() {
        return;
    }
    let bench = Bench::new();
    // A temporary folder is closed to others.
    fs::set_permissions(bench.folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let script = "id -u; id -g; id -G; echo $HOME; touch ${volume:db}/x && echo touched; exec sleep 600";
    let mut db = Service { user: Some("nobody".to_owned()), ..shell("db", script) };
    db.volumes = vec!["db".to_owned()];
    db.environment.insert("SOCKETS".to_owned(), "${volume:db}".to_owned());
    let running = bench.start(vec![db]);
    let pid = running.placement().services[0].pid;
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let uids = status.lines().find(|line| line.starts_with("Uid:")).unwrap();
    assert_eq!(uids, "Uid:\t65534\t65534\t65534\t65534");
    let volume = bench.folder.path().canonicalize().unwrap().join("volumes/db");
    let known_as = Path::new(&running.services()[0].environment["SOCKETS"]).canonicalize().unwrap();
    assert_eq!(known_as, volume);
    bench::eventually("the volume is written", || bench.log("db").contains("touched"));
    assert_eq!(bench.log("db"), "65534\n65534\n65534\n/nonexistent\ntouched\n");
    running.stop().unwrap();
}

#[test]
fn an_unknown_user_is_named() {
    let bench = Bench::new();
    let db = Service { user: Some("galo-nobody".to_owned()), ..shell("db", "exec sleep 600") };
    let message = bench.start_error(vec![db]);
    assert_eq!(
        message,
        "user `galo-nobody` is not in /etc/passwd (service `db` of contender `subject`)\n\
         hint: create it, or name another in `user:`"
    );
}

#[test]
fn a_volume_is_fresh_in_every_round_and_gone_after_it() {
    let bench = Bench::new();
    let script = "ls -A ${volume:db}; echo looked; echo row > ${volume:db}/table; exec sleep 600";
    let db = Service { volumes: vec!["db".to_owned()], ..shell("db", script) };
    let volumes = bench.folder.path().join("volumes");
    for _round in 0..2 {
        let running = bench.start(vec![db.clone()]);
        bench::eventually("the table is written", || volumes.join("db/table").exists());
        let listed = bench.listed();
        let [link] = &bench::links(bench.folder.path())[..] else { panic!("one link") };
        assert!(listed.contains("/volumes\"") && listed.contains(&*link.to_string_lossy()), "{listed}");
        running.stop().unwrap();
        assert!(!volumes.exists() && bench::links(bench.folder.path()).is_empty());
    }
    assert_eq!(bench.log("db"), "looked\nlooked\n");
}

#[test]
fn a_socket_fits_into_a_volume_however_long_the_run_folders_path_is() {
    let bench = Bench::new();
    let mut db = Service { volumes: vec!["run".to_owned()], ..shell("db", "exec sleep 600") };
    db.environment.insert("SOCKETS".to_owned(), "${volume:run}".to_owned());
    let deep = bench.folder.path().join("a".repeat(120));
    let running = bench.host.start(&bench::contender(vec![db]), free_port(), &deep.join("logs")).unwrap();
    let sockets = running.services()[0].environment["SOCKETS"].clone();
    let listener = UnixListener::bind(Path::new(&sockets).join(".s.PGSQL.5432")).unwrap();
    assert!(deep.join("volumes/run/.s.PGSQL.5432").exists());
    drop(listener);
    running.stop().unwrap();
}

#[test]
fn a_folder_that_is_in_the_volumes_place_is_not_taken_over() {
    let bench = Bench::new();
    fs::create_dir(bench.folder.path().join("volumes")).unwrap();
    let db = Service { volumes: vec!["db".to_owned()], ..shell("db", "exec sleep 600") };
    let message = bench.start_error(vec![db]);
    assert!(
        message.contains(
            "folder `RUN/volumes` for fresh volumes is there already (contender `subject`)\nhint: "
        ),
        "{message}"
    );
    assert!(bench.folder.path().join("volumes").exists(), "it was removed");
}

#[test]
fn setup_runs_before_the_service_in_its_environment_and_group_and_log() {
    let bench = Bench::new();
    let mut db = shell("db", "cat ${volume:db}/made; echo served; exec sleep 600");
    db.setup = Some("echo $WHO > ${volume:db}/made; echo setting up; cat /proc/self/cgroup".to_owned());
    db.volumes = vec!["db".to_owned()];
    db.environment.insert("WHO".to_owned(), "setup".to_owned());
    let running = bench.start(vec![db]);
    bench::eventually("the service runs", || bench.log("db").contains("served"));
    let log = bench.log("db");
    assert!(log.starts_with("setting up\n") && log.ends_with("setup\nserved\n"), "{log}");
    for folder in group_folders(running.placement()) {
        let name = folder.file_name().unwrap().to_string_lossy();
        // systemd makes another scope for each process that galo starts.
        let of_its_own = bench::is_scope(running.placement()) && log.contains(".scope\n");
        assert!(of_its_own || log.contains(&*name), "setup ran outside of {name}: {log}");
    }
    running.stop().unwrap();
}

#[test]
fn a_setup_that_fails_is_told_with_its_last_lines() {
    let bench = Bench::new();
    let db = Service {
        setup: Some("echo migrating; echo no such table >&2; exit 7".to_owned()),
        ..shell("db", "exec sleep 600")
    };
    assert_eq!(
        bench.start_error(vec![db]),
        "setup failed (exit status 7; service `db` of contender `subject`)\n  | migrating\n  | no such table\n\
         hint: see RUN/logs/db.log"
    );
}

#[test]
fn a_setup_that_hangs_is_killed() {
    let bench = Bench::new();
    let db = Service {
        setup: Some("sleep 600".to_owned()),
        ready_timeout_ns: 300_000_000,
        ..shell("db", "exec sleep 600")
    };
    let message = bench.start_error(vec![db]);
    assert!(
        message.contains("setup failed (not done after 0 s; service `db` of contender `subject`)"),
        "{message}"
    );
}

#[test]
fn a_command_that_is_not_there_is_named_with_its_service() {
    let bench = Bench::new();
    let message = bench.start_error(vec![service("api1", &["target/release/nothing"])]);
    assert_eq!(
        message,
        "no such command `target/release/nothing` (looked for `/target/release/nothing`; \
         service `api1` of contender `subject`)\nhint: does `x-galo.build` make it there?"
    );
    let message = bench.start_error(vec![service("api1", &["galo-no-such-program"])]);
    assert!(message.contains("no such command `galo-no-such-program` in PATH ("), "{message}");
}

#[test]
fn a_file_that_cannot_be_executed_is_named() {
    let bench = Bench::new();
    let message = bench.start_error(vec![service("api1", &["/etc/passwd"])]);
    // In an ordinary user's scope a shell becomes the program, and says so.
    let by_a_shell =
        message.contains("(exit status 126)") && message.contains("/etc/passwd: Permission denied");
    assert!(
        !root() && by_a_shell || message.contains("`/etc/passwd` cannot be executed: Permission denied (os error 13; service `api1` of contender `subject`)"),
        "{message}"
    );
}

#[test]
fn a_command_that_exits_at_once_is_told_with_status_and_last_lines() {
    let bench = Bench::new();
    let error =
        bench.try_start(vec![shell("api1", "echo starting; echo bind: in use >&2; exit 3")]).unwrap_err();
    assert_eq!(error.blame, Blame::Contender);
    assert_eq!(
        bench.mask(&error.to_string()),
        "service `api1` of contender `subject` ended before it was ready (exit status 3)\n  | starting\n  \
         | bind: in use\nhint: see RUN/logs/api1.log"
    );
}

#[test]
fn a_service_that_dies_while_another_is_waited_for_is_the_one_that_is_told() {
    let bench = Bench::new();
    let mut late = listener("api1", free_port());
    late.command = vec!["sleep".to_owned(), "600".to_owned()];
    let message = bench.start_error(vec![shell("db", "sleep 0.3; exit 5"), late]);
    let words = "service `db` of contender `subject` ended before all were ready (exit status 5)";
    assert!(message.contains(words), "{message}");
}

#[test]
fn a_service_that_never_listens_is_told_with_the_last_answer() {
    let bench = Bench::new();
    let mut api = listener("api1", free_port());
    api.command = vec!["sh".to_owned(), "-c".to_owned(), "echo thinking; exec sleep 600".to_owned()];
    api.ready_timeout_ns = 2_000_000_000;
    assert_eq!(
        bench.start_error(vec![api]),
        "service `api1` of contender `subject` was not ready after 2 s (last answer: connection refused)\n  \
         | thinking\nhint: see RUN/logs/api1.log"
    );
}

#[test]
fn a_readiness_command_is_asked_again_until_it_succeeds() {
    let bench = Bench::new();
    let mut db = shell("db", "sleep 0.3; touch ${volume:db}/ready; exec sleep 600");
    db.volumes = vec!["db".to_owned()];
    let words = ["sh", "-c", "test -e ${volume:db}/ready && test \"$KEY\" = value"];
    db.environment.insert("KEY".to_owned(), "value".to_owned());
    db.ready = Ready::Command {
        command: words.iter().map(|w| (*w).to_owned()).collect(),
        interval_ns: 20_000_000,
        timeout_ns: 5_000_000_000,
    };
    let running = bench.start(vec![db]);
    assert!(bench.folder.path().join("volumes/db/ready").exists());
    running.stop().unwrap();
}

#[test]
fn a_readiness_command_that_hangs_is_killed_and_its_last_line_told() {
    let bench = Bench::new();
    let words = ["sh", "-c", "echo waiting for recovery; exec sleep 600"];
    let ready = Ready::Command {
        command: words.iter().map(|w| (*w).to_owned()).collect(),
        interval_ns: 10_000_000,
        timeout_ns: 3_000_000_000,
    };
    let db = Service { ready, ready_timeout_ns: 3_500_000_000, ..shell("db", "exec sleep 600") };
    let message = bench.start_error(vec![db]);
    assert!(message.contains("(last answer: not done in time: waiting for recovery)"), "{message}");
}

#[test]
fn a_cpu_limit_that_no_kernel_enforces_is_refused() {
    let bench = Bench::new();
    let message = bench.start_error(vec![Service { cpus_milli: 9, ..shell("api1", "exec sleep 600") }]);
    assert_eq!(
        message,
        "the CPU limit of 0.009 is below the least that a kernel enforces, 0.01 (service `api1` of contender `subject`)\n\
         hint: give it more of the budget in `cpus`"
    );
}

#[test]
fn a_port_that_is_taken_is_told_with_its_owner_before_anything_starts() {
    let bench = Bench::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let error =
        bench.host.start(&contender(vec![shell("api1", "exec sleep 600")]), port, &bench.logs()).unwrap_err();
    assert_eq!(error.blame, Blame::Host);
    let own = std::process::id();
    let start = format!("port {port} is taken by process {own} (`");
    assert!(error.to_string().starts_with(&start), "{}", error.to_string());
    assert!(error.to_string().ends_with(&format!("hint: end it: kill {own}")), "{}", error.to_string());
    let message = bench.start_error(vec![shell("db", "exec sleep 600"), listener("api1", port)]);
    assert!(message.contains(&format!("port {port} is taken")), "a port of a readiness check: {message}");
    assert!(!bench.logs().join("db.log").exists(), "something was started");
}

#[test]
fn the_caller_can_break_off_the_waiting() {
    let bench = Bench::new();
    let mut api = listener("api1", free_port());
    api.command = vec!["sleep".to_owned(), "600".to_owned()];
    let stop = Arc::clone(&bench.stop);
    let log = bench.logs().join("api1.log");
    let caller = std::thread::spawn(move || {
        bench::eventually("the service starts", || log.exists());
        stop.store(true, Ordering::Relaxed);
    });
    let error = bench.try_start(vec![api]).unwrap_err();
    caller.join().unwrap();
    assert!(error.interrupted);
    assert!(bench.listed().contains("\"enclosures\": []"), "{}", bench.listed());
}

#[test]
fn a_build_runs_once_and_without_cargos_leftovers() {
    let bench = Bench::new();
    let record = bench.folder.path().join("builds");
    let build = Some(format!("echo \"built ${{CARGO_PKG_NAME-without}} leftovers\" >> {}", record.display()));
    let services =
        vec![Service { build: build.clone(), ..shell("api1", "") }, Service { build, ..shell("api2", "") }];
    let subject = contender(services);
    bench.host.build(&subject).unwrap();
    bench.host.build(&subject).unwrap();
    // `cargo test` sets CARGO_PKG_NAME for this very process.
    assert_eq!(fs::read_to_string(record).unwrap(), "built without leftovers\n");
    assert!(bench.listed().contains("\"enclosures\": []"));
}

#[test]
fn a_build_may_not_have_processes_without_end() {
    let bench = Bench::new();
    let running = bench.start(vec![shell("api1", "exec sleep 600")]);
    if bench::is_scope(running.placement()) {
        needs::lacked("where systemd makes the groups of services, builds have none");
        return;
    }
    running.stop().unwrap();
    let record = bench.folder.path().join("limit");
    let script = format!(
        "place=/sys/fs/cgroup; mine=$(awk -F: '$2 == \"pids\" {{ print \"/pids\" $3 }} $1 == 0 {{ own = $3 }} END {{ print own }}' \
         /proc/self/cgroup); for path in $mine; do cat $place$path/pids.max 2> /dev/null; done > {}; true",
        record.display()
    );
    bench.host.build(&contender(vec![Service { build: Some(script), ..shell("api1", "") }])).unwrap();
    let told = fs::read_to_string(record).unwrap();
    if told.trim().is_empty() {
        needs::lacked("no control group of a build can be read here");
        return;
    }
    assert!(told.lines().any(|line| line == "8192"), "{told}");
}

/// As cargo does for each set of packages.
#[test]
fn a_program_that_another_build_replaced_is_built_again() {
    let bench = Bench::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let folder = elsewhere.path().canonicalize().unwrap();
    let build = "printf '#!/bin/sh\nexec sleep 600\n' > app; chmod +x app";
    let api =
        Service { build: Some(build.to_owned()), workdir: folder.clone(), ..service("api1", &["./app"]) };
    let subject = contender(vec![api]);
    bench.host.build(&subject).unwrap();
    let start = || bench.host.start(&subject, free_port(), &bench.logs());
    let mut running = start().unwrap();
    fs::write(folder.join("app"), "#!/bin/sh\nexec sleep 601\n").unwrap();
    running.kill_services(&["api1".to_owned()]).unwrap();
    running.restart(&["api1".to_owned()]).unwrap();
    running.stop().unwrap();
    assert!(fs::read_to_string(folder.join("app")).unwrap().ends_with("sleep 600\n"));
}

#[test]
fn a_program_that_somebody_changed_after_its_build_is_not_started() {
    let bench = Bench::new();
    // No contender sees the run folder.
    let elsewhere = tempfile::tempdir().unwrap();
    let program = elsewhere.path().canonicalize().unwrap().join("app");
    let write = |text: &str| {
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    };
    write("#!/bin/sh\nexec sleep 600\n");
    let subject = contender(vec![service("api1", &[&program.to_string_lossy()])]);
    bench.host.build(&subject).unwrap();
    let start = || bench.host.start(&subject, free_port(), &bench.logs());
    let mut running = start().unwrap();
    write("#!/bin/sh\nexec sleep 601\n");
    running.kill_services(&["api1".to_owned()]).unwrap();
    let again = running.restart(&["api1".to_owned()]).unwrap_err();
    running.stop().unwrap();
    for error in [again, start().unwrap_err()] {
        assert_eq!(error.blame, Blame::Host);
        let told = format!("`{}` was changed after the build", program.display());
        assert!(error.to_string().starts_with(&told), "{error}");
    }
    bench.host.build(&subject).unwrap();
    start().unwrap().stop().unwrap();
}

#[test]
fn a_build_that_fails_is_told_with_its_last_lines() {
    let bench = Bench::new();
    let build = Some("seq 1 100; exit 2".to_owned());
    let error = bench.host.build(&contender(vec![Service { build, ..shell("api1", "") }])).unwrap_err();
    let told = error.to_string();
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines[0],
        "the build failed (exit status 2): `seq 1 100; exit 2` (service `api1` of contender `subject`)"
    );
    assert_eq!((lines[1], lines[30], lines[31]), ("  | 71", "  | 100", "hint: run it by hand in /"));
}

#[test]
fn a_contender_that_is_paused_stands_still_until_it_may_go_on() {
    let bench = Bench::new();
    let beats = bench.folder.path().join("volumes/data/beats");
    let script = "while :; do echo x >> ${volume:data}/beats; sleep 0.01; done";
    let running = bench.start(vec![Service { volumes: vec!["data".to_owned()], ..shell("api1", script) }]);
    let count = || fs::read(&beats).map_or(0, |text| text.len());
    let grows = |from: usize| {
        (0..500).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            count() > from
        })
    };
    assert!(grows(0));
    running.pause();
    // Freezing takes the kernel a moment.
    std::thread::sleep(std::time::Duration::from_millis(200));
    let still = count();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(count(), still);
    running.resume();
    assert!(grows(still));
    running.pause();
    // Also from there it can be ended.
    running.stop().unwrap();
}
