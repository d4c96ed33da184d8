//! Where the kernel tells of flushes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags};

use crate::perf::Counter;

/// Where tracefs is mounted, if it is.
const TRACEFS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// File systems that tell of each file that they put on the disk, whoever asked for it and however: by a system call, by O_DSYNC, by a flag of
/// a write, by an io_uring. With the magic number of statfs(2), the tracepoint, and whether that names the device.
const BY_FILE_SYSTEM: [(i64, &str, bool); 4] = [
    (0xef53, "ext4/ext4_sync_file_enter", true),
    (0x5846_5342, "xfs/xfs_file_fsync", true),
    (0xf2f5_2010, "f2fs/f2fs_sync_file_enter", true),
    (0x9123_683e, "btrfs/btrfs_sync_file", false),
];
/// System calls that put files on the disk without such a tracepoint.
const BESIDE: [&str; 3] = ["sync", "syncfs", "sync_file_range"];
/// System calls after which a file is on the disk, or an error was told.
const CALLS: [&str; 3] = ["fsync", "fdatasync", "msync"];
/// The call that writes through if its flags say so: RWF_DSYNC, RWF_SYNC.
const BY_FLAGS: (&str, &str) = ("pwritev2", "flags & 6");
/// Requests to an io_uring, as kernels call the tracepoint, the newer ones first.
const URING: [&str; 2] = ["io_uring/io_uring_submit_req", "io_uring/io_uring_submit_sqe"];
/// IORING_OP_FSYNC and IORING_OP_SYNC_FILE_RANGE.
const URING_FLUSHES: &str = "opcode == 3 || opcode == 8";
/// IORING_OP_WRITEV, WRITE_FIXED, WRITE and WRITEV_FIXED: whether they write through is not told.
const URING_WRITES: &str = "opcode == 2 || opcode == 5 || opcode == 23 || opcode == 61";
/// Calls that open files, where their flags say O_DSYNC, whose bit O_SYNC holds as well.
const OPENS: [&str; 2] = ["openat", "open"];

/// A place in the kernel, and which of its passings are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tracepoint {
    pub(super) number: u64,
    pub(super) filter: Option<String>,
}

impl Tracepoint {
    /// Counts how often thread `thread` (0: the calling one), and all that it starts from now on, pass here.
    pub(super) fn count(&self, thread: i32) -> io::Result<Counter> {
        Counter::open(self.number, self.filter.as_deref(), thread)
    }
}

/// What is counted of a service.
#[derive(Debug, Clone)]
pub(super) struct Tracepoints {
    pub(super) flushes: Vec<Tracepoint>,
    /// Where something may be written through, with words for it.
    pub(super) suspects: Vec<(&'static str, Tracepoint)>,
    /// What this kernel does not tell.
    pub(super) unseen: Option<&'static str>,
}

impl Tracepoints {
    /// For a service with these volumes.
    ///
    /// # Errors
    /// The kernel has not even those for fsync and fdatasync.
    pub(super) fn of(tracefs: &Tracefs, volumes: &[PathBuf]) -> Result<Self, String> {
        let by_file_system: Option<Vec<Tracepoint>> =
            volumes.iter().map(|volume| of_file_system(tracefs, volume)).collect();
        match by_file_system.filter(|all| !all.is_empty()) {
            Some(mut all) => {
                all.sort_by(|a, b| (a.number, &a.filter).cmp(&(b.number, &b.filter)));
                all.dedup();
                Ok(Self::by_file_system(tracefs, all))
            }
            None => Self::by_calls(tracefs),
        }
    }

    fn by_file_system(tracefs: &Tracefs, mut flushes: Vec<Tracepoint>) -> Self {
        flushes.extend(BESIDE.iter().filter_map(|call| tracefs.call(call, None)));
        Self { flushes, suspects: aio(tracefs).into_iter().collect(), unseen: None }
    }

    fn by_calls(tracefs: &Tracefs) -> Result<Self, String> {
        let must = CALLS[..2].iter().all(|call| tracefs.call(call, None).is_some());
        if !must {
            return Err("this kernel has no tracepoints of system calls".to_owned());
        }
        let mut flushes: Vec<Tracepoint> =
            CALLS.iter().chain(&BESIDE).filter_map(|call| tracefs.call(call, None)).collect();
        flushes.extend(tracefs.call(BY_FLAGS.0, Some(BY_FLAGS.1)));
        let uring = |filter| URING.iter().find_map(|event| tracefs.find(event, Some(filter)));
        flushes.extend(uring(URING_FLUSHES));
        let mut suspects: Vec<_> = aio(tracefs).into_iter().collect();
        suspects.extend(uring(URING_WRITES).map(|found| ("wrote by io_uring", found)));
        let filter = format!("flags & {}", libc::O_DSYNC);
        let opens = OPENS.iter().filter_map(|call| tracefs.call(call, Some(&filter)));
        suspects.extend(opens.map(|found| ("opened files with O_SYNC or O_DSYNC", found)));
        let unseen =
            uring(URING_FLUSHES).is_none().then_some("this kernel does not tell of io_uring's flushes");
        Ok(Self { flushes, suspects, unseen })
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Tracepoint> {
        self.flushes.iter().chain(self.suspects.iter().map(|(_, tracepoint)| tracepoint))
    }
}

/// The kernel's AIO flushes in threads of its own.
fn aio(tracefs: &Tracefs) -> Option<(&'static str, Tracepoint)> {
    Some(("used the kernel's AIO", tracefs.call("io_submit", None)?))
}

/// Of the file system of a folder or file, if it tells.
fn of_file_system(tracefs: &Tracefs, place: &Path) -> Option<Tracepoint> {
    #[allow(clippy::unnecessary_cast)]
    let magic = rustix::fs::statfs(place).ok()?.f_type as i64;
    let (_, event, names_device) = *BY_FILE_SYSTEM.iter().find(|(known, ..)| *known == magic)?;
    let device = rustix::fs::stat(place).ok()?.st_dev;
    // As the kernel has it within itself: the minor number in the lower 20 bits.
    let device = (u64::from(rustix::fs::major(device)) << 20) | u64::from(rustix::fs::minor(device));
    tracefs.find(event, names_device.then(|| format!("dev == {device}")).as_deref())
}

/// The kernel's list of its tracepoints.
#[derive(Debug)]
pub(super) enum Tracefs {
    /// Where it is mounted.
    Folder(PathBuf),
    /// A mount that has no place in the tree, which changes nothing for anybody else.
    Detached(OwnedFd),
}

impl Tracefs {
    /// # Errors
    /// It is not mounted, and cannot be.
    pub(super) fn open() -> Result<Self, String> {
        let mounted = TRACEFS.iter().map(Path::new).find(|root| root.join("events").is_dir());
        match mounted {
            Some(root) => Ok(Self::Folder(root.to_owned())),
            None => {
                Self::detached().map_err(|error| format!("tracefs is not mounted, and cannot be: {error}"))
            }
        }
    }

    pub(super) fn detached() -> rustix::io::Result<Self> {
        let context = rustix::mount::fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        rustix::mount::fsconfig_create(&context)?;
        let flags = (FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty());
        rustix::mount::fsmount(&context, flags.0, flags.1).map(Self::Detached)
    }

    fn call(&self, call: &str, filter: Option<&str>) -> Option<Tracepoint> {
        self.find(&format!("syscalls/sys_enter_{call}"), filter)
    }

    fn find(&self, event: &str, filter: Option<&str>) -> Option<Tracepoint> {
        let number = self.read(Path::new(&format!("events/{event}/id"))).ok()?.trim().parse().ok()?;
        Some(Tracepoint { number, filter: filter.map(str::to_owned) })
    }

    fn read(&self, path: &Path) -> io::Result<String> {
        match self {
            Self::Folder(root) => fs::read_to_string(root.join(path)),
            Self::Detached(mount) => {
                let file = rustix::fs::openat(mount, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
                io::read_to_string(fs::File::from(file))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mounted_nowhere_tells_the_same() {
        let (Ok(any), Ok(detached)) = (Tracefs::open(), Tracefs::detached()) else {
            return needs::lacked("tracefs cannot be mounted");
        };
        assert!(any.call("fsync", None).is_some());
        assert_eq!(any.call("fsync", None), detached.call("fsync", None));
    }

    #[test]
    fn a_file_system_in_memory_does_not_tell_and_calls_are_counted() {
        let Ok(tracefs) = Tracefs::open() else { return needs::lacked("tracefs cannot be mounted") };
        assert_eq!(of_file_system(&tracefs, Path::new("/proc")), None);
        let calls = Tracepoints::of(&tracefs, &[PathBuf::from("/proc")]).unwrap();
        assert!(calls.flushes.contains(&tracefs.call("fsync", None).unwrap()));
    }
}
