//! One connection: requests read, answers owed.

use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};

use crate::requests::{Completed, Requests};

/// What a connection is refused with.
const REFUSAL: &[u8] = b"HTTP/1.1 501 Not Implemented\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// Why a connection is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    /// The peer closed it, or all was answered that is to be.
    Done,
    /// For what the peer sent.
    Refused,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) socket: OwnedFd,
    /// Tells this connection from others that had its descriptor.
    pub(crate) number: u64,
    /// Whether the event queue was told to report room for writing.
    pub(crate) watches_room: bool,
    requests: Requests,
    /// Complete requests.
    seen: u64,
    /// Of them, how many may be answered by now.
    due: u64,
    /// Of them, how many were.
    pub(crate) answered: u64,
    /// Bytes written of the next answer.
    written: usize,
    /// No request is read any more.
    last: bool,
}

impl Connection {
    pub(crate) fn new(socket: OwnedFd, number: u64) -> Self {
        Self {
            socket,
            number,
            watches_room: false,
            requests: Requests::default(),
            seen: 0,
            due: 0,
            answered: 0,
            written: 0,
            last: false,
        }
    }

    /// Reads once; how many requests that completed.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<u64, Over> {
        let length = match recv(&self.socket, &mut *buffer, RecvFlags::empty()) {
            Ok((0, _)) => return Err(Over::Done),
            Ok((length, _)) => length,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(0),
            Err(_) => return Err(Over::Done),
        };
        if self.last {
            return Ok(0);
        }
        let Ok(Completed { complete, last }) = self.requests.take(&buffer[..length]) else {
            if self.written == 0 {
                // One attempt: a peer that cannot take it learns from the closing.
                let _ = send(&self.socket, REFUSAL, SendFlags::NOSIGNAL);
            }
            return Err(Over::Refused);
        };
        self.seen += complete;
        self.last = last;
        Ok(complete)
    }

    /// So many more requests may be answered; writes as much as the kernel takes.
    pub(crate) fn answer(&mut self, more: u64, answer: &[u8], close_after: u64) -> Result<(), Over> {
        self.due += more;
        while self.owes() {
            match send(&self.socket, &answer[self.written..], SendFlags::NOSIGNAL) {
                Ok(length) => self.written += length,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(_) => return Err(Over::Done),
            }
            if self.written == answer.len() {
                self.written = 0;
                self.answered += 1;
            }
            if self.answered >= close_after {
                return Err(Over::Done);
            }
        }
        if self.last && self.answered == self.seen { Err(Over::Done) } else { Ok(()) }
    }

    /// Whether an answer is due that was not written to its end.
    pub(crate) fn owes(&self) -> bool {
        self.answered < self.due
    }
}
