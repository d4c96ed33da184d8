//! What carries several requests at once on one connection.

use crate::h2::{self, Field, H2, NoRoom, RequestParts};

#[cfg(feature = "http3")]
use super::http3::Http3;

/// See the module.
#[cfg_attr(feature = "http3", expect(clippy::large_enum_variant, reason = "its owner is in a box already"))]
pub(super) enum Session {
    Http2(H2),
    #[cfg(feature = "http3")]
    Http3(Box<Http3>),
}

/// A stream of one of them.
#[derive(Clone, Copy)]
pub(super) enum Stream {
    Http2(h2::StreamId),
    #[cfg(feature = "http3")]
    Http3(quinn_proto::StreamId),
}

impl Session {
    /// How many more requests may be sent now.
    pub(super) fn room(&self) -> usize {
        match self {
            Self::Http2(h2) => h2.room(),
            #[cfg(feature = "http3")]
            Self::Http3(http3) => http3.h3.room(),
        }
    }

    /// Whether there will be room for requests that wait, though there may be none now. Of HTTP/2 it is known how many
    /// the server takes; of HTTP/3 not until it takes no more.
    pub(super) fn lets_wait(&self) -> bool {
        match self {
            Self::Http2(_) => false,
            #[cfg(feature = "http3")]
            Self::Http3(_) => true,
        }
    }

    /// Whether it takes no more requests.
    pub(super) fn is_draining(&self) -> bool {
        match self {
            Self::Http2(h2) => h2.is_draining(),
            #[cfg(feature = "http3")]
            Self::Http3(http3) => http3.h3.is_draining(),
        }
    }

    /// Begins a request. What there is to send is appended to `frames`, or kept until datagrams are asked for.
    pub(super) fn request<'f>(
        &mut self,
        slot: u32,
        request: &RequestParts<'_>,
        fields: impl IntoIterator<Item = Field<'f>>,
        frames: &mut Vec<u8>,
    ) -> Result<Stream, NoRoom> {
        match self {
            Self::Http2(h2) => h2.request(slot, request, fields, frames).map(Stream::Http2),
            #[cfg(feature = "http3")]
            Self::Http3(http3) => http3.h3.request(slot, request, fields).map(Stream::Http3),
        }
    }

    /// Gives up a request that has not ended.
    pub(super) fn abandon(&mut self, stream: Stream, frames: &mut Vec<u8>) {
        match (self, stream) {
            (Self::Http2(h2), Stream::Http2(stream)) => h2.abandon(stream, frames),
            #[cfg(feature = "http3")]
            (Self::Http3(http3), Stream::Http3(stream)) => http3.h3.abandon(stream),
            #[cfg(feature = "http3")]
            (Self::Http2(_), Stream::Http3(_)) | (Self::Http3(_), Stream::Http2(_)) => {}
        }
    }

    /// Whether the whole request was handed over.
    pub(super) fn is_sent(&self, stream: Stream) -> bool {
        match (self, stream) {
            (Self::Http2(h2), Stream::Http2(stream)) => h2.is_sent(stream),
            #[cfg(feature = "http3")]
            (Self::Http3(http3), Stream::Http3(stream)) => http3.h3.is_sent(stream),
            #[cfg(feature = "http3")]
            (Self::Http2(_), Stream::Http3(_)) | (Self::Http3(_), Stream::Http2(_)) => true,
        }
    }
}
