//! The streams that the server opens: RFC 9114, section 6.2. Of their content little matters to a client that takes no
//! pushes and has no table for headers.

use quinn_proto::{Connection, ReadError, StreamId};

use super::error::{self, H3Error};
use super::frame::{self, Frames, Piece};

/// Stream types: RFC 9114, section 6.2, and RFC 9204, section 4.2.
const CONTROL: u64 = 0x0;
const PUSH: u64 = 0x1;
const QPACK_ENCODER: u64 = 0x2;
const QPACK_DECODER: u64 = 0x3;
/// RFC 9114, section 7.2.4.1, by the count of section 4.2.2. The limits on heads are the caller's all the same.
const MAX_FIELD_SECTION_SIZE: u64 = 0x6;
const ADVISED_HEAD_SIZE: u64 = 64 * 1024;

/// The client's control stream: its type and its settings. Those that are not named, the table for headers among them,
/// are 0.
pub(super) fn first_bytes() -> Vec<u8> {
    let mut settings = Vec::new();
    frame::write_integer(MAX_FIELD_SECTION_SIZE, &mut settings);
    frame::write_integer(ADVISED_HEAD_SIZE, &mut settings);
    let mut bytes = Vec::new();
    for integer in [CONTROL, frame::SETTINGS, settings.len() as u64] {
        frame::write_integer(integer, &mut bytes);
    }
    bytes.extend_from_slice(&settings);
    bytes
}

/// All that are open.
#[derive(Debug, Default)]
pub(super) struct PeerStreams {
    open: Vec<(StreamId, PeerStream)>,
    has_control: bool,
}

#[derive(Debug)]
enum PeerStream {
    /// Of a type that has not come whole yet.
    Unknown(Vec<u8>),
    Control(Control),
    Encoder,
    Decoder,
}

impl PeerStreams {
    pub(super) fn open(&mut self, id: StreamId) {
        self.open.push((id, PeerStream::Unknown(Vec::new())));
    }

    /// Reads all that there is. `Some`: the first stream that the server will not look at.
    pub(super) fn read(&mut self, id: StreamId, connection: &mut Connection) -> Result<Option<u64>, H3Error> {
        let Some(at) = self.open.iter().position(|(open, _)| *open == id) else { return Ok(None) };
        let mut goaway = None;
        let mut ended = false;
        let mut unwanted = false;
        let mut stream = connection.recv_stream(id);
        let Ok(mut chunks) = stream.read(true) else { return Ok(None) };
        while !unwanted {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => unwanted = !self.take(at, &chunk.bytes, &mut goaway)?,
                Ok(None) | Err(ReadError::Reset(_)) => {
                    ended = true;
                    break;
                }
                Err(ReadError::Blocked) => break,
            }
        }
        let _ = chunks.finalize();
        if unwanted {
            // A type that galo does not know: RFC 9114, section 6.2.
            let _ = stream.stop(error::STREAM_CREATION_ERROR);
        }
        if ended || unwanted {
            let (_, closed) = self.open.swap_remove(at);
            if ended && !matches!(closed, PeerStream::Unknown(_)) {
                return Err(H3Error::ControlClosed);
            }
        }
        Ok(goaway)
    }

    /// Whether the stream is of any interest.
    fn take(&mut self, at: usize, bytes: &[u8], goaway: &mut Option<u64>) -> Result<bool, H3Error> {
        let mut rest = bytes;
        if let PeerStream::Unknown(begun) = &mut self.open[at].1 {
            let Some(kind) = read_kind(begun, &mut rest) else { return Ok(true) };
            self.open[at].1 = match kind {
                CONTROL if !self.has_control => PeerStream::Control(Control::default()),
                CONTROL | PUSH => return Err(H3Error::BadStream),
                QPACK_ENCODER => PeerStream::Encoder,
                QPACK_DECODER => PeerStream::Decoder,
                _ => return Ok(false),
            };
            self.has_control |= kind == CONTROL;
        }
        match &mut self.open[at].1 {
            PeerStream::Control(control) => control.take(rest, goaway)?,
            // The only instruction without a table is to set its capacity to 0: RFC 9204, section 4.3.1.
            PeerStream::Encoder if rest.iter().any(|&byte| byte != 0x20) => return Err(H3Error::Table),
            PeerStream::Encoder | PeerStream::Decoder | PeerStream::Unknown(_) => {}
        }
        Ok(true)
    }
}

/// The type of a stream, once it is whole.
fn read_kind(begun: &mut Vec<u8>, bytes: &mut &[u8]) -> Option<u64> {
    while let Some((&byte, rest)) = bytes.split_first() {
        begun.push(byte);
        *bytes = rest;
        if let Some((kind, _)) = frame::read_integer(begun) {
            return Some(kind);
        }
    }
    None
}

/// The server's control stream.
#[derive(Debug, Default)]
struct Control {
    frames: Frames,
    /// Type of the frame that began last.
    kind: Option<u64>,
    payload: Vec<u8>,
}

impl Control {
    fn take(&mut self, mut bytes: &[u8], goaway: &mut Option<u64>) -> Result<(), H3Error> {
        while let Some(piece) = self.frames.next(&mut bytes) {
            match piece {
                Piece::Begin(kind, length) => {
                    self.begin(kind, length)?;
                }
                Piece::Payload(payload, end) if self.kind == Some(frame::GOAWAY) => {
                    self.payload.extend_from_slice(payload);
                    if end {
                        let (id, length) = frame::read_integer(&self.payload).ok_or(H3Error::BadFrame)?;
                        if length != self.payload.len() {
                            return Err(H3Error::BadFrame);
                        }
                        *goaway = Some(id);
                    }
                }
                // Settings: galo uses nothing that they could allow.
                Piece::Payload(..) => {}
            }
        }
        Ok(())
    }

    fn begin(&mut self, kind: u64, length: u64) -> Result<(), H3Error> {
        match (self.kind.is_some(), kind) {
            (false, frame::SETTINGS) => {}
            (false, _) => return Err(H3Error::NoSettings),
            (true, frame::GOAWAY) if !(1..=8).contains(&length) => return Err(H3Error::BadFrame),
            (
                true,
                frame::SETTINGS | frame::DATA | frame::HEADERS | frame::PUSH_PROMISE | frame::MAX_PUSH_ID,
            ) => {
                return Err(H3Error::UnexpectedFrame);
            }
            (true, kind) if frame::is_reserved(kind) => return Err(H3Error::UnexpectedFrame),
            (true, _) => {}
        }
        self.kind = Some(kind);
        self.payload.clear();
        Ok(())
    }
}
