//! All sockets of an engine thread by number, and what is to be written to them.

use rustix::fd::OwnedFd;

use super::Conn;

/// One connection. Its buffers outlive it.
#[derive(Debug, Default)]
pub(super) struct Connection {
    pub(super) socket: Option<OwnedFd>,
    /// Tells the news of this connection from those of an earlier one of the same number.
    pub(super) generation: u32,
    /// Whether a byte could be written: connecting has succeeded.
    pub(super) connected: bool,
    /// What is to be sent next.
    pub(super) out: Vec<u8>,
    /// What is being sent. The kernel may read it until the send completes, so it is left alone until then.
    pub(super) sending: Vec<u8>,
    /// How much of `sending` was handed over.
    pub(super) written: usize,
    /// For the backend alone: operations that the kernel has not completed (io_uring), or the events that are
    /// watched (epoll).
    pub(super) under_way: u8,
    /// Whether it waits to be handed over with others (io_uring).
    pub(super) queued: bool,
    /// When the bytes last handed over were.
    pub(super) sent_ns: u64,
}

impl Connection {
    /// Whether nothing is left to be sent.
    pub(super) fn is_sent(&self) -> bool {
        self.unsent() == 0
    }

    /// Bytes that were not handed to the kernel yet.
    pub(super) fn unsent(&self) -> usize {
        self.out.len() + self.sending.len() - self.written
    }

    /// Takes up what is to be sent next, if the last was sent. `true`: there is something new.
    pub(super) fn take_up(&mut self) -> bool {
        if self.written < self.sending.len() || self.out.is_empty() {
            return false;
        }
        self.sending.clear();
        self.written = 0;
        std::mem::swap(&mut self.out, &mut self.sending);
        true
    }
}

/// All connections of one thread.
#[derive(Debug, Default)]
pub(super) struct Connections {
    all: Vec<Connection>,
    free: Vec<Conn>,
    pub(super) sent_bytes: u64,
    pub(super) received_bytes: u64,
}

impl Connections {
    /// A number for a socket that is connecting.
    pub(super) fn begin(&mut self, socket: OwnedFd) -> Conn {
        let conn = self.free.pop().unwrap_or_else(|| {
            self.all.push(Connection::default());
            (self.all.len() - 1) as Conn
        });
        let connection = self.get(conn);
        connection.socket = Some(socket);
        connection.out.clear();
        connection.sending.clear();
        (connection.written, connection.under_way) = (0, 0);
        (connection.connected, connection.queued) = (false, false);
        conn
    }

    pub(super) fn get(&mut self, conn: Conn) -> &mut Connection {
        &mut self.all[conn as usize]
    }

    /// Closes the socket and frees its number at once.
    pub(super) fn end(&mut self, conn: Conn) {
        self.forget(conn);
        self.release(conn);
    }

    /// Closes the socket; its number stays taken.
    pub(super) fn forget(&mut self, conn: Conn) -> Option<OwnedFd> {
        let connection = self.get(conn);
        connection.connected = false;
        connection.generation = connection.generation.wrapping_add(1);
        connection.socket.take()
    }

    /// Numbers of all connections that are open, or of which the kernel has something under way.
    pub(super) fn in_use(&self) -> Vec<Conn> {
        let used = |c: &Connection| c.socket.is_some() || c.under_way != 0;
        (0..).zip(&self.all).filter(|(_, connection)| used(connection)).map(|(conn, _)| conn).collect()
    }

    /// Gives up the memory that the kernel may still read.
    pub(super) fn leak(&mut self) {
        std::mem::forget(std::mem::take(&mut self.all));
    }

    /// Frees a number.
    pub(super) fn release(&mut self, conn: Conn) {
        self.free.push(conn);
    }
}
