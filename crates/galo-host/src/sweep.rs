//! Removes a folder of volumes, and stops at whatever is mounted in it: that is somebody else's.

use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2, statat, unlinkat,
};
use rustix::io::Errno;

use crate::error::HostError;

/// Folders within one another that are followed. Each takes an open file and some stack.
const DEPTH: usize = 256;

/// Removes a folder with all that is in it, or a link (the link alone); `false` if there was none.
///
/// # Errors
/// Something is mounted in it, or cannot be removed. The first such is told, and all else is removed.
pub(crate) fn remove(path: &Path) -> Result<bool, HostError> {
    let name = CString::new(path.as_os_str().as_bytes())
        .map_err(|error| HostError::io("remove", path, &error.into()))?;
    match statat(CWD, &name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => Ok(false),
        Err(error) => Err(HostError::io("remove", path, &error.into())),
        Ok(_) => remove_at(CWD, &name, path, 0).map(|()| true),
    }
}

/// Removes `name`, which is in the folder `parent`; `path` is for messages.
fn remove_at(parent: BorrowedFd<'_>, name: &CString, path: &Path, depth: usize) -> Result<(), HostError> {
    let refused = |error: Errno| match error {
        Errno::XDEV | Errno::BUSY => is_mounted(path),
        error => HostError::io("remove", path, &error.into()),
    };
    let stat = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).map_err(refused)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
        return unlinkat(parent, name, AtFlags::empty()).map_err(refused);
    }
    if depth == DEPTH {
        let path = path.display();
        return Err(HostError::host(format!(
            "`{path}` is more than {DEPTH} folders deep\nhint: remove it by hand: rm -r {path}"
        )));
    }
    let folder = enter(parent, name, depth).map_err(refused)?;
    let mut result = Ok(());
    for entry in Dir::read_from(&folder).map_err(refused)? {
        let entry = entry.map_err(refused)?;
        let below = entry.file_name();
        if below != c"." && below != c".." {
            let path = path.join(std::ffi::OsStr::from_bytes(below.to_bytes()));
            result = result.and(remove_at(folder.as_fd(), &below.to_owned(), &path, depth + 1));
        }
    }
    result?;
    unlinkat(parent, name, AtFlags::REMOVEDIR).map_err(refused)
}

/// Opens a folder that lies in the same mount as its parent, else [`Errno::XDEV`]. The first one's parent is whatever leads
/// there: a run folder may be a mount itself, and what is below it still galo's.
fn enter(parent: BorrowedFd<'_>, name: &CString, depth: usize) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if depth == 0 {
        return openat(parent, name, flags, Mode::empty());
    }
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
    use std::process::Command;

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
    fn folders_without_end_are_told() {
        let place = tempfile::tempdir().unwrap();
        let volumes = place.path().join("volumes");
        let script = "i=0; while [ $i -lt 300 ]; do mkdir x; cd x; i=$((i + 1)); done";
        fs::create_dir(&volumes).unwrap();
        assert!(Command::new("sh").args(["-c", script]).current_dir(&volumes).status().unwrap().success());
        let message = remove(&volumes).unwrap_err().message;
        assert!(message.contains("is more than 256 folders deep\nhint: "), "{message}");
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
