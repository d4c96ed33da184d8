//! Exchanges outside of the load, one after the other, for the count and for conformance: raw bytes out, an answer in,
//! read by the engine's own reader. Whatever a server does, an exchange has an end: by a deadline, and by how much is
//! read.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use galo_plan::load::{Address, Proxy, Target};
use galo_record::conformance::{Failure, FailureKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::sockopt::{set_socket_linger, socket_error};
use rustix::net::{AddressFamily, SocketFlags, SocketType, connect, ipproto, socket_with};

use crate::ending::own_error;
use crate::response::{AnswerError, HEAD_LIMIT, Response};
use crate::tunnel::{Tunnel, TunnelError, write_connect};

/// Read of one answer's body. What it takes to frame the body may come on top, once more as much.
const BODY_READ: usize = 1024 * 1024;
/// Kept of the body that [`get`] fetches.
const FETCHED_KEPT: usize = 64 * 1024;
/// How long a body waits for the server's word, as RFC 9110, section 10.1.1, lets a client.
const CONTINUE_WITHIN: Duration = Duration::from_secs(1);

/// So often it is looked whether the caller broke off.
const LOOK: Duration = Duration::from_millis(100);

/// A plain connection for exchanges one after the other.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    target: SocketAddr,
    response: Response,
    /// Read, and not of the answer so far.
    unread: Vec<u8>,
    is_open: bool,
}

/// What to send, and what is known of its answer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outgoing<'a> {
    /// All of the request; with those that are sent right behind it, or nothing if it was sent with another.
    pub bytes: &'a [u8],
    /// After so many of these bytes the server is waited for, but not for longer than a second.
    pub pause_at: Option<usize>,
    /// Whether the request is a HEAD, whose answer has no body.
    pub is_head: bool,
    /// Whether answers to other requests may follow at once.
    pub more: bool,
    /// Whether the client ends its own direction once all is sent.
    pub ends: bool,
    /// Set by the caller to break off.
    pub stop: Option<&'a AtomicBool>,
}

/// What came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchanged {
    /// HTTP status; 0: no whole head came.
    pub status: u16,
    /// Status line and headers as received.
    pub head: Vec<u8>,
    /// The decoded body, as far as it was read: 1 MiB at most.
    pub body: Vec<u8>,
    /// Why there is no whole answer.
    pub failure: Option<Failure>,
}

impl Exchanged {
    /// Nothing came.
    pub const fn failed(failure: Failure) -> Self {
        Self { status: 0, head: Vec::new(), body: Vec::new(), failure: Some(failure) }
    }
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// Nobody is there, nobody answers within that time, or galo itself cannot even try.
    pub fn open(target: SocketAddr, within: Duration) -> Result<Self, Failure> {
        Self::open_unless(target, within, None)
    }

    /// The same, unless the caller breaks off meanwhile.
    fn open_unless(target: SocketAddr, within: Duration, stop: Option<&AtomicBool>) -> Result<Self, Failure> {
        let told = |error: io::Error| match failure(&error, within) {
            failure if matches!(failure.kind, FailureKind::TimedOut | FailureKind::Own) => failure,
            failure => Failure { kind: FailureKind::Connect, ..failure },
        };
        let deadline = Instant::now() + within;
        let stream = connecting(target).map_err(told)?;
        let opened = Self { stream, target, response: Response::new(), unread: Vec::new(), is_open: true };
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if !opened.wait(PollFlags::OUT, left.min(LOOK)).map_err(told)?.is_empty() {
                break;
            }
            if left.is_zero() {
                return Err(timed_out(within));
            }
            unless_stopped(stop)?;
        }
        match socket_error(&opened.stream) {
            Ok(Ok(())) => Ok(opened),
            Ok(Err(errno)) | Err(errno) => Err(told(errno.into())),
        }
    }

    /// Connects through a proxy, which is asked for a tunnel (`CONNECT`).
    ///
    /// # Errors
    /// As [`Self::open`], and the proxy refuses.
    pub fn open_through(proxy: SocketAddr, origin: SocketAddr, within: Duration) -> Result<Self, Failure> {
        let deadline = Instant::now() + within;
        let mut connection = Self::open(proxy, within)?;
        let mut hello = Vec::new();
        let asked = Proxy { address: Address::Ip(proxy), authority: proxy.to_string(), authorization: None };
        write_connect(&Target::plain(origin), &asked, &mut hello);
        connection.send(&hello, within)?;
        // Without the hint, which is about an option of another command.
        let text = |error: TunnelError| error.to_string().lines().next().unwrap_or_default().to_owned();
        let refused = |kind, error| Failure { kind, text: text(error) };
        let mut tunnel = Tunnel::default();
        let mut buffer = [0; 4 * 1024];
        loop {
            let left = deadline.checked_duration_since(Instant::now()).ok_or_else(|| timed_out(within))?;
            connection.wait(PollFlags::IN, left).map_err(|error| failure(&error, within))?;
            let came = match connection.stream.read(&mut buffer) {
                Ok(0) => return Err(refused(FailureKind::Cut, TunnelError::Cut)),
                Ok(came) => came,
                Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
                Err(error) => return Err(failure(&error, within)),
            };
            let opened = tunnel.receive(&buffer[..came]);
            if let Some(used) = opened.map_err(|error| refused(FailureKind::Unreadable, error))? {
                connection.unread.extend_from_slice(&buffer[used..came]);
                return Ok(connection);
            }
        }
    }

    /// Whether another request may go on it, as far as the last answer and what was sent tell.
    pub const fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether another request to `target` may go on it, and the server has neither closed it meanwhile nor said
    /// anything unasked.
    pub fn may_carry_on(&self, target: SocketAddr) -> bool {
        let is_quiet = || self.wait(PollFlags::IN, Duration::ZERO).is_ok_and(|ready| ready.is_empty());
        self.is_open && self.target == target && is_quiet()
    }

    /// Sends bytes whose answer nobody waits for.
    ///
    /// # Errors
    /// The server closes, or takes no more within that time.
    pub fn send(&mut self, bytes: &[u8], within: Duration) -> Result<(), Failure> {
        let deadline = Instant::now() + within;
        let mut sent = 0;
        while sent < bytes.len() {
            let timed_out = || timed_out(within);
            let left = deadline.checked_duration_since(Instant::now()).ok_or_else(timed_out)?;
            self.wait(PollFlags::OUT, left).map_err(|error| failure(&error, within))?;
            sent += self.write(&bytes[sent..]).map_err(|error| failure(&error, within))?;
        }
        Ok(())
    }

    /// Sends bytes and resets the connection as soon as their answer begins, which nobody reads.
    ///
    /// # Errors
    /// The server takes no more, or says nothing, within that time.
    pub fn reset(mut self, bytes: &[u8], within: Duration) -> Result<(), Failure> {
        self.send(bytes, within)?;
        let ready = self.wait(PollFlags::IN, within).map_err(|error| failure(&error, within))?;
        if ready.is_empty() {
            return Err(timed_out(within));
        }
        // Who lingers for no time resets when it closes (socket(7), SO_LINGER).
        set_socket_linger(&self.stream, Some(Duration::ZERO)).map_err(|error| failure(&error.into(), within))
    }

    /// Sends a request and reads its answer. A server may answer, and close, before it has read all of the request.
    pub fn exchange(&mut self, outgoing: &Outgoing<'_>, within: Duration) -> Exchanged {
        self.response.begin(outgoing.is_head, BODY_READ);
        let mut progress = Progress::new(outgoing, within);
        let mut failure = self.converse(&mut progress).err();
        if failure.is_none() && !outgoing.more && !self.unread.is_empty() {
            failure = Some(unreadable(AnswerError::UnexpectedBytes));
        }
        let whole = failure.is_none() && progress.unsent.is_empty();
        self.is_open &= whole && !outgoing.ends && self.response.keeps_connection();
        let status = self.response.status();
        let head = if status == 0 { Vec::new() } else { self.response.answer().head.to_vec() };
        Exchanged { status, head, body: self.response.body().to_vec(), failure }
    }

    /// Writes and reads in whichever order the server lets.
    fn converse(&mut self, progress: &mut Progress<'_>) -> Result<(), Failure> {
        loop {
            if self.feed(progress)? {
                return Ok(());
            }
            let now = Instant::now();
            let Some(left) = progress.deadline.checked_duration_since(now) else {
                return Err(timed_out(progress.within));
            };
            unless_stopped(progress.stop)?;
            let (writable, left) = progress.may_write(&self.response, now, left);
            let wanted = if writable { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
            let ready =
                self.wait(wanted, left.min(LOOK)).map_err(|error| failure(&error, progress.within))?;
            if writable && ready.contains(PollFlags::OUT) {
                match self.write(&progress.unsent[..progress.allowed()]) {
                    Ok(sent) => {
                        progress.wrote(sent);
                        if progress.ends && progress.unsent.is_empty() {
                            // A server that has closed by now is heard below.
                            let _ = self.stream.shutdown(Shutdown::Write);
                        }
                    }
                    // What it says before it closes is still to be read.
                    Err(_) => progress.refused = true,
                }
            }
            if ready.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR) && self.read(progress)? {
                return self
                    .response
                    .end()
                    .map_err(|cut| Failure { kind: FailureKind::Cut, text: cut.text().to_owned() });
            }
        }
    }

    /// Hands what was read to the reader, byte by byte, so that what follows the answer is left. `true`: it is complete.
    fn feed(&mut self, progress: &mut Progress<'_>) -> Result<bool, Failure> {
        let mut fed = 0;
        let mut complete = Ok(false);
        while fed < self.unread.len() && complete == Ok(false) {
            complete = self.response.feed(&self.unread[fed..=fed], 0);
            fed += 1;
        }
        self.unread.drain(..fed);
        progress.read += fed;
        if complete == Ok(false) && progress.read > 2 * BODY_READ + HEAD_LIMIT
            || self.response.body().len() >= BODY_READ && complete != Ok(true)
        {
            complete = Err(AnswerError::BodyTooLarge);
        }
        complete.map_err(unreadable)
    }

    /// Reads once. `true`: the server has closed.
    fn read(&mut self, progress: &Progress<'_>) -> Result<bool, Failure> {
        let mut buffer = [0; 16 * 1024];
        match self.stream.read(&mut buffer) {
            Ok(0) => Ok(true),
            Ok(n) => {
                self.unread.extend_from_slice(&buffer[..n]);
                Ok(false)
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(failure(&error, progress.within)),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.stream.write(bytes) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(0),
            written => written,
        }
    }

    /// Waits until the stream is ready; nothing is ready where the time is over.
    fn wait(&self, wanted: PollFlags, at_most: Duration) -> io::Result<PollFlags> {
        let mut fds = [PollFd::new(&self.stream, wanted)];
        let timeout = Timespec::try_from(at_most).map_err(io::Error::other)?;
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => Ok(fds[0].revents()),
            Err(error) => Err(error.into()),
        }
    }
}

/// How far an exchange is.
struct Progress<'a> {
    unsent: &'a [u8],
    /// So many bytes of `unsent` come before the pause, and until when it may last.
    pause: Option<(usize, Instant)>,
    /// Whether the server takes no more.
    refused: bool,
    ends: bool,
    read: usize,
    within: Duration,
    deadline: Instant,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Progress<'a> {
    fn new(outgoing: &Outgoing<'a>, within: Duration) -> Self {
        let now = Instant::now();
        Self {
            unsent: outgoing.bytes,
            pause: outgoing.pause_at.map(|at| (at, now + CONTINUE_WITHIN)),
            refused: false,
            ends: outgoing.ends,
            read: 0,
            within,
            deadline: now + within,
            stop: outgoing.stop,
        }
    }

    /// Whether there is anything to write now, and how long to wait for something to happen.
    fn may_write(&mut self, response: &Response, now: Instant, left: Duration) -> (bool, Duration) {
        if self.refused || self.unsent.is_empty() {
            return (false, left);
        }
        match self.pause {
            Some((0, until)) if response.is_untouched() && now < until => (false, left.min(until - now)),
            Some((0, _)) => {
                self.pause = None;
                (true, left)
            }
            _ => (true, left),
        }
    }

    /// So many bytes may be written at once.
    fn allowed(&self) -> usize {
        self.pause.map_or(self.unsent.len(), |(before, _)| before.min(self.unsent.len()))
    }

    fn wrote(&mut self, sent: usize) {
        self.unsent = &self.unsent[sent..];
        if let Some((before, _)) = &mut self.pause {
            *before -= sent;
        }
    }
}

/// A stream that is connecting, if it is not connected already.
fn connecting(target: SocketAddr) -> io::Result<TcpStream> {
    let family = if target.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let stream = TcpStream::from(socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?);
    stream.set_nodelay(true)?;
    match connect(&stream, &target) {
        Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(stream),
        Err(errno) => Err(errno.into()),
    }
}

/// Fails if the caller broke off.
fn unless_stopped(stop: Option<&AtomicBool>) -> Result<(), Failure> {
    if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
        return Err(Failure { kind: FailureKind::Own, text: "it was broken off".to_owned() });
    }
    Ok(())
}

fn failure(error: &io::Error, within: Duration) -> Failure {
    if let Some(text) = Errno::from_io_error(error).and_then(own_error) {
        return Failure { kind: FailureKind::Own, text: text.to_owned() };
    }
    let (kind, text) = match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => return timed_out(within),
        ErrorKind::ConnectionRefused => (FailureKind::Connect, "connection refused".to_owned()),
        ErrorKind::ConnectionReset => (FailureKind::Cut, "connection reset".to_owned()),
        _ => (FailureKind::Cut, error.to_string()),
    };
    Failure { kind, text }
}

fn timed_out(within: Duration) -> Failure {
    Failure { kind: FailureKind::TimedOut, text: format!("no answer within {within:?}") }
}

fn unreadable(error: AnswerError) -> Failure {
    match error {
        AnswerError::BodyTooLarge => {
            let text = format!("over {} MiB of body, of which no more was read", BODY_READ >> 20);
            Failure { kind: FailureKind::TooLong, text }
        }
        _ => Failure { kind: FailureKind::Unreadable, text: error.text().to_owned() },
    }
}

/// One answer to [`get()`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// HTTP status.
    pub status: u16,
    /// The body, cut at 64 KiB.
    pub body: Vec<u8>,
}

/// One GET on a connection of its own, by the engine's own client path; for the count.
///
/// # Errors
/// Why there is no whole answer within that time.
pub fn get(target: SocketAddr, path: &str, timeout: Duration) -> Result<Fetched, Failure> {
    get_unless(None, target, path, timeout)
}

/// The same, unless the caller breaks off by setting `stop`.
///
/// # Errors
/// As of [`get()`], and that it was broken off.
pub fn get_unless(
    stop: Option<&AtomicBool>,
    target: SocketAddr,
    path: &str,
    timeout: Duration,
) -> Result<Fetched, Failure> {
    let told = |failure: Failure| Failure { text: format!("GET {path}: {}", failure.text), ..failure };
    let request = format!("GET {path} HTTP/1.1\r\nHost: {target}\r\n\r\n");
    let outgoing = Outgoing { bytes: request.as_bytes(), stop, ..Outgoing::default() };
    let mut connection = Connection::open_unless(target, timeout, stop).map_err(told)?;
    let Exchanged { status, mut body, failure, .. } = connection.exchange(&outgoing, timeout);
    body.truncate(FETCHED_KEPT);
    failure.map_or(Ok(Fetched { status, body }), |failure| Err(told(failure)))
}

#[cfg(test)]
mod tests;
