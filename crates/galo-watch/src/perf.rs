//! One counter of the kernel's: how often a tracepoint is passed by a thread and by whatever it starts.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{FromRawFd, OwnedFd};

/// `struct perf_event_attr` in its first published size, which every kernel takes (perf_event_open(2)).
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    breakpoint_type: u32,
    config1: u64,
}

/// `PERF_TYPE_TRACEPOINT`: `config` is the number that tracefs tells.
const TRACEPOINT: u32 = 2;
/// Second bit of the flags: what the thread starts is counted with it, threads and processes alike.
const INHERIT: u64 = 1 << 1;
/// `PERF_FLAG_FD_CLOEXEC`.
const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;

/// A counter. It counts from its opening until it is dropped.
#[derive(Debug)]
pub(crate) struct Counter(File);

impl Counter {
    /// Counts how often thread `thread` (0: the calling one), and all that it starts from now on, pass `tracepoint`.
    pub(crate) fn open(tracepoint: u64, thread: i32) -> io::Result<Self> {
        let attributes = Attributes {
            kind: TRACEPOINT,
            size: size_of::<Attributes>() as u32,
            config: tracepoint,
            flags: INHERIT,
            ..Attributes::default()
        };
        Ok(Self(File::from(open(&attributes, thread)?)))
    }

    /// How often so far.
    pub(crate) fn read(&self) -> io::Result<u64> {
        let mut number = [0; 8];
        (&self.0).read_exact(&mut number)?;
        Ok(u64::from_ne_bytes(number))
    }
}

/// On all CPUs, in no group.
#[allow(unsafe_code)]
fn open(attributes: &Attributes, thread: i32) -> io::Result<OwnedFd> {
    const ALL_CPUS: libc::c_int = -1;
    const NO_GROUP: libc::c_int = -1;
    // SAFETY: the kernel reads `size` bytes at the pointer, which is the size of what it points to, and writes nothing.
    // The answer is a new descriptor that nobody else owns, or -1.
    unsafe {
        let answer = libc::syscall(
            libc::SYS_perf_event_open,
            std::ptr::from_ref(attributes),
            thread,
            ALL_CPUS,
            NO_GROUP,
            CLOSE_ON_EXEC,
        );
        match i32::try_from(answer) {
            Ok(descriptor @ 0..) => Ok(OwnedFd::from_raw_fd(descriptor)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
