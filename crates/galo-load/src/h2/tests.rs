//! Byte-level tests with frames made by hand; `peer` talks to a real server.

mod answers;
mod breaking;
mod flow;
mod peer;
mod requests;
mod splits;

use super::frame::{self, ACK, END_HEADERS, END_STREAM, Frame, HEADER_LEN};
use super::*;

/// What a [`Sink`] was told. Pieces of data that follow one another are one.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SinkCall {
    Head(u32, String, bool),
    Data(u32, Vec<u8>, bool),
    Failed(u32, ResetKind),
}

#[derive(Debug, Default)]
struct Heard(Vec<SinkCall>);

impl Sink for Heard {
    fn head(&mut self, exchange: u32, status: u16, head: &[u8], end: bool) {
        let text = String::from_utf8(head.to_vec()).unwrap();
        assert!(text.starts_with(&format!("HTTP/2 {status}\r\n")), "{status}: {text:?}");
        self.0.push(SinkCall::Head(exchange, text, end));
    }

    fn data(&mut self, exchange: u32, data: &[u8], end: bool) {
        assert!(end || !data.is_empty(), "nothing was told");
        if let Some(SinkCall::Data(of, all, false)) = self.0.last_mut()
            && *of == exchange
        {
            all.extend_from_slice(data);
            *self.0.last_mut().unwrap() = SinkCall::Data(exchange, all.clone(), end);
        } else {
            self.0.push(SinkCall::Data(exchange, data.to_vec(), end));
        }
    }

    fn failed(&mut self, exchange: u32, why: ResetKind) {
        self.0.push(SinkCall::Failed(exchange, why));
    }
}

fn head(exchange: u32, text: &str, end: bool) -> SinkCall {
    SinkCall::Head(exchange, text.replace('\n', "\r\n"), end)
}

fn data(exchange: u32, data: &str, end: bool) -> SinkCall {
    SinkCall::Data(exchange, data.as_bytes().to_vec(), end)
}

/// A connection and both directions of its talk.
struct Talk {
    h2: H2,
    /// What was said since it was last looked at.
    out: Vec<u8>,
    heard: Heard,
}

impl Talk {
    /// One that has said its preface and heard nothing.
    fn silent() -> Self {
        let mut out = Vec::new();
        let h2 = H2::start(1_000, &mut out);
        out.clear();
        Self { h2, out, heard: Heard::default() }
    }

    /// One that has heard these settings.
    fn with_settings(entries: &[(u16, u32)]) -> Self {
        let mut talk = Self::silent();
        talk.hear(&settings(entries)).unwrap();
        assert_eq!(talk.said(), [(Frame::new(0, frame::SETTINGS, ACK, 0), vec![])]);
        talk
    }

    /// One with this many requests without body under way: exchange n on stream 2n+1.
    fn asking(requests: u32) -> Self {
        let mut talk = Self::with_settings(&[]);
        for exchange in 0..requests {
            talk.request(exchange, "GET", b"");
        }
        talk.out.clear();
        talk
    }

    fn request(&mut self, exchange: u32, method: &str, body: &[u8]) -> StreamId {
        let parts = RequestParts {
            method,
            scheme: "http",
            authority: "localhost",
            path: b"/",
            path_constant: true,
            body,
        };
        self.h2.request(exchange, &parts, [], &mut self.out).unwrap()
    }

    fn hear(&mut self, bytes: &[u8]) -> Result<(), H2Error> {
        self.h2.receive(bytes, &mut self.out, &mut self.heard)
    }

    /// Everything that the sink was told since this was last asked.
    fn told(&mut self) -> Vec<SinkCall> {
        std::mem::take(&mut self.heard.0)
    }

    /// The frames that were said since this was last asked.
    fn said(&mut self) -> Vec<(Frame, Vec<u8>)> {
        frames(&std::mem::take(&mut self.out))
    }
}

fn frames(bytes: &[u8]) -> Vec<(Frame, Vec<u8>)> {
    let mut rest = bytes;
    let mut frames = Vec::new();
    while let Some((&header, after)) = rest.split_first_chunk() {
        let frame = Frame::parse(header);
        let (payload, after) = after.split_at(frame.length as usize);
        frames.push((frame, payload.to_vec()));
        rest = after;
    }
    assert_eq!(rest, b"");
    frames
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::write(&mut bytes, kind, flags, stream, payload);
    bytes
}

fn settings(entries: &[(u16, u32)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::settings(&mut bytes, entries);
    bytes
}

/// A block of literals: `name: value` lines.
fn block(lines: &str) -> Vec<u8> {
    let mut block = Vec::new();
    for line in lines.lines() {
        // A name may begin with a colon.
        let (name, value) = line[1..].split_once(':').unwrap();
        let (name, value) = (&line[..=name.len()], value.strip_prefix(' ').unwrap_or(value));
        Encoder::new().field(name.as_bytes(), value.as_bytes(), false, &mut block);
    }
    block
}

fn headers(flags: u8, stream: u32, lines: &str) -> Vec<u8> {
    frame(frame::HEADERS, flags | END_HEADERS, stream, &block(lines))
}

fn body(flags: u8, stream: u32, text: &str) -> Vec<u8> {
    frame(frame::DATA, flags, stream, text.as_bytes())
}

fn reset_frame(stream: u32, code: u8) -> (Frame, Vec<u8>) {
    (Frame::new(4, frame::RST_STREAM, 0, stream), vec![0, 0, 0, code])
}

#[test]
fn a_client_begins_with_preface_settings_and_a_large_window() {
    let mut out = Vec::new();
    let h2 = H2::start(1_000, &mut out);
    let said = frames(out.strip_prefix(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap());
    let settings = [0, 2, 0, 0, 0, 0, 0, 4, 0x3f, 0xff, 0xff, 0xff, 0, 6, 0, 1, 0, 0];
    assert_eq!(said[0], (Frame::new(18, frame::SETTINGS, 0, 0), settings.to_vec()));
    assert_eq!(said[1], (Frame::new(4, frame::WINDOW_UPDATE, 0, 0), vec![0x3f, 0xff, 0, 0]));
    assert_eq!((said.len(), h2.room(), h2.is_draining()), (2, 100, false));
}
