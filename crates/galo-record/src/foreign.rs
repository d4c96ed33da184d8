//! Files that a contender made, or could have replaced: what is opened is a regular file, or nothing.
//!
//! A pipe in place of a file would keep galo waiting without end, a link would lead it elsewhere, a device does what it likes.
//! Folders are walked from handle to handle, so that nothing on the way is exchanged between a look and its use.

use std::ffi::{CStr, CString};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, Stat, fcntl_getfl, fcntl_setfl, fstat, openat,
    openat2, statat,
};
use rustix::io::Errno;

/// More entries than this are not looked at: no database has so many.
const ENTRIES_MAX: usize = 100_000;
/// Folders within one another that are entered, each with an open file.
const DEPTH_MAX: usize = 256;
/// Flags for opening what may be anything.
const WARY: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::CLOEXEC);

/// Opens a file for reading.
///
/// # Errors
/// It cannot be opened, or is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(OpenOptions::new().read(true), path)
}

/// Opens a file as these options say, whose own flags are replaced.
///
/// # Errors
/// It cannot be opened, or is no regular file.
pub fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    regular(options.custom_flags(WARY.bits().cast_signed()).open(path)?)
}

/// The same file without `O_NONBLOCK`, which whoever inherits it does not expect.
fn regular(file: File) -> io::Result<File> {
    if !is_file(&fstat(&file)?) {
        return Err(io::Error::other("it is no regular file"));
    }
    fcntl_setfl(&file, fcntl_getfl(&file)?.difference(OFlags::NONBLOCK))?;
    Ok(file)
}

fn is_file(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
}

/// A regular file that [`each_file`] found.
#[derive(Debug)]
pub struct FoundFile<'a> {
    parent: BorrowedFd<'a>,
    name: &'a CStr,
    /// What the kernel says of it.
    pub stat: Stat,
}

impl FoundFile<'_> {
    /// Opens it for reading.
    ///
    /// # Errors
    /// It cannot be opened, or is no regular file any more.
    pub fn open(&self) -> io::Result<File> {
        regular(File::from(openat(self.parent, self.name, OFlags::RDONLY | WARY, Mode::empty())?))
    }
}

/// Hands over each of these files, and each file below these folders, until `look` says that it has seen enough.
///
/// Services may be at work there: what cannot be read is left out. Links are not followed and mounts not entered, and of very many entries,
/// or folders very deep within one another, the rest is left out.
pub fn each_file<P: AsRef<Path>>(places: &[P], look: impl FnMut(&FoundFile<'_>) -> bool) {
    walk(places, ENTRIES_MAX, look);
}

/// Looks at so many entries at most.
fn walk<P: AsRef<Path>>(places: &[P], mut left: usize, mut look: impl FnMut(&FoundFile<'_>) -> bool) {
    for place in places {
        let Ok(name) = CString::new(place.as_ref().as_os_str().as_bytes()) else { continue };
        let enter = |flags| openat(CWD, &name, flags, Mode::empty());
        let Some(mut way) = at(CWD, &name, enter, &mut look).map(Vec::from_iter) else { return };
        while let Some(folder) = way.last_mut() {
            let Some(Ok(entry)) = folder.read() else {
                way.pop();
                continue;
            };
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            if left == 0 {
                return;
            }
            left -= 1;
            let Ok(parent) = folder.fd() else { continue };
            let Some(below) = at(parent, name, |flags| enter_folder(parent, name, flags), &mut look) else {
                return;
            };
            if way.len() < DEPTH_MAX {
                way.extend(below);
            }
        }
    }
}

/// Looks at one entry: the folder to be read, if it is one; `None`: enough was seen.
fn at(
    parent: BorrowedFd<'_>,
    name: &CStr,
    enter: impl Fn(OFlags) -> Result<OwnedFd, Errno>,
    look: &mut impl FnMut(&FoundFile<'_>) -> bool,
) -> Option<Option<Dir>> {
    let Ok(stat) = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) else { return Some(None) };
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => look(&FoundFile { parent, name, stat }).then_some(None),
        FileType::Directory => {
            let folder = enter(OFlags::RDONLY | OFlags::DIRECTORY | WARY);
            Some(folder.and_then(Dir::new).ok())
        }
        _ => Some(None),
    }
}

/// Opens a folder that lies in the same mount as its parent.
///
/// # Errors
/// [`Errno::XDEV`] where something is mounted, and what else keeps it from being opened.
pub fn enter_folder(parent: BorrowedFd<'_>, name: &CStr, flags: OFlags) -> Result<OwnedFd, Errno> {
    match openat2(parent, name, flags, Mode::empty(), ResolveFlags::NO_XDEV | ResolveFlags::NO_SYMLINKS) {
        // A kernel before 5.6, or a container that keeps it away: at least another file system is told apart.
        Err(Errno::NOSYS | Errno::PERM) => {
            let folder = openat(parent, name, flags, Mode::empty())?;
            let is_same = fstat(&folder)?.st_dev == fstat(parent)?.st_dev;
            if is_same { Ok(folder) } else { Err(Errno::XDEV) }
        }
        opened => opened,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use rustix::fs::mkfifoat;

    /// A folder with a file, and with everything in it that is none.
    fn strange() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "text").unwrap();
        fs::create_dir(path("folder")).unwrap();
        mkfifoat(CWD, path("pipe"), Mode::RWXU).unwrap();
        drop(UnixListener::bind(path("socket")).unwrap());
        symlink(path("file"), path("link")).unwrap();
        symlink("/dev/zero", path("endless")).unwrap();
        folder
    }

    #[test]
    fn what_is_no_regular_file_is_not_opened_and_not_waited_for() {
        let folder = strange();
        assert_eq!(io::read_to_string(open(&folder.path().join("file")).unwrap()).unwrap(), "text");
        for name in ["folder", "pipe", "socket", "link", "endless", "missing"] {
            let path = folder.path().join(name);
            assert!(open(&path).is_err(), "{name}");
            assert!(open_with(OpenOptions::new().append(true), &path).is_err(), "{name}");
        }
        assert!(open(Path::new("/dev/null")).is_err());
    }

    #[test]
    fn a_file_that_is_handed_on_blocks_like_any_other() {
        let folder = strange();
        let file = open_with(OpenOptions::new().append(true), &folder.path().join("file")).unwrap();
        assert!(!fcntl_getfl(&file).unwrap().contains(OFlags::NONBLOCK));
    }

    #[test]
    fn regular_files_alone_are_found_and_can_be_opened() {
        let folder = strange();
        fs::write(folder.path().join("folder").join("x".repeat(255)), "deep").unwrap();
        let mut texts = Vec::new();
        each_file(&[folder.path().to_owned(), folder.path().join("link")], |found| {
            texts.push(io::read_to_string(found.open().unwrap()).unwrap());
            true
        });
        texts.sort_unstable();
        assert_eq!(texts, ["deep", "text"]);
    }

    #[test]
    fn folders_ten_thousand_deep_end_the_walk_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let mut deepest: OwnedFd = File::open(folder.path()).unwrap().into();
        for _ in 0..10_000 {
            rustix::fs::mkdirat(&deepest, "x", Mode::RWXU).unwrap();
            deepest = openat(&deepest, "x", OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        }
        fs::write(folder.path().join("y"), "").unwrap();
        let mut files = 0;
        each_file(&[folder.path()], |_| {
            files += 1;
            true
        });
        assert_eq!(files, 1);
        // The standard library's own removal goes by handles, but one for each level.
        assert!(std::process::Command::new("rm").arg("-rf").arg(folder.path()).status().unwrap().success());
    }

    #[test]
    fn of_very_many_entries_the_rest_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        (0..10).for_each(|n| fs::write(folder.path().join(n.to_string()), "").unwrap());
        let mut files = 0;
        walk(&[folder.path()], 7, |_| {
            files += 1;
            true
        });
        assert_eq!(files, 7);
    }
}
