//! HTTP/1.1 for an API behind a balancer: kept connections, bodies of a known length or in chunks, pipelined
//! requests, and bounds on everything that a client decides. No upgrades, no streaming, no TLS.
//!
//! It is written by hand because it is the larger part of what a read costs: over the same store in memory, on a kept
//! connection through a socket file, hyper took 14 to 35 % more CPU for each request, kernel included, and 1.6 to 2.5
//! times the instructions. What is subtle (tokens, names, values of headers) is httparse's.
//!
//! Sources: RFC 9110 (semantics), RFC 9112 (messages).

pub(crate) mod chunked;
pub(crate) mod head;
mod message;
pub(crate) mod watchdog;

pub use message::{Answer, Field, Method, Request, Status};

/// The longest request body; the longest valid person that the contest sends has some 600 bytes.
pub const BODY_BYTES_MAX: usize = 64 * 1024;
