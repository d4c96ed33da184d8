//! One socket and what is to be written to it.

use rustix::event::epoll::{self, EventData, EventFlags};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

/// How the kernel's event queue knows a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Watched {
    #[default]
    No,
    /// For bytes from the peer.
    In,
    /// ... and for room to write.
    InOut,
}

/// A slot's connection. Its buffer outlives it.
#[derive(Debug, Default)]
pub(super) struct Connection {
    socket: Option<OwnedFd>,
    /// Tells the events of this connection from those of an earlier one in the same slot.
    pub(super) generation: u32,
    /// Whether a byte could be written: connecting has succeeded.
    pub(super) connected: bool,
    watched: Watched,
    pub(super) out: Vec<u8>,
    pub(super) written: usize,
}

/// What a write came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pushed {
    Bytes(u64),
    /// The kernel has no room yet, or is still connecting.
    Nothing,
}

/// What the event queue calls a connection.
pub(super) const fn name(slot: u32, generation: u32) -> u64 {
    slot as u64 | (generation as u64) << 32
}

/// The reverse of [`name`].
pub(super) const fn owner(name: u64) -> (u32, u32) {
    (name as u32, (name >> 32) as u32)
}

impl Connection {
    pub(super) fn begin(&mut self, socket: OwnedFd) {
        self.close();
        self.socket = Some(socket);
    }

    pub(super) fn close(&mut self) {
        self.socket = None;
        self.connected = false;
        self.watched = Watched::No;
        self.generation = self.generation.wrapping_add(1);
    }

    /// Writes what is left of the request, and asks for the events that are still needed.
    ///
    /// On loopback a connection usually stands when `connect` returns, so that writing at once succeeds and saves a
    /// round through the event queue. Where it does not, the kernel says "try again".
    pub(super) fn push(&mut self, epoll: &OwnedFd, slot: u32) -> rustix::io::Result<Pushed> {
        let Some(socket) = &self.socket else { return Err(Errno::NOTCONN) };
        let pushed = loop {
            match rustix::net::send(socket, &self.out[self.written..], SendFlags::NOSIGNAL) {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break Pushed::Nothing,
                Err(errno) => return Err(errno),
                Ok(n) => {
                    self.connected = true;
                    self.written += n;
                    break Pushed::Bytes(n as u64);
                }
            }
        };
        self.watch(epoll, slot)?;
        Ok(pushed)
    }

    fn watch(&mut self, epoll: &OwnedFd, slot: u32) -> rustix::io::Result<()> {
        let Some(socket) = &self.socket else { return Ok(()) };
        let wanted = if self.written == self.out.len() { Watched::In } else { Watched::InOut };
        let data = EventData::new_u64(name(slot, self.generation));
        let outgoing = if wanted == Watched::InOut { EventFlags::OUT } else { EventFlags::empty() };
        let flags = EventFlags::IN | EventFlags::RDHUP | outgoing;
        match self.watched {
            watched if watched == wanted => {}
            Watched::No => epoll::add(epoll, socket, data, flags)?,
            Watched::In | Watched::InOut => epoll::modify(epoll, socket, data, flags)?,
        }
        self.watched = wanted;
        Ok(())
    }

    pub(super) fn receive(&self, buffer: &mut [u8], flags: RecvFlags) -> rustix::io::Result<usize> {
        let Some(socket) = &self.socket else { return Err(Errno::NOTCONN) };
        loop {
            match rustix::net::recv(socket, &mut *buffer, flags) {
                Err(Errno::INTR) => {}
                other => return other.map(|(n, _)| n),
            }
        }
    }
}
