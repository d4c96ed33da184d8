//! Removes a folder of volumes, and stops at whatever is mounted in it: that is somebody else's. Nothing else that a service leaves there,
//! on purpose or not, keeps galo from going on.

use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use galo_record::clock;
use galo_record::foreign::enter_folder;
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, chmodat, fchmod, openat, renameat, statat, unlinkat,
};
use rustix::io::Errno;

use crate::error::HostError;

/// Folders within one another that are followed, each with an open file and some stack; what lies deeper is moved up first.
const DEPTH: usize = 256;

/// Removes a folder with all that is in it, or a link (the link alone); `false` if there was none.
///
/// # Errors
/// Something is mounted in it, or cannot be removed. The first such is told, and all else is removed.
pub(crate) fn remove(path: &Path) -> Result<bool, HostError> {
    let fail = |error: Errno| HostError::io("remove", path, &error.into());
    let name = CString::new(path.as_os_str().as_bytes())
        .map_err(|error| HostError::io("remove", path, &error.into()))?;
    let stat = match statat(CWD, &name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(false),
        stat => stat.map_err(fail)?,
    };
    if !is_folder(stat.st_mode) {
        unlinkat(CWD, &name, AtFlags::empty()).map_err(fail)?;
        return Ok(true);
    }
    let folder = open(CWD, &name, stat.st_mode, |name, flags| openat(CWD, name, flags, Mode::empty()))
        .map_err(|error| refused(error, path))?;
    let mut deep = Deep { top: folder.as_fd(), moved: Vec::new() };
    let mut result = deep.empty(&folder, path, 1);
    while let Some(name) = deep.moved.pop() {
        result = result.and(deep.remove_in(deep.top, &name, path, 1));
    }
    result?;
    unlinkat(CWD, &name, AtFlags::REMOVEDIR).map_err(|error| refused(error, path)).map(|()| true)
}

fn is_folder(mode: u32) -> bool {
    FileType::from_raw_mode(mode) == FileType::Directory
}

fn refused(error: Errno, path: &Path) -> HostError {
    match error {
        Errno::XDEV | Errno::BUSY => is_mounted(path),
        error => HostError::io("remove", path, &error.into()),
    }
}

/// What was too deep.
struct Deep<'a> {
    /// The folder that is removed. Whatever was moved lies in it.
    top: BorrowedFd<'a>,
    moved: Vec<CString>,
}

impl Deep<'_> {
    /// Removes all that is in a folder, which is so deep; `path` is for messages.
    fn empty(&mut self, folder: &OwnedFd, path: &Path, depth: usize) -> Result<(), HostError> {
        let mut result = Ok(());
        for entry in Dir::read_from(folder).map_err(|error| refused(error, path))? {
            let entry = entry.map_err(|error| refused(error, path))?;
            let name = entry.file_name();
            if name != c"." && name != c".." {
                result = result.and(self.remove_in(folder.as_fd(), &name.to_owned(), path, depth));
            }
        }
        result
    }

    /// Removes `name`, which is in the folder `parent`, whose `path` is for messages.
    fn remove_in(
        &mut self,
        parent: BorrowedFd<'_>,
        name: &CString,
        path: &Path,
        depth: usize,
    ) -> Result<(), HostError> {
        let path = path.join(std::ffi::OsStr::from_bytes(name.to_bytes()));
        let refused = |error: Errno| refused(error, &path);
        let mode = match statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            // It was moved while its folder was read, and is gone.
            Err(Errno::NOENT) => return Ok(()),
            stat => stat.map_err(refused)?.st_mode,
        };
        if !is_folder(mode) {
            return unlinkat(parent, name, AtFlags::empty()).map_err(refused);
        }
        if depth == DEPTH {
            let moved =
                CString::new(format!("galo-{}-{}", clock::now_ns(), self.moved.len())).unwrap_or_default();
            renameat(parent, name, self.top, &moved).map_err(refused)?;
            self.moved.push(moved);
            return Ok(());
        }
        let folder =
            open(parent, name, mode, |name, flags| enter_folder(parent, name, flags)).map_err(refused)?;
        self.empty(&folder, &path, depth + 1)?;
        unlinkat(parent, name, AtFlags::REMOVEDIR).map_err(refused)
    }
}

/// Opens a folder to be emptied, which its owner may have closed to himself (Go does so to its modules). Where it is somebody else's, opening
/// it fails, or removing something in it.
fn open(
    parent: BorrowedFd<'_>,
    name: &CString,
    mode: u32,
    open: impl Fn(&CString, OFlags) -> Result<OwnedFd, Errno>,
) -> Result<OwnedFd, Errno> {
    let open = || open(name, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC);
    let mut folder = open();
    if matches!(folder, Err(Errno::ACCESS)) {
        // Nothing is mounted there: that would have been said first.
        let _ = chmodat(parent, name, Mode::RWXU, AtFlags::empty());
        folder = open();
    }
    let folder = folder?;
    if mode & 0o700 != 0o700 {
        let _ = fchmod(&folder, Mode::RWXU);
    }
    Ok(folder)
}

fn is_mounted(path: &Path) -> HostError {
    let path = path.display();
    HostError::host(format!(
        "cannot remove `{path}`: something is mounted there\nhint: umount {path}  (then `galo clean`)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;
    use std::thread;

    use rustix::process::Uid;
    use rustix::thread::set_thread_res_uid;

    #[test]
    fn a_folder_goes_with_all_that_is_in_it_and_a_link_alone() {
        let place = tempfile::tempdir().unwrap();
        let (volumes, precious) = (place.path().join("volumes"), place.path().join("precious"));
        fs::create_dir_all(volumes.join("db/wal")).unwrap();
        fs::create_dir(&precious).unwrap();
        fs::write(volumes.join("db/wal/1"), "x").unwrap();
        std::os::unix::fs::symlink(&precious, volumes.join("db/link")).unwrap();
        let link = place.path().join("link");
        std::os::unix::fs::symlink(&volumes, &link).unwrap();
        assert!(remove(&link).unwrap() && volumes.exists());
        assert!(remove(&volumes).unwrap());
        assert!(!volumes.exists() && precious.exists());
        assert!(!remove(&volumes).unwrap());
    }

    #[test]
    fn however_deep_folders_are_they_go() {
        let place = tempfile::tempdir().unwrap();
        let volumes = place.path().join("volumes");
        // Four times as deep as is followed, in two branches, with a file in each folder.
        let script = "for branch in a b; do (mkdir $branch; cd $branch; i=0; \
                      while [ $i -lt 1024 ]; do mkdir x; : > y; cd ./x; i=$((i + 1)); done); done";
        fs::create_dir(&volumes).unwrap();
        assert!(Command::new("sh").args(["-c", script]).current_dir(&volumes).status().unwrap().success());
        assert!(remove(&volumes).unwrap());
        assert!(!volumes.exists());
    }

    /// Root may enter whatever is closed, so another user removes here.
    #[test]
    fn folders_that_their_owner_closed_go_and_those_of_somebody_else_are_told() {
        let place = tempfile::tempdir().unwrap();
        let (volumes, other) = (place.path().join("volumes"), place.path().join("other"));
        for folder in [&volumes, &other] {
            fs::create_dir_all(folder.join("closed/z")).unwrap();
            fs::write(folder.join("closed/z/y"), "x").unwrap();
        }
        let nobody = Uid::from_raw(65_534);
        if rustix::process::geteuid().is_root() {
            for path in ["", "volumes", "volumes/closed", "volumes/closed/z"] {
                rustix::fs::chown(place.path().join(path), Some(nobody), None).unwrap();
            }
        }
        for (path, mode) in [("closed/z", 0o500), ("closed", 0o000)] {
            fs::set_permissions(volumes.join(path), fs::Permissions::from_mode(mode)).unwrap();
            fs::set_permissions(other.join(path), fs::Permissions::from_mode(mode)).unwrap();
        }
        let removed = thread::spawn(move || {
            if rustix::process::geteuid().is_root() {
                // Of this thread alone, which has no other rights after it.
                set_thread_res_uid(nobody, nobody, nobody).unwrap();
                return (remove(&volumes), Some(remove(&other).unwrap_err().message));
            }
            (remove(&volumes), None)
        });
        let (mine, others) = removed.join().unwrap();
        assert!(mine.unwrap());
        assert!(!place.path().join("volumes").exists());
        assert!(others.is_none_or(|message| message.contains("Permission denied")));
    }

    /// In mounts of its own, which end with it: a folder of the same file system is mounted in a volume, then this test runs
    /// again in there.
    #[test]
    fn what_is_mounted_in_a_volume_is_left_and_told() {
        if let Some(volumes) = std::env::var_os("GALO_TEST_VOLUMES") {
            let volumes = Path::new(&volumes);
            let message = remove(volumes).unwrap_err().message;
            let mounted = volumes.join("db/mounted");
            let expected =
                format!("cannot remove `{}`: something is mounted there\nhint: umount ", mounted.display());
            assert!(message.starts_with(&expected), "{message}");
            assert!(!volumes.join("db/other").exists());
            return;
        }
        let place = tempfile::tempdir().unwrap();
        let (volumes, precious) = (place.path().join("volumes"), place.path().join("precious"));
        fs::create_dir_all(volumes.join("db/mounted")).unwrap();
        fs::create_dir(volumes.join("db/other")).unwrap();
        fs::create_dir(&precious).unwrap();
        fs::write(precious.join("file"), "x").unwrap();
        let name = "sweep::tests::what_is_mounted_in_a_volume_is_left_and_told";
        let again = Command::new("unshare")
            .args([
                "--mount",
                "--map-root-user",
                "sh",
                "-c",
                "mount --bind \"$1\" \"$2\" && exec \"$0\" --exact \"$3\"",
            ])
            .arg(std::env::current_exe().unwrap())
            .args([&precious, &volumes.join("db/mounted")])
            .arg(name)
            .env("GALO_TEST_VOLUMES", &volumes)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&again.stdout);
        assert!(again.status.success() && told.contains("1 passed"), "{again:?}");
        assert!(precious.join("file").exists());
        assert!(remove(&volumes).unwrap());
    }
}
