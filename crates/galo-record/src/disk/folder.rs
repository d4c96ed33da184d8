//! A folder that galo writes into: opened once and held open, so that nothing below it is written through a link.
//!
//! Whoever can change a run folder while galo works there, or hands one over to be told, must not be able to choose which file
//! galo overwrites. So every name below is one plain name, given to the kernel together with the descriptor of the folder.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, fchmod, mkdirat, openat, renameat, unlinkat};
use rustix::io::Errno;

use super::RecordError;

/// Such a folder.
#[derive(Debug)]
pub struct Folder {
    held: OwnedFd,
    path: PathBuf,
}

const OPEN_FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::RDONLY).union(OFlags::CLOEXEC);

impl Folder {
    /// Makes a folder with its parents, unless it is there, and holds it open. Links in `path` itself are followed: it is what
    /// the caller asked for.
    ///
    /// # Errors
    /// [`RecordError::Io`] with the folder.
    pub fn create(path: &Path) -> Result<Self, RecordError> {
        fs::create_dir_all(path).map_err(|e| RecordError::io("create", path, e))?;
        Self::open(path)
    }

    /// Leaves it to its owner's eyes alone.
    ///
    /// # Errors
    /// [`RecordError::Io`] with the folder, also where it is another user's.
    pub(crate) fn protect(&self) -> Result<(), RecordError> {
        fchmod(&self.held, Mode::RWXU).map_err(|e| RecordError::io("protect", &self.path, e.into()))
    }

    /// Holds a folder open that is there.
    pub(crate) fn open(path: &Path) -> Result<Self, RecordError> {
        let held = openat(CWD, path, OPEN_FOLDER, Mode::empty())
            .map_err(|e| RecordError::io("open", path, e.into()))?;
        Ok(Self { held, path: path.to_owned() })
    }

    /// Where it was when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_empty(&self) -> Result<bool, RecordError> {
        let failed = |e: Errno| RecordError::io("read", &self.path, e.into());
        for entry in Dir::read_from(&self.held).map_err(failed)? {
            if !matches!(entry.map_err(failed)?.file_name().to_bytes(), b"." | b"..") {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Makes a folder in it, which must not be there, and holds it open.
    ///
    /// # Errors
    /// [`RecordError::Io`] with the folder; [`RecordError::NoName`].
    pub fn make(&self, name: &str) -> Result<Self, RecordError> {
        let path = self.path_of(name)?;
        mkdirat(&self.held, name, Mode::from_raw_mode(0o777))
            .map_err(|e| RecordError::io("create", &path, e.into()))?;
        self.within(name)
    }

    /// The same for a folder that may be there.
    ///
    /// # Errors
    /// As [`Self::make`].
    pub(crate) fn make_unless_there(&self, name: &str) -> Result<Self, RecordError> {
        match self.make(name) {
            Err(RecordError::Io { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
                self.within(name)
            }
            made => made,
        }
    }

    /// Makes the folder at a path below it, with those between, unless they are there.
    ///
    /// # Errors
    /// As [`Self::make`].
    pub fn make_below(&self, path: &str) -> Result<Self, RecordError> {
        match path.split_once('/') {
            Some((first, rest)) => self.make_unless_there(first)?.make_below(rest),
            None => self.make_unless_there(path),
        }
    }

    /// Removes a file or an empty folder in it, if there is one.
    pub(crate) fn remove(&self, name: &str) {
        let _ = unlinkat(&self.held, name, AtFlags::empty())
            .or_else(|_| unlinkat(&self.held, name, AtFlags::REMOVEDIR));
    }

    /// Holds a folder in it open. A link is none.
    pub(crate) fn within(&self, name: &str) -> Result<Self, RecordError> {
        let path = self.path_of(name)?;
        let held = openat(&self.held, name, OPEN_FOLDER | OFlags::NOFOLLOW, Mode::empty())
            .map_err(|e| RecordError::io("open", &path, e.into()))?;
        Ok(Self { held, path })
    }

    /// Writes a file in it so that whoever sees it sees all of it, also after a power cut; over the one that may be there. Nothing of it is
    /// left after an error. Its path.
    ///
    /// # Errors
    /// [`RecordError::Io`] with the file; [`RecordError::NoName`].
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, RecordError> {
        self.write_for(Mode::from_raw_mode(0o666), name, bytes)
    }

    /// The same of a file that only its owner reads.
    pub(crate) fn write_private(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, RecordError> {
        self.write_for(Mode::RUSR | Mode::WUSR, name, bytes)
    }

    fn write_for(&self, whom: Mode, name: &str, bytes: &[u8]) -> Result<PathBuf, RecordError> {
        let path = self.path_of(name)?;
        let temporary = format!("{name}.tmp");
        let written = self.create_new(&temporary, whom).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()?;
            Ok(renameat(&self.held, &temporary, &self.held, name)?)
        });
        written.map_err(|source| {
            // The first error is the one to tell; the temporary file may not even exist.
            let _ = unlinkat(&self.held, &temporary, AtFlags::empty());
            RecordError::io("write", &path, source)
        })?;
        Ok(path)
    }

    /// Makes a file in it, which must not be there, to be written at its end.
    pub(crate) fn create_to_append(&self, name: &str) -> Result<File, RecordError> {
        self.to_append(name, OFlags::CREATE | OFlags::EXCL)
    }

    /// Opens a file in it that is there, to be written at its end.
    pub(crate) fn open_to_append(&self, name: &str) -> Result<File, RecordError> {
        self.to_append(name, OFlags::empty())
    }

    fn to_append(&self, name: &str, how: OFlags) -> Result<File, RecordError> {
        let path = self.path_of(name)?;
        let flags = how | OFlags::WRONLY | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat(&self.held, name, flags, Mode::from_raw_mode(0o666));
        Ok(opened.map_err(|e| RecordError::io("open", &path, e.into()))?.into())
    }

    /// A file that was not there. What a killed galo left under this name is removed first; so is a link, not what it points to.
    fn create_new(&self, name: &str, whom: Mode) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = || openat(&self.held, name, flags, whom);
        let opened = match open() {
            Err(Errno::EXIST) => {
                unlinkat(&self.held, name, AtFlags::empty())?;
                open()
            }
            first => first,
        };
        Ok(opened?.into())
    }

    /// Makes names in it (new files, renames) last through a power cut.
    pub(crate) fn sync(&self) -> Result<(), RecordError> {
        rustix::fs::fsync(&self.held).map_err(|e| RecordError::io("write", &self.path, e.into()))
    }

    fn path_of(&self, name: &str) -> Result<PathBuf, RecordError> {
        if is_plain_name(name) {
            Ok(self.path.join(name))
        } else {
            Err(RecordError::NoName { folder: self.path.clone(), name: name.to_owned() })
        }
    }
}

/// Whether it names something in a folder itself, neither above nor further below.
pub(crate) fn is_plain_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == name)
        && !name.contains('\0')
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_is_written_through_a_link_and_nothing_is_made_behind_one() {
        let root = tempfile::tempdir().unwrap();
        let (precious, path) = (root.path().join("precious"), root.path().join("run"));
        fs::write(&precious, "precious").unwrap();
        let folder = Folder::create(&path).unwrap();
        for name in ["report.json", "report.json.tmp"] {
            symlink(&precious, path.join(name)).unwrap();
        }
        assert_eq!(folder.write("report.json", b"{}").unwrap(), path.join("report.json"));
        assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
        assert!(fs::symlink_metadata(path.join("report.json")).unwrap().is_file());
        assert!(fs::symlink_metadata(path.join("report.json.tmp")).is_err());

        symlink(root.path(), path.join("rounds")).unwrap();
        assert!(folder.make("rounds").is_err() && folder.within("rounds").is_err());
    }

    #[test]
    fn a_folder_that_is_swapped_for_another_is_not_written_to() {
        let root = tempfile::tempdir().unwrap();
        let (path, moved) = (root.path().join("run"), root.path().join("moved"));
        let folder = Folder::create(&path).unwrap();
        fs::rename(&path, &moved).unwrap();
        fs::create_dir(&path).unwrap();
        folder.write("run.json", b"{}").unwrap();
        assert!(moved.join("run.json").is_file() && !path.join("run.json").exists());
    }

    #[test]
    fn only_what_is_in_the_folder_itself_has_a_plain_name() {
        for name in ["", ".", "..", "/", "/etc/passwd", "../x", "a/b", "a/", "./a", "a\0"] {
            assert!(!is_plain_name(name), "{name}");
        }
        for name in ["01", "a b", "...", ".a"] {
            assert!(is_plain_name(name), "{name}");
        }
    }
}
