//! Where requests end (RFC 9112, sections 2 and 6), whichever way their bytes are cut.

use memchr::{memchr, memmem};

/// Longest head of a request.
const HEAD_LIMIT: usize = 64 * 1024;
const HEAD_END: &[u8] = b"\r\n\r\n";

/// What a piece of input completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Completed {
    /// Requests whose last byte was in it.
    pub(crate) complete: u64,
    /// The last of them asked for the connection to be closed; nothing after it was looked at.
    pub(crate) last: bool,
}

/// A request whose end, or whose answer, is not plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refused;

/// The requests of one connection.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// A head without its end.
    cut: Vec<u8>,
    /// Bytes of the body that are still to come.
    body_left: u64,
    /// The request under way asks for the connection to be closed.
    closing: bool,
}

impl Requests {
    /// Takes the next bytes of the connection.
    pub(crate) fn take(&mut self, mut bytes: &[u8]) -> Result<Completed, Refused> {
        let mut seen = Completed::default();
        while !seen.last && !bytes.is_empty() {
            if self.body_left > 0 {
                let here = self.body_left.min(bytes.len() as u64);
                self.body_left -= here;
                bytes = &bytes[here as usize..];
            } else {
                match self.head(&mut bytes)? {
                    None => break,
                    Some(head) => (self.body_left, self.closing) = (head.body, head.closing),
                }
            }
            if self.body_left == 0 {
                seen.complete += 1;
                seen.last = self.closing;
            }
        }
        Ok(seen)
    }

    /// The next head, taken off `bytes`; `None` if its end is not there yet.
    fn head(&mut self, bytes: &mut &[u8]) -> Result<Option<Head>, Refused> {
        if self.cut.is_empty() {
            // Empty lines before a request are to be passed over (RFC 9112, section 2.2).
            let start = bytes.iter().position(|byte| !matches!(byte, b'\r' | b'\n')).unwrap_or(bytes.len());
            *bytes = &bytes[start..];
            if let Some(end) = memmem::find(bytes, HEAD_END) {
                let (head, rest) = bytes.split_at(end + HEAD_END.len());
                *bytes = rest;
                return Head::of(head).map(Some);
            }
        }
        let before = self.cut.len();
        self.cut.extend_from_slice(bytes);
        // The end may have been cut, too.
        let from = before.saturating_sub(HEAD_END.len() - 1);
        let end = memmem::find(&self.cut[from..], HEAD_END).map(|at| from + at + HEAD_END.len());
        if end.unwrap_or(self.cut.len()) > HEAD_LIMIT {
            return Err(Refused);
        }
        let Some(end) = end else {
            *bytes = &[];
            return Ok(None);
        };
        *bytes = &bytes[end - before..];
        let head = Head::of(&self.cut[..end]);
        self.cut.clear();
        head.map(Some)
    }
}

/// What matters of a head.
struct Head {
    body: u64,
    closing: bool,
}

impl Head {
    fn of(head: &[u8]) -> Result<Self, Refused> {
        if head.starts_with(b"HEAD ") || head.starts_with(b"CONNECT ") {
            return Err(Refused);
        }
        let mut found = Self { body: 0, closing: false };
        let mut rest = head;
        while let Some(end) = memchr(b'\n', rest) {
            found.line(&rest[..end])?;
            rest = &rest[end + 1..];
        }
        Ok(found)
    }

    fn line(&mut self, line: &[u8]) -> Result<(), Refused> {
        // Most lines are not about framing; their first letter tells.
        if !matches!(line.first(), Some(b'c' | b'C' | b't' | b'T')) {
            return Ok(());
        }
        let Some(colon) = memchr(b':', line) else { return Ok(()) };
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if name.eq_ignore_ascii_case(b"content-length") {
            let digits = value.iter().all(u8::is_ascii_digit).then_some(value);
            let length = digits.and_then(|digits| std::str::from_utf8(digits).ok());
            self.body = length.and_then(|length| length.parse().ok()).ok_or(Refused)?;
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            return Err(Refused);
        } else if name.eq_ignore_ascii_case(b"connection") {
            self.closing = value.eq_ignore_ascii_case(b"close");
        }
        Ok(())
    }
}
