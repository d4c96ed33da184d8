//! The loop: accept, read, answer.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, accept_with, bind, getsockname, listen, socket_with, sockopt,
};

use crate::connection::{Connection, Over};
use crate::{Counts, NullError, Options};

/// How often the stop flag is looked at when nothing happens.
const LOOK: Duration = Duration::from_millis(50);
const EVENTS: usize = 1024;
const READ_BUFFER: usize = 64 * 1024;
/// Connections that the kernel may hold ready; it takes the smaller of this and `net.core.somaxconn`.
const BACKLOG: i32 = 16 * 1024;
/// What the event queue calls the listener and the pipe; connections go by their descriptors.
const LISTENER: u64 = u64::MAX;
const PIPE: u64 = u64::MAX - 1;

/// Answers that are not due yet.
#[derive(Debug)]
struct Delayed {
    due: Instant,
    descriptor: usize,
    /// See [`Connection::number`].
    number: u64,
    answers: u64,
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    options: Options,
    address: SocketAddr,
    listener: OwnedFd,
    epoll: OwnedFd,
    answer: Vec<u8>,
    /// By descriptor.
    connections: Vec<Option<Connection>>,
    delayed: VecDeque<Delayed>,
    first_request: Option<Instant>,
    counts: Counts,
}

impl Server {
    /// Listens. Connections are made from now on, and answered once [`Self::run`] is called.
    ///
    /// # Errors
    /// When the address is not to be had, or the kernel refuses.
    pub fn bind(options: Options) -> Result<Self, NullError> {
        let (listener, address) =
            open(options.address).map_err(|source| NullError::Listen { address: options.address, source })?;
        let epoll = epoll::create(CreateFlags::CLOEXEC).map_err(kernel("make an event queue"))?;
        epoll::add(&epoll, &listener, EventData::new_u64(LISTENER), EventFlags::IN)
            .map_err(kernel("watch the listener"))?;
        let mut answer =
            format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", options.body_bytes).into_bytes();
        answer.resize(answer.len() + options.body_bytes, b'0');
        Ok(Self {
            options,
            address,
            listener,
            epoll,
            answer,
            connections: Vec::new(),
            delayed: VecDeque::new(),
            first_request: None,
            counts: Counts::default(),
        })
    }

    /// Where it listens, with the port that it got.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends [`Self::run`] when the other end of this pipe is closed, as it is when the process that holds it dies in
    /// whatever way. What is written to the pipe is not read.
    ///
    /// # Errors
    /// When it is no pipe or socket.
    pub fn tie_to(&mut self, pipe: impl AsFd) -> Result<(), NullError> {
        // A hang-up is reported without being asked for.
        epoll::add(&self.epoll, pipe, EventData::new_u64(PIPE), EventFlags::empty())
            .map_err(kernel("watch the pipe"))
    }

    /// Answers until `stop` is set (noticed within 50 ms), or the pipe of [`Self::tie_to`] is closed.
    ///
    /// # Errors
    /// When descriptors run out, or the kernel refuses to wait.
    pub fn run(mut self, stop: &AtomicBool) -> Result<Counts, NullError> {
        let mut events: Vec<Event> = Vec::with_capacity(EVENTS);
        let mut buffer = vec![0; READ_BUFFER];
        while !stop.load(Ordering::Relaxed) {
            events.clear();
            let timeout = timespec(self.patience());
            match epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&timeout)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(source) => return Err(NullError::Kernel { action: "wait for events", source }),
            }
            self.stall(stop);
            for event in &events {
                match event.data.u64() {
                    LISTENER => self.accept()?,
                    PIPE => return Ok(self.counts),
                    descriptor => self.serve(descriptor as usize, event.flags, &mut buffer),
                }
            }
            self.answer_delayed();
        }
        Ok(self.counts)
    }

    /// How long to wait at most.
    fn patience(&self) -> Duration {
        let delayed = self.delayed.front();
        delayed.map_or(LOOK, |first| first.due.saturating_duration_since(Instant::now()).min(LOOK))
    }

    /// Sits a stall out. Between events, so one that is being looked at when it begins is still answered.
    fn stall(&self, stop: &AtomicBool) {
        let (Some(first), Some(stall)) = (self.first_request, &self.options.stall) else { return };
        while stall.contains(&first.elapsed()) && !stop.load(Ordering::Relaxed) {
            std::thread::sleep(stall.end.saturating_sub(first.elapsed()).min(LOOK));
        }
    }

    fn accept(&mut self) -> Result<(), NullError> {
        loop {
            match accept_with(&self.listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(socket) => self.welcome(socket)?,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::MFILE | Errno::NFILE) => {
                    return Err(NullError::Descriptors { connections: self.counts.connections });
                }
                Err(_) => {} // this connection failed before it was taken; there may be more
            }
        }
    }

    fn welcome(&mut self, socket: OwnedFd) -> Result<(), NullError> {
        let descriptor = socket.as_raw_fd() as usize;
        epoll::add(&self.epoll, &socket, EventData::new_u64(descriptor as u64), EventFlags::IN)
            .map_err(kernel("watch a connection"))?;
        if descriptor >= self.connections.len() {
            self.connections.resize_with(descriptor + 1, || None);
        }
        self.counts.connections += 1;
        self.connections[descriptor] = Some(Connection::new(socket, self.counts.connections));
        Ok(())
    }

    fn serve(&mut self, descriptor: usize, flags: EventFlags, buffer: &mut [u8]) {
        let Some(connection) = self.connections[descriptor].as_mut() else { return };
        let mut more = 0;
        // Anything but room for writing is found out by reading.
        if flags != EventFlags::OUT {
            match connection.read(buffer) {
                Ok(complete) => more = complete,
                Err(over) => return self.close(descriptor, over),
            }
        }
        if more > 0 {
            self.counts.requests += more;
            self.first_request.get_or_insert_with(Instant::now);
            if !self.options.delay.is_zero() {
                let due = Instant::now() + self.options.delay;
                let number = connection.number;
                self.delayed.push_back(Delayed { due, descriptor, number, answers: more });
                return;
            }
        }
        self.answer(descriptor, more);
    }

    fn answer_delayed(&mut self) {
        let now = Instant::now();
        while self.delayed.front().is_some_and(|first| first.due <= now) {
            let Some(first) = self.delayed.pop_front() else { return };
            let connection = self.connections[first.descriptor].as_ref();
            if connection.is_some_and(|connection| connection.number == first.number) {
                self.answer(first.descriptor, first.answers);
            }
        }
    }

    fn answer(&mut self, descriptor: usize, more: u64) {
        let Some(connection) = self.connections[descriptor].as_mut() else { return };
        let before = connection.answered;
        let mut over =
            connection.answer(more, &self.answer, self.options.close_after.unwrap_or(u64::MAX)).err();
        self.counts.answers += connection.answered - before;
        if connection.owes() != connection.watches_room {
            connection.watches_room = connection.owes();
            let room = if connection.watches_room { EventFlags::OUT } else { EventFlags::empty() };
            let data = EventData::new_u64(descriptor as u64);
            if epoll::modify(&self.epoll, &connection.socket, data, EventFlags::IN | room).is_err() {
                over = Some(Over::Done);
            }
        }
        if let Some(over) = over {
            self.close(descriptor, over);
        }
    }

    fn close(&mut self, descriptor: usize, over: Over) {
        self.counts.refused += u64::from(over == Over::Refused);
        self.connections[descriptor] = None;
    }
}

fn open(address: SocketAddr) -> rustix::io::Result<(OwnedFd, SocketAddr)> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let listener = socket_with(family, SocketType::STREAM, flags, None)?;
    sockopt::set_socket_reuseaddr(&listener, true)?;
    sockopt::set_tcp_nodelay(&listener, true)?; // accepted sockets inherit it
    bind(&listener, &address)?;
    listen(&listener, BACKLOG)?;
    let address = getsockname(&listener)?.try_into()?;
    Ok((listener, address))
}

fn kernel(action: &'static str) -> impl FnOnce(Errno) -> NullError {
    move |source| NullError::Kernel { action, source }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec { tv_sec: duration.as_secs() as i64, tv_nsec: i64::from(duration.subsec_nanos()) }
}
