//! The walls of a service, which the kernel holds: namespaces, a file system of its own, few capabilities.
//!
//! - **Processes**: each command runs as the init of a PID namespace. When it ends, the kernel ends all that it ever
//!   started, wherever that went; no process of galo's or of another service is seen.
//! - **Files**: the machine's file system with a writable layer in memory ([`view`]), which is new at each start.
//!   Only volumes last. Nothing of galo's is seen.
//! - **IPC**: the services of a contender share one namespace (shared memory, queues) from one start to the next.
//! - **Rights**: the capabilities of [`KEPT`] at most, for root as well, and not all system calls ([`calls`]).
//!
//! The network is galo's own. A thread enters the namespaces and starts the process in them, since they are a thread's
//! ([`unshare(2)`](https://man7.org/linux/man-pages/man2/unshare.2.html), `setns(2)`); it ends at once.

mod calls;
mod mounts;
mod view;

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, LinkNameSpaceType, UnshareFlags, capabilities,
    clear_ambient_capability_set, move_into_link_name_space, remove_capability_from_bounding_set,
    set_capabilities, unshare_unsafe,
};

use crate::error::HostError;
use crate::groups::Groups;
use crate::session;
pub(crate) use view::View;

/// The capabilities that a service may have: what Docker gives by default
/// ([list](https://docs.docker.com/engine/containers/run/#runtime-privilege-and-linux-capabilities)), without those
/// that make devices, raw packets and audit records.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::NET_BIND_SERVICE)
    .union(CapabilitySet::SYS_CHROOT)
    .union(CapabilitySet::SETFCAP);
/// More capabilities than this no kernel has: they are bits of 64.
const CAPABILITIES: u32 = 64;

/// A process that joins a service is a program after this, or somebody stops it.
const SPAWN_WITHIN: Duration = Duration::from_secs(1);

/// Whether services get walls here.
#[derive(Debug, Clone)]
pub(crate) enum Walls {
    /// They do. `layers`: whether what they write outside of their volumes goes with each start.
    Held { layers: bool },
    /// They do not; why.
    Open(String),
}

/// What the services of a contender share from one start to the next: IPC, and the memory file system `/dev/shm`.
#[derive(Debug)]
pub(crate) struct Commons {
    mounts: File,
    ipc: File,
}

/// The file system of one start of a service, and what it shares.
#[derive(Debug)]
pub(crate) struct Room {
    commons: Arc<Commons>,
    mounts: File,
}

/// Where a process is started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inside<'a> {
    pub(crate) room: &'a Room,
    /// The PID namespace that it joins; `None`: it gets one of its own, whose init it is.
    pub(crate) joins: Option<&'a File>,
}

impl Walls {
    /// Tries them with a process that ends at once, where services are started in such groups.
    #[allow(unsafe_code)]
    pub(crate) fn choose(groups: &Groups) -> Self {
        if let Groups::Systemd(_) = groups {
            return Self::Open("systemd starts them".to_owned());
        }
        let tried = |layers: bool| {
            let view = View { has_layer: layers, ..View::default() };
            let room = Room::new(Arc::new(Commons::new()?), &view)?;
            let mut command = Command::new("/bin/sh");
            command.args(["-c", ":"]).current_dir("/");
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            // SAFETY: both make system calls only; they take no lock and allocate nothing.
            unsafe { command.pre_exec(|| settle().and_then(|()| give_up_rights())) };
            Inside { room: &room, joins: None }.spawn(&mut command)??.wait()
        };
        if tried(true).is_ok() {
            return Self::Held { layers: true };
        }
        tried(false).map_or_else(|error| Self::Open(error.to_string()), |_| Self::Held { layers: false })
    }

    /// What does not hold, in one sentence; `None` where all does.
    pub(crate) fn note(&self) -> Option<String> {
        match self {
            Self::Held { layers: true } => None,
            Self::Held { layers: false } => Some(
                "the kernel has no overlay file system, so what a service writes outside of its volumes outlives it"
                    .to_owned(),
            ),
            Self::Open(why) => Some(format!(
                "services have no namespaces of their own ({why}): they see other processes and galo's files, and \
                 what they write outlives them"
            )),
        }
    }

    /// What services share from now on; `None` where walls cannot be had.
    pub(crate) fn commons(&self) -> Result<Option<Arc<Commons>>, HostError> {
        match self {
            Self::Held { .. } => Ok(Some(Arc::new(Commons::new().map_err(|error| not_held(&error))?))),
            Self::Open(_) => Ok(None),
        }
    }

    /// Whether writable places other than volumes are fresh.
    pub(crate) fn has_layers(&self) -> bool {
        matches!(self, Self::Held { layers: true })
    }
}

/// An error of the machine's that keeps walls from being put up.
pub(crate) fn not_held(error: &io::Error) -> HostError {
    HostError::host(format!("namespaces cannot be made: {error}\nhint: see `galo doctor`"))
}

impl Commons {
    fn new() -> io::Result<Self> {
        aside(|| {
            unshare(UnshareFlags::FS | UnshareFlags::NEWNS | UnshareFlags::NEWIPC)?;
            let (mounts, ipc) = (own("mnt")?, own("ipc")?);
            mounts::apart()?;
            mounts::memory(Path::new("/dev/shm"), "mode=1777")?;
            Ok(Self { mounts, ipc })
        })
    }

    /// Has the calling thread share it.
    fn enter(&self) -> io::Result<()> {
        unshare(UnshareFlags::FS)?;
        enter(&self.ipc, LinkNameSpaceType::InterProcessCommunication)?;
        enter(&self.mounts, LinkNameSpaceType::Mount)
    }
}

impl Room {
    /// Makes the file system that `view` describes.
    fn new(commons: Arc<Commons>, view: &View) -> io::Result<Self> {
        let mounts = aside(|| {
            commons.enter()?;
            unshare(UnshareFlags::NEWNS)?;
            let mounts = own("mnt")?;
            view.build()?;
            Ok(mounts)
        })?;
        Ok(Self { commons, mounts })
    }

    /// The same, for a service.
    pub(crate) fn open(commons: &Arc<Commons>, view: &View) -> Result<Self, HostError> {
        Self::new(Arc::clone(commons), view).map_err(|error| not_held(&error))
    }
}

impl Inside<'_> {
    /// Starts a process there. Before it becomes its program it must call [`settle`], if it is an init.
    ///
    /// # Errors
    /// The outer one: the namespaces cannot be entered; the inner one is the process's.
    pub(crate) fn spawn(&self, command: &mut Command) -> io::Result<io::Result<Child>> {
        let spawn = || {
            self.room.commons.enter()?;
            enter(&self.room.mounts, LinkNameSpaceType::Mount)?;
            match self.joins {
                None => unshare(UnshareFlags::NEWPID)?,
                Some(processes) => enter(processes, LinkNameSpaceType::ProcessID)?,
            }
            Ok(command.spawn())
        };
        let Some(joined) = self.joins else { return aside(spawn) };
        let namespace = joined.metadata()?.ino();
        thread::scope(|scope| {
            let (done, is_done) = mpsc::channel::<()>();
            scope.spawn(move || kill_stopped(namespace, &is_done));
            let spawned = aside(spawn);
            drop(done);
            spawned
        })
    }
}

/// Kills children of galo's in a PID namespace that are stopped, until it is over: a service sees whoever joins it, and one that
/// stops a process before it is a program would have galo wait for ever.
fn kill_stopped(namespace: u64, is_over: &Receiver<()>) {
    while is_over.recv_timeout(SPAWN_WITHIN) == Err(RecvTimeoutError::Timeout) {
        session::kill_stopped_children(namespace);
    }
}

/// The PID namespace of a running process.
pub(crate) fn processes_of(pid: u32) -> io::Result<File> {
    File::open(format!("/proc/{pid}/ns/pid"))
}

/// What a process does once it is in its PID namespace, and still has all rights. It takes no lock and allocates nothing.
pub(crate) fn settle() -> io::Result<()> {
    mounts::processes()
}

/// Gives up the rights that a service does not need, for good. It takes no lock and allocates nothing.
///
/// The bounding set does not bound inheritable and ambient capabilities, which galo may have of its caller and which come through
/// `exec` as well ([`capabilities(7)`](https://man7.org/linux/man-pages/man7/capabilities.7.html)).
pub(crate) fn give_up_rights() -> io::Result<()> {
    calls::refuse()?;
    clear_ambient_capability_set()?;
    let own = capabilities(None)?;
    set_capabilities(None, CapabilitySets { inheritable: CapabilitySet::empty(), ..own })?;
    for number in 0..CAPABILITIES {
        let one = CapabilitySet::from_bits_retain(1 << number);
        if KEPT.contains(one) {
            continue;
        }
        match remove_capability_from_bounding_set(one) {
            // The kernel knows no more than those before.
            Err(Errno::INVAL) => break,
            dropped => dropped?,
        }
    }
    Ok(())
}

/// Does something in a thread of its own, whose namespaces end with it unless something else is in them.
fn aside<T: Send>(what: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("galo-walls".to_owned()).spawn_scoped(scope, what)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that makes namespaces failed")))
    })
}

/// A namespace of the calling thread.
fn own(kind: &str) -> io::Result<File> {
    File::open(Path::new("/proc/thread-self/ns").join(kind))
}

fn enter(namespace: &File, kind: LinkNameSpaceType) -> io::Result<()> {
    Ok(move_into_link_name_space(namespace.as_fd(), Some(kind))?)
}

#[allow(unsafe_code)]
fn unshare(what: UnshareFlags) -> io::Result<()> {
    // SAFETY: neither memory nor the table of open files is among what callers name; the calling thread ends soon.
    unsafe { unshare_unsafe(what) }.map_err(Into::into)
}
