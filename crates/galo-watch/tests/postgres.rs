//! A real PostgreSQL with its durability switched on and off.

#![allow(
    clippy::unwrap_used,
    reason = "in a test, also in what tests share, a panic is the failure's report"
)]

use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use galo_plan::Service;
use galo_plan::contender::Ready;
use galo_record::DatabaseSettings;

/// A server of its own, on a port of its own. It refuses to run as root.
struct Server {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl Server {
    fn start(options: &[&str]) -> Self {
        let [initdb, postgres] = ["initdb", "postgres"].map(|name| needs::program(name, "postgresql"));
        let folder = tempfile::tempdir().unwrap();
        let user = needs::user_of_postgres(folder.path());
        let data = folder.path().join("data");
        let quietly = |command: &mut Command| {
            command.uid(user.0).gid(user.1).current_dir("/").stdout(Stdio::null()).stderr(Stdio::null());
        };
        let mut command = Command::new(initdb);
        command.args(["--auth=trust", "--username=tester", "--no-sync", "-D"]).arg(&data);
        quietly(&mut command);
        assert!(command.status().unwrap().success(), "initdb failed");
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(postgres);
        command.arg("-D").arg(&data).args(["-h", "127.0.0.1", "-p", &port.to_string()]);
        command.arg("-k").arg(folder.path());
        command.args(options);
        quietly(&mut command);
        let child = command.spawn().unwrap();
        let server = Self { child, port, folder };
        for _ in 0..500 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() && server.settings()[0].error.is_none() {
                return server;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("PostgreSQL never answered: {:?}", server.settings());
    }

    fn settings(&self) -> Vec<DatabaseSettings> {
        let url = format!("postgres://tester@127.0.0.1:{}/postgres", self.port);
        galo_watch::databases(&[service("api1", &url), service("api2", &url)])
    }

    fn settings_by_socket(&self) -> Vec<DatabaseSettings> {
        let (port, folder) = (self.port, self.folder.path().display());
        let url = format!("postgres:///postgres?user=tester&port={port}&host={folder}");
        galo_watch::databases(&[service("api1", &url), service("api2", &url)])
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Not SIGKILL, after which its shared memory would stay.
        let pid = self.child.id().to_string();
        let asked = Command::new("kill").args(["-QUIT", &pid]).status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

fn service(name: &str, url: &str) -> Service {
    Service {
        name: name.to_owned(),
        build: None,
        setup: None,
        command: Vec::new(),
        environment: BTreeMap::from([("DATABASE_URL".to_owned(), url.to_owned())]),
        workdir: PathBuf::from("/"),
        user: None,
        ready: Ready::Started,
        ready_timeout_ns: 1,
        depends_on: Vec::new(),
        cpus_milli: 1,
        memory_bytes: 1,
        cpuset: Vec::new(),
        ulimits: BTreeMap::new(),
        pids_max: None,
        volumes: Vec::new(),
        stop: None,
        container: None,
    }
}

/// What it says when started with these options.
fn told(options: &[&str]) -> String {
    let server = Server::start(options);
    let told = server.settings();
    assert_eq!(told.len(), 1, "two services with one address are one database: {told:?}");
    assert_eq!((told[0].system.as_str(), told[0].service.as_str()), ("PostgreSQL", "api1"));
    assert_eq!(told[0].address, format!("127.0.0.1:{}", server.port));
    let settings = told[0].settings.iter().map(|(name, value)| format!("{name}={value}"));
    settings.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_database_as_it_comes_waits_for_the_disk() {
    let told = told(&[]);
    assert_eq!(told, "fsync=on full_page_writes=on synchronous_commit=on");
}

#[test]
fn a_database_behind_a_socket_is_asked_too() {
    let server = Server::start(&["-c", "fsync=off"]);
    let told = server.settings_by_socket();
    assert_eq!(told.len(), 1, "{told:?}");
    let socket = server.folder.path().join(format!(".s.PGSQL.{}", server.port));
    assert_eq!((told[0].address.as_str(), &told[0].error), (socket.to_str().unwrap(), &None));
    assert_eq!(told[0].settings["fsync"], "off");
}

#[test]
fn what_is_switched_off_is_told() {
    let told = told(&["-c", "fsync=off", "-c", "synchronous_commit=off"]);
    assert_eq!(told, "fsync=off full_page_writes=on synchronous_commit=off");
}

#[test]
fn a_database_that_is_not_there_or_never_answers_is_told_and_keeps_nobody_waiting() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let told = galo_watch::databases(&[service("api1", &format!("postgres://a@127.0.0.1:{port}/a"))]);
    assert_eq!(told[0].error.as_deref(), Some("no answer within 2s"));
    drop(silent);
    let told = galo_watch::databases(&[service("api1", "postgres://a@127.0.0.1:1/a")]);
    let error = told[0].error.as_deref().unwrap();
    assert!(error.contains("Connection refused"), "{error}");
    assert!(told[0].settings.is_empty());
    let told = galo_watch::databases(&[service("api1", "postgres:///a?user=a&host=/nowhere")]);
    let error = told[0].error.as_deref().unwrap();
    assert!(error.contains("No such file or directory"), "{error}");
}

#[test]
fn sessions_that_wait_for_a_lock_are_seen_with_what_they_wait_for() {
    let server = Server::start(&["-c", "fsync=off"]);
    let url = format!("postgres://tester@127.0.0.1:{}/postgres", server.port);
    let ask = |text: &str| {
        let mut command = Command::new(needs::program("psql", "postgresql"));
        command.args([&url, "-q", "-c", text]).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    ask("CREATE TABLE people (id int); INSERT INTO people VALUES (1)").wait().unwrap();
    let watcher = galo_watch::DatabaseWatcher::start(&[service("api1", &url)]).unwrap();
    let mut holder = ask("BEGIN; LOCK TABLE people; SELECT pg_sleep(4)");
    // Whoever comes first waits for nobody.
    std::thread::sleep(Duration::from_millis(500));
    let mut waiter = ask("INSERT INTO people VALUES (2)");
    holder.wait().unwrap();
    waiter.wait().unwrap();
    let looks = watcher.stop();
    let look = looks.iter().find(|look| look.waiting_for("Lock") == 1).expect("somebody waited for 3 s");
    assert_eq!((look.busy(), look.sessions(), look.max_connections), (2, 2, 100), "{look:?}");
    assert!(look.blocker.as_deref().is_some_and(|text| text.contains("pg_sleep")), "{look:?}");
    let commits: Vec<u64> = looks.iter().map(|look| look.commits).collect();
    assert!(commits.is_sorted() && commits[0] > 0, "{commits:?}");
}

#[test]
fn a_database_that_is_not_there_is_not_looked_at() {
    assert!(galo_watch::DatabaseWatcher::start(&[service("api1", "http://127.0.0.1:1/")]).is_none());
    let nobody = galo_watch::DatabaseWatcher::start(&[service("api1", "postgres://a@127.0.0.1:1/a")]);
    assert_eq!(nobody.unwrap().stop(), []);
}
