//! Status line and headers: where they end, and what of them matters.

use std::mem::MaybeUninit;
use std::ops::Range;

use httparse::{Error, Header, ParserConfig, Status};

use super::{AnswerError, HEADER_LIMIT};

/// How the end of the body is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Framing {
    Length(u64),
    Chunked,
    #[default]
    UntilClose,
}

/// What of a head matters. Ranges are places in its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) framing: Framing,
    pub(super) keeps_connection: bool,
    pub(super) location: Option<Range<usize>>,
    pub(super) content_type: Option<Range<usize>>,
}

/// Whether `bytes` are the beginning of an HTTP/1.x answer, so that anything else fails at once, not at the timeout.
pub(super) fn may_begin(bytes: &[u8]) -> bool {
    const START: &[u8] = b"HTTP/1.";
    let common = bytes.len().min(START.len());
    bytes[..common] == START[..common]
}

/// Where the head ends (after its empty line), if it does. `searched` keeps the search from starting over with every
/// piece.
pub(super) fn end(bytes: &[u8], searched: &mut usize) -> Option<usize> {
    while let Some(at) = memchr::memchr(b'\n', &bytes[*searched..]) {
        let next = *searched + at + 1;
        match &bytes[next..] {
            [b'\n', ..] => return Some(next + 1),
            [b'\r', b'\n', ..] => return Some(next + 2),
            // Not enough behind this line feed to tell: look at it again with the next piece.
            [] | [b'\r'] => {
                *searched = next - 1;
                return None;
            }
            _ => *searched = next,
        }
    }
    *searched = bytes.len();
    None
}

impl Head {
    /// Parses a whole head.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, AnswerError> {
        let mut headers = [const { MaybeUninit::uninit() }; HEADER_LIMIT];
        let mut response = httparse::Response::new(&mut []);
        let parsed =
            ParserConfig::default().parse_response_with_uninit_headers(&mut response, bytes, &mut headers);
        match parsed {
            Ok(Status::Complete(length)) if length == bytes.len() => {}
            Ok(_) => return Err(AnswerError::BadHead),
            Err(Error::TooManyHeaders) => return Err(AnswerError::TooManyHeaders),
            Err(_) => return Err(AnswerError::BadHead),
        }
        let (Some(status), Some(version)) = (response.code, response.version) else {
            return Err(AnswerError::BadHead);
        };
        match status {
            101 => return Err(AnswerError::Upgraded),
            100..=599 => {}
            _ => return Err(AnswerError::BadHead),
        }
        let mut head = Self { status, ..Self::default() };
        let mut fields = Fields::default();
        for header in response.headers.iter() {
            fields.see(&mut head, bytes, header)?;
        }
        head.keeps_connection = !fields.close && (version == 1 || fields.keep);
        head.framing = match (fields.length, fields.chunked) {
            (Some(_), true) => return Err(AnswerError::LengthAndChunked),
            (Some(length), false) => Framing::Length(length),
            // HTTP/1.0 has no chunks: RFC 9112, section 6.1, calls such framing faulty.
            (None, true) if version == 0 => return Err(AnswerError::UnknownEncoding),
            (None, true) => Framing::Chunked,
            (None, false) => Framing::UntilClose,
        };
        Ok(head)
    }

    /// A head that was checked already, as lines of text.
    pub(super) fn of_text(status: u16, text: &[u8]) -> Self {
        let mut head = Self { status, keeps_connection: true, ..Self::default() };
        for line in text.split(|&b| b == b'\n').skip(1) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let Some(colon) = memchr::memchr(b':', line) else { continue };
            let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
            if name.eq_ignore_ascii_case(b"location") {
                head.location = Some(place(text, value));
            } else if name.eq_ignore_ascii_case(b"content-type") {
                head.content_type = Some(place(text, value));
            }
        }
        head
    }

    /// Whether the answer is still to come.
    pub(super) const fn is_interim(&self) -> bool {
        self.status < 200
    }
}

/// The headers that decide the framing and what becomes of the connection.
#[derive(Debug, Default)]
struct Fields {
    length: Option<u64>,
    chunked: bool,
    close: bool,
    keep: bool,
}

impl Fields {
    fn see(&mut self, head: &mut Head, bytes: &[u8], header: &Header<'_>) -> Result<(), AnswerError> {
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        // The length of a name rules out most headers at once.
        match header.name.len() {
            14 if is("content-length") => {
                let length = parse_length(header.value)?;
                if self.length.is_some_and(|known| known != length) {
                    return Err(AnswerError::ConflictingLength);
                }
                self.length = Some(length);
            }
            17 if is("transfer-encoding") => {
                if self.chunked || !header.value.eq_ignore_ascii_case(b"chunked") {
                    return Err(AnswerError::UnknownEncoding);
                }
                self.chunked = true;
            }
            10 if is("connection") => {
                for token in header.value.split(|&b| b == b',') {
                    self.close |= token.trim_ascii().eq_ignore_ascii_case(b"close");
                    self.keep |= token.trim_ascii().eq_ignore_ascii_case(b"keep-alive");
                }
            }
            8 if is("location") => head.location = Some(place(bytes, header.value)),
            12 if is("content-type") => head.content_type = Some(place(bytes, header.value)),
            _ => {}
        }
        Ok(())
    }
}

fn parse_length(value: &[u8]) -> Result<u64, AnswerError> {
    if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
        return Err(AnswerError::BadLength);
    }
    // More digits than fit is no number that could be waited for.
    Ok(value.iter().fold(0u64, |sum, digit| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'))))
}

/// The place of `part` in `whole`, of which it is a slice.
fn place(whole: &[u8], part: &[u8]) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    start..start + part.len()
}
