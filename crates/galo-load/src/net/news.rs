//! What the connections tell, and what they are found by.

use std::borrow::Cow;

use rustix::io::Errno;

use crate::io::Conn;

/// What a slot is told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct News {
    /// Whose operation, or (between two of them) whose connection.
    pub(crate) slot: u32,
    /// On which connection.
    pub(crate) conn: Conn,
    /// When; see [`crate::io::Completion`].
    pub(crate) at_ns: u64,
    pub(crate) what: What,
}

/// See [`News`]. Bytes that are told of are in [`super::Net::received`] until the next call of [`super::Net::next`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// The connection is made: the request may be sent.
    Ready,
    /// The first bytes of the request were handed to the kernel.
    Sent,
    /// Bytes of HTTP/1.1 arrived.
    Bytes {
        /// The peer is known to send nothing after them.
        last: bool,
    },
    /// The head of an answer arrived, as text; after it nothing if it is the `end`.
    Head { status: u16, end: bool },
    /// A piece of the body of such an answer arrived.
    Data { end: bool },
    /// The peer closed its end in an orderly way.
    Closed,
    /// The connection failed, or could not be made.
    Broken(Errno),
    /// The peer closed its end in another way, in words of a bounded set.
    Cut(Cow<'static, str>),
    /// There will be no whole answer, in words of a bounded set.
    Failed(Cow<'static, str>),
    /// The same, and the server did not look at the request.
    Unprocessed(Cow<'static, str>),
}

/// Why there is no connection for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotTaken {
    /// The kernel refuses one.
    Refused(Errno),
    /// It cannot be encrypted, though it must be; in words of a bounded set.
    NotEncrypted(Cow<'static, str>),
}

/// A connection that was found for a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken {
    pub(crate) conn: Conn,
    /// Whether it was opened for it.
    pub(crate) fresh: bool,
    /// Whether the request may be sent at once; otherwise [`What::Ready`] will tell.
    pub(crate) ready: bool,
    /// When it was begun; or since when it could have been taken.
    pub(crate) since_ns: u64,
    /// Its number among all that this thread opened.
    pub(crate) number: u64,
}
