//! Request bodies under flow control: RFC 9113, sections 5.2 and 6.9.

use super::frame::{self, END_STREAM, Frame};
use super::streams::{Stream, Streams};

/// Windows cannot be opened beyond this.
pub(super) const MOST_WINDOW: i64 = 0x7fff_ffff;
/// Window of a stream and of the connection until the peer says otherwise.
const FIRST_WINDOW: i64 = 65_535;
/// Buffers of sent bodies that are kept for others.
const SPARE_BUFFERS: usize = 64;
/// ... unless they grew beyond this.
const SPARE_CAPACITY: usize = 64 * 1024;

/// The rest of a body that did not fit into the windows.
#[derive(Debug)]
struct Waiting {
    stream: u32,
    bytes: Vec<u8>,
    sent: usize,
}

/// What may be sent, and what waits for that.
#[derive(Debug)]
pub(super) struct Sending {
    /// Of the connection.
    window: i64,
    /// Of a new stream.
    pub(super) first_window: i64,
    /// Longest payload that the peer takes.
    pub(super) max_payload: u32,
    /// In the order of the requests.
    waiting: Vec<Waiting>,
    spare: Vec<Vec<u8>>,
}

impl Sending {
    pub(super) const fn new() -> Self {
        Self {
            window: FIRST_WINDOW,
            first_window: FIRST_WINDOW,
            max_payload: frame::MAX_PAYLOAD,
            waiting: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Opens the window of the connection. `false`: too far.
    pub(super) const fn open(&mut self, increment: u32) -> bool {
        self.window += increment as i64;
        self.window <= MOST_WINDOW
    }

    /// Sends as much of a new request's body as the windows allow, and keeps the rest.
    pub(super) fn begin(&mut self, stream: &mut Stream, body: &[u8], out: &mut Vec<u8>) {
        let sent = self.write(stream, body, out);
        if sent < body.len() {
            let mut bytes = self.spare.pop().unwrap_or_default();
            bytes.extend_from_slice(&body[sent..]);
            self.waiting.push(Waiting { stream: stream.id, bytes, sent: 0 });
        }
    }

    /// Sends what waits, as far as the windows allow, earlier requests first.
    pub(super) fn go_on(&mut self, streams: &mut Streams, out: &mut Vec<u8>) {
        let mut at = 0;
        while at < self.waiting.len() && self.window > 0 {
            let mut waiting =
                std::mem::replace(&mut self.waiting[at], Waiting { stream: 0, bytes: Vec::new(), sent: 0 });
            if let Some(stream) = streams.get_mut(waiting.stream) {
                waiting.sent += self.write(stream, &waiting.bytes[waiting.sent..], out);
            }
            let is_over = waiting.sent == waiting.bytes.len();
            self.waiting[at] = waiting;
            if is_over { self.remove(at) } else { at += 1 }
        }
    }

    /// Forgets what a stream that ends early has still to send.
    pub(super) fn forget(&mut self, stream: &Stream) {
        if !stream.sent
            && let Some(at) = self.waiting.iter().position(|waiting| waiting.stream == stream.id)
        {
            self.remove(at);
        }
    }

    fn remove(&mut self, at: usize) {
        let mut bytes = self.waiting.remove(at).bytes;
        if self.spare.len() < SPARE_BUFFERS && bytes.capacity() <= SPARE_CAPACITY {
            bytes.clear();
            self.spare.push(bytes);
        }
    }

    /// Writes frames from the front of `body`, which is not empty; returns how much it was.
    fn write(&mut self, stream: &mut Stream, body: &[u8], out: &mut Vec<u8>) -> usize {
        let mut rest = body;
        while !rest.is_empty() {
            let window = self.window.min(stream.send_window).min(i64::from(self.max_payload));
            let Ok(allowed @ 1..) = usize::try_from(window) else { break };
            let (piece, after) = rest.split_at(allowed.min(rest.len()));
            rest = after;
            stream.sent = rest.is_empty();
            let flags = if stream.sent { END_STREAM } else { 0 };
            frame::write(out, frame::DATA, flags, stream.id, piece);
            self.window -= piece.len() as i64;
            stream.send_window -= piece.len() as i64;
        }
        body.len() - rest.len()
    }
}

/// Writes the frames of a request's head. `write_block` appends the block.
pub(super) fn write_head(
    out: &mut Vec<u8>,
    max_payload: u32,
    stream: u32,
    end: bool,
    write_block: impl FnOnce(&mut Vec<u8>),
) {
    let start = out.len();
    let end = if end { END_STREAM } else { 0 };
    out.extend_from_slice(&[0; frame::HEADER_LEN]);
    write_block(out);
    let length = out.len() - start - frame::HEADER_LEN;
    if length <= max_payload as usize {
        let head = Frame::new(length as u32, frame::HEADERS, end | frame::END_HEADERS, stream);
        out[start..start + frame::HEADER_LEN].copy_from_slice(&head.bytes());
        return;
    }
    // So many headers are rare enough to be copied.
    let block = out.split_off(start + frame::HEADER_LEN);
    out.truncate(start);
    let mut pieces = block.chunks(max_payload as usize).enumerate().peekable();
    while let Some((nth, piece)) = pieces.next() {
        let (kind, flags) = if nth == 0 { (frame::HEADERS, end) } else { (frame::CONTINUATION, 0) };
        let last = if pieces.peek().is_none() { frame::END_HEADERS } else { 0 };
        frame::write(out, kind, flags | last, stream, piece);
    }
}
