//! The backend for io_uring: what is to be done is queued and handed over together, received bytes are put by the
//! kernel into buffers that it was given beforehand, and one call both hands over and waits.
//!
//! Set up for one thread that both submits and reaps (single issuer, deferred task running), so that the kernel works
//! for it only within its own calls. Plain descriptors: registered ones were measured to gain nothing here. Requests
//! are handed over in batches of [`BATCH`] at most, which bounds the time between the stamp of a send and the send.

mod buffers;

use galo_record::clock::now_ns;
use io_uring::{IoUring, cqueue, opcode, squeue, types};
use rustix::fd::{AsRawFd, IntoRawFd};
use rustix::io::Errno;

use super::connections::{Connection, Connections};
use super::{Completion, Conn, Gather, Happened};
use buffers::Buffers;

/// Sends handed over together. More save next to nothing (measured: 4 and more cost the same), and every one of them
/// bears the time stamp of the first.
const BATCH: usize = 8;
/// How long the kernel may take to end what it has under way.
const FINISH_NS: u64 = 1_000_000_000;
const SUBMISSIONS: u32 = 1024;
const COMPLETIONS: u32 = 16 * 1024;

/// What a completion is about; the upper half of its name, above the number of its connection.
const SEND: u64 = 1 << 32;
const RECEIVE: u64 = 2 << 32;
/// Cancelling and closing, which are told only when they fail, and then for no use.
const ENDING: u64 = 3 << 32;

/// Bits of [`super::connections::Connection::under_way`].
const SENDING: u8 = 1;
const RECEIVING: u8 = 2;

/// One completion as the kernel gave it.
#[derive(Debug, Clone, Copy)]
struct Reaped {
    name: u64,
    result: i32,
    flags: u32,
}

/// The ring of one engine thread, its buffers, and what was taken from it but not looked at.
pub(super) struct Uring {
    ring: IoUring,
    buffers: Buffers,
    /// Taken from the kernel, to be looked at from `next` on.
    reaped: Vec<Reaped>,
    next: usize,
    /// Connections with something to send that is not queued yet.
    batch: Vec<Conn>,
    /// How many of the queued sends are the first of their connection.
    fresh: usize,
    /// The stamp of the sends that were queued last.
    filled_ns: u64,
    /// The buffer that the last received bytes are in, and how many they are.
    received: Option<(u16, usize)>,
}

impl Uring {
    /// For about so many connections. Fails where the kernel lacks what is needed (6.1), or forbids it.
    pub(super) fn new(connections: usize) -> std::io::Result<Self> {
        let ring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .setup_taskrun_flag()
            .setup_cqsize(COMPLETIONS)
            .build(SUBMISSIONS)?;
        // Saves the kernel a look-up in each call; refused for no reason that matters.
        let _ = ring.submitter().register_ring_fd();
        let buffers = Buffers::register(&ring, connections)?;
        Ok(Self {
            ring,
            buffers,
            reaped: Vec::with_capacity(COMPLETIONS as usize),
            next: 0,
            batch: Vec::with_capacity(BATCH),
            fresh: 0,
            filled_ns: 0,
            received: None,
        })
    }

    /// Expects bytes of a new connection from now on.
    pub(super) fn open(&mut self, conn: Conn, connections: &mut Connections) {
        let connection = connections.get(conn);
        let Some(socket) = &connection.socket else { return };
        connection.under_way |= RECEIVING;
        let entry = receive(socket.as_raw_fd(), conn);
        self.push(&entry);
    }

    /// What is put into the connection's buffer before the hand-over goes out in one piece.
    pub(super) fn send(&mut self, conn: Conn, connections: &mut Connections) {
        let connection = connections.get(conn);
        // What is being sent completes first, and then takes the rest with it.
        if connection.under_way & SENDING == 0 && !std::mem::replace(&mut connection.queued, true) {
            self.batch.push(conn);
            if self.batch.len() >= BATCH {
                self.submit(connections);
            }
        }
    }

    /// Queues the sends of the batch, which are about to be handed over.
    fn fill(&mut self, connections: &mut Connections) {
        if self.batch.is_empty() {
            return;
        }
        let now = now_ns();
        self.filled_ns = now;
        let mut batch = std::mem::take(&mut self.batch);
        for conn in batch.drain(..) {
            let connection = connections.get(conn);
            connection.queued = false;
            if connection.take_up() {
                connection.sent_ns = now;
                self.fresh += usize::from(!connection.connected);
                self.queue_send(conn, connections);
            }
        }
        self.batch = batch;
    }

    fn queue_send(&mut self, conn: Conn, connections: &mut Connections) {
        let connection = connections.get(conn);
        let Some(socket) = &connection.socket else { return };
        let left = &connection.sending[connection.written..];
        let entry = opcode::Send::new(types::Fd(socket.as_raw_fd()), left.as_ptr(), left.len() as u32)
            .flags(libc::MSG_NOSIGNAL)
            .build()
            .user_data(SEND | u64::from(conn));
        connection.under_way |= SENDING;
        self.push(&entry);
    }

    /// Closing a socket does not end what the kernel has under way on it: that is cancelled first. The connection's
    /// number, and its buffers, are free when all of it is told.
    pub(super) fn close(&mut self, conn: Conn, connections: &mut Connections) {
        let Some(socket) = connections.forget(conn) else { return };
        let under_way = connections.get(conn).under_way;
        for (bit, name) in [(SENDING, SEND), (RECEIVING, RECEIVE)] {
            if under_way & bit != 0 {
                let which = types::CancelBuilder::user_data(name | u64::from(conn));
                self.push(&quietly(opcode::AsyncCancel2::new(which).build()));
            }
        }
        self.push(&quietly(opcode::Close::new(types::Fd(socket.into_raw_fd())).build()));
        if under_way == 0 {
            connections.release(conn);
        }
    }

    /// Closes everything and waits until the kernel is done with galo's memory, which it is at once; if it is not, that
    /// memory is never used for anything else.
    pub(super) fn finish(&mut self, connections: &mut Connections) {
        for conn in connections.in_use() {
            self.close(conn, connections);
        }
        let end_ns = now_ns() + FINISH_NS;
        loop {
            while self.next(connections).is_some() {}
            if connections.in_use().is_empty() && self.ring.submission().is_empty() {
                return;
            }
            if now_ns() >= end_ns
                || self.wait(now_ns() + FINISH_NS / 10, Gather::NOTHING, connections).is_err()
            {
                connections.leak();
                return self.buffers.leak();
            }
        }
    }

    /// Queues an entry.
    #[allow(unsafe_code)]
    fn push(&mut self, entry: &squeue::Entry) {
        loop {
            // SAFETY: a send reads from `Connection::sending`, which is left alone (and whose connection's number is
            // not used again) until that send completes; the other entries point to nothing.
            if unsafe { self.ring.submission().push(entry) }.is_ok() {
                return;
            }
            // Fails only where the kernel is out of memory or interrupted; then it is tried again.
            let _ = self.ring.submit();
        }
    }

    /// Hands over what is queued, without waiting. The kernel tries each send at once; what it completes now was sent
    /// now.
    fn submit(&mut self, connections: &mut Connections) {
        self.fill(connections);
        // Fails only where the kernel is out of memory or interrupted: what was not taken stays queued.
        let _ = self.ring.submit();
        if std::mem::take(&mut self.fresh) == 0 {
            return;
        }
        let known = self.reaped.len() - self.next;
        self.reap();
        for reaped in &self.reaped[self.next + known..] {
            let connection = connections.get(reaped.name as Conn);
            let of_these = connection.socket.is_some() && connection.sent_ns == self.filled_ns;
            if reaped.name & !u64::from(u32::MAX) == SEND && reaped.result > 0 && of_these {
                connection.connected = true;
            }
        }
    }

    /// Hands over what is queued, and waits.
    pub(super) fn wait(
        &mut self,
        until_ns: u64,
        gather: Gather,
        connections: &mut Connections,
    ) -> rustix::io::Result<()> {
        self.fill(connections);
        if self.fresh > 0 {
            self.submit(connections);
        }
        let left = if self.has_news() { 0 } else { until_ns.saturating_sub(now_ns()) };
        let done = if left == 0 {
            self.look()
        } else {
            let (sec, nsec) = (left / 1_000_000_000, (left % 1_000_000_000) as u32);
            let timeout = types::Timespec::new().sec(sec).nsec(nsec);
            let arguments = types::SubmitArgs::new().timespec(&timeout);
            let done = if gather.count > 1 && self.ring.params().is_feature_min_timeout() {
                let arguments = arguments.min_wait_usec((gather.ns / 1000) as u32);
                self.ring.submitter().submit_with_args(gather.count, &arguments)
            } else {
                self.ring.submitter().submit_with_args(1, &arguments)
            };
            done.map(drop)
        };
        match done.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO)) {
            Ok(()) | Err(Errno::TIME | Errno::INTR | Errno::AGAIN | Errno::BUSY) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    /// Hands over what is queued and lets the kernel tell what it has, without waiting.
    #[allow(unsafe_code)]
    fn look(&mut self) -> std::io::Result<()> {
        let (queued, work) = {
            let submission = self.ring.submission();
            (submission.len(), submission.taskrun() || submission.cq_overflow())
        };
        if queued == 0 && !work {
            return Ok(());
        }
        const GET_EVENTS: u32 = 1;
        // SAFETY: without an argument there is nothing that the call could read.
        unsafe { self.ring.submitter().enter::<libc::sigset_t>(queued as u32, 0, GET_EVENTS, None) }.map(drop)
    }

    pub(super) fn has_news(&mut self) -> bool {
        self.next < self.reaped.len() || !self.ring.completion().is_empty()
    }

    fn reap(&mut self) {
        if self.next == self.reaped.len() || self.next > COMPLETIONS as usize {
            self.reaped.drain(..self.next);
            self.next = 0;
        }
        let entries = self.ring.completion();
        self.reaped.extend(entries.map(|entry: cqueue::Entry| Reaped {
            name: entry.user_data(),
            result: entry.result(),
            flags: entry.flags(),
        }));
    }

    pub(super) fn next(&mut self, connections: &mut Connections) -> Option<Completion> {
        if let Some((buffer, _)) = self.received.take() {
            self.buffers.give_back(buffer);
        }
        loop {
            if self.next == self.reaped.len() {
                self.reap();
            }
            let reaped = *self.reaped.get(self.next)?;
            self.next += 1;
            let conn = reaped.name as Conn;
            let completion = match reaped.name - u64::from(conn) {
                SEND => self.sent(conn, reaped, connections),
                RECEIVE => self.came(conn, reaped, connections),
                _ => None,
            };
            if completion.is_some() {
                return completion;
            }
        }
    }

    fn sent(&mut self, conn: Conn, reaped: Reaped, connections: &mut Connections) -> Option<Completion> {
        if Self::is_over(conn, SENDING, connections) {
            return None;
        }
        let connection = connections.get(conn);
        // An early answer may wait in front of the reset that a long request ran into: what is received tells.
        let reset = matches!(-reaped.result, libc::EPIPE | libc::ECONNRESET);
        if reset && connection.under_way & RECEIVING != 0 {
            return None;
        }
        if reaped.result < 0 {
            let what = Happened::Broken(Errno::from_raw_os_error(-reaped.result));
            return Some(Completion { conn, at_ns: now_ns(), what });
        }
        let n = reaped.result as usize;
        let first = connection.written == 0;
        // A send that had to wait for its connection went out just now; any other when it was handed over.
        let at_ns = if connection.connected { connection.sent_ns } else { now_ns() };
        connection.connected = true;
        connection.written += n;
        if connection.written < connection.sending.len() {
            self.queue_send(conn, connections);
        } else if !connection.out.is_empty() {
            self.send(conn, connections);
        }
        connections.sent_bytes += n as u64;
        first.then_some(Completion { conn, at_ns, what: Happened::Sent })
    }

    fn came(&mut self, conn: Conn, reaped: Reaped, connections: &mut Connections) -> Option<Completion> {
        let buffer = cqueue::buffer_select(reaped.flags);
        let goes_on = cqueue::more(reaped.flags);
        if connections.get(conn).socket.is_none() {
            if let Some(buffer) = buffer {
                self.buffers.give_back(buffer);
            }
            if !goes_on {
                Self::is_over(conn, RECEIVING, connections);
            }
            return None;
        }
        if !goes_on {
            connections.get(conn).under_way &= !RECEIVING;
        }
        let out_of_buffers = reaped.result == -libc::ENOBUFS;
        if !goes_on && (reaped.result > 0 || out_of_buffers) {
            self.open(conn, connections);
        }
        let what = match (reaped.result, buffer) {
            _ if out_of_buffers => return None,
            (0, unused) => {
                unused.into_iter().for_each(|buffer| self.buffers.give_back(buffer));
                Happened::Closed
            }
            (n, Some(buffer)) if n > 0 => {
                connections.received_bytes += n as u64;
                self.received = Some((buffer, n as usize));
                Happened::Received { last: self.ends_next(reaped.name) }
            }
            (n, _) => Happened::Broken(Errno::from_raw_os_error(-n)),
        };
        Some(Completion { conn, at_ns: now_ns(), what })
    }

    /// Whether what the kernel told next is the end of the same connection: it tells both at once where both came together.
    fn ends_next(&mut self, name: u64) -> bool {
        if self.next == self.reaped.len() {
            self.reap();
        }
        self.reaped.get(self.next).is_some_and(|next| next.name == name && next.result == 0)
    }

    /// Notes that an operation is over. `true`: its connection was closed, and nobody wants to hear of it.
    fn is_over(conn: Conn, bit: u8, connections: &mut Connections) -> bool {
        let connection = connections.get(conn);
        connection.under_way &= !bit;
        let closed = connection.socket.is_none();
        if closed && connection.under_way == 0 {
            connections.release(conn);
        }
        closed
    }

    pub(super) fn received_mut(&mut self) -> &mut [u8] {
        let Some((buffer, length)) = self.received else { return &mut [] };
        self.buffers.bytes_mut(buffer, length)
    }

    pub(super) fn received(&self) -> &[u8] {
        self.received.map_or(&[], |(buffer, length)| self.buffers.bytes(buffer, length))
    }
}

/// Bytes of a connection, from now on and as often as some come.
fn receive(socket: i32, conn: Conn) -> squeue::Entry {
    opcode::RecvMulti::new(types::Fd(socket), buffers::GROUP).build().user_data(RECEIVE | u64::from(conn))
}

/// Not to be told of, unless it fails.
fn quietly(entry: squeue::Entry) -> squeue::Entry {
    entry.flags(squeue::Flags::SKIP_SUCCESS).user_data(ENDING)
}

/// Since when the kernel has bytes of this connection that it has not sent, as far as it has told.
pub(super) fn sending_since_ns(connection: &Connection) -> Option<u64> {
    (connection.under_way & SENDING != 0).then_some(connection.sent_ns)
}
