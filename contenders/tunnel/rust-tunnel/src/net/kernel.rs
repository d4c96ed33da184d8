//! The two ways to the kernel, behind one set of calls.

use super::buffers::Chunk;
use super::epoll::Epoll;
use super::happened::{For, Happened};
use super::sockets::{Index, Sockets};
use super::uring::Uring;

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Backend {
    /// io_uring, or epoll where the kernel has or allows none.
    #[default]
    Auto,
    /// io_uring or nothing.
    IoUring,
    /// epoll.
    Epoll,
}

pub(super) enum Kernel {
    Uring(Box<Uring>),
    Epoll(Epoll),
}

impl Kernel {
    pub(super) fn new(backend: Backend) -> std::io::Result<Self> {
        Ok(match backend {
            Backend::Epoll => Self::Epoll(Epoll::new()?),
            Backend::IoUring => Self::Uring(Box::new(Uring::new()?)),
            Backend::Auto => match Uring::new() {
                Ok(uring) => Self::Uring(Box::new(uring)),
                Err(_) => Self::Epoll(Epoll::new()?),
            },
        })
    }

    /// Tells of all bytes that come, or of all who connect, until [`Self::pause`].
    pub(super) fn receive(&mut self, index: Index, sockets: &mut Sockets) {
        sockets.get(index).wanted = true;
        match self {
            Self::Uring(uring) => uring.receive(index, sockets),
            Self::Epoll(epoll) => {
                // Somebody else may have read from it meanwhile.
                sockets.get(index).readable = true;
                epoll.list(index, sockets);
            }
        }
    }

    /// Leaves what comes where it is. Some may still be told.
    pub(super) fn pause(&mut self, index: Index, sockets: &mut Sockets) {
        sockets.get(index).wanted = false;
        match self {
            Self::Uring(uring) => uring.pause(index, sockets),
            Self::Epoll(_) => {}
        }
    }

    /// Tells once when it is there.
    pub(super) fn poll(&mut self, index: Index, what: For, sockets: &mut Sockets) {
        sockets.get(index).is_ready[what as usize] = false;
        match self {
            Self::Uring(uring) => uring.poll(index, what, sockets),
            Self::Epoll(epoll) => epoll.poll(index, what, sockets),
        }
    }

    /// Sends after everything that was to be sent before.
    pub(super) fn send(&mut self, index: Index, chunk: Chunk, sockets: &mut Sockets) {
        match self {
            Self::Uring(uring) => uring.send(index, chunk, sockets),
            Self::Epoll(epoll) => epoll.send(index, &chunk, sockets),
        }
    }

    /// Nothing that is to be sent waits for the next turn any more.
    pub(super) fn hand_over(&mut self, index: Index, sockets: &mut Sockets) {
        if let Self::Uring(uring) = self {
            uring.hand_over(index, sockets);
        }
    }

    /// Sends no more, after everything that was to be sent.
    pub(super) fn finish(&mut self, index: Index, sockets: &mut Sockets) {
        self.hand_over(index, sockets);
        let socket = sockets.get(index);
        socket.finishing = true;
        socket.finish_if_sent();
    }

    /// Closes. Nothing more is told of it.
    pub(super) fn close(&mut self, index: Index, sockets: &mut Sockets) {
        match self {
            Self::Uring(uring) => uring.close(index, sockets),
            Self::Epoll(epoll) => epoll.close(index, sockets),
        }
    }

    /// Waits until something happens, at most until then.
    pub(super) fn wait(&mut self, until_ns: Option<u64>, sockets: &mut Sockets) -> rustix::io::Result<()> {
        match self {
            Self::Uring(uring) => uring.wait(until_ns, sockets),
            Self::Epoll(epoll) => epoll.wait(until_ns, sockets),
        }
    }

    /// The next thing that happened, without waiting.
    pub(super) fn next(&mut self, sockets: &mut Sockets) -> Option<(Index, Happened)> {
        match self {
            Self::Uring(uring) => uring.next(sockets),
            Self::Epoll(epoll) => epoll.next(sockets),
        }
    }
}
