//! Frames: RFC 9114, section 7. And the integers of QUIC: RFC 9000, section 16.

pub(super) const DATA: u64 = 0x0;
pub(super) const HEADERS: u64 = 0x1;
pub(super) const CANCEL_PUSH: u64 = 0x3;
pub(super) const SETTINGS: u64 = 0x4;
pub(super) const PUSH_PROMISE: u64 = 0x5;
pub(super) const GOAWAY: u64 = 0x7;
pub(super) const MAX_PUSH_ID: u64 = 0xd;

/// Whether a type is one of HTTP/2's that must not be used: RFC 9114, section 7.2.8.
pub(super) const fn is_reserved(kind: u64) -> bool {
    matches!(kind, 0x2 | 0x6 | 0x8 | 0x9)
}

/// Value and length of the integer at the beginning, if it is whole.
pub(super) fn read_integer(bytes: &[u8]) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    let length = 1 << (first >> 6);
    let rest = bytes.get(1..length)?;
    let value = rest.iter().fold(u64::from(first & 0x3f), |value, &byte| value << 8 | u64::from(byte));
    Some((value, length))
}

/// Appends an integer, which is below 2^62.
pub(super) fn write_integer(value: u64, out: &mut Vec<u8>) {
    match value {
        0..0x40 => out.push(value as u8),
        0x40..0x4000 => out.extend_from_slice(&(value as u16 | 0x4000).to_be_bytes()),
        0x4000..0x4000_0000 => out.extend_from_slice(&(value as u32 | 0x8000_0000).to_be_bytes()),
        _ => out.extend_from_slice(&(value | 0xc000_0000_0000_0000).to_be_bytes()),
    }
}

/// A piece of a stream of frames.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'b> {
    /// A frame begins, of this type and length.
    Begin(u64, u64),
    /// Of the frame that began last, and whether it is its end. A frame of length 0 has none.
    Payload(&'b [u8], bool),
}

/// Cuts a stream into frames, wherever it is cut itself.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// Type and length, as far as they came.
    header: [u8; 16],
    filled: usize,
    /// Of the payload.
    left: u64,
}

impl Frames {
    /// The next piece; `bytes` begins behind it then. `None`: more bytes are needed.
    pub(super) fn next<'b>(&mut self, bytes: &mut &'b [u8]) -> Option<Piece<'b>> {
        if self.left > 0 && !bytes.is_empty() {
            let taken = usize::try_from(self.left).map_or(bytes.len(), |left| left.min(bytes.len()));
            let (payload, rest) = bytes.split_at(taken);
            *bytes = rest;
            self.left -= taken as u64;
            return Some(Piece::Payload(payload, self.left == 0));
        }
        while let Some((&byte, rest)) = bytes.split_first() {
            // Two integers of at most eight bytes each fit.
            self.header[self.filled] = byte;
            self.filled += 1;
            *bytes = rest;
            let header = &self.header[..self.filled];
            if let Some((kind, behind)) = read_integer(header)
                && let Some((length, _)) = read_integer(&header[behind..])
            {
                self.filled = 0;
                self.left = length;
                return Some(Piece::Begin(kind, length));
            }
        }
        None
    }

    /// Whether the stream may end here.
    pub(super) const fn is_between(&self) -> bool {
        self.filled == 0 && self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn integers_are_those_of_rfc_9000_appendix_a_1() {
        for (value, bytes) in [
            (151_288_809_941_952_652, &[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c][..]),
            (494_878_333, &[0x9d, 0x7f, 0x3e, 0x7d]),
            (15_293, &[0x7b, 0xbd]),
            (37, &[0x25]),
        ] {
            assert_eq!(read_integer(bytes), Some((value, bytes.len())));
            let mut written = Vec::new();
            write_integer(value, &mut written);
            assert_eq!(written, bytes);
            assert_eq!(read_integer(&bytes[..bytes.len() - 1]), None);
        }
    }

    proptest! {
        #[test]
        fn frames_are_the_same_wherever_they_are_cut(
            frames in proptest::collection::vec((0u64..1 << 62, proptest::collection::vec(any::<u8>(), 0..90)), 0..8),
            size in 1usize..50,
        ) {
            let mut wire = Vec::new();
            for (kind, payload) in &frames {
                write_integer(*kind, &mut wire);
                write_integer(payload.len() as u64, &mut wire);
                wire.extend_from_slice(payload);
            }
            let mut reader = Frames::default();
            let mut read: Vec<(u64, Vec<u8>)> = Vec::new();
            for mut bytes in wire.chunks(size) {
                while let Some(piece) = reader.next(&mut bytes) {
                    match (piece, read.last_mut()) {
                        (Piece::Begin(kind, _), _) => read.push((kind, Vec::new())),
                        (Piece::Payload(payload, _), Some(frame)) => frame.1.extend_from_slice(payload),
                        (Piece::Payload(..), None) => prop_assert!(false, "a payload before its frame"),
                    }
                }
            }
            prop_assert!(reader.is_between());
            prop_assert_eq!(read, frames);
        }
    }
}
