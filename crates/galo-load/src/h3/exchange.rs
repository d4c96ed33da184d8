//! A request and its answer: RFC 9114, section 4.1.

use quinn_proto::{ReadError, RecvStream, SendStream};

use super::error::{FailureKind, Fault, H3Error};
use super::frame::{self, Frames, Piece};
use super::{Sink, qpack};
use crate::h2::{Field, HeadText, Meaning, RequestParts, Stream, StreamFault, take_body, take_head};

/// Compressed headers. What they become has limits of its own.
const BLOCK_LIMIT: u64 = 64 * 1024;

/// Appends a whole request.
pub(super) fn write_request<'f>(
    parts: &RequestParts<'_>,
    fields: impl IntoIterator<Item = Field<'f>>,
    out: &mut Vec<u8>,
) {
    let mut block = Vec::new();
    qpack::write_head(parts, fields, &mut block);
    frame::write_integer(frame::HEADERS, out);
    frame::write_integer(block.len() as u64, out);
    out.extend_from_slice(&block);
    if !parts.body.is_empty() {
        frame::write_integer(frame::DATA, out);
        frame::write_integer(parts.body.len() as u64, out);
        out.extend_from_slice(parts.body);
    }
}

/// One that is under way.
#[derive(Debug)]
pub(super) struct Exchange {
    answer: Stream,
    frames: Frames,
    /// What the payload of the current frame is.
    payload: Payload,
    /// Compressed headers that have not come whole.
    block: Vec<u8>,
    /// Of the request.
    unsent: Vec<u8>,
    has_trailers: bool,
}

#[derive(Debug, Clone, Copy)]
enum Payload {
    Headers,
    Data,
    Ignored,
}

impl Exchange {
    pub(super) fn new(number: u32, head_request: bool) -> Self {
        Self {
            answer: Stream { exchange: number, head_request, ..Stream::default() },
            frames: Frames::default(),
            payload: Payload::Ignored,
            block: Vec::new(),
            unsent: Vec::new(),
            has_trailers: false,
        }
    }

    /// How the caller calls it.
    pub(super) const fn number(&self) -> u32 {
        self.answer.exchange
    }

    pub(super) const fn is_sent(&self) -> bool {
        self.answer.sent
    }

    /// Sends a whole request, or keeps what cannot be sent yet.
    pub(super) fn send(&mut self, stream: &mut SendStream<'_>, request: &[u8]) {
        let written = stream.write(request).unwrap_or(0);
        if written == request.len() {
            self.finish(stream);
        } else {
            self.unsent.extend_from_slice(&request[written..]);
        }
    }

    /// There is room for more.
    pub(super) fn send_more(&mut self, stream: &mut SendStream<'_>) {
        if !self.answer.sent {
            let written = stream.write(&self.unsent).unwrap_or(0);
            self.unsent.drain(..written);
            if self.unsent.is_empty() {
                self.finish(stream);
            }
        }
    }

    fn finish(&mut self, stream: &mut SendStream<'_>) {
        // The peer may have stopped it by now.
        let _ = stream.finish();
        self.answer.sent = true;
    }

    /// The peer wants no more of the request.
    pub(super) fn stop_sending(&mut self) {
        self.unsent = Vec::new();
        self.answer.sent = true;
    }

    /// Reads all that there is; whether the answer is over.
    pub(super) fn read(
        &mut self,
        stream: &mut RecvStream<'_>,
        head: &mut HeadText,
        sink: &mut impl Sink,
    ) -> Result<bool, Fault> {
        let Ok(mut chunks) = stream.read(true) else { return Ok(false) };
        let result = loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => {
                    if let Err(fault) = self.take(&chunk.bytes, head, sink) {
                        break Err(fault);
                    }
                }
                Ok(None) => break self.end(sink).map(|()| true),
                Err(ReadError::Blocked) => break Ok(false),
                Err(ReadError::Reset(code)) => break Err(Fault::Stream(FailureKind::Peer(code.into()))),
            }
        };
        // Whatever there is to send because of it, the caller asks for it anyway.
        let _ = chunks.finalize();
        result
    }

    fn take(&mut self, mut bytes: &[u8], head: &mut HeadText, sink: &mut impl Sink) -> Result<(), Fault> {
        while let Some(piece) = self.frames.next(&mut bytes) {
            match piece {
                Piece::Begin(kind, length) => self.begin(kind, length, head, sink)?,
                Piece::Payload(payload, end) => match self.payload {
                    Payload::Ignored => {}
                    Payload::Data => {
                        // A piece of a datagram, so that its length fits.
                        take_body(&mut self.answer, payload.len() as u32, false)?;
                        sink.data(self.number(), payload, false);
                    }
                    Payload::Headers if end && self.block.is_empty() => {
                        self.take_block(payload, head, sink)?;
                    }
                    Payload::Headers => {
                        self.block.extend_from_slice(payload);
                        if end {
                            let block = std::mem::take(&mut self.block);
                            self.take_block(&block, head, sink)?;
                        }
                    }
                },
            }
        }
        Ok(())
    }

    fn begin(
        &mut self,
        kind: u64,
        length: u64,
        head: &mut HeadText,
        sink: &mut impl Sink,
    ) -> Result<(), Fault> {
        self.payload = match kind {
            // Nothing of the answer comes after its trailers.
            frame::HEADERS | frame::DATA if self.has_trailers => return Err(H3Error::UnexpectedFrame.into()),
            frame::DATA if !self.answer.answered => return Err(H3Error::UnexpectedFrame.into()),
            frame::HEADERS if length > BLOCK_LIMIT => return Err(StreamFault::HeadTooLarge.into()),
            frame::HEADERS => Payload::Headers,
            frame::DATA => Payload::Data,
            frame::CANCEL_PUSH
            | frame::SETTINGS
            | frame::PUSH_PROMISE
            | frame::GOAWAY
            | frame::MAX_PUSH_ID => return Err(H3Error::UnexpectedFrame.into()),
            kind if frame::is_reserved(kind) => return Err(H3Error::UnexpectedFrame.into()),
            _ => Payload::Ignored,
        };
        if length == 0 && kind == frame::HEADERS {
            self.take_block(&[], head, sink)?;
        }
        Ok(())
    }

    fn take_block(&mut self, block: &[u8], head: &mut HeadText, sink: &mut impl Sink) -> Result<(), Fault> {
        qpack::read_head(block, head).map_err(|_| H3Error::Compression)?;
        // The end of a stream is not told with its last frame, but nothing else may follow trailers.
        let end = self.answer.answered;
        match take_head(&mut self.answer, head, end)? {
            Meaning::Interim => {}
            Meaning::Final => sink.head(self.number(), head.status(), head.text()),
            Meaning::Trailers => self.has_trailers = true,
        }
        Ok(())
    }

    fn end(&mut self, sink: &mut impl Sink) -> Result<(), Fault> {
        if !self.frames.is_between() || !self.answer.answered {
            return Err(Fault::Stream(FailureKind::Cut));
        }
        take_body(&mut self.answer, 0, true)?;
        sink.data(self.number(), &[], true);
        Ok(())
    }
}
