//! Who has a work tree, by two locks beside it in the cache. The kernel opens them when a galo ends, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{Result, RevisionError};
use crate::cache::refused;

/// How often it is looked whether another galo is done.
const LOOK: Duration = Duration::from_millis(100);

/// Names of the locks, and of what the last build was, behind that of the tree.
const MAKING: &str = ".making";
const USED: &str = ".used";
pub(super) const BUILT: &str = ".built";

/// What one galo holds of a tree.
#[derive(Debug)]
pub(super) struct Holds {
    /// Held alone from the look at the tree until it is made and built.
    making: File,
    /// Shared by all that use the tree, and as old as its last use. Only a galo that holds `making` takes it, or tries to have it alone.
    used: File,
}

/// A file beside a tree.
pub(super) fn beside(tree: &Path, ending: &str) -> PathBuf {
    let mut path = tree.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

fn open(tree: &Path, ending: &str) -> Result<File> {
    let path = beside(tree, ending);
    let opened = OpenOptions::new().create(true).append(true).mode(0o600).open(&path);
    Ok(opened.map_err(refused("lock", &path))?)
}

/// Removes the trees of a cache that no galo uses, but for so many that were used last. What cannot be removed stays.
pub(super) fn remove_unused(cache: &Path, kept: usize) {
    let mut trees: Vec<(SystemTime, PathBuf)> = std::fs::read_dir(cache)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| {
            Some((beside(&entry.path(), USED).metadata().ok()?.modified().ok()?, entry.path()))
        })
        .collect();
    trees.sort();
    let unused = trees.len().saturating_sub(kept);
    for (_, tree) in &trees[..unused] {
        let (Ok(making), Ok(used)) = (open(tree, MAKING), open(tree, USED)) else { continue };
        let holds = Holds { making, used };
        if holds.making.try_lock().is_ok() && holds.used.try_lock().is_ok() {
            let _ = std::fs::remove_file(beside(tree, BUILT));
            let _ = std::fs::remove_dir_all(tree);
        }
    }
}

impl Holds {
    /// Waits until no other galo looks at the tree, makes it or builds it, as long as `waits` says so.
    pub(super) fn wait(tree: &Path, waits: &mut dyn FnMut(&Path) -> bool) -> Result<Self> {
        let (making, used) = (open(tree, MAKING)?, open(tree, USED)?);
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
        used.set_modified(SystemTime::now()).map_err(refused("lock", tree))?;
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
