//! The connections to one address that all users share.

use crate::io::Conn;

/// See the module.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    bound: usize,
    open: usize,
    /// The one given back last is taken first: its memory is still in the cache, and what is not needed ages.
    idle: Vec<Conn>,
}

impl Pool {
    /// With at most so many connections.
    pub(super) const fn new(bound: usize) -> Self {
        Self { bound, open: 0, idle: Vec::new() }
    }

    pub(super) const fn has_room(&self) -> bool {
        !self.idle.is_empty() || self.open < self.bound
    }

    pub(super) fn take(&mut self) -> Option<Conn> {
        self.idle.pop()
    }

    /// One more was opened, and is taken.
    pub(super) const fn opened(&mut self) {
        self.open += 1;
    }

    pub(super) fn give_back(&mut self, conn: Conn) {
        self.idle.push(conn);
    }

    /// One was closed, while it was taken or `idle`.
    pub(super) fn closed(&mut self, conn: Conn, idle: bool) {
        self.open -= 1;
        if idle {
            self.idle.retain(|other| *other != conn);
        }
    }
}
