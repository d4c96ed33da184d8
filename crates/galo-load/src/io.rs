//! The only part that talks to the kernel about sockets: open, send, close, wait; what happened comes back as
//! completions.
//!
//! A connection is named by the slot of the user who owns it; a user has at most one at a time. The bytes to send
//! are written into the connection's own buffer and stay there until the next request, so a backend that hands
//! buffers to the kernel and hears of them later (io_uring) fits behind the same calls.

mod connection;
mod source;

use std::collections::VecDeque;
use std::net::SocketAddr;

use galo_record::clock::now_ns;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventFlags};
use rustix::io::Errno;
use rustix::net::RecvFlags;

use connection::{Connection, Pushed};
use source::Source;

/// Read in one go. Longer answers take several reads.
const READ_BUFFER: usize = 64 * 1024;
/// Events fetched in one go.
const EVENTS: usize = 256;

/// What happened on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Completion {
    /// Whose connection.
    pub(crate) slot: u32,
    /// When: for [`Happened::Sent`] right before the write, otherwise right after the read or the failure.
    pub(crate) at_ns: u64,
    pub(crate) what: Happened,
}

/// See [`Completion`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Happened {
    /// The first bytes of the request were handed to the kernel.
    Sent,
    /// Bytes arrived; [`Io::received`] holds them until the next call of [`Io::next`].
    Received {
        /// The peer is known to send nothing after them.
        last: bool,
    },
    /// The peer closed its end in an orderly way.
    Closed,
    /// The connection failed, or could not be made.
    Broken(Errno),
}

/// One engine thread's connections.
pub(crate) struct Io {
    epoll: rustix::fd::OwnedFd,
    source: Source,
    connections: Vec<Connection>,
    events: Vec<Event>,
    /// Next of `events` to be looked at.
    next_event: usize,
    /// What happened within a call already, with the generation of its connection.
    ready: VecDeque<(u32, Completion)>,
    buffer: Vec<u8>,
    received: usize,
    /// Bytes written so far.
    pub(crate) sent_bytes: u64,
    /// Bytes read so far.
    pub(crate) received_bytes: u64,
}

impl Io {
    /// `in_turn`: see [`source`].
    pub(crate) fn new(target: SocketAddr, in_turn: bool) -> rustix::io::Result<Self> {
        Ok(Self {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            source: Source::new(target, in_turn),
            connections: Vec::new(),
            events: Vec::with_capacity(EVENTS),
            next_event: 0,
            ready: VecDeque::new(),
            buffer: vec![0; READ_BUFFER],
            received: 0,
            sent_bytes: 0,
            received_bytes: 0,
        })
    }

    /// The buffer for the slot's next request. Its content is sent by [`Self::send`] and stays until it is cleared.
    pub(crate) fn request(&mut self, slot: u32) -> &mut Vec<u8> {
        let index = slot as usize;
        if index >= self.connections.len() {
            self.connections.resize_with(index + 1, Connection::default);
        }
        &mut self.connections[index].out
    }

    /// Begins to connect. [`Self::send`] may follow at once; a failure that shows later is a completion.
    pub(crate) fn open(&mut self, slot: u32) -> rustix::io::Result<()> {
        let socket = self.source.connect()?;
        self.connections[slot as usize].begin(socket);
        Ok(())
    }

    /// Sends the slot's request as soon as it can be sent.
    pub(crate) fn send(&mut self, slot: u32) {
        self.connections[slot as usize].written = 0;
        self.push(slot);
    }

    fn push(&mut self, slot: u32) {
        let connection = &mut self.connections[slot as usize];
        let at_ns = now_ns();
        let first = connection.written == 0;
        let pushed = connection.push(&self.epoll, slot);
        let what = match pushed {
            Ok(Pushed::Bytes(n)) => {
                self.sent_bytes += n;
                first.then_some(Happened::Sent)
            }
            Ok(Pushed::Nothing) => None,
            Err(errno) => Some(Happened::Broken(errno)),
        };
        if let Some(what) = what {
            self.ready.push_back((connection.generation, Completion { slot, at_ns, what }));
        }
    }

    /// Whether the whole request was handed to the kernel.
    pub(crate) fn is_sent(&self, slot: u32) -> bool {
        let connection = &self.connections[slot as usize];
        connection.written == connection.out.len()
    }

    /// Closes the slot's connection, if it has one. Nothing more is heard of it.
    pub(crate) fn close(&mut self, slot: u32) {
        if let Some(connection) = self.connections.get_mut(slot as usize) {
            connection.close();
        }
    }

    /// Waits until something happens, at most until `until_ns`; to the nanosecond as far as the kernel's timers go
    /// (`epoll_pwait2`, Linux 5.11).
    pub(crate) fn wait(&mut self, until_ns: u64) -> rustix::io::Result<()> {
        let left = until_ns.saturating_sub(now_ns());
        let timeout =
            Timespec { tv_sec: (left / 1_000_000_000) as i64, tv_nsec: (left % 1_000_000_000) as _ };
        self.events.clear();
        self.next_event = 0;
        match epoll::wait(&self.epoll, rustix::buffer::spare_capacity(&mut self.events), Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    /// The next thing that happened, without waiting.
    pub(crate) fn next(&mut self) -> Option<Completion> {
        loop {
            while let Some((generation, completion)) = self.ready.pop_front() {
                if self.connections[completion.slot as usize].generation == generation {
                    return Some(completion);
                }
            }
            let event = *self.events.get(self.next_event)?;
            self.next_event += 1;
            let (slot, generation) = connection::owner(event.data.u64());
            if self.connections[slot as usize].generation != generation {
                continue; // closed while this event was waiting its turn
            }
            if let Some(completion) = self.look(slot, event.flags) {
                return Some(completion);
            }
        }
    }

    fn look(&mut self, slot: u32, flags: EventFlags) -> Option<Completion> {
        let over = EventFlags::HUP | EventFlags::ERR | EventFlags::RDHUP;
        let connection = &mut self.connections[slot as usize];
        // Reading first: an early answer may be followed by a reset that a write would run into.
        if connection.connected && flags.intersects(EventFlags::IN | over) {
            let what = match connection.receive(&mut self.buffer, RecvFlags::empty()) {
                Ok(0) => Some(Happened::Closed),
                Ok(n) => {
                    self.received = n;
                    self.received_bytes += n as u64;
                    Some(Happened::Received { last: flags.intersects(over) && n < READ_BUFFER })
                }
                Err(Errno::AGAIN) => None,
                Err(errno) => Some(Happened::Broken(errno)),
            };
            if let Some(what) = what {
                return Some(Completion { slot, at_ns: now_ns(), what });
            }
        }
        if !self.is_sent(slot) && flags.intersects(EventFlags::OUT | over) {
            self.push(slot);
        }
        None
    }

    /// What the last [`Happened::Received`] brought.
    pub(crate) fn received(&self) -> &[u8] {
        &self.buffer[..self.received]
    }
}
