//! Connections as users see them: taken for a request, given back after its answer, opened where none is free.
//!
//! Below lies [`Io`], which moves bytes; above it the worker, which knows users and their operations by slot. A
//! connection belongs to one user, to one request, or to all (a pool), as the scenario says.

mod pool;

use galo_plan::LoadPlan;
use galo_plan::challenge::Connection;
use galo_plan::load::Address;
use rustix::io::Errno;

use crate::io::{Backend, Completion, Conn, Happened, Io, Waiting};
use pool::Pool;

/// What a slot is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct News {
    /// Whose operation, or (between two of them) whose connection.
    pub(crate) slot: u32,
    /// When; see [`Completion`].
    pub(crate) at_ns: u64,
    pub(crate) what: Happened,
}

/// A connection that was found for a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken {
    pub(crate) conn: Conn,
    /// Whether it was opened for it.
    pub(crate) fresh: bool,
    /// Since when it could have been taken.
    pub(crate) idle_since_ns: u64,
}

/// One connection.
#[derive(Debug, Clone, Copy, Default)]
struct Link {
    address: u16,
    /// Whose request is on it, or whose it is.
    slot: Option<u32>,
    shared: bool,
    idle_since_ns: u64,
}

/// One engine thread's connections.
pub(crate) struct Net {
    io: Io,
    links: Vec<Link>,
    /// By address.
    pools: Vec<Pool>,
    /// By scenario.
    addresses: Vec<u16>,
    /// Opened so far.
    pub(crate) opened: u64,
}

impl Net {
    /// For one of so many threads, which share the bounds of the pools.
    pub(crate) fn new(
        plan: &LoadPlan,
        (thread, threads): (usize, usize),
        in_turn: bool,
        backend: Backend,
        waiting: Waiting,
    ) -> std::io::Result<Self> {
        let mut distinct: Vec<Address> = Vec::new();
        let mut addresses = Vec::with_capacity(plan.targets.len());
        for target in &plan.targets {
            let known = distinct.iter().position(|address| *address == target.address);
            addresses.push(known.unwrap_or(distinct.len()) as u16);
            if known.is_none() {
                distinct.push(target.address.clone());
            }
        }
        let bound = share(u64::from(plan.pool.connections), thread, threads).max(1) as usize;
        Ok(Self {
            io: Io::new(&distinct, in_turn, backend, waiting)?,
            links: Vec::new(),
            pools: vec![Pool::new(bound); distinct.len()],
            addresses,
            opened: 0,
        })
    }

    /// Whether a request of this scenario would find a connection, or may open one.
    pub(crate) fn has_room(&self, scenario: usize, policy: Connection) -> bool {
        policy != Connection::Shared || self.pools[usize::from(self.addresses[scenario])].has_room()
    }

    /// Finds a connection for a request. `own`: the user's own one; `anew`: a new one in any case.
    pub(crate) fn take(
        &mut self,
        slot: u32,
        scenario: usize,
        policy: Connection,
        own: Option<Conn>,
        anew: bool,
    ) -> Result<Taken, Errno> {
        let address = self.addresses[scenario];
        let shared = policy == Connection::Shared;
        let idle = match (anew, shared) {
            (true, _) => None,
            (false, true) => self.pools[usize::from(address)].take(),
            (false, false) => own,
        };
        if let Some(conn) = idle {
            let link = &mut self.links[conn as usize];
            link.slot = Some(slot);
            return Ok(Taken { conn, fresh: false, idle_since_ns: link.idle_since_ns });
        }
        let conn = self.io.open(usize::from(address))?;
        self.opened += 1;
        if shared {
            self.pools[usize::from(address)].opened();
        }
        let index = conn as usize;
        if index >= self.links.len() {
            self.links.resize(index + 1, Link::default());
        }
        self.links[index] = Link { address, slot: Some(slot), shared, idle_since_ns: 0 };
        Ok(Taken { conn, fresh: true, idle_since_ns: 0 })
    }

    /// Sends a request.
    pub(crate) fn send(&mut self, conn: Conn, request: &[u8]) {
        self.io.out(conn).extend_from_slice(request);
        self.io.send(conn);
    }

    /// Whether the whole request was handed to the kernel.
    pub(crate) fn is_sent(&mut self, conn: Conn) -> bool {
        self.io.is_sent(conn)
    }

    /// The request on it is over at `at_ns`, and the connection may carry another one. `true`: the user keeps it.
    pub(crate) fn give_back(&mut self, conn: Conn, at_ns: u64) -> bool {
        let link = &mut self.links[conn as usize];
        link.idle_since_ns = at_ns;
        if link.shared {
            link.slot = None;
            self.pools[usize::from(link.address)].give_back(conn);
        }
        !link.shared
    }

    /// Closes a connection. Nothing more is heard of it.
    pub(crate) fn close(&mut self, conn: Conn) {
        let link = std::mem::take(&mut self.links[conn as usize]);
        if link.shared {
            self.pools[usize::from(link.address)].closed(conn, link.slot.is_none());
        }
        self.io.close(conn);
    }

    /// Waits until something happens, at most until `until_ns`.
    pub(crate) fn wait(&mut self, until_ns: u64) -> rustix::io::Result<()> {
        self.io.wait(until_ns)
    }

    /// The next thing that happened, without waiting.
    pub(crate) fn next(&mut self) -> Option<News> {
        loop {
            let Completion { conn, at_ns, what } = self.io.next()?;
            match self.links[conn as usize].slot {
                Some(slot) => return Some(News { slot, at_ns, what }),
                // Nobody's: the server ends it, and may say so before (408) without having been asked.
                None if what == Happened::Sent => {}
                None => self.close(conn),
            }
        }
    }

    /// What the last [`Happened::Received`] brought.
    pub(crate) fn received(&self) -> &[u8] {
        self.io.received()
    }

    /// Name of the kernel's interface in use.
    pub(crate) fn backend(&self) -> &'static str {
        self.io.name()
    }

    /// Bytes sent and received so far.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        (self.io.sent_bytes(), self.io.received_bytes())
    }
}

/// The share of one thread in a whole: all together make it up.
pub(crate) fn share(whole: u64, thread: usize, threads: usize) -> u64 {
    let (thread, threads) = (thread as u64, threads as u64);
    whole / threads + u64::from(thread < whole % threads)
}
