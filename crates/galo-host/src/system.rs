//! Where the kernel's files are: `/` in life, a recorded folder in tests.

use std::io;
use std::path::{Path, PathBuf};

use galo_plan::contender::Ulimit;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The root below which `/proc`, `/sys` and `/etc` are looked for.
#[derive(Debug, Clone)]
pub(crate) struct System {
    root: PathBuf,
}

impl System {
    /// This machine.
    pub(crate) fn real() -> Self {
        Self { root: PathBuf::from("/") }
    }

    /// A recorded folder.
    #[cfg(test)]
    pub(crate) fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// An absolute path of the machine, as a path that can be opened.
    pub(crate) fn path(&self, absolute: impl AsRef<Path>) -> PathBuf {
        let absolute = absolute.as_ref();
        self.root.join(absolute.strip_prefix("/").unwrap_or(absolute))
    }

    /// The text of a file of the machine. A process's name in it may be any bytes, so what is no UTF-8 is replaced.
    pub(crate) fn read(&self, absolute: impl AsRef<Path>) -> io::Result<String> {
        Ok(String::from_utf8_lossy(&std::fs::read(self.path(absolute))?).into_owned())
    }

    /// A kernel setting, e.g. `net/core/somaxconn`.
    pub(crate) fn setting(&self, name: &str) -> Option<String> {
        let text = self.read(Path::new("/proc/sys").join(name)).ok()?;
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// A line of `/proc/meminfo`, in bytes; 0 where there is none.
    pub(crate) fn meminfo(&self, key: &str) -> u64 {
        let text = self.read("/proc/meminfo").unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
        line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
    }

    /// Whether systemd runs this machine, by the test that `sd_booted(3)` makes.
    pub(crate) fn systemd_booted(&self) -> bool {
        self.path("/run/systemd/system").is_dir()
    }

    /// Which boot this is: process ids of another boot mean nothing.
    pub(crate) fn boot_id(&self) -> String {
        self.setting("kernel/random/boot_id").unwrap_or_default()
    }
}

/// Raises galo's own soft limit of open files to the hard one, before anything is started: what galo starts inherits
/// it, and each round must get the same, whichever part of galo raised its own limit before.
pub(crate) fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    // A refusal leaves the limit as it was, and the placement tells it.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

/// galo's own limit of open files, which a service has that names none.
pub(crate) fn open_files() -> Ulimit {
    let limit = getrlimit(Resource::Nofile);
    Ulimit { soft: limit.current, hard: limit.maximum }
}

/// Whether galo's process is root.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
