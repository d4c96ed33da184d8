//! Bodies, and where they end.

use std::io::Write;

/// The longest line of a chunk's size with its extensions, and the longest trailer section.
const LINE_BYTES_MAX: usize = 1024;

/// How the end of a body is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// By its number of bytes.
    Length(u64),
    /// Each chunk says its own (RFC 9112, section 7.1).
    Chunked,
    /// With the connection.
    UntilClose,
}

impl Framing {
    /// How a body of this framing goes to a client; HTTP/1.0 knows no chunks.
    pub(crate) fn for_client(self, is_old: bool) -> Self {
        match self {
            Self::Length(_) => self,
            Self::Chunked | Self::UntilClose if is_old => Self::UntilClose,
            Self::Chunked | Self::UntilClose => Self::Chunked,
        }
    }

    /// The field that tells it.
    pub(crate) fn write(self, out: &mut Vec<u8>) {
        // Writing to memory cannot fail.
        let _ = match self {
            Self::Length(length) => write!(out, "Content-Length: {length}\r\n"),
            Self::Chunked => out.write_all(b"Transfer-Encoding: chunked\r\n"),
            Self::UntilClose => Ok(()),
        };
    }
}

/// This is no chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoChunk;

/// Reads a body as its bytes come.
#[derive(Debug)]
pub(crate) struct Reader {
    state: State,
    /// Bytes of the present line, or of all trailers.
    line: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// So many bytes of a body of known length are still to come.
    Rest(u64),
    /// All until the end.
    All,
    /// In the digits of a chunk's size; `None` before the first.
    Size(Option<u64>),
    /// Between the digits and the end of the line.
    Extension(u64),
    /// After the line's `\r`.
    SizeEnd(u64),
    /// So many bytes of a chunk are still to come.
    Data(u64),
    /// Before the `\r` after the data.
    DataEnd,
    /// Before the `\n` after the data.
    DataEnded,
    /// At the beginning of a trailer's line.
    Trailer,
    /// Within one.
    TrailerLine,
    /// After the `\r` of one.
    TrailerEnd,
    /// After the `\r` of the empty line.
    LastLine,
    /// All is read.
    Done,
}

impl Reader {
    pub(crate) fn new(framing: Framing) -> Self {
        let state = match framing {
            Framing::Length(0) => State::Done,
            Framing::Length(length) => State::Rest(length),
            Framing::Chunked => State::Size(None),
            Framing::UntilClose => State::All,
        };
        Self { state, line: 0 }
    }

    /// Whether all has come.
    pub(crate) fn is_done(&self) -> bool {
        self.state == State::Done
    }

    /// Whether the end of the connection is the end of the body.
    pub(crate) fn may_end(&self) -> bool {
        matches!(self.state, State::Done | State::All)
    }

    /// Reads some of what came: how many bytes were read, and which of them, the last ones, are of the body. Nothing is left
    /// unread before the end but what follows the body.
    ///
    /// # Errors
    /// Where it is no chunk.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<(usize, usize), NoChunk> {
        let mut at = 0;
        while at < bytes.len() {
            let here = (bytes.len() - at) as u64;
            let (State::Rest(left) | State::Data(left)) = self.state else {
                match self.state {
                    State::Done => break,
                    State::All => return Ok((bytes.len(), bytes.len() - at)),
                    _ => {}
                }
                self.line += 1;
                self.state = self.after(bytes[at])?;
                at += 1;
                continue;
            };
            let taken = left.min(here);
            self.state = match self.state {
                State::Rest(_) if taken == left => State::Done,
                State::Rest(_) => State::Rest(left - taken),
                _ if taken == left => State::DataEnd,
                _ => State::Data(left - taken),
            };
            return Ok((at + taken as usize, taken as usize));
        }
        Ok((at, 0))
    }

    /// The state after a byte that is not data. Lines end with both bytes.
    fn after(&mut self, byte: u8) -> Result<State, NoChunk> {
        if self.line > LINE_BYTES_MAX {
            return Err(NoChunk);
        }
        Ok(match (self.state, byte) {
            (State::Size(size), _) if byte.is_ascii_hexdigit() => {
                let digit = u64::from((byte as char).to_digit(16).unwrap_or_default());
                let size = size.unwrap_or(0);
                // A size that no number holds: somebody may count with fewer bits.
                if size >> 60 != 0 {
                    return Err(NoChunk);
                }
                State::Size(Some(size << 4 | digit))
            }
            (State::Size(Some(size)) | State::Extension(size), b'\r') => State::SizeEnd(size),
            (State::Size(Some(size)), b';' | b' ' | b'\t') => State::Extension(size),
            (State::Extension(size), other) if other != b'\n' => State::Extension(size),
            (State::SizeEnd(0), b'\n') => self.begin_line(State::Trailer),
            (State::SizeEnd(size), b'\n') => self.begin_line(State::Data(size)),
            (State::DataEnd, b'\r') => State::DataEnded,
            (State::DataEnded, b'\n') => self.begin_line(State::Size(None)),
            (State::Trailer, b'\r') => State::LastLine,
            (State::TrailerLine, b'\r') => State::TrailerEnd,
            (State::TrailerEnd, b'\n') => State::Trailer,
            (State::Trailer | State::TrailerLine, other) if other != b'\n' => State::TrailerLine,
            (State::LastLine, b'\n') => State::Done,
            _ => return Err(NoChunk),
        })
    }

    fn begin_line(&mut self, state: State) -> State {
        self.line = 0;
        state
    }
}

/// Passes a body on in another framing: as chunks of one's own, or bare.
pub(crate) fn write(to: Framing, data: &[u8], out: &mut Vec<u8>) {
    if data.is_empty() {
        return;
    }
    if to == Framing::Chunked {
        // Writing to memory cannot fail.
        let _ = write!(out, "{:x}\r\n", data.len());
        out.extend_from_slice(data);
        out.extend_from_slice(b"\r\n");
    } else {
        out.extend_from_slice(data);
    }
}

/// What tells the end of a body.
pub(crate) fn write_end(to: Framing, out: &mut Vec<u8>) {
    if to == Framing::Chunked {
        out.extend_from_slice(b"0\r\n\r\n");
    }
}
