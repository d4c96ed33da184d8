//! Notices that somebody writes to a group's limits, also where they are as before afterwards.
//!
//! By inotify: for control groups of both versions the kernel tells of every write through its file system, also of one through
//! another mount of the same hierarchy or from another mount namespace (tried on Linux 6.18).

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use galo_record::group::Group;
use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};

/// The files of one group's limits, watched.
#[derive(Debug)]
pub(super) struct LimitFiles {
    events: OwnedFd,
    /// Number of the watch, and name of the file.
    names: Vec<(i32, String)>,
}

impl LimitFiles {
    /// Watches from now on. `None`: the kernel has no room for that; then limits are only read back.
    pub(super) fn of(group: &Group) -> Option<Self> {
        let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        let watched = group.files().limits.into_iter().filter_map(|path| {
            let number = inotify::add_watch(&events, &path, WatchFlags::MODIFY).ok()?;
            Some((number, path.file_name()?.to_string_lossy().into_owned()))
        });
        let names = watched.collect();
        Some(Self { events, names })
    }

    /// What was written to since the last call, each once.
    pub(super) fn written(&self) -> Vec<String> {
        let mut buffer = [MaybeUninit::uninit(); 1024];
        let mut reader = Reader::new(&self.events, &mut buffer);
        let mut numbers = Vec::new();
        while let Ok(event) = reader.next() {
            numbers.push(event.wd());
        }
        let written = self.names.iter().filter(|(number, _)| numbers.contains(number));
        written.map(|(_, name)| format!("somebody wrote to `{name}`")).collect()
    }
}
