//! Connections, and sockets that listen, as tasks see them.

use std::future::poll_fn;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};
use std::task::Poll;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrAny, SocketFlags, SocketType};

use super::buffers::Chunk;
use super::happened::For;
use super::sockets::{Index, Socket};
use super::task::{self, TaskId};
use super::worker::{Worker, with};

/// One end of a connection, or anything else that can be waited for. Closed when it is dropped: in an orderly way, if all that was
/// received was asked for and all that was to be sent is sent.
#[derive(Debug)]
pub(crate) struct Stream {
    index: Index,
}

impl Stream {
    /// Takes over a descriptor that does not block.
    pub(crate) fn new(fd: OwnedFd) -> Self {
        Self { index: with(|worker| worker.sockets.add(fd, false)).unwrap_or(Index::MAX) }
    }

    /// Connects.
    ///
    /// # Errors
    /// What the kernel says.
    pub(crate) async fn connect(address: &SocketAddrAny) -> rustix::io::Result<Self> {
        let family = address.address_family();
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let fd = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
        if family != AddressFamily::UNIX {
            rustix::net::sockopt::set_tcp_nodelay(&fd, true)?;
        }
        match rustix::net::connect(&fd, address) {
            Ok(()) => return Ok(Self::new(fd)),
            Err(Errno::INPROGRESS) => {}
            Err(errno) => return Err(errno),
        }
        let stream = Self::new(fd);
        stream.room().await;
        rustix::net::sockopt::socket_error(stream.fd())??;
        Ok(stream)
    }

    #[allow(unsafe_code)]
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        // SAFETY: it is open as long as this is there.
        unsafe { BorrowedFd::borrow_raw(self.raw()) }
    }

    fn raw(&self) -> RawFd {
        with(|worker| worker.sockets.get(self.index).raw()).unwrap_or(-1)
    }

    /// Asks of the socket as the task that is now told of it.
    fn ask<T>(
        &self,
        call: impl FnOnce(&mut Worker, Index) -> Poll<rustix::io::Result<T>>,
    ) -> Poll<rustix::io::Result<T>> {
        with(|worker| {
            worker.sockets.get(self.index).task = task::this_task();
            call(worker, self.index)
        })
        .unwrap_or(Poll::Ready(Err(Errno::CANCELED)))
    }

    fn look<T>(&self, call: impl FnOnce(&mut Socket) -> T) -> Option<T> {
        with(|worker| call(worker.sockets.get(self.index)))
    }

    /// Bytes, as soon as some come; empty at the end.
    ///
    /// # Errors
    /// What the kernel says, after everything that came before.
    pub(crate) fn recv(&self) -> impl Future<Output = rustix::io::Result<Chunk>> {
        poll_fn(|_| self.poll_recv())
    }

    fn poll_recv(&self) -> Poll<rustix::io::Result<Chunk>> {
        self.ask(|Worker { kernel, sockets }, index| {
            let socket = sockets.get(index);
            if let Some(chunk) = socket.inbox.pop_front() {
                return Poll::Ready(Ok(chunk));
            }
            if let Some(errno) = socket.error {
                return Poll::Ready(Err(errno));
            }
            if socket.ended {
                return Poll::Ready(Ok(Chunk::default()));
            }
            if !socket.wanted {
                kernel.receive(index, sockets);
            }
            Poll::Pending
        })
    }

    /// From now on no more than so many bytes come for each that are asked for, and a read brings no more. The others stay with the
    /// peer, so that one that sends without end takes no memory here.
    pub(crate) fn read_at_most(&self, bytes: u32) {
        self.look(|socket| socket.read_bytes_max = Some(bytes));
    }

    /// Sends after everything that was to be sent before. Whoever does not wait for [`Self::flushed`] fills the memory.
    pub(crate) fn send(&self, chunk: impl Into<Chunk>) {
        let chunk = chunk.into();
        if chunk.is_empty() {
            return;
        }
        with(|Worker { kernel, sockets }| {
            let socket = sockets.get(self.index);
            if socket.send_error.is_none() {
                socket.task = task::this_task();
                kernel.send(self.index, chunk, sockets);
            }
        });
    }

    /// Until no more than so many bytes wait to be sent.
    ///
    /// # Errors
    /// Why nothing more can be sent.
    pub(crate) fn flushed(&self, waiting: usize) -> impl Future<Output = rustix::io::Result<()>> {
        poll_fn(move |_| {
            self.ask(|worker, index| {
                let socket = worker.sockets.get(index);
                match socket.send_error {
                    Some(errno) => Poll::Ready(Err(errno)),
                    None if socket.outbox.len() <= waiting => Poll::Ready(Ok(())),
                    None => Poll::Pending,
                }
            })
        })
    }

    /// Until nothing waits to be sent here and the kernel has room for more, so that a peer that takes nothing fills the kernel's memory
    /// for it and not ours. Asks the kernel at once, so it is for those alone of whom more than one answer is to be expected.
    ///
    /// # Errors
    /// Why nothing more can be sent.
    pub(crate) async fn takes_more(&self) -> rustix::io::Result<()> {
        self.flushed(0).await?;
        let mut asked = [PollFd::from_borrowed_fd(self.fd(), PollFlags::OUT)];
        // Where it cannot be asked it is waited for.
        if rustix::event::poll(&mut asked, Some(&Timespec::default())).is_ok_and(|ready| ready > 0) {
            return Ok(());
        }
        self.room().await;
        Ok(())
    }

    /// Until everything that was to be sent is with the kernel, so that somebody else may write behind it.
    ///
    /// # Errors
    /// Why nothing more can be sent.
    pub(crate) async fn sent(&self) -> rustix::io::Result<()> {
        with(|Worker { kernel, sockets }| kernel.hand_over(self.index, sockets));
        self.flushed(0).await
    }

    /// Sends no more, after everything that was to be sent.
    pub(crate) fn finish(&self) {
        with(|Worker { kernel, sockets }| kernel.finish(self.index, sockets));
    }

    /// Closes as if it had broken: the peer is told that something was lost.
    pub(crate) fn reset(self) {
        // Fails on sockets that have no such end.
        let _ = rustix::net::sockopt::set_socket_linger(self.fd(), Some(std::time::Duration::ZERO));
    }

    /// Asks for no more bytes; those that the kernel has taken from the socket already come by [`Self::recv_paused`].
    pub(crate) fn pause(&self) {
        with(|Worker { kernel, sockets }| kernel.pause(self.index, sockets));
    }

    /// The next of those that were taken before [`Self::pause`]; nothing when all that comes from now on stays in the socket.
    ///
    /// # Errors
    /// As of [`Self::recv`].
    pub(crate) fn recv_paused(&self) -> impl Future<Output = rustix::io::Result<Option<Chunk>>> {
        poll_fn(|_| {
            self.ask(|worker, index| {
                let socket = worker.sockets.get(index);
                if let Some(chunk) = socket.inbox.pop_front() {
                    return Poll::Ready(Ok(Some(chunk)));
                }
                match socket.error {
                    Some(errno) => Poll::Ready(Err(errno)),
                    None if socket.ended => Poll::Ready(Ok(Some(Chunk::default()))),
                    None if socket.under_way & super::sockets::RECEIVING == 0 => Poll::Ready(Ok(None)),
                    None => Poll::Pending,
                }
            })
        })
    }

    /// Leaves it to whoever asks of it next; news are kept.
    pub(crate) fn rest(&self) {
        with(|Worker { kernel, sockets }| {
            let socket = sockets.get(self.index);
            socket.task = TaskId::NONE;
            if !socket.wanted {
                kernel.receive(self.index, sockets);
            }
        });
    }

    /// Whether nothing came, nothing waits to be sent, and nothing is known to be wrong.
    pub(crate) fn is_quiet(&self) -> bool {
        self.look(|socket| {
            let is_idle = socket.inbox.is_empty() && socket.outbox.is_empty() && !socket.ended;
            is_idle && socket.error.is_none() && socket.send_error.is_none()
        })
        .unwrap_or(false)
    }

    /// Until bytes are there, or the end; asked after a read found nothing.
    pub(crate) async fn readable(&self) {
        self.polled(For::Bytes).await;
    }

    /// Until there is room for bytes; asked after a write found none.
    pub(crate) async fn room(&self) {
        self.polled(For::Room).await;
    }

    async fn polled(&self, what: For) {
        let mut begun = false;
        let waited = poll_fn(|_| {
            self.ask(|Worker { kernel, sockets }, index| {
                if !std::mem::replace(&mut begun, true) {
                    kernel.poll(index, what, sockets);
                }
                if sockets.get(index).is_ready[what as usize] { Poll::Ready(Ok(())) } else { Poll::Pending }
            })
        });
        // Nothing but the end of the thread ends it otherwise.
        let _ = waited.await;
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        with(|Worker { kernel, sockets }| kernel.close(self.index, sockets));
    }
}

/// A socket that listens.
#[derive(Debug)]
pub(crate) struct Listener(Stream);

impl Listener {
    /// Takes over a socket that listens and does not block.
    pub(crate) fn new(fd: OwnedFd) -> Self {
        Self(Stream { index: with(|worker| worker.sockets.add(fd, true)).unwrap_or(Index::MAX) })
    }

    /// The next who connects.
    ///
    /// # Errors
    /// What the kernel says; it may be asked again.
    pub(crate) fn accept(&self) -> impl Future<Output = io::Result<OwnedFd>> {
        poll_fn(|_| {
            self.0
                .ask(|Worker { kernel, sockets }, index| {
                    let socket = sockets.get(index);
                    if let Some(fd) = socket.accepted.pop_front() {
                        return Poll::Ready(Ok(fd));
                    }
                    if let Some(errno) = socket.error.take() {
                        socket.wanted = false;
                        return Poll::Ready(Err(errno));
                    }
                    if !socket.wanted {
                        kernel.receive(index, sockets);
                    }
                    Poll::Pending
                })
                .map_err(io::Error::from)
        })
    }
}
