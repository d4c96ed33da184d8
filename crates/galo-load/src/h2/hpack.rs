//! Header compression: RFC 7541.
//!
//! Decoding is galo's own. Of the crates that offer it without a whole HTTP/2, `nahpack` is of 2015 and needs a nightly
//! compiler, and `loona-hpack` and `httlib-hpack` allocate for the strings that they decode and for their tables'
//! entries. Here nothing is allocated once the buffers have grown, fields go straight into the head's text, and one step
//! of Huffman's code gives up to two letters.
//!
//! Encoding is as lean as a client that repeats itself can have it: what is constant is sent once and is an index of a
//! byte or two thereafter; what varies is a plain literal.

mod decoder;
mod encoder;
pub(crate) mod huffman;
pub(crate) mod integer;
mod statics;
mod table;
#[cfg(test)]
mod tests;

pub(super) use decoder::{Decoder, Effect};
pub(super) use encoder::Encoder;

/// Size of a dynamic table unless settings say otherwise (RFC 9113, section 6.5.2). galo says nothing.
const DEFAULT_TABLE_SIZE: u32 = 4_096;
/// What every entry of a dynamic table counts beside its name and value (RFC 7541, section 4.1).
const ENTRY_OVERHEAD: usize = 32;

/// More entries than these never fit into a table.
pub(super) const MOST_ENTRIES: u32 = DEFAULT_TABLE_SIZE / ENTRY_OVERHEAD as u32;

/// A block that cannot be decompressed: the tables of both sides differ from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CompressionError;
