//! The way through io_uring: what is to be done is queued and handed over together, received bytes are put by the kernel into
//! buffers that it was given beforehand, and one call both hands over and waits.
//!
//! A send is handed over so that the kernel either takes all of it at once and says nothing, or tells at once what it did not
//! take: so after each hand-over every buffer that was sent from is free, and the usual send has no completion. What was not taken is
//! copied and sent again, with a completion, when there is room.

mod limited;
mod provided;

use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};

use io_uring::types::{CancelBuilder, Fd, SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, opcode, squeue};
use rustix::io::Errno;

use super::buffers::{self, Chunk};
use super::clock::clock_ns;
use super::happened::{For, Happened};
use super::sockets::{Index, POLLED, RECEIVING, SENDING, Sockets};
use provided::Provided;

const SUBMISSIONS: u32 = 1024;
const COMPLETIONS: u32 = 8 * 1024;
/// A turn that brought so much is followed by others like it: then the next may gather for a moment, since half of what a wake-up costs
/// is the machine's, whatever it is for.
const BUSY: usize = 8;
/// ... this long at most,
const GATHER_US: u32 = 50;
/// ... or until so much is there.
const GATHERED: usize = 64;

/// What a completion is about: the upper half of its name, above the number of its socket.
const SEND_NOW: u64 = 1 << 32;
const SEND: u64 = 2 << 32;
const RECEIVE: u64 = 3 << 32;
const POLL: [u64; 2] = [4 << 32, 5 << 32];
/// Cancelling and closing, which are told only when they fail, and then for no use.
const ENDING: u64 = 6 << 32;

/// One completion as the kernel gave it.
#[derive(Debug, Clone, Copy)]
struct Reaped {
    name: u64,
    result: i32,
    flags: u32,
}

pub(super) struct Uring {
    ring: IoUring,
    provided: Provided,
    /// Taken from the kernel, to be looked at from `next` on.
    reaped: Vec<Reaped>,
    next: usize,
    /// Queued and not handed over, or not known to have been taken.
    sending: Vec<(Index, Chunk)>,
    /// What the kernel did not take of them, to be noted with their sockets.
    refused: Vec<(Index, i32)>,
    /// Completions that the kernel had no memory for.
    lost: u32,
    /// The kernel knows how to (6.12).
    gathers: bool,
    /// The kernel knows receives that end by themselves (6.17).
    limits: bool,
}

impl Uring {
    /// Fails where the kernel lacks what is needed (6.1), or forbids it.
    pub(super) fn new() -> std::io::Result<Self> {
        Self::with_room(SUBMISSIONS, COMPLETIONS)
    }

    fn with_room(submissions: u32, completions: u32) -> std::io::Result<Self> {
        let mut ring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .setup_taskrun_flag()
            .setup_cqsize(completions)
            .build(submissions)?;
        // Saves the kernel a look-up in each call; refused for no reason that matters.
        let _ = ring.submitter().register_ring_fd();
        let gathers = ring.params().is_feature_min_timeout();
        let mut provided = Provided::new(&ring)?;
        let limits = limited::is_known(&mut ring, &mut provided);
        Ok(Self {
            ring,
            provided,
            reaped: Vec::new(),
            next: 0,
            sending: Vec::new(),
            refused: Vec::new(),
            lost: 0,
            gathers,
            limits,
        })
    }

    pub(super) fn receive(&mut self, index: Index, sockets: &mut Sockets) {
        let socket = sockets.get(index);
        if socket.under_way & RECEIVING != 0 {
            return;
        }
        socket.under_way |= RECEIVING;
        let fd = Fd(socket.raw());
        let entry = if socket.listens {
            opcode::AcceptMulti::new(fd).flags(libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK).build()
        } else {
            limited::receive(fd, socket.read_bytes_max, self.limits)
        };
        self.push(&entry.user_data(RECEIVE | u64::from(index)));
    }

    pub(super) fn pause(&mut self, index: Index, sockets: &mut Sockets) {
        if sockets.get(index).under_way & RECEIVING != 0 {
            self.cancel(RECEIVE | u64::from(index));
        }
    }

    fn cancel(&mut self, name: u64) {
        self.push(&quietly(opcode::AsyncCancel2::new(CancelBuilder::user_data(name)).build()));
    }

    pub(super) fn poll(&mut self, index: Index, what: For, sockets: &mut Sockets) {
        let socket = sockets.get(index);
        let which = what as usize;
        if socket.under_way & POLLED[which] != 0 {
            return;
        }
        socket.under_way |= POLLED[which];
        let mask = [libc::POLLIN | libc::POLLRDHUP, libc::POLLOUT][which] as u32;
        let entry = opcode::PollAdd::new(Fd(socket.raw()), mask).build();
        self.push(&entry.user_data(POLL[which] | u64::from(index)));
    }

    pub(super) fn send(&mut self, index: Index, chunk: Chunk, sockets: &mut Sockets) {
        // What follows may not overtake it, should it be refused.
        self.hand_over(index, sockets);
        let socket = sockets.get(index);
        if !socket.outbox.is_empty() {
            return socket.outbox.push(&chunk);
        }
        socket.handed_over = true;
        let entry = opcode::Send::new(Fd(socket.raw()), chunk.as_ptr(), chunk.len() as u32)
            .flags(libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT | libc::MSG_WAITALL)
            .build()
            .flags(squeue::Flags::SKIP_SUCCESS)
            .user_data(SEND_NOW | u64::from(index));
        self.sending.push((index, chunk));
        self.push(&entry);
    }

    /// Hands over a send that is queued.
    pub(super) fn hand_over(&mut self, index: Index, sockets: &mut Sockets) {
        if sockets.get(index).handed_over {
            self.submit(sockets);
        }
    }

    /// Sends what waits, with a completion.
    fn send_waiting(&mut self, index: Index, sockets: &mut Sockets) {
        let socket = sockets.get(index);
        if socket.outbox.is_empty() || socket.fd.is_none() || socket.under_way & SENDING != 0 {
            return;
        }
        socket.under_way |= SENDING;
        let fd = Fd(socket.raw());
        let bytes = socket.outbox.take_up();
        let entry =
            opcode::Send::new(fd, bytes.as_ptr(), bytes.len() as u32).flags(libc::MSG_NOSIGNAL).build();
        self.push(&entry.user_data(SEND | u64::from(index)));
    }

    /// Closing a socket does not end what the kernel has under way on it: that is cancelled first.
    pub(super) fn close(&mut self, index: Index, sockets: &mut Sockets) {
        self.hand_over(index, sockets);
        let socket = sockets.get(index);
        let Some(fd) = socket.fd.take() else { return };
        socket.inbox.clear();
        socket.accepted.clear();
        let under_way = socket.under_way;
        for (bit, name) in [(RECEIVING, RECEIVE), (SENDING, SEND), (POLLED[0], POLL[0]), (POLLED[1], POLL[1])]
        {
            if under_way & bit != 0 {
                self.cancel(name | u64::from(index));
            }
        }
        self.push(&quietly(opcode::Close::new(Fd(fd.into_raw_fd())).build()));
        if under_way == 0 {
            sockets.release(index);
        }
    }

    /// Queues an entry.
    #[allow(unsafe_code)]
    fn push(&mut self, entry: &squeue::Entry) {
        loop {
            // SAFETY: a send without completion reads from a chunk in `self.sending`, which is kept until it was handed over and its result
            // is known; one with completion from `Outbox::sending`, which is left alone until it completes (its socket's place is not used again
            // before that either). The other entries point to nothing.
            if unsafe { self.ring.submission().push(entry) }.is_ok() {
                return;
            }
            self.enter();
        }
    }

    /// Hands over what is queued, as far as the kernel takes it.
    fn enter(&mut self) {
        // Fails where the kernel is interrupted, out of memory, or has told more than there was room for: once that is taken it is
        // tried again.
        let _ = self.ring.submit();
        self.reap();
    }

    /// Takes what the kernel told, and what it keeps since there was no room for it: so what it did not tell has not happened.
    fn reap(&mut self) {
        loop {
            for entry in self.ring.completion() {
                let reaped = Reaped { name: entry.user_data(), result: entry.result(), flags: entry.flags() };
                if reaped.name & !u64::from(u32::MAX) == SEND_NOW {
                    self.refused.push((reaped.name as Index, reaped.result));
                } else {
                    self.reaped.push(reaped);
                }
            }
            if !self.ring.submission().cq_overflow() {
                return;
            }
            // Has the kernel tell what it kept.
            let _ = self.ring.submit();
        }
    }

    /// Hands over what is queued, without waiting.
    fn submit(&mut self, sockets: &mut Sockets) {
        while !self.ring.submission().is_empty() {
            self.enter();
        }
        self.settle(sockets);
    }

    /// Hands over what is queued, and waits.
    pub(super) fn wait(&mut self, until_ns: Option<u64>, sockets: &mut Sockets) -> rustix::io::Result<()> {
        buffers::take_free(|buffer| self.provided.give_back(buffer));
        let left_ns = match until_ns {
            _ if self.next < self.reaped.len() => Some(0),
            Some(until_ns) => Some(until_ns.saturating_sub(clock_ns())),
            None => None,
        };
        let is_busy = self.gathers && self.reaped.len() >= BUSY;
        let done = match left_ns {
            Some(left_ns) => {
                let timeout =
                    Timespec::new().sec(left_ns / 1_000_000_000).nsec((left_ns % 1_000_000_000) as u32);
                let arguments = SubmitArgs::new().timespec(&timeout);
                if is_busy && left_ns > 0 {
                    self.ring.submitter().submit_with_args(GATHERED, &arguments.min_wait_usec(GATHER_US))
                } else {
                    self.ring.submitter().submit_with_args(1, &arguments)
                }
            }
            None => self.ring.submit_and_wait(1),
        };
        self.submit(sockets);
        match done.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO)) {
            Ok(_) | Err(Errno::TIME | Errno::INTR | Errno::AGAIN | Errno::BUSY) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    /// After a hand-over: takes what the kernel told, and what it did not take of sends.
    fn settle(&mut self, sockets: &mut Sockets) {
        self.reaped.drain(..self.next);
        self.next = 0;
        self.reap();
        self.refused.drain(..).for_each(|(index, result)| sockets.get(index).refused = Some(result));
        let lost = self.ring.completion().overflow();
        let is_sure = lost == std::mem::replace(&mut self.lost, lost);
        let mut sending = std::mem::take(&mut self.sending);
        for (index, chunk) in sending.drain(..) {
            let socket = sockets.get(index);
            socket.handed_over = false;
            // Where the kernel lost a word it may have been about this one: better broken than without some of its bytes.
            match socket.refused.take().or((!is_sure).then_some(-libc::EIO)) {
                None => {}
                Some(taken @ 0..) => socket.outbox.push(chunk.get(taken as usize..).unwrap_or_default()),
                Some(errno) if [-libc::EAGAIN, -libc::EINTR].contains(&errno) => socket.outbox.push(&chunk),
                // Told once, as if it had been sent with a completion: so its place is not used again before that.
                Some(result) if socket.send_error.is_none() => {
                    socket.send_error = Some(Errno::from_raw_os_error(-result));
                    socket.under_way |= SENDING;
                    self.reaped.push(Reaped { name: SEND | u64::from(index), result, flags: 0 });
                }
                Some(_) => {}
            }
            self.send_waiting(index, sockets);
        }
        self.sending = sending;
    }

    pub(super) fn next(&mut self, sockets: &mut Sockets) -> Option<(Index, Happened)> {
        loop {
            let reaped = *self.reaped.get(self.next)?;
            self.next += 1;
            let index = reaped.name as Index;
            let happened = match reaped.name - u64::from(index) {
                RECEIVE => self.came(index, reaped, sockets),
                SEND => self.sent(index, reaped, sockets),
                name if name == POLL[0] => polled(index, For::Bytes, sockets),
                name if name == POLL[1] => polled(index, For::Room, sockets),
                _ => None,
            };
            if let Some(happened) = happened {
                return Some((index, happened));
            }
        }
    }

    #[allow(unsafe_code)]
    fn came(&mut self, index: Index, reaped: Reaped, sockets: &mut Sockets) -> Option<Happened> {
        let goes_on = cqueue::more(reaped.flags);
        let chunk = cqueue::buffer_select(reaped.flags)
            .map(|buffer| self.provided.chunk(buffer, reaped.result.max(0) as usize));
        let listens = sockets.get(index).listens;
        // SAFETY: the kernel has just made this descriptor, and nobody else knows of it.
        let accepted =
            (listens && reaped.result >= 0).then(|| unsafe { OwnedFd::from_raw_fd(reaped.result) });
        if !goes_on && is_over(index, RECEIVING, sockets) || sockets.get(index).fd.is_none() {
            return None;
        }
        if let Some(fd) = accepted {
            if !goes_on && sockets.get(index).wanted {
                self.receive(index, sockets);
            }
            return Some(Happened::Accepted(fd));
        }
        match (reaped.result, chunk) {
            (1.., Some(chunk)) => {
                let socket = sockets.get(index);
                if !goes_on && socket.read_bytes_max.is_some() {
                    socket.wanted = false;
                }
                if !goes_on && socket.wanted {
                    self.receive(index, sockets);
                }
                Some(Happened::Received(chunk))
            }
            (0, _) => Some(Happened::Ended),
            // Out of buffers for a moment, or cancelled and then wanted again.
            (errno, _) if errno == -libc::ENOBUFS || errno == -libc::ECANCELED || errno == -libc::EINTR => {
                if sockets.get(index).wanted {
                    self.receive(index, sockets);
                    None
                } else {
                    Some(Happened::Paused)
                }
            }
            (errno, _) => Some(Happened::Failed(Errno::from_raw_os_error(-errno))),
        }
    }

    fn sent(&mut self, index: Index, reaped: Reaped, sockets: &mut Sockets) -> Option<Happened> {
        if is_over(index, SENDING, sockets) {
            return None;
        }
        let socket = sockets.get(index);
        if reaped.result < 0 {
            return Some(Happened::NotSent(Errno::from_raw_os_error(-reaped.result)));
        }
        socket.outbox.advance(reaped.result as usize);
        socket.finish_if_sent();
        self.send_waiting(index, sockets);
        Some(Happened::Sent)
    }
}

/// Notes that an operation is over. `true`: its socket was closed, and nobody wants to hear of it.
fn is_over(index: Index, bit: u8, sockets: &mut Sockets) -> bool {
    let socket = sockets.get(index);
    socket.under_way &= !bit;
    let closed = socket.fd.is_none();
    if closed && socket.under_way == 0 {
        sockets.release(index);
    }
    closed
}

fn polled(index: Index, what: For, sockets: &mut Sockets) -> Option<Happened> {
    (!is_over(index, POLLED[what as usize], sockets)).then_some(Happened::Ready(what))
}

/// Not to be told of, unless it fails.
fn quietly(entry: squeue::Entry) -> squeue::Entry {
    entry.flags(squeue::Flags::SKIP_SUCCESS).user_data(ENDING)
}

#[cfg(test)]
#[path = "uring/tests.rs"]
mod tests;
