//! Blocks of headers, and what they mean on their stream: RFC 9113, section 8.1.

use super::error::{H2Error, StreamFault};
use super::head::HeadText;
use super::hpack::Decoder;
use super::streams::Stream;

/// Blocks up to this length are remembered.
const KEPT_BLOCK: usize = 4 * 1024;

/// What a block means on its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A head before the final one.
    Interim,
    /// The final head.
    Final,
    Trailers,
}

/// Decompresses blocks. Servers repeat themselves: the last block is remembered with its head, and means the same if it
/// comes again, unless it changed the table.
#[derive(Debug)]
pub(super) struct Answers {
    decoder: Decoder,
    head: HeadText,
    last_block: Vec<u8>,
    /// Whether `head` is what `last_block` means still.
    is_remembered: bool,
}

impl Answers {
    pub(super) fn new() -> Self {
        Self { decoder: Decoder::new(), head: HeadText::new(), last_block: Vec::new(), is_remembered: false }
    }

    /// Decompresses a whole block. To be done with every block, even if nobody waits for it.
    pub(super) fn read(&mut self, block: &[u8]) -> Result<&HeadText, H2Error> {
        if self.is_remembered && self.last_block == block {
            return Ok(&self.head);
        }
        self.is_remembered = false;
        self.head.begin();
        let unchanged = self.decoder.decode(block, &mut self.head).map_err(|_| H2Error::Compression)?;
        self.head.end();
        if unchanged && block.len() <= KEPT_BLOCK {
            self.is_remembered = true;
            self.last_block.clear();
            self.last_block.extend_from_slice(block);
        }
        Ok(&self.head)
    }
}

/// What `head` means on `stream`, where `end` says that nothing follows.
pub(super) fn take_head(stream: &mut Stream, head: &HeadText, end: bool) -> Result<Meaning, StreamFault> {
    if let Some(fault) = head.fault() {
        return Err(fault);
    }
    match (stream.answered, head.status()) {
        (true, 0) if end => {
            take_body(stream, 0, true)?;
            Ok(Meaning::Trailers)
        }
        (true, _) => Err(StreamFault::BadTrailers),
        (false, 0) => Err(StreamFault::NoStatus),
        (false, 101) => Err(StreamFault::Upgraded),
        (false, 100..200) if end => Err(StreamFault::BadHead),
        (false, 100..200) => Ok(Meaning::Interim),
        (false, status) => {
            stream.answered = true;
            // What these announce is the length that another answer would have.
            let is_empty = stream.head_request || matches!(status, 204 | 304);
            stream.expected = if is_empty { Some(0) } else { head.content_length() };
            take_body(stream, 0, end)?;
            Ok(Meaning::Final)
        }
    }
}

/// Counts `length` bytes of body, where `end` says that nothing follows.
pub(super) fn take_body(stream: &mut Stream, length: u32, end: bool) -> Result<(), StreamFault> {
    if !stream.answered {
        return Err(StreamFault::DataBeforeHead);
    }
    stream.body_len += u64::from(length);
    match stream.expected {
        Some(expected) if stream.body_len > expected || end && stream.body_len < expected => {
            Err(StreamFault::LengthMismatch)
        }
        _ => Ok(()),
    }
}
