//! Where the kernel's files are: `/` in life, a recorded folder in tests.

use std::io;
use std::path::{Path, PathBuf};

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

    /// The text of a file of the machine.
    pub(crate) fn read(&self, absolute: impl AsRef<Path>) -> io::Result<String> {
        std::fs::read_to_string(self.path(absolute))
    }

    /// A kernel setting, e.g. `net/core/somaxconn`.
    pub(crate) fn setting(&self, name: &str) -> Option<String> {
        let text = self.read(Path::new("/proc/sys").join(name)).ok()?;
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
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

/// Whether galo's process is root.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
