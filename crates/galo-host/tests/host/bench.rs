//! What the tests of galo-host share: contenders made by hand, a state root of their own, looks at the kernel.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};

use galo_host::{Host, HostError, HostOptions, Running, Surroundings};
use galo_plan::contender::Ready;
use galo_plan::{Contender, Service};
use galo_record::group::Group;
use galo_record::{Events, Placement};

/// The programs of `tests/programs/bed.rs`.
pub(crate) const BED: &str = env!("CARGO_BIN_EXE_galo-host-bed");

/// A service that runs one of the bed's programs, ready as soon as it runs.
pub(crate) fn service(name: &str, command: &[&str]) -> Service {
    Service {
        name: name.to_owned(),
        build: None,
        setup: None,
        command: command.iter().map(|word| (*word).to_owned()).collect(),
        environment: BTreeMap::new(),
        workdir: PathBuf::from("/"),
        user: None,
        ready: Ready::Started,
        ready_timeout_ns: 20_000_000_000,
        depends_on: Vec::new(),
        cpus_milli: 450,
        memory_bytes: 64 << 20,
        cpuset: Vec::new(),
        ulimits: BTreeMap::new(),
        pids_max: None,
        volumes: Vec::new(),
        stop: None,
        container: None,
    }
}

/// A service that is a shell script.
pub(crate) fn shell(name: &str, script: &str) -> Service {
    service(name, &["sh", "-c", script])
}

/// A service that listens, ready when it answers.
pub(crate) fn listener(name: &str, port: u16) -> Service {
    let ready = Ready::Http(format!("http://127.0.0.1:{port}/"));
    Service { ready, ..service(name, &[BED, "listen", &port.to_string()]) }
}

/// A contender of these services.
pub(crate) fn contender(services: Vec<Service>) -> Contender {
    let nobody = Contender::at_address(([127, 0, 0, 1], 1).into(), "none");
    Contender { name: "subject".to_owned(), file: "/subject/compose.yaml".into(), services, ..nobody }
}

/// A free port that no other test of this process gets, and that the kernel gives to no outgoing connection: from
/// below its range of local ports.
pub(crate) fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = std::process::id() % 200 * 100;
    loop {
        let offset = u32::from(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = u16::try_from(11_000 + (start + offset) % 20_000).unwrap();
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// A host with a state root and a run folder of its own.
pub(crate) struct Bench {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) host: Host,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(true)
    }

    pub(crate) fn with(limited: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let options = HostOptions { limited, stop: Arc::clone(&stop), events: Events::none() };
        let host = Host::open_in(options, &surroundings(folder.path())).unwrap();
        Self { folder, stop, host }
    }

    pub(crate) fn logs(&self) -> PathBuf {
        self.folder.path().join("logs")
    }

    pub(crate) fn start(&self, services: Vec<Service>) -> Box<dyn Running> {
        self.try_start(services).unwrap()
    }

    pub(crate) fn try_start(&self, services: Vec<Service>) -> Result<Box<dyn Running>, HostError> {
        self.host.start(&contender(services), free_port(), &self.logs())
    }

    /// The message of a start that must fail, with the run folder's path replaced.
    pub(crate) fn start_error(&self, services: Vec<Service>) -> String {
        let error = self.try_start(services).expect_err("the contender started");
        self.mask(&error.to_string())
    }

    pub(crate) fn mask(&self, text: &str) -> String {
        let folder = self.folder.path().canonicalize().unwrap();
        text.replace(&*folder.to_string_lossy(), "RUN")
    }

    /// What a service wrote in all of its starts.
    pub(crate) fn log(&self, service: &str) -> String {
        let again = (2..).map(|number| self.logs().join(format!("{service}-{number}.log")));
        let again = again.map_while(|log| fs::read_to_string(log).ok());
        fs::read_to_string(self.logs().join(format!("{service}.log"))).unwrap() + &again.collect::<String>()
    }

    /// What the host lists as being there.
    pub(crate) fn listed(&self) -> String {
        let folders = state_folders(self.folder.path());
        assert_eq!(folders.len(), 1, "one galo, one state folder");
        fs::read_to_string(folders[0].join("state.json")).unwrap()
    }
}

/// The state folders of all galos, without the locks of ports, which stay.
pub(crate) fn state_folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(state_root(folder)).unwrap().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

pub(crate) fn state_root(folder: &Path) -> PathBuf {
    folder.join("state")
}

pub(crate) fn surroundings(folder: &Path) -> Surroundings {
    Surroundings { state_root: state_root(folder), supervisor: PathBuf::from(BED) }
}

/// The links to folders of volumes that are there now.
pub(crate) fn links(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries.filter(|entry| entry.file_type().unwrap().is_symlink()).map(|entry| entry.path()).collect()
}

/// Whether this machine enforces limits. Tests of limits prove nothing without, and say so.
pub(crate) fn limits_here(running: &dyn Running) -> bool {
    let placement = running.placement();
    if !placement.limits_enforced {
        needs::lacked(placement.limits_note.as_deref().unwrap_or("limits are not enforced"));
    }
    placement.limits_enforced
}

/// All folders of all groups of a placement.
pub(crate) fn group_folders(placement: &Placement) -> Vec<PathBuf> {
    let of = |group: &Group| match group {
        Group::V1 { cpu, cpuacct, memory, freezer, pids } => {
            let mut folders = vec![cpu.clone(), cpuacct.clone(), memory.clone()];
            folders.extend(freezer.clone().into_iter().chain(pids.clone()));
            folders
        }
        Group::V2 { path } => vec![path.clone()],
    };
    placement.services.iter().filter_map(|s| s.group.as_ref()).flat_map(of).collect()
}

/// Whether systemd made the first service's group: an ordinary user's.
pub(crate) fn is_scope(placement: &Placement) -> bool {
    let path = group_folders(placement).into_iter().next();
    path.is_some_and(|path| path.extension().is_some_and(|kind| kind == "scope"))
}

/// Whether galo is root's. Tests of services with users prove nothing otherwise, and say so.
pub(crate) fn root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        needs::lacked("only root can give a service another user");
    }
    root
}

/// Whether a process lives (one that is dead but not yet reaped does not).
pub(crate) fn lives(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// Waits, for at most a generous while, until something holds.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..2000 {
        if holds() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("never happened: {what}");
}

/// The body of an answer to a GET.
pub(crate) fn get(port: u16) -> String {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}
