//! The server's end of an HTTP/2 connection, frame by frame, for what right servers do not do.

use super::server::Peer;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
const ACK: u8 = 1;
pub(crate) const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// `:status: 200`, by its number in HPACK's static table.
pub(crate) const STATUS_200: u8 = 0x88;

/// One connection.
pub(crate) struct Frames<'p> {
    pub(crate) peer: &'p mut Peer,
    /// Whether the client has acknowledged the settings.
    settled: bool,
}

impl<'p> Frames<'p> {
    /// After the client's preface, with these settings. `None`: the client has closed.
    pub(crate) fn greet(peer: &'p mut Peer, settings: &[u8]) -> Option<Self> {
        let mut frames = Self { peer, settled: false };
        frames.say(SETTINGS, 0, 0, settings);
        (frames.peer.bytes(PREFACE.len())? == PREFACE).then_some(frames)
    }

    /// The next frame's kind, flags and stream.
    fn next(&mut self) -> Option<(u8, u8, u32)> {
        let head = self.peer.bytes(9)?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        self.peer.bytes(length as usize)?;
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        if (head[3], head[4] & ACK) == (SETTINGS, 0) {
            self.say(SETTINGS, ACK, 0, &[]);
        }
        self.settled |= (head[3], head[4] & ACK) == (SETTINGS, ACK);
        Some((head[3], head[4], stream))
    }

    /// Leaves nothing unread of a client that waits for its answer: what is unread when a socket is closed makes it a
    /// reset.
    pub(crate) fn settle(&mut self) {
        while !self.settled && self.next().is_some() {}
    }

    /// The stream of the next request whose headers are there.
    pub(crate) fn head(&mut self) -> Option<u32> {
        loop {
            if let (HEADERS, _, stream) = self.next()? {
                return Some(stream);
            }
        }
    }

    /// The stream of the next request that is whole.
    pub(crate) fn request(&mut self) -> Option<u32> {
        loop {
            let (kind, flags, stream) = self.next()?;
            if (kind == HEADERS || kind == DATA) && flags & END_STREAM != 0 {
                return Some(stream);
            }
        }
    }

    pub(crate) fn say(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let length = (payload.len() as u32).to_be_bytes();
        let mut frame = vec![length[1], length[2], length[3], kind, flags];
        frame.extend_from_slice(&stream.to_be_bytes());
        frame.extend_from_slice(payload);
        self.peer.send(&frame);
    }

    /// A head, with the end of the answer or without.
    pub(crate) fn headers(&mut self, stream: u32, block: &[u8], end: bool) {
        self.say(HEADERS, END_HEADERS | if end { END_STREAM } else { 0 }, stream, block);
    }

    pub(crate) fn ok(&mut self, stream: u32) {
        self.headers(stream, &[STATUS_200], true);
    }

    pub(crate) fn data(&mut self, stream: u32, data: &[u8], end: bool) {
        self.say(DATA, if end { END_STREAM } else { 0 }, stream, data);
    }

    pub(crate) fn reset(&mut self, stream: u32, code: u32) {
        self.say(RESET, 0, stream, &code.to_be_bytes());
    }

    /// Ends the connection after the requests up to `last`.
    pub(crate) fn goaway(&mut self, last: u32) {
        self.say(GOAWAY, 0, 0, &[last.to_be_bytes(), [0; 4]].concat());
    }
}
