//! A null server: it gives every HTTP/1.1 request the same answer, as cheaply as one thread can.
//!
//! What it is for: the ceiling of a machine (`galo doctor --calibrate`) is what galo reaches against a server that does
//! nothing; and tests need a server that is late, stops, or closes exactly when told. What it is not: a web server. It
//! looks at a request only as far as it must to find its end, knows no paths, and answers requests whose end or
//! answer is not that plain (HEAD, CONNECT, `Transfer-Encoding`) with 501 and closes.
//!
//! Its one key decision: nothing is kept per connection but counts and the piece of a head that was cut. Answers that
//! are owed are a number, so a client that sends and never reads costs no memory, and there is no work per request
//! that a measurement would have to subtract. It shares no code with galo's client, whose bugs it would hide.

mod connection;
mod requests;
mod server;
#[cfg(test)]
mod tests;

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;
use std::time::Duration;

use rustix::io::Errno;

pub use server::Server;

/// How to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    /// Length of each answer's body.
    pub body_bytes: usize,
    /// Each answer is written so long after its request was read.
    pub delay: Duration,
    /// Nothing is accepted, read or answered from the first to the second, counted from the first request; as a
    /// stopped process, whose connections the kernel still makes.
    pub stall: Option<Range<Duration>>,
    /// A connection is closed, unannounced, after so many answers.
    pub close_after: Option<u64>,
}

impl Default for Options {
    /// A free port on loopback, a body of 34 bytes, at once and for ever.
    fn default() -> Self {
        Self {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            body_bytes: 34,
            delay: Duration::ZERO,
            stall: None,
            close_after: None,
        }
    }
}

/// What a server did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Connections accepted.
    pub connections: u64,
    /// Complete requests read.
    pub requests: u64,
    /// Answers written to their end.
    pub answers: u64,
    /// Connections closed for what they sent.
    pub refused: u64,
}

/// Why a server ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NullError {
    /// The address is taken, or not this machine's.
    #[error("null server: cannot listen on {address}: {source}\nhint: port 0 takes a free port")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// Why not.
        source: Errno,
    },
    /// No descriptor is left for another connection.
    #[error(
        "null server: no file descriptor left after {connections} connections\nhint: raise the limit (`ulimit -n`)"
    )]
    Descriptors {
        /// Connections accepted so far.
        connections: u64,
    },
    /// The kernel refused something.
    #[error("null server: cannot {action}: {source}\nhint: it needs Linux 5.11 or newer")]
    Kernel {
        /// What was tried.
        action: &'static str,
        /// Why not.
        source: Errno,
    },
}
