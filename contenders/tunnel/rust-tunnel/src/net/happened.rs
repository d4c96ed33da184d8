//! What the kernel tells of sockets.

use std::os::fd::OwnedFd;

use rustix::io::Errno;

use super::buffers::Chunk;

/// What happened on a socket.
#[derive(Debug)]
pub(super) enum Happened {
    /// Somebody connected.
    Accepted(OwnedFd),
    /// Bytes came.
    Received(Chunk),
    /// The peer sends no more.
    Ended,
    /// It is broken; a socket that listens could not accept.
    Failed(Errno),
    /// Nothing more is received until it is asked for again.
    Paused,
    /// What was polled for is there.
    Ready(For),
    /// Some of what waited was sent.
    Sent,
    /// Nothing more can be sent; what came before may still be received.
    NotSent(Errno),
}

/// What a socket can be polled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum For {
    Bytes,
    Room,
}
