//! One HTTP/2 connection, the client's side, without sockets and clocks: bytes in, bytes out. RFC 9113.
//!
//! Where what arrives is cut into pieces never changes what comes of it. What breaks the rules of a stream fails its
//! exchange alone; what breaks those of the connection ends it. Frames on streams that are over (by their end, or
//! because galo gave them up) are ignored, as far as their part in the connection's state allows.
//!
//! One key decision: nothing is done twice. Servers send the same head again and again, so a block of headers that is
//! the same as the last one, byte for byte, is not decompressed again where it must mean the same (see `answers`);
//! requests are alike, so what is constant in them is found where it was the last time (see `hpack`); the places of
//! streams follow from their numbers (see `streams`).

mod answers;
mod error;
mod frame;
mod head;
mod hpack;
mod receive;
mod sending;
mod streams;
#[cfg(test)]
mod tests;

use answers::Answers;
pub(crate) use error::{H2Error, ResetKind};
use hpack::Encoder;
use sending::Sending;
use streams::{Stream, Streams};

/// What a client says first: RFC 9113, section 3.4.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// What galo lets a peer send on a stream, and on the connection, without asking: the caller limits bodies, not this.
/// The window is opened again when half of it is used up.
const RECEIVE_WINDOW: u32 = (1 << 30) - 1;
/// The window of a connection before it is opened: RFC 9113, section 6.9.2.
const FIRST_RECEIVE_WINDOW: u32 = 65_535;
/// Streams that are opened before the peer has said how many it takes: the least that RFC 9113, section 6.5.2,
/// recommends to allow.
const FIRST_STREAMS: usize = 100;
/// What a peer is asked not to exceed, by the count of RFC 9113, section 6.5.2.
const ADVISED_HEAD_SIZE: u32 = 64 * 1024;

/// A header of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    /// In lower case; none of `connection`, `host`, `keep-alive`, `proxy-connection`, `transfer-encoding`, `upgrade`
    /// (RFC 9113, section 8.2.2).
    pub(crate) name: &'a [u8],
    pub(crate) value: &'a [u8],
    /// Whether other requests have it with the same value: it is then sent once, and named by a number thereafter.
    pub(crate) constant: bool,
}

/// A request but for its headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestParts<'a> {
    pub(crate) method: &'a str,
    pub(crate) scheme: &'a str,
    /// Takes the place of `host`.
    pub(crate) authority: &'a str,
    pub(crate) path: &'a [u8],
    /// Whether other requests have the same path, as in [`Field::constant`].
    pub(crate) path_constant: bool,
    pub(crate) body: &'a [u8],
}

/// A stream of one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StreamId(u32);

/// There is no room for a request: see [`H2::room`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoRoom;

/// What comes of the exchanges of a connection. Called by [`H2::receive`], in the order of what arrives.
///
/// Each exchange ends by exactly one of: `head` or `data` with `end`, `failed`, [`H2::abandon`], an error of the
/// connection.
pub(crate) trait Sink {
    /// The final head, as text: `HTTP/2 200\r\n`, a line `name: value\r\n` for each header, `\r\n`. Interim ones are
    /// swallowed. Of what it announces, `content-length` has been checked; there is nothing else that frames the body.
    fn head(&mut self, exchange: u32, status: u16, head: &[u8], end: bool);
    /// A piece of the body, without its padding; empty only where nothing but the end is told. Trailers are swallowed.
    fn data(&mut self, exchange: u32, data: &[u8], end: bool);
    /// There will be no whole answer.
    fn failed(&mut self, exchange: u32, why: ResetKind);
}

/// One connection. What it has to say is appended to the caller's `out`.
#[derive(Debug)]
pub(crate) struct H2 {
    streams: Streams,
    encoder: Encoder,
    sending: Sending,
    answers: Answers,
    incoming: receive::Incoming,
    max_streams: usize,
    peer_max_streams: usize,
    is_draining: bool,
    broken: Option<H2Error>,
}

impl H2 {
    /// One with at most `max_streams_wanted` requests under way. Says what a client says first; requests may follow at
    /// once.
    pub(crate) fn start(max_streams_wanted: u32, out: &mut Vec<u8>) -> Self {
        out.extend_from_slice(PREFACE);
        let settings = [
            (frame::ENABLE_PUSH, 0),
            (frame::INITIAL_WINDOW_SIZE, RECEIVE_WINDOW),
            (frame::MAX_HEADER_LIST_SIZE, ADVISED_HEAD_SIZE),
        ];
        frame::settings(out, &settings);
        frame::window_update(out, 0, RECEIVE_WINDOW - FIRST_RECEIVE_WINDOW);
        Self {
            streams: Streams::new(),
            encoder: Encoder::new(),
            sending: Sending::new(),
            answers: Answers::new(),
            incoming: receive::Incoming::new(),
            max_streams: max_streams_wanted as usize,
            peer_max_streams: FIRST_STREAMS,
            is_draining: false,
            broken: None,
        }
    }

    /// How many more requests may be begun now. 0 for good after GOAWAY, after an error, and when the numbers of streams
    /// are used up.
    pub(crate) fn room(&self) -> usize {
        if self.is_draining || self.broken.is_some() || !self.streams.has_numbers() {
            return 0;
        }
        self.max_streams.min(self.peer_max_streams).saturating_sub(self.streams.open())
    }

    /// Begins a request. `exchange` is how the [`Sink`] will hear of it. Of the body, what the peer's windows do not
    /// allow yet is kept and sent by [`Self::receive`].
    pub(crate) fn request<'f>(
        &mut self,
        exchange: u32,
        parts: &RequestParts<'_>,
        fields: impl IntoIterator<Item = Field<'f>>,
        out: &mut Vec<u8>,
    ) -> Result<StreamId, NoRoom> {
        if self.room() == 0 {
            return Err(NoRoom);
        }
        let without_body = parts.body.is_empty();
        let id = self.streams.open_next(Stream {
            exchange,
            sent: without_body,
            head_request: parts.method == "HEAD",
            send_window: self.sending.first_window,
            ..Stream::default()
        });
        let encoder = &mut self.encoder;
        sending::write_head(out, self.sending.max_payload, id, without_body, |out| {
            encoder.begin(out);
            encoder.field(b":method", parts.method.as_bytes(), true, out);
            encoder.field(b":scheme", parts.scheme.as_bytes(), true, out);
            encoder.field(b":authority", parts.authority.as_bytes(), true, out);
            encoder.field(b":path", parts.path, parts.path_constant, out);
            for field in fields {
                encoder.field(field.name, field.value, field.constant, out);
            }
        });
        if let Some(stream) = self.streams.get_mut(id).filter(|_| !without_body) {
            self.sending.begin(stream, parts.body, out);
        }
        Ok(StreamId(id))
    }

    /// Gives up an exchange that has not ended. The [`Sink`] will not hear of it again.
    pub(crate) fn abandon(&mut self, stream: StreamId, out: &mut Vec<u8>) {
        if let Some(stream) = self.close(stream.0) {
            frame::reset(out, stream.id, error::Code::Cancel);
        }
    }

    /// Whether the whole request, its body included, was handed over. An exchange that is over counts as sent.
    pub(crate) fn is_sent(&self, stream: StreamId) -> bool {
        self.streams.get(stream.0).is_none_or(|stream| stream.sent)
    }

    /// Whether the connection takes no more requests, but brings answers: the peer ends it (GOAWAY), or the numbers of
    /// streams are used up.
    pub(crate) fn is_draining(&self) -> bool {
        self.is_draining || !self.streams.has_numbers()
    }

    fn close(&mut self, id: u32) -> Option<Stream> {
        let stream = self.streams.close(id)?;
        self.sending.forget(&stream);
        Some(stream)
    }
}
