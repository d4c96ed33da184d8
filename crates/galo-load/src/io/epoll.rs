//! The backend for kernels without io_uring, or with io_uring forbidden: epoll, one call for each read and write.

use std::collections::VecDeque;

use galo_record::clock::now_ns;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

use super::connections::{Connection, Connections};
use super::{Completion, Conn, Happened};

/// Read in one go. Longer answers take several reads.
const READ_BUFFER: usize = 64 * 1024;
/// Events fetched in one go.
const EVENTS: usize = 256;

/// Watched for bytes from the peer.
const IN: u8 = 1;
/// ... and for room to write.
const IN_AND_OUT: u8 = 2;

/// The event queue of one engine thread, and what it fetched from it.
pub(super) struct Epoll {
    queue: OwnedFd,
    events: Vec<Event>,
    /// Next of `events` to be looked at.
    next_event: usize,
    /// What happened within a call already, with the generation of its connection.
    ready: VecDeque<(u32, Completion)>,
    buffer: Vec<u8>,
    received: usize,
}

impl Epoll {
    pub(super) fn new() -> rustix::io::Result<Self> {
        Ok(Self {
            queue: epoll::create(CreateFlags::CLOEXEC)?,
            events: Vec::with_capacity(EVENTS),
            next_event: 0,
            ready: VecDeque::new(),
            buffer: vec![0; READ_BUFFER],
            received: 0,
        })
    }

    /// On loopback a connection usually stands when `connect` returns, so that writing at once succeeds and saves a
    /// round through the event queue. Where it does not, the kernel says "try again".
    pub(super) fn send(&mut self, conn: Conn, connections: &mut Connections) {
        if connections.get(conn).take_up() {
            self.push(conn, connections);
        }
    }

    fn push(&mut self, conn: Conn, connections: &mut Connections) {
        let at_ns = now_ns();
        let connection = connections.get(conn);
        let first = connection.written == 0;
        let pushed = write(connection).and_then(|n| watch(&self.queue, conn, connection).map(|()| n));
        let what = match pushed {
            Ok(0) => return,
            Ok(n) => {
                connections.sent_bytes += n as u64;
                if !first {
                    return;
                }
                Happened::Sent
            }
            Err(errno) => Happened::Broken(errno),
        };
        let generation = connections.get(conn).generation;
        self.ready.push_back((generation, Completion { conn, at_ns, what }));
    }

    pub(super) fn wait(&mut self, until_ns: u64) -> rustix::io::Result<()> {
        if self.has_news() {
            return Ok(()); // what was fetched is looked at first
        }
        let left = until_ns.saturating_sub(now_ns());
        let timeout =
            Timespec { tv_sec: (left / 1_000_000_000) as i64, tv_nsec: (left % 1_000_000_000) as _ };
        self.events.clear();
        self.next_event = 0;
        match epoll::wait(&self.queue, rustix::buffer::spare_capacity(&mut self.events), Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno),
        }
    }

    pub(super) fn has_news(&self) -> bool {
        self.next_event < self.events.len() || !self.ready.is_empty()
    }

    pub(super) fn next(&mut self, connections: &mut Connections) -> Option<Completion> {
        loop {
            while let Some((generation, completion)) = self.ready.pop_front() {
                if connections.get(completion.conn).generation == generation {
                    return Some(completion);
                }
            }
            let event = *self.events.get(self.next_event)?;
            self.next_event += 1;
            let (conn, generation) = owner(event.data.u64());
            if connections.get(conn).generation != generation {
                continue; // closed while this event was waiting its turn
            }
            if let Some(completion) = self.look(conn, connections, event.flags) {
                return Some(completion);
            }
        }
    }

    fn look(&mut self, conn: Conn, connections: &mut Connections, flags: EventFlags) -> Option<Completion> {
        let over = EventFlags::HUP | EventFlags::ERR | EventFlags::RDHUP;
        let connection = connections.get(conn);
        // Reading first: an early answer may be followed by a reset that a write would run into.
        if connection.connected && flags.intersects(EventFlags::IN | over) {
            let what = match read(connection, &mut self.buffer) {
                Ok(0) => Some(Happened::Closed),
                Ok(n) => {
                    self.received = n;
                    connections.received_bytes += n as u64;
                    Some(Happened::Received { last: flags.intersects(over) && n < READ_BUFFER })
                }
                Err(Errno::AGAIN) => None,
                Err(errno) => Some(Happened::Broken(errno)),
            };
            if let Some(what) = what {
                return Some(Completion { conn, at_ns: now_ns(), what });
            }
        }
        let connection = connections.get(conn);
        if flags.intersects(EventFlags::OUT | over)
            && (connection.written < connection.sending.len() || connection.take_up())
        {
            self.push(conn, connections);
        }
        None
    }

    pub(super) fn received_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[..self.received]
    }

    pub(super) fn received(&self) -> &[u8] {
        &self.buffer[..self.received]
    }
}

/// Writes what is left; 0 where the kernel has no room yet, or is still connecting.
fn write(connection: &mut Connection) -> rustix::io::Result<usize> {
    let Some(socket) = &connection.socket else { return Err(Errno::NOTCONN) };
    loop {
        match rustix::net::send(socket, &connection.sending[connection.written..], SendFlags::NOSIGNAL) {
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => return Ok(0),
            Err(errno) => return Err(errno),
            Ok(n) => {
                connection.connected = true;
                connection.written += n;
                return Ok(n);
            }
        }
    }
}

fn read(connection: &Connection, buffer: &mut [u8]) -> rustix::io::Result<usize> {
    let Some(socket) = &connection.socket else { return Err(Errno::NOTCONN) };
    loop {
        match rustix::net::recv(socket, &mut *buffer, RecvFlags::empty()) {
            Err(Errno::INTR) => {}
            other => return other.map(|(n, _)| n),
        }
    }
}

/// Asks for the events that are still needed.
fn watch(queue: &OwnedFd, conn: Conn, connection: &mut Connection) -> rustix::io::Result<()> {
    let Some(socket) = &connection.socket else { return Ok(()) };
    let wanted = if connection.is_sent() { IN } else { IN_AND_OUT };
    let data = EventData::new_u64(name(conn, connection.generation));
    let outgoing = if wanted == IN_AND_OUT { EventFlags::OUT } else { EventFlags::empty() };
    let flags = EventFlags::IN | EventFlags::RDHUP | outgoing;
    match connection.under_way {
        watched if watched == wanted => {}
        0 => epoll::add(queue, socket, data, flags)?,
        _ => epoll::modify(queue, socket, data, flags)?,
    }
    connection.under_way = wanted;
    Ok(())
}

/// What the event queue calls a connection.
const fn name(conn: Conn, generation: u32) -> u64 {
    conn as u64 | (generation as u64) << 32
}

/// The reverse of [`name`].
const fn owner(name: u64) -> (Conn, u32) {
    (name as u32, (name >> 32) as u32)
}
