//! The way through epoll, for kernels without io_uring: each socket is watched once, edge by edge, and read from or
//! written to until the kernel has no more or no room.

use std::collections::VecDeque;

use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, SocketFlags};

use super::buffers::{self, BUFFER_BYTES, BUFFERS, Chunk, Memory};
use super::clock::clock_ns;
use super::happened::{For, Happened};
use super::sockets::{Index, POLLED, Sockets};

/// Told by one call at most.
const EVENTS: usize = 256;

pub(super) struct Epoll {
    epoll: OwnedFd,
    events: Vec<Event>,
    /// To be looked at.
    list: VecDeque<Index>,
    memory: Memory,
    free: Vec<u16>,
}

impl Epoll {
    pub(super) fn new() -> std::io::Result<Self> {
        Ok(Self {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            events: Vec::with_capacity(EVENTS),
            list: VecDeque::new(),
            memory: Memory::new(),
            free: (0..BUFFERS).collect(),
        })
    }

    /// Looks at a socket soon.
    pub(super) fn list(&mut self, index: Index, sockets: &mut Sockets) {
        self.watch(index, sockets);
        if !std::mem::replace(&mut sockets.get(index).listed, true) {
            self.list.push_back(index);
        }
    }

    fn watch(&mut self, index: Index, sockets: &mut Sockets) {
        let socket = sockets.get(index);
        let Some(fd) = &socket.fd else { return };
        if std::mem::replace(&mut socket.watched, true) {
            return;
        }
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        if let Err(errno) = epoll::add(&self.epoll, fd, EventData::new_u64(index.into()), flags) {
            socket.error = Some(errno);
        }
    }

    /// An edge that has not come yet is waited for; one that came and was not used up is told at once.
    pub(super) fn poll(&mut self, index: Index, what: For, sockets: &mut Sockets) {
        let socket = sockets.get(index);
        socket.under_way |= POLLED[what as usize];
        // Whoever polls has just been refused.
        match what {
            For::Bytes => socket.readable = false,
            For::Room => socket.writable = false,
        }
        if !socket.watched {
            return self.watch(index, sockets);
        }
        // The edge may have come before the refusal: said again, it comes again.
        if let Some(fd) = &socket.fd {
            let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
            let _ = epoll::modify(&self.epoll, fd, EventData::new_u64(index.into()), flags);
        }
    }

    pub(super) fn send(&mut self, index: Index, chunk: &Chunk, sockets: &mut Sockets) {
        let socket = sockets.get(index);
        if !socket.outbox.is_empty() {
            return socket.outbox.push(chunk);
        }
        let Some(fd) = &socket.fd else { return };
        let mut bytes: &[u8] = chunk;
        while !bytes.is_empty() {
            match rustix::net::send(fd, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    socket.writable = false;
                    socket.outbox.push(bytes);
                    return self.watch(index, sockets);
                }
                Err(errno) => {
                    socket.send_error = Some(errno);
                    return;
                }
            }
        }
    }

    pub(super) fn close(&mut self, index: Index, sockets: &mut Sockets) {
        let socket = sockets.get(index);
        // Closing takes it from epoll's set, unless another descriptor keeps it open.
        if socket.fd.take().is_some() {
            socket.inbox.clear();
            socket.accepted.clear();
            socket.under_way = 0;
            if !socket.listed {
                sockets.release(index);
            }
        }
    }

    pub(super) fn wait(&mut self, until_ns: Option<u64>, sockets: &mut Sockets) -> rustix::io::Result<()> {
        buffers::take_free(|buffer| self.free.push(buffer));
        let left_ns = if self.list.is_empty() {
            until_ns.map(|until_ns| until_ns.saturating_sub(clock_ns()))
        } else {
            Some(0)
        };
        let timeout = left_ns
            .map(|ns| Timespec { tv_sec: (ns / 1_000_000_000) as i64, tv_nsec: (ns % 1_000_000_000) as _ });
        self.events.clear();
        match epoll::wait(&self.epoll, spare_capacity(&mut self.events), timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        for at in 0..self.events.len() {
            let Event { flags, data } = self.events[at];
            let index = data.u64() as Index;
            let socket = sockets.get(index);
            if socket.fd.is_none() {
                // Closed here, and still in the set: another thread listens at it, or it is the thread's own `Wake`.
                continue;
            }
            socket.readable |=
                flags.intersects(EventFlags::IN | EventFlags::RDHUP | EventFlags::HUP | EventFlags::ERR);
            socket.writable |= flags.intersects(EventFlags::OUT | EventFlags::HUP | EventFlags::ERR);
            self.list(index, sockets);
        }
        Ok(())
    }

    pub(super) fn next(&mut self, sockets: &mut Sockets) -> Option<(Index, Happened)> {
        while let Some(index) = self.list.pop_front() {
            if let Some(happened) = self.look(index, sockets) {
                // It may have more; the others come first.
                self.list.push_back(index);
                return Some((index, happened));
            }
            let socket = sockets.get(index);
            socket.listed = false;
            if socket.fd.is_none() {
                sockets.release(index);
            }
        }
        None
    }

    /// One thing that happened on a socket.
    fn look(&mut self, index: Index, sockets: &mut Sockets) -> Option<Happened> {
        let socket = sockets.get(index);
        let fd = socket.fd.as_ref()?;
        for (what, there) in [(For::Bytes, socket.readable), (For::Room, socket.writable)] {
            if there && socket.under_way & POLLED[what as usize] != 0 {
                socket.under_way &= !POLLED[what as usize];
                return Some(Happened::Ready(what));
            }
        }
        if socket.writable && !socket.outbox.is_empty() {
            match rustix::net::send(fd, socket.outbox.take_up(), SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(sent) => {
                    socket.outbox.advance(sent);
                    socket.finish_if_sent();
                    return Some(Happened::Sent);
                }
                Err(Errno::AGAIN) => socket.writable = false,
                Err(Errno::INTR) => return self.look(index, sockets),
                Err(errno) => {
                    socket.writable = false;
                    return Some(Happened::NotSent(errno));
                }
            }
        }
        if !socket.readable || !socket.wanted || socket.ended {
            return None;
        }
        if socket.listens {
            return match rustix::net::accept_with(fd, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) {
                Ok(accepted) => Some(Happened::Accepted(accepted)),
                Err(Errno::AGAIN) => {
                    socket.readable = false;
                    None
                }
                Err(errno) => {
                    socket.wanted = false;
                    Some(Happened::Failed(errno))
                }
            };
        }
        self.read(index, sockets)
    }

    #[allow(unsafe_code)]
    fn read(&mut self, index: Index, sockets: &mut Sockets) -> Option<Happened> {
        if self.free.is_empty() {
            buffers::take_free(|buffer| self.free.push(buffer));
        }
        let socket = sockets.get(index);
        let fd = socket.fd.as_ref()?;
        let most = socket.read_bytes_max.map_or(BUFFER_BYTES, |most| BUFFER_BYTES.min(most as usize));
        let (received, chunk) = if let Some(buffer) = self.free.pop() {
            // SAFETY: nobody else has a buffer that is free, and its memory is never given back.
            let bytes = unsafe { std::slice::from_raw_parts_mut(self.memory.start(buffer), most) };
            let received = rustix::net::recv(fd, &mut *bytes, RecvFlags::DONTWAIT).map(|(length, _)| length);
            (received, self.memory.chunk(buffer, received.unwrap_or(0)))
        } else {
            // All are held for a moment.
            let mut bytes = vec![0; most];
            let received = rustix::net::recv(fd, &mut *bytes, RecvFlags::DONTWAIT).map(|(length, _)| length);
            bytes.truncate(received.unwrap_or(0));
            (received, bytes.into())
        };
        match received {
            Ok(0) => {
                socket.readable = false;
                Some(Happened::Ended)
            }
            Ok(_) => {
                socket.wanted &= socket.read_bytes_max.is_none();
                Some(Happened::Received(chunk))
            }
            Err(Errno::AGAIN) => {
                socket.readable = false;
                None
            }
            Err(Errno::INTR) => self.read(index, sockets),
            Err(errno) => {
                socket.readable = false;
                Some(Happened::Failed(errno))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::{Epoll, Sockets};

    #[test]
    fn a_closed_socket_that_another_descriptor_keeps_open_gives_its_place_back_once() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let (mut epoll, mut sockets) = (Epoll::new().unwrap(), Sockets::default());
        let index = sockets.add(listener.try_clone().unwrap().into(), true);
        sockets.get(index).wanted = true;
        epoll.list(index, &mut sockets);
        assert!(epoll.next(&mut sockets).is_none());
        epoll.close(index, &mut sockets);
        let _client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        epoll.wait(Some(0), &mut sockets).unwrap();
        assert_eq!(epoll.events.len(), 1, "epoll still tells of it");
        assert!(epoll.next(&mut sockets).is_none());
        assert!(sockets.is_empty());
    }
}
