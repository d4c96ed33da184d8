//! Files that flush themselves, since they are opened with O_SYNC or O_DSYNC.
//!
//! Which lie in a volume is told by device and inode: a service may know its volumes by other paths than galo does. Whether one was written
//! to is told by its size, its blocks, and the time of its last change.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use galo_record::foreign::each_file;

/// A file as it was at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State {
    /// Device and inode.
    identity: (u64, u64),
    bytes: u64,
    blocks: u64,
    /// Seconds and nanoseconds.
    changed_at: (i64, i64),
}

impl State {
    fn of(metadata: &fs::Metadata) -> Self {
        Self {
            identity: (metadata.dev(), metadata.ino()),
            bytes: metadata.size(),
            blocks: metadata.blocks(),
            changed_at: (metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

/// All files that lay in some volumes at one moment.
#[derive(Debug, Default)]
pub(super) struct Files(BTreeMap<(u64, u64), State>);

impl Files {
    pub(super) fn of(volumes: &[PathBuf]) -> Self {
        let mut files = BTreeMap::new();
        each_file(volumes, |found| {
            let stat = &found.stat;
            #[allow(clippy::useless_conversion)]
            let state = State {
                identity: (stat.st_dev.into(), stat.st_ino.into()),
                bytes: stat.st_size.cast_unsigned(),
                blocks: stat.st_blocks.cast_unsigned(),
                changed_at: (stat.st_mtime.into(), i64::try_from(stat.st_mtime_nsec).unwrap_or_default()),
            };
            files.insert(state.identity, state);
            true
        });
        Self(files)
    }

    pub(super) fn states(&self) -> impl Iterator<Item = State> {
        self.0.values().copied()
    }

    /// How many of these files are not as they were at this moment. One that was not there has changed if it holds something.
    pub(super) fn changed(&self, now: impl Iterator<Item = State>) -> u64 {
        let is_other =
            |state: &State| self.0.get(&state.identity).map_or(state.bytes > 0, |before| before != state);
        now.filter(is_other).count() as u64
    }
}

/// The files lying there that one of these processes has opened with O_SYNC or O_DSYNC.
///
/// # Errors
/// A process that cannot be read, in words.
pub(super) fn opened_by(processes: &[i32], lying: &Files) -> Result<BTreeSet<State>, String> {
    let mut found = BTreeSet::new();
    if lying.0.is_empty() {
        return Ok(found);
    }
    for id in processes {
        match of_process(&PathBuf::from(format!("/proc/{id}")), lying, &mut found) {
            Err(error) if !has_ended(&error) => {
                return Err(format!("process {id} cannot be read: {error}"));
            }
            _ => {}
        }
    }
    Ok(found)
}

fn of_process(process: &Path, lying: &Files, found: &mut BTreeSet<State>) -> io::Result<()> {
    for entry in fs::read_dir(process.join("fd"))?.flatten() {
        // Of sockets and pipes there are many, and their targets are no paths.
        let is_path = fs::read_link(entry.path()).is_ok_and(|target| target.is_absolute());
        let info = || fs::read_to_string(process.join("fdinfo").join(entry.file_name()));
        if !is_path || !info().is_ok_and(|info| opened_synchronously(&info)) {
            continue;
        }
        // Also from outside of its mounts: the kernel leads to the very file.
        let Ok(metadata) = fs::metadata(entry.path()) else { continue };
        let state = State::of(&metadata);
        if lying.0.contains_key(&state.identity) {
            found.insert(state);
        }
    }
    Ok(())
}

/// Whether a file in `/proc` was refused because its process is gone.
fn has_ended(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH)
}

/// By the flags in `/proc/PID/fdinfo/FD`, which are octal. O_SYNC holds the bit of O_DSYNC.
fn opened_synchronously(info: &str) -> bool {
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|text| i32::from_str_radix(text.trim(), 8).ok());
    flags.is_some_and(|flags| flags & libc::O_DSYNC != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, Write};
    use std::os::unix::fs::OpenOptionsExt;

    fn own() -> [i32; 1] {
        [i32::try_from(std::process::id()).unwrap()]
    }

    fn open(path: &Path, flags: i32) -> fs::File {
        fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .custom_flags(flags)
            .open(path)
            .unwrap()
    }

    #[test]
    fn a_synchronous_file_counts_once_it_lies_in_a_volume_and_was_written_to() {
        let (volume, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let volumes = [volume.path().to_owned()];
        fs::write(volume.path().join("journal"), [0; 4096]).unwrap();
        let began = Files::of(&volumes);
        let _ordinary = open(&volume.path().join("table"), 0);
        let mut other = open(&elsewhere.path().join("x"), libc::O_DSYNC);
        let mut unused = open(&volume.path().join("unused"), libc::O_DSYNC);
        let mut journal = open(&volume.path().join("journal"), libc::O_SYNC);
        let found = || opened_by(&own(), &Files::of(&volumes)).unwrap();
        other.write_all(b"x").unwrap();
        assert_eq!((found().len(), began.changed(found().into_iter())), (2, 0));
        // It was as long before.
        journal.rewind().unwrap();
        journal.write_all(b"x").unwrap();
        assert_eq!(began.changed(found().into_iter()), 1);
        unused.write_all(b"x").unwrap();
        assert_eq!(began.changed(found().into_iter()), 2);
    }

    #[test]
    fn processes_that_are_gone_are_left_out_and_those_that_are_closed_told() {
        let volume = tempfile::tempdir().unwrap();
        fs::write(volume.path().join("x"), "").unwrap();
        let lying = Files::of(&[volume.path().to_owned()]);
        // No process has this id: the kernel gives none above 2^22.
        assert_eq!(opened_by(&[4_194_305], &lying).unwrap().len(), 0);
        assert!(has_ended(&fs::read_dir("/proc/4194305/fd").unwrap_err()));
        assert!(!has_ended(&io::Error::from_raw_os_error(libc::EACCES)));
    }

    #[test]
    fn flags_are_read_as_octal_numbers() {
        assert!(opened_synchronously("pos:\t0\nflags:\t02110001\n"));
        assert!(opened_synchronously("flags:\t04110001\n"));
        assert!(!opened_synchronously("pos:\t10000\nflags:\t0100001\nmnt_id:\t10000\n"));
        assert!(!opened_synchronously("flags:\tnone\n"));
    }
}
