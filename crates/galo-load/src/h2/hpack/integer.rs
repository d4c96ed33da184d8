//! Integers and strings: RFC 7541, section 5.

use super::{CompressionError, huffman};

/// Bytes of an integer behind its prefix. Four hold any length or index that could be meant here.
const MOST_BYTES: u32 = 4;

/// Reads an integer with a prefix of `bits` and moves `bytes` behind it.
pub(crate) fn read(bytes: &mut &[u8], bits: u32) -> Result<u32, CompressionError> {
    let (&first, mut rest) = bytes.split_first().ok_or(CompressionError)?;
    let most = (1u32 << bits) - 1;
    let mut value = u32::from(first) & most;
    if value == most {
        let mut shift = 0;
        loop {
            let (&byte, after) = rest.split_first().ok_or(CompressionError)?;
            rest = after;
            if shift == 7 * MOST_BYTES {
                return Err(CompressionError);
            }
            value += (u32::from(byte) & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
            shift += 7;
        }
    }
    *bytes = rest;
    Ok(value)
}

/// Reads a string, appends it to `out` and moves `bytes` behind it.
pub(crate) fn read_string(bytes: &mut &[u8], out: &mut Vec<u8>) -> Result<(), CompressionError> {
    let is_huffman = bytes.first().is_some_and(|first| first & 0x80 != 0);
    let length = read(bytes, 7)? as usize;
    let (string, rest) = bytes.split_at_checked(length).ok_or(CompressionError)?;
    *bytes = rest;
    if is_huffman {
        huffman::decode(string, out)?;
    } else {
        out.extend_from_slice(string);
    }
    Ok(())
}

/// Writes an integer with a prefix of `bits`, `pattern` in the bits before it.
pub(crate) fn write(out: &mut Vec<u8>, pattern: u8, bits: u32, value: usize) {
    let most = (1usize << bits) - 1;
    if value < most {
        out.push(pattern | value as u8);
        return;
    }
    out.push(pattern | most as u8);
    let mut rest = value - most;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Writes a string as it is.
pub(crate) fn write_string(out: &mut Vec<u8>, string: &[u8]) {
    write(out, 0, 7, string.len());
    out.extend_from_slice(string);
}
