//! One side of a tunnel: as it comes from the network, or over TLS.

use std::time::Duration;

use crate::net::{Chunk, Stream, deadline_in, timeout};
use crate::tls::TlsStream;

/// How long somebody who was told the last word may go on sending.
const LINGER: Duration = Duration::from_secs(1);

/// See [`Stream`], whose calls these are.
pub(crate) enum Side {
    Plain(Stream),
    Tls(Box<TlsStream>),
}

impl Side {
    pub(crate) async fn recv(&self) -> rustix::io::Result<Chunk> {
        match self {
            Self::Plain(stream) => stream.recv().await,
            Self::Tls(tls) => tls.recv().await,
        }
    }

    pub(crate) fn read_at_most(&self, bytes: u32) {
        self.stream().read_at_most(bytes);
    }

    pub(crate) fn send(&self, chunk: impl Into<Chunk>) {
        match self {
            Self::Plain(stream) => stream.send(chunk),
            Self::Tls(tls) => tls.send(&chunk.into()),
        }
    }

    pub(crate) async fn flushed(&self, waiting: usize) -> rustix::io::Result<()> {
        self.stream().flushed(waiting).await
    }

    pub(crate) async fn takes_more(&self) -> rustix::io::Result<()> {
        self.stream().takes_more().await
    }

    pub(crate) fn finish(&self) {
        match self {
            Self::Plain(stream) => stream.finish(),
            Self::Tls(tls) => tls.finish(),
        }
    }

    /// Says a last word, and ends.
    pub(crate) async fn end_with(&self, last: Vec<u8>) {
        self.send(last);
        self.finish();
        // What is still on its way to us would make the kernel throw that away: for a moment it is taken.
        let rest = async { while self.recv().await.is_ok_and(|chunk| !chunk.is_empty()) {} };
        timeout(deadline_in(LINGER), rest).await;
    }

    pub(crate) fn reset(self) {
        match self {
            Self::Plain(stream) => stream.reset(),
            Self::Tls(tls) => tls.into_inner().reset(),
        }
    }

    /// The connection itself.
    pub(crate) fn stream(&self) -> &Stream {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(tls) => tls.inner(),
        }
    }
}
