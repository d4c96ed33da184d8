//! Starting and ending the whole, and what is measured against it.

use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::http::request;
pub(crate) use balancer::Balancer;
pub(crate) use instance::Instance;
pub(crate) use postgres::Postgres;

mod balancer;
pub(crate) mod client;
mod instance;
pub(crate) mod load;
mod postgres;

/// How long anything may take that is meant to come: an answer to an honest client, a start, a recovery. Generous,
/// since tests share a machine.
pub(crate) const BOUND: Duration = Duration::from_secs(5);

/// Everything that answers, and where it keeps its files. Dropped from the front to the back.
pub(crate) struct Champion {
    pub(crate) balancer: Balancer,
    pub(crate) instances: [Instance; 2],
    pub(crate) postgres: Postgres,
    _folder: TempDir,
}

impl Champion {
    /// Starts it empty; `None` where a program is missing, which is told.
    pub(crate) fn start() -> Option<Self> {
        let nginx = installed("nginx").or_else(|| skipped("no nginx is installed"))?;
        let postgres = Postgres::start()?;
        let folder = tempfile::tempdir().unwrap();
        let user = owner(folder.path())?;
        // Sockets are for users other than the one who makes them.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let instances = [1, 2]
            .map(|number| Instance::start(folder.path().join(format!("api{number}.sock")), postgres.url()));
        let balancer = Balancer::start(&nginx, folder.path(), user);
        let champion = Self { balancer, instances, postgres, _folder: folder };
        champion.wait_until_it_answers();
        Some(champion)
    }

    /// Waits until the balancer gets a count from each of its instances.
    pub(crate) fn wait_until_it_answers(&self) {
        until("the champion answers", || {
            let count = || request(self.balancer.address, "GET", "/contagem-pessoas", b"");
            // Round robin: two in a row are one of each.
            (0..2).all(|_| count().is_ok_and(|answer| answer.status == 200))
        });
    }

    /// The ways in that clients may misuse, with the names that a failure tells.
    pub(crate) fn doors(&self) -> [(&'static str, SocketAddr); 2] {
        [("balancer", self.balancer.address), ("instance", self.instances[0].address)]
    }

    pub(crate) fn count(&self) -> u64 {
        let answer = request(self.balancer.address, "GET", "/contagem-pessoas", b"").unwrap();
        answer.text().parse().unwrap_or_else(|_| panic!("count: {} `{}`", answer.status, answer.text()))
    }
}

/// Asks again and again until it is so.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let patience = Instant::now() + 2 * BOUND;
    while !is_so() {
        assert!(Instant::now() < patience, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A program, also where Debian and others put those that are not for everybody.
fn installed(name: &str) -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let folders = versions.map(|version| version.path().join("bin"));
    let folders =
        folders.chain(["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"].map(PathBuf::from));
    folders.map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// The user to run as, who gets the folder: PostgreSQL refuses to run as root, and nothing else needs to.
fn owner(folder: &Path) -> Option<(u32, u32)> {
    let meta = folder.metadata().unwrap();
    if meta.uid() != 0 {
        return Some((meta.uid(), meta.gid()));
    }
    let passwd = fs::read_to_string("/etc/passwd").unwrap();
    let line = passwd.lines().find(|line| line.starts_with("postgres:"));
    let ids: Vec<u32> =
        line.iter().flat_map(|line| line.split(':').skip(2).take(2)).flat_map(str::parse).collect();
    let [uid, gid] = ids[..] else { return skipped("there is no user `postgres` to run it as") };
    chown(folder, Some(uid), Some(gid)).unwrap();
    Some((uid, gid))
}

/// A file of a contender.
fn deployed(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

#[allow(clippy::explicit_write, reason = "the harness keeps what `eprintln` writes")]
fn skipped<T>(why: &str) -> Option<T> {
    writeln!(std::io::stderr(), "SKIPPED, proves nothing here: {why}").unwrap();
    None
}

/// Sends a signal to a process that may have ended.
fn signal(process: u32, signal: Signal) {
    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        let _ = kill_process(process, signal);
    }
}
