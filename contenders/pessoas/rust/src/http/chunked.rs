//! Bodies in chunks (RFC 9112, section 7.1), put together in the memory that they came in.

use super::{BODY_BYTES_MAX, Status};

/// The longest line of a chunk's size with its extensions, and the longest trailer section. Nobody who means well
/// needs either.
const LINE_BYTES_MAX: usize = 1024;

/// Reads a body as its bytes come.
#[derive(Debug)]
pub(crate) struct Decoder {
    state: State,
    /// Bytes of the present line, or of all trailers.
    line: usize,
    /// Where the next byte of the body goes.
    written: usize,
    /// Where the next byte that came is.
    read: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// In the digits of a size; `None` before the first.
    Size(Option<usize>),
    /// Between the digits and the end of the line.
    Extension(usize),
    /// After the line's `\r`.
    SizeEnd(usize),
    /// So many bytes are still to come.
    Data(usize),
    /// Before the `\r` after the data.
    DataEnd,
    /// Before the `\n` after the data.
    DataEnded,
    /// At the beginning of a trailer's line.
    Trailer,
    /// Within one.
    TrailerLine,
    /// After the `\r` of the empty line.
    LastLine,
    /// All is read.
    Done,
}

impl Decoder {
    /// Begins at `start`: the body is put together from there on.
    pub(crate) fn new(start: usize) -> Self {
        Self { state: State::Size(None), line: 0, written: start, read: start }
    }

    /// Takes what has come since. Whether the body is whole: then it ends at [`Self::written`], and what follows it
    /// begins at [`Self::read`].
    ///
    /// # Errors
    /// With the status of the refusal: broken, or longer than [`BODY_BYTES_MAX`].
    pub(crate) fn advance(&mut self, bytes: &mut [u8], start: usize) -> Result<bool, Status> {
        while self.state != State::Done {
            if let State::Data(left) = self.state {
                let taken = left.min(bytes.len() - self.read);
                bytes.copy_within(self.read..self.read + taken, self.written);
                self.read += taken;
                self.written += taken;
                if taken < left {
                    self.state = State::Data(left - taken);
                    return Ok(false);
                }
                self.state = State::DataEnd;
            }
            let Some(&byte) = bytes.get(self.read) else { return Ok(false) };
            self.read += 1;
            self.line += 1;
            self.state = self.after(byte)?;
            if let State::Data(size) = self.state
                && size > BODY_BYTES_MAX - (self.written - start)
            {
                return Err(Status::ContentTooLarge);
            }
        }
        Ok(true)
    }

    /// The state after a byte that is not data. Lines end with both bytes: some servers on the way may take one of
    /// them for an end, and others not.
    fn after(&mut self, byte: u8) -> Result<State, Status> {
        if self.line > LINE_BYTES_MAX {
            return Err(Status::BadRequest);
        }
        Ok(match (self.state, byte) {
            (State::Size(size), _) if byte.is_ascii_hexdigit() => {
                let digit = (byte as char).to_digit(16).unwrap_or_default() as usize;
                // What no number holds is too long in any case.
                State::Size(Some(size.unwrap_or(0).saturating_mul(16).saturating_add(digit)))
            }
            (State::Size(Some(size)) | State::Extension(size), b'\r') => State::SizeEnd(size),
            (State::Size(Some(size)), b';' | b' ' | b'\t') => State::Extension(size),
            (State::Extension(size), other) if other != b'\n' => State::Extension(size),
            (State::SizeEnd(0), b'\n') => self.begin_line(State::Trailer),
            (State::SizeEnd(size), b'\n') => self.begin_line(State::Data(size)),
            (State::DataEnd, b'\r') => State::DataEnded,
            (State::DataEnded, b'\n') => self.begin_line(State::Size(None)),
            (State::Trailer, b'\r') => State::LastLine,
            (State::TrailerLine, b'\n') => State::Trailer,
            (State::Trailer | State::TrailerLine, other) if other != b'\n' => State::TrailerLine,
            (State::LastLine, b'\n') => State::Done,
            _ => return Err(Status::BadRequest),
        })
    }

    fn begin_line(&mut self, state: State) -> State {
        self.line = 0;
        state
    }

    /// Closes the gap between what is put together and what has not been read, so that a body takes no more memory
    /// than its length, however it was cut.
    pub(crate) fn compact(&mut self, bytes: &mut Vec<u8>) {
        bytes.drain(self.written..self.read);
        self.read = self.written;
    }

    /// The end of the body as far as it is put together.
    pub(crate) fn written(&self) -> usize {
        self.written
    }

    /// The beginning of what has not been read.
    pub(crate) fn read(&self) -> usize {
        self.read
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BODY_BYTES_MAX, Decoder, Status};

    /// A body, and what came after it.
    type Parts = (Vec<u8>, Vec<u8>);

    /// What these pieces give; nothing while the body is not whole.
    fn decode(pieces: &[&[u8]]) -> Result<Option<Parts>, Status> {
        let mut bytes = b"head".to_vec();
        let mut decoder = Decoder::new(4);
        let mut whole = false;
        for piece in pieces {
            bytes.extend_from_slice(piece);
            whole = decoder.advance(&mut bytes, 4)?;
            if !whole {
                decoder.compact(&mut bytes);
            }
        }
        let parts = (bytes[4..decoder.written()].to_vec(), bytes[decoder.read()..].to_vec());
        Ok(whole.then_some(parts))
    }

    #[test]
    fn a_body_is_the_same_cut_at_every_byte() {
        let text =
            b"4\r\nWiki\r\n5 ; a=\"b\"\r\npedia\r\n0B\r\n in\r\n\r\nchun\r\n0\r\nA: b\r\nC: d\r\n\r\nGET";
        let want = (b"Wikipedia in\r\n\r\nchun".to_vec(), b"GET".to_vec());
        for cut in 0..text.len() {
            let (one, two) = text.split_at(cut);
            assert_eq!(decode(&[one, two]), Ok(Some(want.clone())), "{cut}");
        }
        let end = text.len() - 3;
        let bytes: Vec<&[u8]> = text[..end].chunks(1).collect();
        assert_eq!(decode(&bytes), Ok(Some((want.0, Vec::new()))));
        assert_eq!(decode(&bytes[..end - 1]), Ok(None));
    }

    #[test]
    fn what_is_no_chunk_is_refused() {
        for text in [
            "\r\n",
            "x\r\n",
            ";\r\n",
            "1\n",
            "1\rx",
            "1\r\nab",
            "1\r\na\rb",
            "1\r\na\n",
            "0\r\n\n",
            "-1\r\n",
            "1 \n",
        ] {
            assert_eq!(decode(&[text.as_bytes()]), Err(Status::BadRequest), "{text:?}");
        }
        let extension = format!("1;{}", "a".repeat(2000));
        let trailers = format!("0\r\n{}", "a: b\r\n".repeat(300));
        for text in [extension, trailers] {
            assert_eq!(decode(&[text.as_bytes()]), Err(Status::BadRequest));
        }
    }

    #[test]
    fn a_body_above_the_bound_is_refused_by_its_size_alone() {
        let full = format!("{BODY_BYTES_MAX:x}\r\n{}\r\n", "a".repeat(BODY_BYTES_MAX));
        assert_eq!(decode(&[full.as_bytes(), b"0\r\n\r\n"]).unwrap().unwrap().0.len(), BODY_BYTES_MAX);
        assert_eq!(decode(&[full.as_bytes(), b"1\r\n"]), Err(Status::ContentTooLarge));
        assert_eq!(decode(&[b"10001\r\n"]), Err(Status::ContentTooLarge));
        assert_eq!(decode(&["f".repeat(40).as_bytes(), b"\r\n"]), Err(Status::ContentTooLarge));
    }

    proptest! {
        #[test]
        fn chunks_of_any_size_and_cut_give_the_body(
            chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..40), 0..8),
            cut in 1_usize..30,
        ) {
            let mut text = Vec::new();
            for chunk in &chunks {
                text.extend_from_slice(format!("{:X}\r\n", chunk.len()).as_bytes());
                text.extend_from_slice(chunk);
                text.extend_from_slice(b"\r\n");
            }
            text.extend_from_slice(b"0\r\n\r\n");
            let pieces: Vec<&[u8]> = text.chunks(cut).collect();
            prop_assert_eq!(decode(&pieces), Ok(Some((chunks.concat(), Vec::new()))));
        }

        #[test]
        fn whatever_comes_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&[&bytes]);
        }
    }
}
