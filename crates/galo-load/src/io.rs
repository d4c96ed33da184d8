//! The only part that talks to the kernel about sockets: open, send, close, wait; what happened comes back as
//! completions.
//!
//! Two backends behind one set of calls: io_uring, and epoll where the kernel has or allows no io_uring. A connection
//! is a number. The bytes to send are written into its own buffer, and handed over by [`Io::send`].

mod connections;
mod epoll;
mod source;
mod uring;

use galo_plan::load::Address;
use galo_record::clock::now_ns;
use rustix::io::Errno;

use connections::Connections;
use epoll::Epoll;
use source::Source;
use uring::Uring;

/// Number of a connection. Used again for another one only when nothing more can be heard of the first.
pub(crate) type Conn = u32;

/// What happened on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Completion {
    pub(crate) conn: Conn,
    /// When: for [`Happened::Sent`] right before the write, otherwise right after the read or the failure.
    pub(crate) at_ns: u64,
    pub(crate) what: Happened,
}

/// See [`Completion`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Happened {
    /// The first bytes of what was to be sent were handed to the kernel.
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

/// Which of the kernel's interfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Backend {
    /// io_uring, or epoll where the kernel has or allows none.
    #[default]
    Auto,
    /// io_uring or nothing.
    IoUring,
    /// epoll.
    Epoll,
}

/// How to wait for the last microseconds before something falls due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// Asleep: the kernel wakes some 30 us late.
    Asleep,
    /// Asleep until this long before, then awake.
    SpinningFor(u64),
}

/// What the kernel may let gather before it wakes galo, as network cards do for kernels: half of the CPU of a wake-up
/// is the machine's, whatever it is for. (Completions gather with io_uring of Linux 6.12
/// and newer; arrivals everywhere.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gather {
    /// At most so long.
    pub(crate) ns: u64,
    /// ... or so many completions.
    pub(crate) count: usize,
}

impl Gather {
    /// Every completion wakes.
    pub(crate) const NOTHING: Self = Self { ns: 0, count: 1 };
}

/// One engine thread's connections.
pub(crate) struct Io {
    kernel: Kernel,
    connections: Connections,
    sources: Vec<Source>,
    waiting: Waiting,
}

enum Kernel {
    Uring(Box<Uring>),
    Epoll(Epoll),
}

impl Io {
    /// For about so many connections to the given addresses. `in_turn`: see [`source`].
    pub(crate) fn new(
        addresses: &[Address],
        connections: usize,
        in_turn: bool,
        backend: Backend,
        waiting: Waiting,
    ) -> std::io::Result<Self> {
        let kernel = match backend {
            Backend::Epoll => Kernel::Epoll(Epoll::new()?),
            Backend::IoUring => Kernel::Uring(Box::new(Uring::new(connections)?)),
            Backend::Auto => match Uring::new(connections) {
                Ok(uring) => Kernel::Uring(Box::new(uring)),
                Err(_) => Kernel::Epoll(Epoll::new()?),
            },
        };
        let sources = addresses.iter().map(|address| Source::new(address.clone(), in_turn)).collect();
        Ok(Self { kernel, connections: Connections::default(), sources, waiting })
    }

    /// Name of the interface in use.
    pub(crate) fn name(&self) -> &'static str {
        match self.kernel {
            Kernel::Uring(_) => "io_uring",
            Kernel::Epoll(_) => "epoll",
        }
    }

    /// Begins to connect to the address of this index. [`Self::send`] may follow at once; a failure that shows later
    /// is a completion.
    pub(crate) fn open(&mut self, address: usize) -> rustix::io::Result<Conn> {
        let socket = self.sources[address].connect()?;
        let conn = self.connections.begin(socket);
        match &mut self.kernel {
            Kernel::Uring(uring) => uring.open(conn, &mut self.connections),
            Kernel::Epoll(_) => {}
        }
        Ok(conn)
    }

    /// Where bytes to send are put.
    pub(crate) fn out(&mut self, conn: Conn) -> &mut Vec<u8> {
        &mut self.connections.get(conn).out
    }

    /// Sends what was put into [`Self::out`], as soon as it can be sent.
    pub(crate) fn send(&mut self, conn: Conn) {
        match &mut self.kernel {
            Kernel::Uring(uring) => uring.send(conn, &mut self.connections),
            Kernel::Epoll(epoll) => epoll.send(conn, &mut self.connections),
        }
    }

    /// Whether all that was to be sent was handed to the kernel.
    pub(crate) fn is_sent(&mut self, conn: Conn) -> bool {
        self.connections.get(conn).is_sent()
    }

    /// Bytes that were not handed to the kernel yet.
    pub(crate) fn unsent(&mut self, conn: Conn) -> usize {
        self.connections.get(conn).unsent()
    }

    /// Since when bytes are with the kernel that may still go out, even if the connection is closed now: a send that
    /// waits for the connection goes out with the very call that would cancel it.
    pub(crate) fn may_go_out_since_ns(&mut self, conn: Conn) -> Option<u64> {
        match &self.kernel {
            Kernel::Uring(_) => uring::sending_since_ns(self.connections.get(conn)),
            Kernel::Epoll(_) => None,
        }
    }

    /// Closes a connection. Nothing more is heard of it.
    pub(crate) fn close(&mut self, conn: Conn) {
        match &mut self.kernel {
            Kernel::Uring(uring) => uring.close(conn, &mut self.connections),
            Kernel::Epoll(_) => self.connections.end(conn),
        }
    }

    /// Waits until something happens, at most until `until_ns`.
    pub(crate) fn wait(&mut self, until_ns: u64, gather: Gather) -> rustix::io::Result<()> {
        let Waiting::SpinningFor(spin_ns) = self.waiting else { return self.sleep(until_ns, gather) };
        self.sleep(until_ns.saturating_sub(spin_ns), Gather::NOTHING)?;
        while !self.has_news() && now_ns() < until_ns {
            self.sleep(0, Gather::NOTHING)?;
        }
        Ok(())
    }

    /// To the nanosecond as far as the kernel's timers go; a time that is past only looks.
    fn sleep(&mut self, until_ns: u64, gather: Gather) -> rustix::io::Result<()> {
        match &mut self.kernel {
            Kernel::Uring(uring) => uring.wait(until_ns, gather, &mut self.connections),
            Kernel::Epoll(epoll) => epoll.wait(until_ns),
        }
    }

    fn has_news(&mut self) -> bool {
        match &mut self.kernel {
            Kernel::Uring(uring) => uring.has_news(),
            Kernel::Epoll(epoll) => epoll.has_news(),
        }
    }

    /// The next thing that happened, without waiting.
    pub(crate) fn next(&mut self) -> Option<Completion> {
        match &mut self.kernel {
            Kernel::Uring(uring) => uring.next(&mut self.connections),
            Kernel::Epoll(epoll) => epoll.next(&mut self.connections),
        }
    }

    /// What the last [`Happened::Received`] brought.
    pub(crate) fn received(&self) -> &[u8] {
        match &self.kernel {
            Kernel::Uring(uring) => uring.received(),
            Kernel::Epoll(epoll) => epoll.received(),
        }
    }

    /// The same, to be changed in place.
    pub(crate) fn received_mut(&mut self) -> &mut [u8] {
        match &mut self.kernel {
            Kernel::Uring(uring) => uring.received_mut(),
            Kernel::Epoll(epoll) => epoll.received_mut(),
        }
    }

    /// Bytes handed to the kernel so far.
    pub(crate) fn sent_bytes(&self) -> u64 {
        self.connections.sent_bytes
    }

    /// Bytes read so far.
    pub(crate) fn received_bytes(&self) -> u64 {
        self.connections.received_bytes
    }
}

impl Drop for Io {
    fn drop(&mut self) {
        if let Kernel::Uring(uring) = &mut self.kernel {
            uring.finish(&mut self.connections);
        }
    }
}
