//! Frames on the wire: RFC 9113, sections 4 and 6.

use super::error::Code;

/// Bytes before every frame's payload.
pub(super) const HEADER_LEN: usize = 9;
/// Longest payload that galo takes, and that it sends unless the peer allows more.
pub(super) const MAX_PAYLOAD: u32 = 16_384;

pub(super) const DATA: u8 = 0x0;
pub(super) const HEADERS: u8 = 0x1;
pub(super) const PRIORITY: u8 = 0x2;
pub(super) const RST_STREAM: u8 = 0x3;
pub(super) const SETTINGS: u8 = 0x4;
pub(super) const PUSH_PROMISE: u8 = 0x5;
pub(super) const PING: u8 = 0x6;
pub(super) const GOAWAY: u8 = 0x7;
pub(super) const WINDOW_UPDATE: u8 = 0x8;
pub(super) const CONTINUATION: u8 = 0x9;

pub(super) const ACK: u8 = 0x1;
pub(super) const END_STREAM: u8 = 0x1;
pub(super) const END_HEADERS: u8 = 0x4;
pub(super) const PADDED: u8 = 0x8;
pub(super) const WITH_PRIORITY: u8 = 0x20;

pub(super) const HEADER_TABLE_SIZE: u16 = 0x1;
pub(super) const ENABLE_PUSH: u16 = 0x2;
pub(super) const MAX_CONCURRENT_STREAMS: u16 = 0x3;
pub(super) const INITIAL_WINDOW_SIZE: u16 = 0x4;
pub(super) const MAX_FRAME_SIZE: u16 = 0x5;
pub(super) const MAX_HEADER_LIST_SIZE: u16 = 0x6;

/// What stands before a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Frame {
    /// Of the payload, in bytes.
    pub(super) length: u32,
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) stream: u32,
}

impl Frame {
    pub(super) const fn new(length: u32, kind: u8, flags: u8, stream: u32) -> Self {
        Self { length, kind, flags, stream }
    }

    pub(super) const fn parse(bytes: [u8; HEADER_LEN]) -> Self {
        let [l0, l1, l2, kind, flags, s0, s1, s2, s3] = bytes;
        // The highest bit of the stream is reserved, and ignored.
        let stream = u32::from_be_bytes([s0, s1, s2, s3]) & 0x7fff_ffff;
        Self { length: u32::from_be_bytes([0, l0, l1, l2]), kind, flags, stream }
    }

    pub(super) const fn bytes(self) -> [u8; HEADER_LEN] {
        let [_, l0, l1, l2] = self.length.to_be_bytes();
        let [s0, s1, s2, s3] = self.stream.to_be_bytes();
        [l0, l1, l2, self.kind, self.flags, s0, s1, s2, s3]
    }

    pub(super) const fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// How many bytes must be there together, this header included, before anything is done. Data are handed on as
    /// they come, behind the length of their padding.
    pub(super) const fn unit(self) -> usize {
        let payload = match self.kind {
            DATA if self.has(PADDED) && self.length > 0 => 1,
            DATA => 0,
            _ => self.length as usize,
        };
        HEADER_LEN + payload
    }
}

/// Writes a whole frame.
pub(super) fn write(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    out.extend_from_slice(&Frame::new(payload.len() as u32, kind, flags, stream).bytes());
    out.extend_from_slice(payload);
}

/// Writes a RST_STREAM frame.
pub(super) fn reset(out: &mut Vec<u8>, stream: u32, code: Code) {
    write(out, RST_STREAM, 0, stream, &(code as u32).to_be_bytes());
}

/// Writes a WINDOW_UPDATE frame.
pub(super) fn window_update(out: &mut Vec<u8>, stream: u32, increment: u32) {
    write(out, WINDOW_UPDATE, 0, stream, &increment.to_be_bytes());
}

/// Writes a GOAWAY frame. The peer opens no streams, so that the last one processed is always 0.
pub(super) fn goaway(out: &mut Vec<u8>, code: Code) {
    let mut payload = [0; 8];
    payload[4..].copy_from_slice(&(code as u32).to_be_bytes());
    write(out, GOAWAY, 0, 0, &payload);
}

/// Writes a SETTINGS frame.
pub(super) fn settings(out: &mut Vec<u8>, entries: &[(u16, u32)]) {
    out.extend_from_slice(&Frame::new(entries.len() as u32 * 6, SETTINGS, 0, 0).bytes());
    for (name, value) in entries {
        out.extend_from_slice(&name.to_be_bytes());
        out.extend_from_slice(&value.to_be_bytes());
    }
}
