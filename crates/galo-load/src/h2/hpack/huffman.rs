//! Huffman's code of RFC 7541, section 5.2 and appendix B.
//!
//! The code is canonical: within a length, codes ascend with the letters, and longer codes stand above shorter ones. So
//! the lengths alone say everything, and all tables are computed from them when this is compiled.

use super::CompressionError;

/// Letters, and the end of the string, which must not be in one.
const SYMBOLS: usize = 257;
/// Longest code.
const LONGEST: usize = 30;
/// Shortest code.
const SHORTEST: u32 = 5;
/// Bits that one step looks at: enough for two letters of most texts, and 8 KiB of table.
const STEP: u32 = 11;

/// Length of each symbol's code in bits: RFC 7541, appendix B.
#[rustfmt::skip]
pub(crate) const LENGTHS: [u8; SYMBOLS] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
     6, 10, 10, 12, 13,  6,  8, 11, 10, 10,  8, 11,  8,  6,  6,  6,
     5,  5,  5,  6,  6,  6,  6,  6,  6,  6,  7,  8, 15,  6, 12, 10,
    13,  6,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,  7,
     7,  7,  7,  7,  7,  7,  7,  7,  8,  7,  8, 13, 19, 13, 14,  6,
    15,  5,  6,  5,  6,  5,  6,  6,  6,  5,  7,  7,  6,  6,  6,  5,
     6,  7,  6,  5,  5,  6,  7,  7,  7,  7,  7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,
];

/// The code by length. Codes are left-aligned in 32 bits.
struct Canon {
    /// Symbols in the order of their codes.
    sorted: [u16; SYMBOLS],
    /// By length: the first code beyond those of this length (and of all shorter ones).
    beyond: [u64; LONGEST + 1],
    /// By length: the first code.
    first: [u32; LONGEST + 1],
    /// By length: where its symbols begin in `sorted`.
    start: [u16; LONGEST + 1],
}

static CANON: Canon = canon();
static STEPS: [u32; 1 << STEP] = steps();

const fn canon() -> Canon {
    let mut canon = Canon {
        sorted: [0; SYMBOLS],
        beyond: [0; LONGEST + 1],
        first: [0; LONGEST + 1],
        start: [0; LONGEST + 1],
    };
    let (mut code, mut place, mut length) = (0u64, 0, 1);
    while length <= LONGEST {
        canon.first[length] = code as u32;
        canon.start[length] = place as u16;
        let mut symbol = 0;
        while symbol < SYMBOLS {
            if LENGTHS[symbol] as usize == length {
                canon.sorted[place] = symbol as u16;
                place += 1;
                code += 1 << (32 - length);
            }
            symbol += 1;
        }
        canon.beyond[length] = code;
        length += 1;
    }
    canon
}

/// The symbol whose code `window` begins with, and its length.
const fn one(canon: &Canon, window: u32) -> (u16, u32) {
    let mut length = SHORTEST as usize;
    while window as u64 >= canon.beyond[length] {
        length += 1;
    }
    let place = (window - canon.first[length]) >> (32 - length);
    (canon.sorted[canon.start[length] as usize + place as usize], length as u32)
}

/// For each beginning of [`STEP`] bits: first letter, second letter, bits of the first, bits of both, a byte each. No
/// bits: the first does not fit. As many bits of both as of the first: the second does not fit.
const fn steps() -> [u32; 1 << STEP] {
    let canon = canon();
    let mut steps = [0; 1 << STEP];
    let mut index = 0;
    while index < 1 << STEP {
        let window = (index as u32) << (32 - STEP);
        let (first, bits) = one(&canon, window);
        if bits <= STEP {
            let (second, more) = one(&canon, window << bits);
            let fits = bits + more <= STEP;
            let (second, both) = if fits { (second as u32, bits + more) } else { (0, bits) };
            steps[index] = first as u32 | second << 8 | bits << 16 | both << 24;
        }
        index += 1;
    }
    steps
}

/// Decodes a whole string and appends it to `out`.
pub(crate) fn decode(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), CompressionError> {
    let begin = out.len();
    // One more than the shortest code could make: the second letter of a step is written before it is known to count.
    out.resize(begin + bytes.len() * 8 / SHORTEST as usize + 1, 0);
    let written = decode_into(bytes, &mut out[begin..]);
    out.truncate(begin + written.unwrap_or(0));
    written.map(|_| ()).ok_or(CompressionError)
}

/// Decodes into `out`, which has room for all and one more; returns how many letters there are.
fn decode_into(bytes: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut written = 0;
    // What is still to decode, left-aligned, and its length in bits.
    let (mut window, mut bits) = (0u64, 0u32);
    let mut quads = bytes.chunks_exact(4);
    for quad in &mut quads {
        let quad = u32::from_be_bytes(quad.try_into().ok()?);
        window |= u64::from(quad) << (32 - bits);
        bits += 32;
        // With 32 bits there, any symbol is whole.
        while bits >= 32 {
            let step = STEPS[(window >> (64 - STEP)) as usize];
            let [first, second, short, both] = step.to_le_bytes();
            let used = if short == 0 {
                let (symbol, length) = one(&CANON, (window >> 32) as u32);
                out[written] = u8::try_from(symbol).ok()?;
                written += 1;
                length
            } else {
                out[written] = first;
                out[written + 1] = second;
                written += 1 + usize::from(both > short);
                u32::from(both)
            };
            window <<= used;
            bits -= used;
        }
    }
    for &byte in quads.remainder() {
        window |= u64::from(byte) << (56 - bits);
        bits += 8;
    }
    // The end is padded with the first bits of the code of the end, all ones, and so is the window for the last letters.
    window |= u64::MAX.checked_shr(bits).unwrap_or(0);
    while bits >= SHORTEST {
        let step = STEPS[(window >> (64 - STEP)) as usize];
        let [first, second, short, both] = step.to_le_bytes();
        let (short, both) = (u32::from(short), u32::from(both));
        let used = if short == 0 {
            let (symbol, length) = one(&CANON, (window >> 32) as u32);
            if length > bits {
                break;
            }
            out[written] = u8::try_from(symbol).ok()?;
            written += 1;
            length
        } else if short > bits {
            break;
        } else {
            out[written] = first;
            out[written + 1] = second;
            let two = both > short && both <= bits;
            written += 1 + usize::from(two);
            if two { both } else { short }
        };
        window = !(!window << used);
        bits -= used;
    }
    (bits < 8 && window == u64::MAX).then_some(written)
}
