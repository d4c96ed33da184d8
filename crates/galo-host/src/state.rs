//! The state folder of a galo process: a lock that lives as long as galo, and a list of all that must go when galo
//! does. The list is written before a thing is made, so at no moment is there something that nobody would remove.
//!
//! ```text
//! <state root>/<pid>-<random>/
//!   lock         held by galo; free means dead
//!   state.json   control groups, volume folders and the links to them, projects on an engine
//! <state root>/port-<n>.lock   held while a contender of a galo uses the port
//! galo-<pid>-<random>-<n>-volumes   beside the state root: a link to the volume folder of a round
//! ```

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{Access, access};
use serde::{Deserialize, Serialize};

use crate::enclosure::Enclosure;
use crate::error::HostError;
use crate::project::Project;
use crate::system::System;

/// Where locks and lists of what runs are kept: one folder a galo process. For root `/run/galo`, whatever the
/// environment says (with `sudo` it can be another user's); for others `$XDG_RUNTIME_DIR/galo` where that folder is
/// their own; `/tmp/galo-<uid>` where there is no such folder, or root cannot write to it.
pub fn state_root() -> PathBuf {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    state_root_of(rustix::process::geteuid().as_raw(), Path::new("/run"), runtime.as_deref())
}

fn state_root_of(uid: u32, run: &Path, runtime: Option<&Path>) -> PathBuf {
    let writable = |folder: &&Path| folder.is_dir() && access(*folder, Access::WRITE_OK).is_ok();
    let own = |folder: &&Path| {
        folder.is_absolute() && folder.metadata().is_ok_and(|m| m.is_dir() && m.uid() == uid)
    };
    let folder = if uid == 0 { Some(run).filter(writable) } else { runtime.filter(own) };
    folder.map_or_else(|| PathBuf::from(format!("/tmp/galo-{uid}")), |folder| folder.join("galo"))
}

/// All that must go when galo does.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct State {
    /// The boot in which they were started. After another boot they are gone, and others have their numbers.
    pub(crate) boot_id: String,
    pub(crate) enclosures: Vec<Enclosure>,
    /// Folders of volumes, and links to such.
    pub(crate) volumes: Vec<PathBuf>,
    /// What is on a container engine, which outlives the boot.
    #[serde(default)]
    pub(crate) projects: Vec<Project>,
}

/// The state folder of this galo process.
#[derive(Debug)]
pub(crate) struct StateFolder {
    folder: PathBuf,
    /// Held until [`Self::close`], never read.
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

    /// The folder that all galos of this user share.
    pub(crate) fn root(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
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
        state.enclosures.is_empty() && state.volumes.is_empty() && state.projects.is_empty()
    }

    /// Ends it: removes the folder if nothing is listed any more, else leaves it, unlocked, to the supervisor.
    pub(crate) fn close(&mut self) {
        if self.is_empty() {
            // What cannot be removed is found by the next galo that cleans.
            let _ = fs::remove_dir_all(&self.folder);
        }
        // Closing alone would leave it locked while a process that is just being forked has a copy.
        if let Some(lock) = self.lock.take() {
            let _ = lock.unlock();
        }
    }

    fn list(&self) -> MutexGuard<'_, State> {
        // The list is whole after every change, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads a list. One that is not there lists nothing; one that cannot be understood could list anything, so it is an
/// error, and its folder has to stay.
pub(crate) fn read(folder: &Path) -> Result<State, HostError> {
    let path = folder.join("state.json");
    let unknown = |error: &dyn std::fmt::Display| {
        let (path, folder) = (path.display(), folder.display());
        HostError::host(format!(
            "cannot read what a galo left, `{path}`: {error}\n\
             hint: end and remove by hand what it lists, then: rm -r {folder}"
        ))
    };
    match fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text).map_err(|e| unknown(&e)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(State::default()),
        Err(e) => Err(unknown(&e)),
    }
}

fn write(folder: &Path, state: &State) -> Result<(), HostError> {
    let (new, path) = (folder.join("state.json.new"), folder.join("state.json"));
    let text = serde_json::to_string_pretty(state).map_err(io::Error::from);
    text.and_then(|text| fs::write(&new, text))
        .and_then(|()| fs::rename(&new, &path))
        .map_err(|e| HostError::io("write", &path, &e))
}

/// Makes the root, or sees that it is galo's user's own.
fn require_root(root: &Path) -> Result<(), HostError> {
    match DirBuilder::new().mode(0o700).create(root) {
        Ok(()) => {}
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
        Err(e) => return Err(HostError::io("make", root, &e)),
    }
    is_own(root).map(drop)
}

/// Whether there is a root. An error if it is not galo's user's own: whoever may write there could have galo kill and
/// remove as root.
fn is_own(root: &Path) -> Result<bool, HostError> {
    let meta = match fs::symlink_metadata(root) {
        Ok(meta) => meta,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(e) => return Err(HostError::io("read", root, &e)),
    };
    let own = meta.uid() == rustix::process::geteuid().as_raw();
    if meta.is_dir() && own && meta.mode() & 0o077 == 0 {
        return Ok(true);
    }
    let path = root.display();
    Err(HostError::host(format!("state folder `{path}` is not galo's own\nhint: remove it: rm -r {path}")))
}

/// The state folders below a root that could be a dead galo's: all but those that are just being made. None where
/// there is no root.
///
/// # Errors
/// The root is not galo's user's own: nothing below it may be believed.
pub(crate) fn folders(root: &Path) -> Result<Vec<PathBuf>, HostError> {
    if !is_own(root)? {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(root).map_err(|e| HostError::io("read", root, &e))?.flatten();
    // Beside the folders are the locks of ports.
    let folders = entries.filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path());
    let mut folders: Vec<PathBuf> = folders.filter(|path| !is_being_made(path)).collect();
    folders.sort();
    Ok(folders)
}

/// An unnamed folder of a process that lives may be about to be locked.
fn is_being_made(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let pid = name.strip_prefix('.').and_then(|name| name.split('-').next());
    pid.is_some_and(|pid| System::real().path(Path::new("/proc").join(pid)).exists())
}

/// Takes the lock of a folder if it is free. `None`: its galo lives, or the folder is gone, or it is not galo's.
pub(crate) fn try_lock(folder: &Path) -> Option<File> {
    let lock = open_lock(folder)?;
    lock.try_lock().ok()?;
    still_there(folder, lock)
}

/// Waits for the lock of a folder. `None`: the folder is gone.
pub(crate) fn wait_lock(folder: &Path) -> Option<File> {
    let lock = open_lock(folder)?;
    lock.lock().ok()?;
    still_there(folder, lock)
}

fn open_lock(folder: &Path) -> Option<File> {
    OpenOptions::new().write(true).open(folder.join("lock")).ok()
}

/// Who held the lock since it was opened may have removed the folder, and the lock with it.
fn still_there(folder: &Path, lock: File) -> Option<File> {
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
        assert_eq!(read(folder.path()).unwrap().enclosures, [session("a"), session("b")]);
        folder.replace(&session("b"), &session("c")).unwrap();
        folder.strike(&session("a")).unwrap();
        assert_eq!(read(folder.path()).unwrap().enclosures, [session("c")]);
        assert!(!folder.is_empty());
    }

    #[test]
    fn the_lock_is_free_only_after_the_owners_death() {
        let root = tempfile::tempdir().unwrap();
        let folder = StateFolder::create(&root.path().join("galo")).unwrap();
        let path = folder.path().to_owned();
        assert!(try_lock(&path).is_none());
        drop(folder);
        // As the supervisor asks for it. Not at once: a process that another test is just forking has a copy.
        assert!(wait_lock(&path).is_some());
    }

    #[test]
    fn a_lock_whose_folder_went_meanwhile_is_none() {
        let root = tempfile::tempdir().unwrap();
        let mut folder = StateFolder::create(&root.path().join("galo")).unwrap();
        let path = folder.path().to_owned();
        // As by a galo that cleans: it has opened the lock, and the owner ends before it asks for it.
        let lock = open_lock(&path).unwrap();
        assert!(lock.try_lock().is_err(), "its owner lives");
        folder.close();
        lock.try_lock().unwrap();
        assert!(still_there(&path, lock).is_none());
    }

    #[test]
    fn a_state_root_that_others_may_write_to_is_refused() {
        let root = tempfile::tempdir().unwrap();
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let message = StateFolder::create(root.path()).unwrap_err().message;
        assert!(message.contains("is not galo's own"), "{message}");
    }

    #[test]
    fn a_list_that_is_not_there_is_an_empty_one_and_one_that_cannot_be_understood_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()).unwrap(), State::default());
        fs::write(folder.path().join("state.json"), "{\"boot_id\":\"x\",\"encl").unwrap();
        let message = read(folder.path()).unwrap_err().message;
        let path = folder.path().display();
        assert!(
            message.starts_with(&format!("cannot read what a galo left, `{path}/state.json`: ")),
            "{message}"
        );
        assert!(message.ends_with(&format!("then: rm -r {path}")), "{message}");
    }

    #[test]
    fn root_keeps_its_state_in_run_whatever_the_environment_says() {
        let (run, runtime) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let expected = run.path().join("galo");
        assert_eq!(state_root_of(0, run.path(), Some(runtime.path())), expected);
        assert_eq!(state_root_of(0, run.path(), None), expected);
        assert_eq!(
            state_root_of(0, &run.path().join("none"), Some(runtime.path())),
            Path::new("/tmp/galo-0")
        );
    }

    #[test]
    fn a_user_keeps_state_in_the_runtime_folder_only_where_it_is_the_users_own() {
        let (run, runtime) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let owner = runtime.path().metadata().unwrap().uid().max(1);
        std::os::unix::fs::chown(runtime.path(), Some(owner), None).unwrap();
        assert_eq!(state_root_of(owner, run.path(), Some(runtime.path())), runtime.path().join("galo"));
        let stranger = PathBuf::from(format!("/tmp/galo-{}", owner + 1));
        assert_eq!(state_root_of(owner + 1, run.path(), Some(runtime.path())), stranger);
        assert_eq!(state_root_of(owner + 1, run.path(), None), stranger);
    }

    #[test]
    fn a_folder_that_is_just_being_made_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o700)).unwrap();
        fs::create_dir(root.path().join(format!(".{}-ab", std::process::id()))).unwrap();
        fs::create_dir(root.path().join(".999999999-ab")).unwrap();
        assert_eq!(folders(root.path()).unwrap(), [root.path().join(".999999999-ab")]);
    }
}
