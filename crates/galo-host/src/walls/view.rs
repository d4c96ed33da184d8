//! What one start of a service sees of the file system.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::mount::{MountFlags, UnmountFlags, unmount};
use rustix::process::pivot_root;

use super::mounts;
use crate::cgroup::find::{Mount, parse_mounts};

/// Places that are empty at each start, with their modes: programs keep there what need not last.
const FRESH: [(&str, u32); 2] = [("/tmp", 0o1777), ("/run", 0o755)];
/// The memory file system that the services of a contender share.
const SHARED: &str = "/dev/shm";
/// Below these the kernel's own file systems are mounted, which are treated one by one.
const KERNELS: [&str; 3] = ["/proc", "/sys", "/dev"];
/// The devices that programs expect.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
/// Links in `/dev`, with where they lead.
const LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];
/// First the layers lie there, in memory. Once the roots have changed places it leads to the machine's own root,
/// until the service's `/proc` is mounted there.
const OLD: &str = "/proc";

/// What one start of a service sees of the file system: the machine's, with a layer of its own over it.
#[derive(Debug, Default)]
pub(crate) struct View {
    /// Whether there is a layer. Without, all but what is [`FRESH`] is the machine's own.
    pub(crate) has_layer: bool,
    /// Bytes that the layer and the fresh places may have together; 0: half of the machine's memory.
    pub(crate) bytes: u64,
    /// Folders and files that it needs wherever they lie: its work tree, its program, what its command names in `/tmp`.
    pub(crate) needed: Vec<PathBuf>,
    /// Folders that it does not see.
    pub(crate) hidden: Vec<PathBuf>,
    /// Its volumes: where each lies, and where it is seen.
    pub(crate) volumes: Vec<(PathBuf, PathBuf)>,
}

impl View {
    /// Has the calling thread, which must have mounts of its own, see this.
    pub(super) fn build(&self) -> io::Result<()> {
        let mountinfo = fs::read("/proc/thread-self/mountinfo")?;
        let mounts = parse_mounts(&String::from_utf8_lossy(&mountinfo));
        let points: Vec<PathBuf> = mounts.iter().map(|mount| mount.point.clone()).collect();
        let resolved = |paths: &[PathBuf]| -> BTreeSet<PathBuf> {
            paths.iter().filter_map(|path| path.canonicalize().ok()).collect()
        };
        let (needed, hidden) = (resolved(&self.needed), resolved(&self.hidden));
        let hidden: BTreeSet<PathBuf> = hidden.iter().flat_map(|path| everywhere(path, &mounts)).collect();
        let furnishing = Furnishing::begin(self)?;
        for point in points.iter().filter(|point| is_ordinary(point)) {
            // What cannot be shown is missed by the program that needs it; no other does.
            let _ = furnishing.show(point);
        }
        kernels_own(&points)?;
        for (place, mode) in FRESH {
            furnishing.freshen(Path::new(place), mode)?;
        }
        for path in needed.iter().filter_map(|path| top(path)).collect::<BTreeSet<_>>() {
            furnishing.show(&path)?;
        }
        // One below another is hidden with it.
        let hide = |path: &&PathBuf| path.is_dir().then(|| mounts::memory(path, "mode=0711,size=64k"));
        let hidden: Vec<(&PathBuf, io::Result<()>)> =
            hidden.iter().filter_map(|path| Some((path, hide(&path)?))).collect();
        for (folder, seen) in &self.volumes {
            fs::create_dir_all(seen)?;
            mounts::bind(&old(folder), seen)?;
        }
        for (path, is_hidden) in hidden {
            is_hidden?;
            mounts::read_only(path.as_path())?;
        }
        Ok(unmount(OLD, UnmountFlags::DETACH)?)
    }
}

/// A new root while it is furnished.
struct Furnishing<'a> {
    view: &'a View,
    /// Holds all that is written, in a folder for each layer and for each fresh place.
    stage: PathBuf,
    /// Layers that were made.
    layers: Cell<u32>,
}

impl<'a> Furnishing<'a> {
    /// Makes the new root, and goes there.
    fn begin(view: &'a View) -> io::Result<Self> {
        let size = if view.bytes == 0 { String::new() } else { format!(",size={}", view.bytes) };
        let stage = Path::new(OLD);
        mounts::memory(stage, &format!("mode=0755{size}"))?;
        let root = stage.join("root");
        fs::create_dir(&root)?;
        match view.has_layer {
            true => mounts::layer(Path::new("/"), &stage.join("layer"), &root)?,
            false => mounts::bind(Path::new("/"), &root)?,
        }
        pivot_root(&root, root.join(OLD.trim_start_matches('/')))?;
        std::env::set_current_dir("/")?;
        Ok(Self { view, stage: old(stage), layers: Cell::new(0) })
    }

    /// Shows a path of the machine's: a folder with a layer over it, a file as it is. What is neither leads to somebody: a
    /// socket, a pipe, a device.
    fn show(&self, path: &Path) -> io::Result<()> {
        let from = old(path);
        let Ok(meta) = fs::symlink_metadata(&from) else { return Ok(()) };
        if !meta.is_dir() && !meta.is_file() {
            return Ok(());
        }
        if meta.is_file() {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            if !path.exists() {
                fs::File::create(path)?;
            }
            mounts::bind(&from, path)?;
            return mounts::unwritable(path);
        }
        fs::create_dir_all(path)?;
        if !self.view.has_layer {
            return mounts::bind(&from, path);
        }
        self.layers.set(self.layers.get() + 1);
        let stage = self.stage.join(self.layers.get().to_string());
        // A file system over which no layer can lie is not written to at all.
        mounts::layer(&from, &stage, path)
            .or_else(|_| mounts::bind(&from, path).and_then(|()| mounts::unwritable(path)))
    }

    /// Empties a place, but for the folders that the machine keeps there for programs (`/run/postgresql`), which are
    /// there, and empty.
    fn freshen(&self, place: &Path, mode: u32) -> io::Result<()> {
        let fresh = self.stage.join(place.file_name().unwrap_or_default());
        fs::create_dir(&fresh)?;
        fs::set_permissions(&fresh, fs::Permissions::from_mode(mode))?;
        let kept = fs::read_dir(old(place)).into_iter().flatten().flatten();
        let is_programs = |entry: &fs::DirEntry| !entry.file_name().to_string_lossy().starts_with("galo");
        for entry in kept.filter(|_| place == Path::new("/run")).filter(is_programs) {
            let Ok(meta) = entry.metadata() else { continue };
            if meta.is_dir() {
                let folder = fresh.join(entry.file_name());
                fs::create_dir(&folder)?;
                mounts::alike(&meta, &folder)?;
            }
        }
        fs::create_dir_all(place)?;
        mounts::bind(&fresh, place)
    }
}

/// A path of the machine's, while the new root is furnished.
fn old(path: &Path) -> PathBuf {
    Path::new(OLD).join(path.strip_prefix("/").unwrap_or(path))
}

/// Whether a mount is neither the root nor the kernel's, nor in a fresh place.
fn is_ordinary(point: &Path) -> bool {
    let special = KERNELS.iter().chain(FRESH.iter().map(|(place, _)| place));
    point != Path::new("/") && special.into_iter().all(|place| !point.starts_with(place))
}

/// The part of a path that must be shown in a place where nothing of the machine's is: what lies directly in it. `None`: it
/// is seen anyway.
fn top(path: &Path) -> Option<PathBuf> {
    FRESH.iter().find_map(|(place, _)| {
        let below = path.strip_prefix(place).ok()?;
        Some(Path::new(place).join(below.components().next()?))
    })
}

/// A path, and all others at which the same folder, or a part of it, is seen: through other mounts of its file system.
fn everywhere(path: &Path, mounts: &[Mount]) -> Vec<PathBuf> {
    // Where two mounts are at one point, the later one is seen.
    let holder = |path: &Path| {
        mounts.iter().filter(|m| path.starts_with(&m.point)).max_by_key(|m| m.point.components().count())
    };
    let mut all = vec![path.to_owned()];
    let Some(own) = holder(path) else { return all };
    let inner = Path::new(&own.root).join(path.strip_prefix(&own.point).unwrap_or(path));
    all.extend(mounts.iter().filter(|mount| mount.device == own.device).filter_map(|mount| {
        let seen = match inner.strip_prefix(&mount.root) {
            Ok(rest) => mount.point.join(rest),
            Err(_) => Path::new(&mount.root).starts_with(&inner).then(|| mount.point.clone())?,
        };
        // What another mount covers is not seen there.
        (holder(&seen) == Some(mount)).then_some(seen)
    }));
    all
}

/// `/sys`, which can be read, and `/dev` with the few devices that programs expect.
fn kernels_own(points: &[PathBuf]) -> io::Result<()> {
    mounts::bind_all(&old(Path::new("/sys")), Path::new("/sys"))?;
    for point in points.iter().filter(|point| point.starts_with("/sys")) {
        mounts::read_only(point.as_path())?;
    }
    let dev = Path::new("/dev");
    mounts::kind(c"tmpfs", dev, MountFlags::NOSUID, "mode=0755,size=64k")?;
    for device in DEVICES {
        mounts::device(&old(&dev.join(device)), &dev.join(device))?;
    }
    for (name, leads_to) in LINKS {
        symlink(leads_to, dev.join(name))?;
    }
    for (name, kind, options) in
        [("pts", c"devpts", "newinstance,ptmxmode=0666,mode=0620"), ("mqueue", c"mqueue", "")]
    {
        fs::create_dir(dev.join(name))?;
        // A kernel without them has no program that needs them.
        let _ = mounts::kind(kind, &dev.join(name), MountFlags::NOSUID | MountFlags::NOEXEC, options);
    }
    let shared = Path::new(SHARED);
    fs::create_dir(shared)?;
    mounts::bind(&old(shared), shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_an_empty_place_is_shown_from_its_first_folder_on() {
        let shown = |path: &str| top(Path::new(path));
        assert_eq!(shown("/tmp/a/b/server.js"), Some(PathBuf::from("/tmp/a")));
        assert_eq!(shown("/dev/shm/x"), None, "it is the services' own");
        assert_eq!((shown("/tmp"), shown("/srv/tmp/a"), shown("/tmpfile")), (None, None, None));
    }

    #[test]
    fn what_is_hidden_is_hidden_at_each_mount_of_its_file_system() {
        let mounts = parse_mounts(
            "1 0 8:1 /deploy/1 / rw - ext4 /dev/a rw\n\
             2 1 8:1 / /sysroot rw - ext4 /dev/a rw\n\
             3 1 8:1 /var /var rw - ext4 /dev/a rw\n\
             4 1 8:1 /var/home/me /home/me rw - ext4 /dev/a rw\n\
             5 1 8:1 /var/home/me/runs/1 /srv/one rw - ext4 /dev/a rw\n\
             6 1 8:2 /var /mnt/other rw - ext4 /dev/b rw\n\
             7 1 8:1 /var /mnt/covered rw - ext4 /dev/a rw\n\
             8 7 8:2 / /mnt/covered/home rw - ext4 /dev/b rw\n",
        );
        let seen = everywhere(Path::new("/home/me/runs"), &mounts);
        let expected =
            ["/home/me/runs", "/sysroot/var/home/me/runs", "/var/home/me/runs", "/home/me/runs", "/srv/one"];
        assert_eq!(seen, expected.map(PathBuf::from));
        assert_eq!(
            everywhere(Path::new("/etc/x"), &mounts)[1..],
            ["/etc/x", "/sysroot/deploy/1/etc/x"].map(PathBuf::from)
        );
    }

    #[test]
    fn disks_are_ordinary_and_the_kernels_file_systems_are_not() {
        let ordinary = |path: &str| is_ordinary(Path::new(path));
        assert!(ordinary("/home") && ordinary("/etc/hosts") && ordinary("/developer"));
        for point in ["/", "/proc", "/sys/fs/cgroup", "/dev/shm", "/run/user/0", "/tmp/x"] {
            assert!(!ordinary(point), "{point}");
        }
    }
}
