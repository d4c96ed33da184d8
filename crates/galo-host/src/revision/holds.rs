//! Who has a work tree, by two locks beside it in the cache. The kernel opens them when a galo ends, however it ends.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::{Result, RevisionError};
use crate::cache::refused;

/// What one galo holds of a tree.
#[derive(Debug)]
pub(super) struct Holds {
    /// Held alone from the look at the tree until it is made and built.
    making: File,
    /// Shared by all that use the tree. Only a galo that holds `making` takes it, or tries to have it alone.
    used: File,
}

impl Holds {
    /// Waits until no other galo looks at the tree, makes it or builds it.
    pub(super) fn wait(cache: &Path, name: &str) -> Result<Self> {
        let open = |kind: &str, lock: fn(&File) -> std::io::Result<()>| {
            let path = cache.join(format!("{name}.{kind}"));
            let file = OpenOptions::new().create(true).append(true).mode(0o600).open(&path);
            file.and_then(|file| lock(&file).map(|()| file)).map_err(refused("lock", &path))
        };
        Ok(Self { making: open("making", File::lock)?, used: open("used", File::lock_shared)? })
    }

    /// An error where another galo uses the tree. The lock on `making` must be held.
    pub(super) fn require_alone(&self, tree: &Path) -> Result<()> {
        let is_alone = self.used.try_lock().is_ok();
        // It is lost whether the kernel gave the other one or not.
        self.used.lock_shared().map_err(refused("lock", tree))?;
        if is_alone {
            return Ok(());
        }
        Err(RevisionError::Asked(format!(
            "another galo uses the work tree `{}`, which has to be made or built anew\n\
             hint: wait for its end, or set XDG_CACHE_HOME to another folder",
            tree.display()
        )))
    }

    /// Lets other galos use the tree as well.
    pub(super) fn share(&self, tree: &Path) -> Result<()> {
        Ok(self.making.unlock().map_err(refused("unlock", tree))?)
    }
}

impl Drop for Holds {
    fn drop(&mut self) {
        // Closing alone would leave them locked while a process that is just being forked has a copy.
        for lock in [&self.making, &self.used] {
            let _ = lock.unlock();
        }
    }
}
