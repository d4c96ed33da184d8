//! The state folder of a galo process: a lock that lives as long as galo, and a list of all that must go when galo
//! does. The list is written before a thing is made, so at no moment is there something that nobody would remove.
//!
//! ```text
//! <state root>/<pid>-<random>/
//!   lock         held by galo; free means dead
//!   state.json   control groups and volume folders
//! ```

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::enclosure::Enclosure;
use crate::error::HostError;
use crate::system::System;

/// Where locks and lists of what runs are kept: one folder a galo process. `$XDG_RUNTIME_DIR/galo`, or
/// `/tmp/galo-<uid>` where there is no such folder.
pub fn state_root() -> PathBuf {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|folder| folder.is_dir());
    runtime.map_or_else(
        || PathBuf::from(format!("/tmp/galo-{}", rustix::process::geteuid().as_raw())),
        |folder| folder.join("galo"),
    )
}

/// All that must go when galo does.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct State {
    /// Of which boot: after another one, processes and groups of this list are gone, whatever has their numbers now.
    pub(crate) boot_id: String,
    pub(crate) enclosures: Vec<Enclosure>,
    pub(crate) volumes: Vec<PathBuf>,
}

/// The state folder of this galo process.
#[derive(Debug)]
pub(crate) struct StateFolder {
    folder: PathBuf,
    /// Held, never read.
    lock: Option<File>,
    state: Mutex<State>,
}

impl StateFolder {
    /// Makes a folder below `root`, locked. It gets its name only once it is locked, so that nobody takes it for a
    /// dead galo's.
    pub(crate) fn create(root: &Path) -> Result<Self, HostError> {
        require_root(root)?;
        // The supervisor's working directory is another one.
        let root = root.canonicalize().map_err(|e| HostError::io("read", root, &e))?;
        let random = std::hash::RandomState::new().build_hasher().finish() as u32;
        let id = format!("{}-{random:08x}", std::process::id());
        let (unnamed, folder) = (root.join(format!(".{id}")), root.join(&id));
        let fail = |e: io::Error| HostError::io("make", &folder, &e);
        DirBuilder::new().mode(0o700).create(&unnamed).map_err(fail)?;
        let lock = File::create(unnamed.join("lock")).map_err(fail)?;
        lock.try_lock().map_err(|e| fail(e.into()))?;
        let state = State { boot_id: System::real().boot_id(), ..State::default() };
        write(&unnamed, &state)?;
        fs::rename(&unnamed, &folder).map_err(fail)?;
        Ok(Self { folder, lock: Some(lock), state: Mutex::new(state) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// `<pid>-<random>`: unique, and part of the name of everything that this galo makes.
    pub(crate) fn id(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Changes the list, on disk before it returns.
    pub(crate) fn change(&self, change: impl FnOnce(&mut State)) -> Result<(), HostError> {
        let mut state = self.list();
        change(&mut state);
        write(&self.folder, &state)
    }

    /// Lists something that is about to be made.
    pub(crate) fn add(&self, enclosure: &Enclosure) -> Result<(), HostError> {
        self.change(|state| state.enclosures.push(enclosure.clone()))
    }

    /// Completes what is known of something listed.
    pub(crate) fn replace(&self, old: &Enclosure, new: &Enclosure) -> Result<(), HostError> {
        if old == new {
            return Ok(());
        }
        self.change(|state| state.enclosures.iter_mut().filter(|e| *e == old).for_each(|e| *e = new.clone()))
    }

    /// Strikes something that is gone.
    pub(crate) fn strike(&self, enclosure: &Enclosure) -> Result<(), HostError> {
        self.change(|state| state.enclosures.retain(|e| e != enclosure))
    }

    /// Whether nothing is listed.
    pub(crate) fn is_empty(&self) -> bool {
        let state = self.list();
        state.enclosures.is_empty() && state.volumes.is_empty()
    }

    /// Ends it: removes the folder if nothing is listed any more, else leaves it, unlocked, to the supervisor.
    pub(crate) fn close(&mut self) {
        if self.is_empty() {
            // What cannot be removed is found by the next galo that cleans.
            let _ = fs::remove_dir_all(&self.folder);
        }
        self.lock = None;
    }

    fn list(&self) -> MutexGuard<'_, State> {
        // The list is whole after every change, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a list. One that is not there, or was never finished, lists nothing.
pub(crate) fn read(folder: &Path) -> State {
    let text = fs::read_to_string(folder.join("state.json")).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn write(folder: &Path, state: &State) -> Result<(), HostError> {
    let (new, path) = (folder.join("state.json.new"), folder.join("state.json"));
    let text = serde_json::to_string_pretty(state).map_err(io::Error::from);
    text.and_then(|text| fs::write(&new, text))
        .and_then(|()| fs::rename(&new, &path))
        .map_err(|e| HostError::io("write", &path, &e))
}

/// Makes the root, or sees that it is galo's user's own: whoever may write there could have galo kill as root.
fn require_root(root: &Path) -> Result<(), HostError> {
    match DirBuilder::new().mode(0o700).create(root) {
        Ok(()) => {}
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
        Err(e) => return Err(HostError::io("make", root, &e)),
    }
    let meta = fs::symlink_metadata(root).map_err(|e| HostError::io("read", root, &e))?;
    let own = meta.uid() == rustix::process::geteuid().as_raw();
    if meta.is_dir() && own && meta.mode() & 0o077 == 0 {
        return Ok(());
    }
    let path = root.display();
    Err(HostError::host(format!("state folder `{path}` is not galo's own\nhint: remove it: rm -r {path}")))
}

/// The state folders below a root that could be a dead galo's: all but this process's own unnamed ones.
pub(crate) fn folders(root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|e| e.path()).filter(|path| !is_being_made(path)).collect();
    folders.sort();
    folders
}

/// An unnamed folder of a process that lives may be about to be locked.
fn is_being_made(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let pid = name.strip_prefix('.').and_then(|name| name.split('-').next());
    pid.is_some_and(|pid| System::real().path(Path::new("/proc").join(pid)).exists())
}

/// Takes the lock of a folder if it is free. `None`: its galo lives, or it is gone, or it is not galo's.
pub(crate) fn try_lock(folder: &Path) -> Option<File> {
    let lock = OpenOptions::new().write(true).open(folder.join("lock")).ok()?;
    lock.try_lock().ok()?;
    Some(lock)
}

/// Waits for the lock of a folder. `None`: the folder is gone.
pub(crate) fn wait_lock(folder: &Path) -> Option<File> {
    let lock = OpenOptions::new().write(true).open(folder.join("lock")).ok()?;
    lock.lock().ok()?;
    folder.exists().then_some(lock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn session(marker: &str) -> Enclosure {
        Enclosure::Session { marker: marker.to_owned(), leader: None }
    }

    #[test]
    fn a_list_is_on_disk_after_every_change() {
        let root = tempfile::tempdir().unwrap();
        let folder = StateFolder::create(&root.path().join("galo")).unwrap();
        folder.add(&session("a")).unwrap();
        folder.add(&session("b")).unwrap();
        assert_eq!(read(folder.path()).enclosures, [session("a"), session("b")]);
        folder.replace(&session("b"), &session("c")).unwrap();
        folder.strike(&session("a")).unwrap();
        assert_eq!(read(folder.path()).enclosures, [session("c")]);
        assert!(!folder.is_empty());
    }

    #[test]
    fn the_lock_is_free_only_after_the_owners_death() {
        let root = tempfile::tempdir().unwrap();
        let folder = StateFolder::create(&root.path().join("galo")).unwrap();
        let path = folder.path().to_owned();
        assert!(try_lock(&path).is_none());
        drop(folder);
        assert!(try_lock(&path).is_some());
    }

    #[test]
    fn a_state_root_that_others_may_write_to_is_refused() {
        let root = tempfile::tempdir().unwrap();
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let message = StateFolder::create(root.path()).unwrap_err().message;
        assert!(message.contains("is not galo's own"), "{message}");
    }

    #[test]
    fn a_half_written_list_is_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("state.json"), "{\"boot_id\":\"x\",\"encl").unwrap();
        assert_eq!(read(folder.path()), State::default());
    }

    #[test]
    fn a_folder_that_is_just_being_made_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(format!(".{}-ab", std::process::id()))).unwrap();
        fs::create_dir(root.path().join(".999999999-ab")).unwrap();
        assert_eq!(folders(root.path()), [root.path().join(".999999999-ab")]);
    }
}
