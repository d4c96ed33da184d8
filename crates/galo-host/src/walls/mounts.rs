//! Single mounts, for the calling thread's namespace.

use std::ffi::{CStr, CString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change, mount_remount,
};

/// No devices, no programs that change their user, no programs at all.
const INERT: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV).union(MountFlags::NOEXEC);

/// Parts of `/proc` through which root changes the machine: a service may read them.
const READ_ONLY: [&CStr; 5] = [c"/proc/sys", c"/proc/irq", c"/proc/bus", c"/proc/fs", c"/proc/sysrq-trigger"];
/// Parts of `/proc` that show the kernel's memory and keys: a service does not see them.
const UNSEEN: [&CStr; 4] = [c"/proc/kcore", c"/proc/keys", c"/proc/timer_list", c"/proc/latency_stats"];

/// Whatever is mounted from now on is mounted here alone, and nothing of others comes in.
pub(super) fn apart() -> io::Result<()> {
    Ok(mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?)
}

/// Mounts a file system in memory.
pub(super) fn memory(at: &Path, options: &str) -> io::Result<()> {
    kind(c"tmpfs", at, MountFlags::NOSUID | MountFlags::NODEV, options)
}

/// Mounts a file system that needs no device.
pub(super) fn kind(kind: &CStr, at: &Path, flags: MountFlags, options: &str) -> io::Result<()> {
    let options = CString::new(options)?;
    Ok(mount(kind, at, kind, flags, options.as_c_str())?)
}

/// Mounts a layer over a folder: what is written lies in `upper`; `work` is the file system's own. Both lie in one folder
/// `stage`, which is empty.
pub(super) fn layer(lower: &Path, stage: &Path, at: &Path) -> io::Result<()> {
    let (upper, work) = (stage.join("upper"), stage.join("work"));
    fs::create_dir_all(&upper)?;
    fs::create_dir(&work)?;
    // Its own root looks like the folder below it.
    let meta = fs::metadata(lower)?;
    alike(&meta, &upper)?;
    let mut options = b"lowerdir=".to_vec();
    options.extend(escaped(lower));
    for (name, path) in [("upperdir", &upper), ("workdir", &work)] {
        options.extend_from_slice(format!(",{name}=").as_bytes());
        options.extend(escaped(path));
    }
    let options = CString::new(options)?;
    Ok(mount(c"overlay", at, c"overlay", MountFlags::NODEV, options.as_c_str())?)
}

/// A path as it stands among the options of an overlay: `:` and `,` part folders and options.
fn escaped(path: &Path) -> Vec<u8> {
    let special = |byte: &u8| matches!(byte, b':' | b',' | b'\\');
    let each = path.as_os_str().as_bytes().iter();
    each.flat_map(|byte| special(byte).then_some(b'\\').into_iter().chain([*byte])).collect()
}

/// Gives a folder the owner and the mode of another one.
pub(super) fn alike(meta: &fs::Metadata, at: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    std::os::unix::fs::chown(at, Some(meta.uid()), Some(meta.gid()))?;
    fs::set_permissions(at, meta.permissions())
}

/// Shows a folder or a file at another place.
pub(super) fn bind(from: &Path, to: &Path) -> io::Result<()> {
    Ok(mount_bind(from, to)?)
}

/// The same with all that is mounted below it.
pub(super) fn bind_all(from: &Path, to: &Path) -> io::Result<()> {
    Ok(mount_bind_recursive(from, to)?)
}

/// Shows a device at a place that is made for it.
pub(super) fn device(from: &Path, to: &Path) -> io::Result<()> {
    drop(File::create(to)?);
    bind(from, to)?;
    // It can be written to all the same, being a device: but its owner and mode are the machine's.
    let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NOEXEC;
    Ok(mount_remount(to, flags, c"")?)
}

/// Makes a mount of data read-only here.
pub(super) fn read_only(at: impl rustix::path::Arg) -> io::Result<()> {
    Ok(mount_remount(at, MountFlags::BIND | MountFlags::RDONLY | INERT, c"")?)
}

/// Makes a mount read-only here whose programs may run.
pub(super) fn unwritable(at: &Path) -> io::Result<()> {
    Ok(mount_remount(at, MountFlags::BIND | MountFlags::RDONLY | MountFlags::NODEV, c"")?)
}

/// Mounts `/proc` for the PID namespace of the calling process, which is its init. It takes no lock and allocates nothing.
pub(super) fn processes() -> io::Result<()> {
    mount(c"proc", c"/proc", c"proc", INERT, c"")?;
    for part in READ_ONLY {
        match mount_bind(part, part) {
            Err(Errno::NOENT) => continue,
            bound => bound?,
        }
        read_only(part)?;
    }
    for part in UNSEEN {
        match mount_bind(c"/dev/null", part) {
            Err(Errno::NOENT) => {}
            bound => bound?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_parts_options_is_escaped_in_a_path() {
        assert_eq!(escaped(Path::new("/a:b,c\\d e")), b"/a\\:b\\,c\\\\d e");
    }
}
