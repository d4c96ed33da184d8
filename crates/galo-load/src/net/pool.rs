//! The connections to one server that all users share.

use std::collections::VecDeque;

use crate::io::Conn;

/// Which connections to one server are open, and which of them have room for a request.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    bound: usize,
    open: usize,
    /// Those with room, each once.
    free: VecDeque<Conn>,
}

impl Pool {
    /// With at most so many connections.
    pub(super) const fn new(bound: usize) -> Self {
        Self { bound, open: 0, free: VecDeque::new() }
    }

    pub(super) fn has_room(&self) -> bool {
        !self.free.is_empty() || self.may_open()
    }

    pub(super) const fn may_open(&self) -> bool {
        self.open < self.bound
    }

    /// The one that would be taken.
    pub(super) fn first(&self) -> Option<Conn> {
        self.free.front().copied()
    }

    pub(super) fn take(&mut self) -> Option<Conn> {
        self.free.pop_front()
    }

    /// One more was opened, and is taken.
    pub(super) const fn opened(&mut self) {
        self.open += 1;
    }

    /// One has room. `in_turn`: the others are taken before it; otherwise it is the next to be taken, since its memory
    /// is still in the cache. `false`: it had room before.
    pub(super) fn give_back(&mut self, conn: Conn, in_turn: bool) -> bool {
        if !in_turn {
            self.free.push_front(conn);
            return true;
        }
        let had_none = !self.free.contains(&conn);
        if had_none {
            self.free.push_back(conn);
        }
        had_none
    }

    /// One is not to be taken any more.
    pub(super) fn retire(&mut self, conn: Conn) {
        self.free.retain(|other| *other != conn);
    }

    /// One was closed.
    pub(super) fn closed(&mut self, conn: Conn) {
        self.open -= 1;
        self.retire(conn);
    }
}
