//! Connections as an honest client has them, and as others misuse them.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::BOUND;
use crate::http::Answer;

/// A kept connection of a client that does everything right.
pub(crate) struct Client {
    stream: TcpStream,
    received: Vec<u8>,
}

impl Client {
    pub(crate) fn open(to: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&to, BOUND)?;
        stream.set_read_timeout(Some(2 * BOUND))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, received: Vec::new() })
    }

    /// Sends bytes as they are.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// Reads the next answer, by its `Content-Length`.
    pub(crate) fn answer(&mut self) -> io::Result<Answer> {
        loop {
            if let Some(mut answer) = Answer::of(&self.received) {
                let head = self.received.len() - answer.body.len();
                let length = answer.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
                if answer.body.len() >= length {
                    answer.body.truncate(length);
                    self.received.drain(..head + length);
                    return Ok(answer);
                }
            }
            let mut piece = [0; 16 * 1024];
            match self.stream.read(&mut piece)? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                length => self.received.extend_from_slice(&piece[..length]),
            }
        }
    }

    pub(crate) fn ask(&mut self, method: &str, target: &str, body: &[u8]) -> io::Result<Answer> {
        self.send(&message(method, target, body))?;
        self.answer()
    }
}

/// A whole request.
pub(crate) fn message(method: &str, target: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("{method} {target} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

/// A connection for bytes that are no honest request.
pub(crate) fn raw(to: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect_timeout(&to, BOUND).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
    stream.set_write_timeout(Some(BOUND)).unwrap();
    stream
}

/// What comes on a connection until the server ends it, however it does. `None` where it has not within the bound.
pub(crate) fn until_ended(stream: &mut TcpStream, within: Duration) -> Option<Vec<u8>> {
    stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    let (mut received, mut piece) = (Vec::new(), [0; 16 * 1024]);
    let patience = Instant::now() + within;
    while Instant::now() < patience {
        match stream.read(&mut piece) {
            Ok(0) => return Some(received),
            Ok(length) => received.extend_from_slice(&piece[..length]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            // A reset is an end, too.
            Err(_) => return Some(received),
        }
    }
    None
}

/// The status of the first answer in what came.
pub(crate) fn status(received: &[u8]) -> Option<u16> {
    std::str::from_utf8(received.strip_prefix(b"HTTP/1.1 ")?.get(..3)?).ok()?.parse().ok()
}
