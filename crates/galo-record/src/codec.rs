//! What the binary files have in common: a header, one compressed frame, and numbers of variable length.
//!
//! ```text
//! 8 bytes  magic
//! 4 bytes  version, little-endian
//! 8 bytes  number of entries, little-endian
//! rest     one zstd frame with a checksum, and padding where it compressed too well
//! ```
//!
//! Reading never trusts a length: memory grows only with what was really decompressed, and that is bounded by a
//! small multiple of the file's own size. So that every file keeps to that bound, the writer pads one that compresses
//! better (a contender that never answers makes a history of equal operations) with a frame that readers skip. Whatever is wrong with the bytes is an error of kind `InvalidData` or
//! `UnexpectedEof`, never a panic.

use std::io::{self, BufReader, Read, Write};

/// zstd's default. Higher levels cost seconds between rounds and save little.
pub(crate) const LEVEL: i32 = 3;
const HEADER: usize = 8 + 4 + 8;
/// How often its own size a file may hold. Histories of a contest hold some 3 times theirs, samples some 20 times: little
/// is lost by padding those, and a small crafted file cannot ask for much memory.
const EXPANSION: u64 = 16;
const ALWAYS_ALLOWED: u64 = 4 << 20;
/// What a frame begins with that readers skip (RFC 8878, section 3.1.2).
const SKIPPABLE: u32 = 0x184D_2A50;

pub(crate) fn invalid(reason: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.into())
}

/// The file is of a newer galo.
#[derive(Debug, thiserror::Error)]
#[error("it has version {found}, this galo reads up to version {known}")]
pub(crate) struct NewerVersion {
    pub(crate) found: u32,
    pub(crate) known: u32,
}

/// A whole file: header and the frame that `body` writes.
pub(crate) fn encode(
    magic: &[u8; 8],
    version: u32,
    entries: u64,
    body: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<Vec<u8>> {
    let mut file = Vec::with_capacity(HEADER);
    file.extend_from_slice(magic);
    file.extend_from_slice(&version.to_le_bytes());
    file.extend_from_slice(&entries.to_le_bytes());
    compress(&mut file, body)?;
    Ok(file)
}

/// Appends one zstd frame with a checksum, padded so that [`decompress`] allows what it holds.
pub(crate) fn compress(
    file: &mut Vec<u8>,
    body: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let (start, held) = (file.len(), put_frame(file, body)?);
    pad(file, start, held)
}

/// Appends the frame alone; how many bytes it holds.
fn put_frame(file: &mut Vec<u8>, body: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<u64> {
    let mut encoder = zstd::Encoder::new(file, LEVEL)?;
    encoder.include_checksum(true)?;
    let mut counted = Counted { out: io::BufWriter::with_capacity(64 << 10, encoder), bytes: 0 };
    body(&mut counted)?;
    let held = counted.bytes;
    counted.out.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?;
    Ok(held)
}

/// Appends what readers skip until the frame from `start` on is large enough for the bytes that it holds.
fn pad(file: &mut Vec<u8>, start: usize, held: u64) -> io::Result<()> {
    let least = held.saturating_sub(ALWAYS_ALLOWED).div_ceil(EXPANSION);
    let missing = least.saturating_sub((file.len() - start) as u64);
    if missing == 0 {
        return Ok(());
    }
    let length = u32::try_from(missing).map_err(|_| invalid("it would hold more than any record"))?;
    file.extend_from_slice(&SKIPPABLE.to_le_bytes());
    file.extend_from_slice(&length.to_le_bytes());
    file.resize(file.len() + length as usize, 0);
    Ok(())
}

/// A writer that knows how much went through it.
struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let count = self.out.write(buffer)?;
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A reader of what `frame` holds, which ends with an error rather than give more than a record can hold.
pub(crate) fn decompress(frame: &[u8]) -> io::Result<BufReader<Bounded<'_>>> {
    let allowed = allowed(frame.len());
    if frame.is_empty() {
        // Without a first byte the decoder sees no frame, and nothing wrong.
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let decoder = zstd::Decoder::with_buffer(frame)?;
    Ok(BufReader::with_capacity(64 << 10, Bounded { decoder, allowed }))
}

/// How many bytes a file or frame of `length` bytes may expand to.
pub(crate) const fn allowed(length: usize) -> u64 {
    ALWAYS_ALLOWED + EXPANSION * length as u64
}

/// See [`decompress`].
pub(crate) struct Bounded<'a> {
    decoder: zstd::Decoder<'static, &'a [u8]>,
    allowed: u64,
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(buffer)?;
        self.allowed = self
            .allowed
            .checked_sub(count as u64)
            .ok_or_else(|| invalid("it expands to more than any record holds"))?;
        Ok(count)
    }
}

/// Checks the header and gives the number of entries and the frame's reader.
pub(crate) fn open<'a>(
    bytes: &'a [u8],
    magic: &[u8; 8],
    version: u32,
) -> io::Result<(u64, BufReader<Bounded<'a>>)> {
    let (header, frame) =
        bytes.split_at_checked(HEADER).ok_or_else(|| invalid("it is too short for its header"))?;
    if header[..8] != *magic {
        return Err(invalid("it does not begin as such a file does"));
    }
    let found = u32::from_le_bytes([header[8], header[9], header[10], header[11]]);
    if found > version {
        return Err(io::Error::new(io::ErrorKind::InvalidData, NewerVersion { found, known: version }));
    }
    if found != version {
        return Err(invalid(format!("it has version {found}, this galo reads version {version}")));
    }
    let mut entries = [0; 8];
    entries.copy_from_slice(&header[12..]);
    Ok((u64::from_le_bytes(entries), decompress(frame)?))
}

/// Checks that nothing follows (which also makes zstd check its checksum).
pub(crate) fn close(reader: &mut impl Read) -> io::Result<()> {
    match reader.read(&mut [0])? {
        0 => Ok(()),
        _ => Err(invalid("there is more in it than it should hold")),
    }
}

/// LEB128: seven bits a byte, lowest first.
pub(crate) fn put(out: &mut dyn Write, mut value: u64) -> io::Result<()> {
    let mut bytes = [0; 10];
    let mut length = 0;
    loop {
        bytes[length] = (value & 0x7f) as u8 | if value > 0x7f { 0x80 } else { 0 };
        length += 1;
        value >>= 7;
        if value == 0 {
            return out.write_all(&bytes[..length]);
        }
    }
}

/// Reads what [`put`] wrote.
pub(crate) fn get(from: &mut impl Read) -> io::Result<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        from.read_exact(&mut byte)?;
        let bits = u64::from(byte[0] & 0x7f);
        if shift == 63 && bits > 1 {
            break;
        }
        value |= bits << shift;
        if byte[0] < 0x80 {
            return Ok(value);
        }
    }
    Err(invalid("it holds a number that is too large"))
}

/// Reads a number that must fit 32 bits.
pub(crate) fn get_u32(from: &mut impl Read) -> io::Result<u32> {
    u32::try_from(get(from)?).map_err(|_| invalid("it holds a number that is too large"))
}

/// A difference, small in either direction as a small number (zigzag).
pub(crate) const fn difference(value: u64, from: u64) -> u64 {
    let signed = value.wrapping_sub(from).cast_signed();
    ((signed << 1) ^ (signed >> 63)).cast_unsigned()
}

/// The value that [`difference`] was taken of.
pub(crate) const fn apply(difference: u64, from: u64) -> u64 {
    let signed = (difference >> 1).cast_signed() ^ -((difference & 1).cast_signed());
    from.wrapping_add(signed.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_small_frame_that_expands_without_end_is_refused() {
        let frame = zstd::encode_all(vec![0; 40 << 20].as_slice(), LEVEL).unwrap();
        let mut expanded = Vec::new();
        let error = decompress(&frame).unwrap().read_to_end(&mut expanded).unwrap_err();
        assert!(error.to_string().contains("expands to more"), "{error}");
        assert!((expanded.len() as u64) <= allowed(frame.len()));
    }

    #[test]
    fn what_compresses_very_well_is_padded_so_that_it_may_be_read() {
        let zeros = vec![0; 1 << 20];
        let mut frame = Vec::new();
        compress(&mut frame, |out| (0..40).try_for_each(|_| out.write_all(&zeros))).unwrap();
        let mut read = Vec::new();
        decompress(&frame).unwrap().read_to_end(&mut read).unwrap();
        assert_eq!(read.len(), 40 << 20);
        assert!(allowed(frame.len()) < 41 << 20, "{}", frame.len());
    }

    #[test]
    fn another_kind_or_version_of_file_is_refused() {
        let file = encode(b"galoHIST", 1, 0, |_| Ok(())).unwrap();
        assert!(open(&file, b"galoHIST", 1).is_ok());
        assert!(open(&file, b"galoLATE", 1).is_err());
        assert!(open(&file, b"galoHIST", 2).is_err_and(|e| e.to_string().contains("version 1")));
        let newer = open(&file, b"galoHIST", 0).err().and_then(io::Error::into_inner);
        assert!(newer.is_some_and(|error| error.is::<NewerVersion>()));
    }

    #[test]
    fn a_number_of_more_than_64_bits_is_refused() {
        assert_eq!(
            get(&mut [0xff; 9].iter().chain(&[1]).copied().collect::<Vec<_>>().as_slice()).unwrap(),
            u64::MAX
        );
        assert!(get(&mut [0xff; 9].iter().chain(&[2]).copied().collect::<Vec<_>>().as_slice()).is_err());
        assert!(get(&mut [0x80; 20].as_slice()).is_err());
    }

    proptest! {
        #[test]
        fn numbers_and_distances_come_back(value: u64, from: u64, shift in 0..64_u32) {
            let mut bytes = Vec::new();
            put(&mut bytes, value >> shift).unwrap();
            prop_assert_eq!(get(&mut bytes.as_slice()).unwrap(), value >> shift);
            prop_assert_eq!(apply(difference(value, from), from), value);
            let near = from.wrapping_add(value >> 40);
            prop_assert!(difference(near, from) < 1 << 25 && difference(from, near) < 1 << 25);
        }
    }
}
