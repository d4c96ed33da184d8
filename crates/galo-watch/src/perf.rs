//! One counter of the kernel's: how often a tracepoint is passed by a thread and by whatever it starts.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

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
/// First bit of the flags: it does not count yet.
const DISABLED: u64 = 1;
/// Second bit of the flags: what the thread starts is counted with it, threads and processes alike.
const INHERIT: u64 = 1 << 1;
/// `PERF_EVENT_IOC_ENABLE`: `_IO('$', 0)`, whose argument says of what else; null or a pointer, it enables this counter.
const ENABLE: libc::Ioctl = 0x2400;
/// `PERF_EVENT_IOC_SET_FILTER`: `_IOW('$', 6, char *)`.
const SET_FILTER: libc::Ioctl = 0x4008_2406;
/// `PERF_FLAG_FD_CLOEXEC`.
const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;

/// A counter. It counts from its opening until it is dropped.
#[derive(Debug)]
pub(crate) struct Counter(File);

impl Counter {
    /// Counts how often thread `thread` (0: the calling one), and all that it starts from now on, pass `tracepoint`; only those passings of
    /// which `filter` holds, in the kernel's words for its events.
    pub(crate) fn open(tracepoint: u64, filter: Option<&str>, thread: i32) -> io::Result<Self> {
        let attributes = Attributes {
            kind: TRACEPOINT,
            size: size_of::<Attributes>() as u32,
            config: tracepoint,
            flags: INHERIT | DISABLED,
            ..Attributes::default()
        };
        let counter = File::from(open(&attributes, thread)?);
        if let Some(filter) = filter {
            control(&counter, SET_FILTER, &CString::new(filter)?)?;
        }
        control(&counter, ENABLE, c"")?;
        Ok(Self(counter))
    }

    /// How often so far.
    pub(crate) fn read(&self) -> io::Result<u64> {
        let mut number = [0; 8];
        (&self.0).read_exact(&mut number)?;
        Ok(u64::from_ne_bytes(number))
    }
}

/// Asks something of a counter, and with it of all that were inherited from it.
#[allow(unsafe_code)]
fn control(counter: &File, request: libc::Ioctl, text: &CStr) -> io::Result<()> {
    // SAFETY: of these requests one reads the text up to its NUL, the other one makes nothing of it, and neither writes.
    let answer = unsafe { libc::ioctl(counter.as_raw_fd(), request, text.as_ptr()) };
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
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
