//! What the peer says: frames from pieces of any size, and what each of them does.

mod control;

use super::answers::{self, Meaning};
use super::error::{Code, H2Error, ResetKind, StreamFault};
use super::frame::{self, END_HEADERS, END_STREAM, Frame, HEADER_LEN};
use super::{H2, RECEIVE_WINDOW, Sink};

/// Compressed headers of one head. Huffman's code makes some letters up to four times as long.
const BLOCK_LIMIT: usize = 256 * 1024;
/// Frames of one head.
const BLOCK_FRAMES: u32 = 128;

/// A DATA frame whose header has been dealt with.
#[derive(Debug, Clone, Copy)]
struct Data {
    /// 0 where nobody waits for the data.
    stream: u32,
    left: u32,
    padding: u32,
    end: bool,
}

/// A head that CONTINUATION frames are to complete.
#[derive(Debug, Clone, Copy)]
struct Continued {
    stream: u32,
    end: bool,
    frames: u32,
}

/// What was received and is not whole yet.
#[derive(Debug)]
pub(super) struct Incoming {
    /// Beginning of a frame.
    partial: Vec<u8>,
    data: Option<Data>,
    continued: Option<Continued>,
    /// The block that is continued.
    block: Vec<u8>,
    /// Received since the window of the connection was last opened.
    received: u32,
    /// Whether the peer's settings have come, which are the first that it says.
    is_begun: bool,
    /// Whether the peer has still to acknowledge galo's settings.
    awaits_ack: bool,
    /// Answers to PING and SETTINGS that the peer has not taken yet, at most.
    acks: u32,
}

impl Incoming {
    pub(super) const fn new() -> Self {
        Self {
            partial: Vec::new(),
            data: None,
            continued: None,
            block: Vec::new(),
            received: 0,
            is_begun: false,
            awaits_ack: true,
            acks: 0,
        }
    }

    /// What can be said of a frame by its header alone.
    fn check(&self, frame: Frame) -> Result<(), H2Error> {
        if !self.is_begun && (frame.kind != frame::SETTINGS || frame.has(frame::ACK)) {
            return Err(H2Error::NotHttp2);
        }
        if frame.length > frame::MAX_PAYLOAD {
            return Err(H2Error::FrameTooLarge);
        }
        let continues = frame.kind == frame::CONTINUATION;
        match self.continued {
            Some(continued) if continues && continued.stream == frame.stream => Ok(()),
            None if !continues => Ok(()),
            _ => Err(H2Error::BrokenBlock),
        }
    }

    /// Takes bytes for the frame that has begun. `None`: it is not whole yet.
    fn complete<'b>(&mut self, bytes: &'b [u8]) -> Result<(Option<Frame>, &'b [u8]), H2Error> {
        let mut rest = bytes;
        loop {
            let (frame, unit) = match self.partial.first_chunk() {
                None => (None, HEADER_LEN),
                Some(&header) => {
                    let frame = Frame::parse(header);
                    self.check(frame)?;
                    (Some(frame), frame.unit())
                }
            };
            let (more, after) = rest.split_at(rest.len().min(unit - self.partial.len()));
            self.partial.extend_from_slice(more);
            rest = after;
            if self.partial.len() < unit {
                return Ok((None, rest));
            }
            if frame.is_some() {
                return Ok((frame, rest));
            }
        }
    }
}

impl H2 {
    /// Takes what was read, and tells `sink` what comes of it. An error ends the connection: the peer was told in `out`,
    /// and what is open will hear of nothing more. It is also what any later call returns.
    pub(crate) fn receive(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<u8>,
        sink: &mut impl Sink,
    ) -> Result<(), H2Error> {
        if let Some(error) = self.broken {
            return Err(error);
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let taken = match self.incoming.data {
                Some(_) => Ok(self.take_data(rest, out, sink)),
                None => self.take_frame(rest, out, sink),
            };
            rest = taken.inspect_err(|&error| {
                self.broken = Some(error);
                frame::goaway(out, error.code());
            })?;
        }
        Ok(())
    }

    /// Takes one frame from the front of `bytes`, or keeps them if it is not whole; returns the rest.
    fn take_frame<'b>(
        &mut self,
        bytes: &'b [u8],
        out: &mut Vec<u8>,
        sink: &mut impl Sink,
    ) -> Result<&'b [u8], H2Error> {
        if self.incoming.partial.is_empty()
            && let Some(&header) = bytes.first_chunk()
        {
            let frame = Frame::parse(header);
            self.incoming.check(frame)?;
            if let Some((unit, rest)) = bytes.split_at_checked(frame.unit()) {
                self.dispatch(frame, &unit[HEADER_LEN..], out, sink)?;
                return Ok(rest);
            }
        }
        let (frame, rest) = self.incoming.complete(bytes)?;
        if let Some(frame) = frame {
            let mut partial = std::mem::take(&mut self.incoming.partial);
            self.dispatch(frame, &partial[HEADER_LEN..], out, sink)?;
            partial.clear();
            self.incoming.partial = partial;
        }
        Ok(rest)
    }

    fn dispatch(
        &mut self,
        frame: Frame,
        payload: &[u8],
        out: &mut Vec<u8>,
        sink: &mut impl Sink,
    ) -> Result<(), H2Error> {
        match frame.kind {
            frame::DATA => self.data(frame, payload, out, sink),
            frame::HEADERS => self.headers(frame, payload, out, sink),
            frame::CONTINUATION => self.continuation(frame, payload, out, sink),
            frame::RST_STREAM => self.reset(frame, payload, sink),
            frame::SETTINGS => self.settings(frame, payload, out),
            frame::PING => self.ping(frame, payload, out),
            frame::GOAWAY => self.goaway(frame, payload, sink),
            frame::WINDOW_UPDATE => self.window_update(frame, payload, out, sink),
            frame::PUSH_PROMISE => Err(H2Error::UnaskedPush),
            // Priorities are the server's business, and deprecated.
            frame::PRIORITY if frame.stream == 0 => Err(H2Error::BadStream),
            frame::PRIORITY if payload.len() != 5 => Err(H2Error::FrameLength),
            // Unknown ones are for extensions: RFC 9113, section 4.1.
            _ => Ok(()),
        }
    }

    /// A stream that galo opened at some time. The peer opens none, since it may not push.
    fn check_stream(&self, frame: Frame) -> Result<(), H2Error> {
        let is_own = frame.stream % 2 == 1 && !self.streams.is_idle(frame.stream);
        if is_own { Ok(()) } else { Err(H2Error::BadStream) }
    }

    /// Deals with the header of a DATA frame. `payload`: the length of the padding, if there is any.
    fn data(
        &mut self,
        frame: Frame,
        payload: &[u8],
        out: &mut Vec<u8>,
        sink: &mut impl Sink,
    ) -> Result<(), H2Error> {
        self.check_stream(frame)?;
        let (overhead, padding) = if frame.has(frame::PADDED) {
            let &padding = payload.first().ok_or(H2Error::FrameLength)?;
            (1 + u32::from(padding), u32::from(padding))
        } else {
            (0, 0)
        };
        let length = frame.length.checked_sub(overhead).ok_or(H2Error::BadPadding)?;
        open_window(&mut self.incoming.received, frame.length, 0, out)?;
        let end = frame.has(END_STREAM);
        let mut data = Data { stream: 0, left: length, padding, end };
        if let Some(stream) = self.streams.get_mut(frame.stream) {
            if end {
                // Its window is of no use any more, but must have been kept.
                check_window(stream.received, frame.length)?;
            } else {
                open_window(&mut stream.received, frame.length, frame.stream, out)?;
            }
            match answers::take_body(stream, length, end) {
                Ok(()) => data.stream = frame.stream,
                Err(fault) => self.fail(frame.stream, fault, out, sink),
            }
        }
        self.incoming.data = Some(data);
        // An empty one is over already.
        self.take_data(&[], out, sink);
        Ok(())
    }

    /// Takes data and their padding from the front of `bytes`; returns the rest.
    fn take_data<'b>(&mut self, bytes: &'b [u8], out: &mut Vec<u8>, sink: &mut impl Sink) -> &'b [u8] {
        let Some(mut data) = self.incoming.data.take() else { return bytes };
        let (piece, rest) = bytes.split_at(bytes.len().min(data.left as usize));
        data.left -= piece.len() as u32;
        let end = data.end && data.left == 0;
        if (!piece.is_empty() || end)
            && let Some(exchange) = self.streams.get(data.stream).map(|stream| stream.exchange)
        {
            sink.data(exchange, piece, end);
            if end {
                self.finish(data.stream, out);
            }
        }
        let (padding, rest) = rest.split_at(rest.len().min(data.padding as usize));
        if data.left == 0 {
            data.stream = 0;
            data.padding -= padding.len() as u32;
        }
        self.incoming.data = (data.left > 0 || data.padding > 0).then_some(data);
        rest
    }

    fn headers(
        &mut self,
        frame: Frame,
        payload: &[u8],
        out: &mut Vec<u8>,
        sink: &mut impl Sink,
    ) -> Result<(), H2Error> {
        self.check_stream(frame)?;
        let mut block = payload;
        if frame.has(frame::PADDED) {
            let (&padding, rest) = block.split_first().ok_or(H2Error::FrameLength)?;
            let length = rest.len().checked_sub(usize::from(padding)).ok_or(H2Error::BadPadding)?;
            block = &rest[..length];
        }
        if frame.has(frame::WITH_PRIORITY) {
            block = block.get(5..).ok_or(H2Error::FrameLength)?;
        }
        let end = frame.has(END_STREAM);
        if frame.has(END_HEADERS) {
            return self.block(frame.stream, end, block, out, sink);
        }
        self.incoming.block.extend_from_slice(block);
        self.incoming.continued = Some(Continued { stream: frame.stream, end, frames: 1 });
        Ok(())
    }

    fn continuation(
        &mut self,
        frame: Frame,
        payload: &[u8],
        out: &mut Vec<u8>,
        sink: &mut impl Sink,
    ) -> Result<(), H2Error> {
        let Some(continued) = &mut self.incoming.continued else { return Err(H2Error::BrokenBlock) };
        continued.frames += 1;
        let (stream, end) = (continued.stream, continued.end);
        if continued.frames > BLOCK_FRAMES || self.incoming.block.len() + payload.len() > BLOCK_LIMIT {
            return Err(H2Error::BlockTooLarge);
        }
        self.incoming.block.extend_from_slice(payload);
        if frame.has(END_HEADERS) {
            self.incoming.continued = None;
            // Heads in several frames are rare: their memory is given back.
            let block = std::mem::take(&mut self.incoming.block);
            self.block(stream, end, &block, out, sink)?;
        }
        Ok(())
    }

    /// Takes a whole block of headers.
    fn block(
        &mut self,
        id: u32,
        end: bool,
        block: &[u8],
        out: &mut Vec<u8>,
        sink: &mut impl Sink,
    ) -> Result<(), H2Error> {
        let head = self.answers.read(block)?;
        let Some(stream) = self.streams.get_mut(id) else { return Ok(()) };
        match answers::take_head(stream, head, end) {
            Ok(Meaning::Interim) => return Ok(()),
            Ok(Meaning::Final) => sink.head(stream.exchange, head.status(), head.text(), end),
            Ok(Meaning::Trailers) => sink.data(stream.exchange, &[], true),
            Err(fault) => {
                self.fail(id, fault, out, sink);
                return Ok(());
            }
        }
        if end {
            self.finish(id, out);
        }
        Ok(())
    }

    /// Ends an exchange whose answer is whole.
    fn finish(&mut self, id: u32, out: &mut Vec<u8>) {
        if let Some(stream) = self.close(id)
            && !stream.sent
        {
            // An early answer: the rest of the request is of no use (RFC 9113, section 8.1).
            frame::reset(out, id, Code::Cancel);
        }
    }

    /// Ends an exchange whose answer is none.
    fn fail(&mut self, id: u32, fault: StreamFault, out: &mut Vec<u8>, sink: &mut impl Sink) {
        if let Some(stream) = self.close(id) {
            frame::reset(out, id, fault.code());
            sink.failed(stream.exchange, ResetKind::Fault(fault));
        }
    }
}

/// Whether the window allows `length` bytes more.
const fn check_window(received: u32, length: u32) -> Result<(), H2Error> {
    if received + length > RECEIVE_WINDOW { Err(H2Error::FlowControl) } else { Ok(()) }
}

/// Counts `length` bytes against a window, and opens it again once half of it is used up.
fn open_window(received: &mut u32, length: u32, stream: u32, out: &mut Vec<u8>) -> Result<(), H2Error> {
    check_window(*received, length)?;
    *received += length;
    if *received > RECEIVE_WINDOW / 2 {
        frame::window_update(out, stream, *received);
        *received = 0;
    }
    Ok(())
}
