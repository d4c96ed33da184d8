//! Mounts of its own for each process that galo starts for a contender: what it mounts reaches nobody else, so that removing
//! its volumes cannot follow them, and control groups are read-only, so that it cannot leave its own by accident (PAM moves
//! sessions) or change its limits. Root may take that back by mounting them anew; who did is found by the keeper.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::mount::{MountFlags, MountPropagationFlags, mount_change, mount_remount};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use crate::cgroup::find::mount_points;
use crate::system::System;

/// Whether processes can have mounts of their own here.
#[derive(Debug, Clone)]
pub(crate) enum Shelter {
    /// They can; where control groups are mounted.
    Own(Vec<CString>),
    /// They cannot; why.
    Shared(String),
}

impl Shelter {
    /// Tries it with a process that ends at once.
    #[allow(unsafe_code)]
    pub(crate) fn choose(system: &System) -> Self {
        let points = mount_points(&system.read("/proc/self/mountinfo").unwrap_or_default());
        let points = points.iter().filter_map(|point| CString::new(point.as_os_str().as_bytes()).ok());
        let own = Self::Own(points.collect());
        let entered = own.clone();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", ":"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // SAFETY: `enter` makes system calls only; it takes no lock and allocates nothing.
        unsafe { command.pre_exec(move || entered.enter()) };
        match command.status() {
            Ok(_) => own,
            Err(error) => Self::Shared(error.to_string()),
        }
    }

    /// Gives the calling process, which must have one thread, mounts of its own. What others mount later is seen there, what it
    /// mounts is not seen elsewhere.
    #[allow(unsafe_code)]
    pub(crate) fn enter(&self) -> io::Result<()> {
        let Self::Own(points) = self else { return Ok(()) };
        // SAFETY: new mounts share no memory and no file table with anybody.
        unsafe { unshare_unsafe(UnshareFlags::NEWNS)? };
        mount_change(c"/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?;
        // There are no devices and no programs in such a file system, so these flags cost nobody anything.
        let flags = MountFlags::BIND
            | MountFlags::RDONLY
            | MountFlags::NOSUID
            | MountFlags::NODEV
            | MountFlags::NOEXEC;
        points.iter().try_for_each(|point| Ok(mount_remount(point.as_c_str(), flags, c"")?))
    }
}
