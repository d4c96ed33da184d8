//! The chunked transfer coding of RFC 9112, section 7.1, byte by byte except for the data itself.

use super::{AnswerError, BODY_LIMIT, HEAD_LIMIT};

/// Sizes, extensions and line ends together: as much as of the body itself. One of 800 KB may come in chunks of one byte.
const OVERHEAD_LIMIT: u64 = BODY_LIMIT;

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'b> {
    /// Some of the body.
    Data(&'b [u8]),
    /// All bytes are used up.
    More,
    /// The last chunk and the trailers are over.
    End,
}

/// What is expected next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// First digit of a size.
    SizeStart,
    Size(u64),
    /// White space or an extension after the size; it means nothing and is skipped.
    Extension(u64),
    SizeLf(u64),
    Data(u64),
    DataCr,
    DataLf,
    /// Start of a trailer line, or of the empty line.
    TrailerStart,
    Trailer,
    TrailerLf,
    EndLf,
}

/// Where in a chunked body the reading is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chunks {
    state: State,
    overhead: u64,
    trailers: usize,
}

impl Chunks {
    pub(super) const fn new() -> Self {
        Self { state: State::SizeStart, overhead: 0, trailers: 0 }
    }

    /// The next piece, and the bytes behind it.
    pub(super) fn next<'b>(&mut self, bytes: &'b [u8]) -> Result<(Piece<'b>, &'b [u8]), AnswerError> {
        for (at, &byte) in bytes.iter().enumerate() {
            if let State::Data(left) = self.state {
                let rest = &bytes[at..];
                let (data, rest) = rest.split_at(rest.len().min(usize::try_from(left).unwrap_or(usize::MAX)));
                let left = left - data.len() as u64;
                self.state = if left == 0 { State::DataCr } else { State::Data(left) };
                return Ok((Piece::Data(data), rest));
            }
            if self.step(byte)? {
                return Ok((Piece::End, &bytes[at + 1..]));
            }
        }
        Ok((Piece::More, &[]))
    }

    /// Takes one byte outside of the data; `true`: it was the last.
    fn step(&mut self, byte: u8) -> Result<bool, AnswerError> {
        self.overhead += 1;
        if self.overhead > OVERHEAD_LIMIT {
            return Err(AnswerError::ChunkOverhead);
        }
        self.state = match (self.state, byte) {
            (State::SizeStart, _) => State::Size(digit(byte)?),
            (State::Size(size), b'\r') => State::SizeLf(size),
            (State::Size(size), b';' | b' ' | b'\t') => State::Extension(size),
            (State::Size(size), _) => {
                let size = size * 16 + digit(byte)?;
                if size > BODY_LIMIT {
                    return Err(AnswerError::BodyTooLarge);
                }
                State::Size(size)
            }
            (State::Extension(size), b'\r') => State::SizeLf(size),
            (State::Extension(size), _) if byte != b'\n' => State::Extension(size),
            (State::SizeLf(0), b'\n') => State::TrailerStart,
            (State::SizeLf(size), b'\n') => State::Data(size),
            (State::DataCr, b'\r') => State::DataLf,
            (State::DataLf, b'\n') => State::SizeStart,
            (State::TrailerStart, b'\r') => State::EndLf,
            (State::TrailerStart | State::Trailer, _) if byte != b'\n' && byte != b'\r' => self.trailer()?,
            (State::Trailer, b'\r') => State::TrailerLf,
            (State::TrailerLf, b'\n') => State::TrailerStart,
            (State::EndLf, b'\n') => return Ok(true),
            _ => return Err(AnswerError::BadChunk),
        };
        Ok(false)
    }

    fn trailer(&mut self) -> Result<State, AnswerError> {
        self.trailers += 1;
        if self.trailers > HEAD_LIMIT { Err(AnswerError::TrailersTooLarge) } else { Ok(State::Trailer) }
    }
}

fn digit(byte: u8) -> Result<u64, AnswerError> {
    char::from(byte).to_digit(16).map(u64::from).ok_or(AnswerError::BadChunk)
}
