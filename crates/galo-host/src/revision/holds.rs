//! Who has a work tree, by two locks beside it in the cache. The kernel opens them when a galo ends, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Result, RevisionError};
use crate::cache::refused;

/// How often it is looked whether another galo is done.
const LOOK: Duration = Duration::from_millis(100);

/// What one galo holds of a tree.
#[derive(Debug)]
pub(super) struct Holds {
    /// Held alone from the look at the tree until it is made and built.
    making: File,
    /// Shared by all that use the tree. Only a galo that holds `making` takes it, or tries to have it alone.
    used: File,
}

impl Holds {
    /// Waits until no other galo looks at the tree, makes it or builds it, as long as `waits` says so.
    pub(super) fn wait(tree: &Path, waits: &mut dyn FnMut(&Path) -> bool) -> Result<Self> {
        let open = |kind: &str| {
            let mut path = tree.as_os_str().to_owned();
            path.push(format!(".{kind}"));
            let path = PathBuf::from(path);
            OpenOptions::new()
                .create(true)
                .append(true)
                .mode(0o600)
                .open(&path)
                .map_err(refused("lock", &path))
        };
        let (making, used) = (open("making")?, open("used")?);
        loop {
            match making.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(refused("lock", tree)(error).into()),
                Err(TryLockError::WouldBlock) if waits(tree) => std::thread::sleep(LOOK),
                Err(TryLockError::WouldBlock) => {
                    let tree = tree.display();
                    return Err(RevisionError::Asked(format!(
                        "another galo makes or builds `{tree}`, and was not waited for"
                    )));
                }
            }
        }
        used.lock_shared().map_err(refused("lock", tree))?;
        Ok(Self { making, used })
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
