//! Receives. One that goes on, but only until so many bytes have come (Linux 6.17), costs as little as one without end, and a peer
//! that sends without end does not fill the memory. Older kernels have one read at a time instead.

use std::os::fd::{AsRawFd, OwnedFd};

use io_uring::types::Fd;
use io_uring::{IoUring, cqueue, opcode, squeue};
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, send, socketpair};

use super::provided::{GROUP, Provided};

/// Where the limit stands in an entry: `optlen` of `struct io_uring_sqe` (linux/io_uring.h).
const LIMIT_AT: usize = 44;
const _: () = assert!(size_of::<squeue::Entry>() == 64, "an entry is the kernel's");

/// Has a receive tried only once something has come (`IORING_RECVSEND_POLL_FIRST`).
const POLL_FIRST: u16 = 1;

/// A receive without end, or one that brings so many bytes at most; `limits`: [`is_known`].
pub(super) fn receive(fd: Fd, most: Option<u32>, limits: bool) -> squeue::Entry {
    match most {
        None => opcode::RecvMulti::new(fd, GROUP).build(),
        Some(most) if limits => limited(fd, most),
        // One read. Mostly nothing is there yet.
        Some(most) => opcode::Recv::new(fd, std::ptr::null_mut(), most)
            .buf_group(GROUP)
            .ioprio(POLL_FIRST)
            .build()
            .flags(squeue::Flags::BUFFER_SELECT),
    }
}

#[allow(unsafe_code)]
fn limited(fd: Fd, bytes: u32) -> squeue::Entry {
    let mut entry = opcode::RecvMulti::new(fd, GROUP).len(bytes).build();
    // SAFETY: an entry is nothing but the kernel's 64 bytes, and all of them are plain numbers. The crate has no word for this one.
    unsafe { std::ptr::from_mut(&mut entry).cast::<u8>().add(LIMIT_AT).cast::<u32>().write(bytes) };
    entry
}

/// Whether the kernel knows the limit: tried with one byte of two.
pub(super) fn is_known(ring: &mut IoUring, provided: &mut Provided) -> bool {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let Ok((near, far)) = socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None) else {
        return false;
    };
    send(&far, b"12", SendFlags::NOSIGNAL).is_ok_and(|sent| sent == 2)
        && ends_after_one(ring, provided, &near)
}

#[allow(unsafe_code)]
fn ends_after_one(ring: &mut IoUring, provided: &mut Provided, from: &OwnedFd) -> bool {
    // SAFETY: the entry points to nothing.
    if unsafe { ring.submission().push(&limited(Fd(from.as_raw_fd()), 1)) }.is_err() {
        return false;
    }
    if ring.submit_and_wait(1).is_err() {
        return false;
    }
    let mut told = Vec::new();
    for entry in ring.completion() {
        told.push((entry.result(), cqueue::more(entry.flags())));
        if let Some(buffer) = cqueue::buffer_select(entry.flags()) {
            provided.give_back(buffer);
        }
    }
    told == [(1, false)]
}
