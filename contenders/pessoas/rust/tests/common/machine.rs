//! What tests need of the machine: programs, a user for those that refuse to run as root, signals.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};

/// A program, also where Debian and others put those that are not for everybody.
pub(crate) fn installed(name: &str) -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let folders = versions.map(|version| version.path().join("bin"));
    let folders =
        folders.chain(["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"].map(PathBuf::from));
    folders.map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// The user to run as, who gets the folder: PostgreSQL refuses to run as root, and nothing else needs to.
pub(crate) fn owner(folder: &Path) -> Option<(u32, u32)> {
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
pub(crate) fn deployed(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Tells that a test cannot be made here.
#[allow(clippy::explicit_write, reason = "the harness keeps what `eprintln` writes")]
pub(crate) fn skipped<T>(why: &str) -> Option<T> {
    writeln!(std::io::stderr(), "SKIPPED, proves nothing here: {why}").unwrap();
    None
}

/// Sends a signal to a process that may have ended.
pub(crate) fn signal(process: u32, signal: Signal) {
    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        let _ = kill_process(process, signal);
    }
}
