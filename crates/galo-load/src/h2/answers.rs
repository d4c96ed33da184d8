//! Blocks of headers, and what they mean on their stream: RFC 9113, section 8.1.

use super::error::{H2Error, StreamFault};
use super::head::HeadText;
use super::hpack::{Decoder, Effect, MOST_ENTRIES};
use super::streams::Stream;

/// Blocks up to this length are remembered.
const KEPT_BLOCK: usize = 4 * 1024;

/// What a block means on its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A head before the final one.
    Interim,
    /// The final head.
    Final,
    Trailers,
}

/// Decompresses blocks. Servers repeat themselves: the last block is remembered with its head, and if it comes again
/// only its additions to the table are noted. They are made good before another block is read.
#[derive(Debug)]
pub(super) struct Answers {
    decoder: Decoder,
    head: HeadText,
    /// The last block; meaningless where it is not remembered.
    block: Vec<u8>,
    /// `Other`: not remembered.
    effect: Effect,
    /// How often the block came again without its additions. Once it has filled the table with nothing else, more of
    /// the same changes nothing.
    owed: u32,
}

impl Answers {
    pub(super) fn new() -> Self {
        Self {
            decoder: Decoder::new(),
            head: HeadText::new(),
            block: Vec::new(),
            effect: Effect::Other,
            owed: 0,
        }
    }

    /// Decompresses a whole block. To be done with every block, even if nobody waits for it.
    pub(super) fn read(&mut self, block: &[u8]) -> Result<&HeadText, H2Error> {
        if self.effect != Effect::Other && self.block == block {
            if self.effect == Effect::Adds {
                self.owed = MOST_ENTRIES.min(self.owed + 1);
            }
            return Ok(&self.head);
        }
        for _ in 0..std::mem::take(&mut self.owed) {
            self.head.begin();
            self.decoder.decode(&self.block, &mut self.head).map_err(|_| H2Error::Compression)?;
        }
        self.head.begin();
        self.effect = self.decoder.decode(block, &mut self.head).map_err(|_| H2Error::Compression)?;
        self.head.end();
        if block.len() > KEPT_BLOCK {
            self.effect = Effect::Other;
        }
        if self.effect != Effect::Other {
            self.block.clear();
            self.block.extend_from_slice(block);
        }
        Ok(&self.head)
    }
}

/// What `head` means on `stream`, where `end` says that nothing follows.
pub(crate) fn take_head(stream: &mut Stream, head: &HeadText, end: bool) -> Result<Meaning, StreamFault> {
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
pub(crate) fn take_body(stream: &mut Stream, length: u32, end: bool) -> Result<(), StreamFault> {
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
