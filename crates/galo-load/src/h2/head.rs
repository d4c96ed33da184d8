//! The head of an answer as text, as it is decompressed, and whether it is one: RFC 9113, sections 8.1 to 8.3.

use super::error::StreamFault;

/// Of the text, in bytes.
const HEAD_LIMIT: usize = 64 * 1024;
/// Number of headers.
const HEADER_LIMIT: usize = 128;
/// Text that grew beyond this is given back when the next head begins.
const KEPT_CAPACITY: usize = 64 * 1024;

/// What a field is, known as soon as it is read and kept with it in the dynamic table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Plain,
    Status,
    ContentLength,
    /// Must not be in an answer.
    Malformed,
}

impl FieldKind {
    /// Of any field.
    pub(crate) fn of(name: &[u8], value: &[u8]) -> Self {
        if !is_value(value) {
            return Self::Malformed;
        }
        match name {
            [] => Self::Malformed,
            b":status" if is_status(value) => Self::Status,
            [b':', ..] => Self::Malformed,
            b"content-length" => Self::ContentLength,
            // RFC 9113, section 8.2.2.
            b"connection" | b"proxy-connection" | b"keep-alive" | b"transfer-encoding" | b"upgrade" => {
                Self::Malformed
            }
            _ if name.iter().all(|&byte| NAME_BYTES[usize::from(byte)]) => Self::Plain,
            _ => Self::Malformed,
        }
    }

    /// Of an entry of the static table: RFC 7541, appendix A.
    pub(crate) const fn of_static(index: usize) -> Self {
        match index {
            8..=14 => Self::Status,
            28 => Self::ContentLength,
            1..=7 | 57 => Self::Malformed,
            _ => Self::Plain,
        }
    }
}

/// Letters of a token (RFC 9110, section 5.6.2) but for upper case.
static NAME_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let letters = b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz";
    let mut at = 0;
    while at < letters.len() {
        table[letters[at] as usize] = true;
        at += 1;
    }
    table
};

/// No control letters, and no white space around: RFC 9113, section 8.2.1, and RFC 9110, section 5.5.
fn is_value(value: &[u8]) -> bool {
    let is_space = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    let clean =
        value.iter().fold(true, |clean, &byte| clean & ((byte >= b' ') | (byte == b'\t')) & (byte != 0x7f));
    clean && !is_space(value.first()) && !is_space(value.last())
}

fn is_status(value: &[u8]) -> bool {
    matches!(value, [b'1'..=b'5', b'0'..=b'9', b'0'..=b'9'])
}

/// A head that is being written. Its text is `HTTP/2 200\r\n`, a line `name: value\r\n` for each field, and `\r\n`.
#[derive(Debug)]
pub(crate) struct HeadText {
    text: Vec<u8>,
    /// How much of the text is kept; behind it is at most one field.
    kept: usize,
    fields: usize,
    /// 0 where there is none.
    status: u16,
    content_length: Option<u64>,
    /// The first thing that is wrong. The text is then meaningless.
    fault: Option<StreamFault>,
}

impl HeadText {
    pub(crate) const fn new() -> Self {
        Self { text: Vec::new(), kept: 0, fields: 0, status: 0, content_length: None, fault: None }
    }

    /// Forgets the last head.
    pub(crate) fn begin(&mut self) {
        self.text.clear();
        if self.text.capacity() > KEPT_CAPACITY {
            self.text.shrink_to(0);
        }
        self.kept = 0;
        self.fields = 0;
        self.status = 0;
        self.content_length = None;
        self.fault = None;
    }

    /// Ends the head.
    pub(crate) fn end(&mut self) {
        self.text.extend_from_slice(b"\r\n");
    }

    /// Where the next field's name is to be written, and then (behind [`Self::begin_value`]) its value.
    pub(crate) fn begin_field(&mut self) -> &mut Vec<u8> {
        &mut self.text
    }

    /// Writes what is between name and value.
    pub(crate) fn begin_value(&mut self) {
        self.text.extend_from_slice(b": ");
    }

    /// Name and value of the field behind the kept text.
    pub(crate) fn pending(&self, name_len: usize) -> (&[u8], &[u8]) {
        let (name, rest) = self.text[self.kept..].split_at(name_len);
        (name, &rest[2..])
    }

    /// Takes a whole field. Once something is wrong it is not even copied: one byte of a block may mean 4 KiB.
    pub(crate) fn field(&mut self, name: &[u8], value: &[u8], kind: FieldKind) {
        if self.fault.is_some() {
            return;
        }
        self.text.extend_from_slice(name);
        self.begin_value();
        self.text.extend_from_slice(value);
        self.keep(name.len(), kind);
    }

    /// Takes the field behind the kept text into it, or notes why it cannot be.
    pub(crate) fn keep(&mut self, name_len: usize, kind: FieldKind) {
        if self.fault.is_none() {
            let taken = match kind {
                FieldKind::Plain => Ok(()),
                FieldKind::Status => self.take_status(name_len),
                FieldKind::ContentLength => self.take_length(name_len),
                FieldKind::Malformed => Err(StreamFault::BadHead),
            };
            self.fault = taken.and_then(|()| self.count()).err();
        }
        if self.fault.is_none() {
            self.text.extend_from_slice(b"\r\n");
            self.kept = self.text.len();
        } else {
            self.text.truncate(self.kept);
        }
    }

    fn count(&mut self) -> Result<(), StreamFault> {
        self.fields += 1;
        if self.text.len() + 4 > HEAD_LIMIT {
            return Err(StreamFault::HeadTooLarge);
        }
        // The status is none of them.
        if self.fields > HEADER_LIMIT + usize::from(self.status != 0) {
            return Err(StreamFault::TooManyHeaders);
        }
        Ok(())
    }

    /// The status comes first, and once.
    fn take_status(&mut self, name_len: usize) -> Result<(), StreamFault> {
        let (_, &[hundreds, tens, ones]) = self.pending(name_len) else { return Err(StreamFault::BadHead) };
        if self.fields > 0 {
            return Err(StreamFault::BadHead);
        }
        let digits = [hundreds, tens, ones];
        self.status = digits.iter().fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'));
        self.text.truncate(self.kept);
        self.text.extend_from_slice(b"HTTP/2 ");
        self.text.extend_from_slice(&digits);
        Ok(())
    }

    fn take_length(&mut self, name_len: usize) -> Result<(), StreamFault> {
        let (_, value) = self.pending(name_len);
        if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
            return Err(StreamFault::BadLength);
        }
        // More digits than fit is no number that could be waited for.
        let add = |sum: u64, digit: &u8| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
        let length = value.iter().fold(0, add);
        if self.content_length.is_some_and(|known| known != length) {
            return Err(StreamFault::ConflictingLength);
        }
        self.content_length = Some(length);
        Ok(())
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// 0 where there is none.
    pub(crate) const fn status(&self) -> u16 {
        self.status
    }

    pub(crate) const fn content_length(&self) -> Option<u64> {
        self.content_length
    }

    pub(crate) const fn fault(&self) -> Option<StreamFault> {
        self.fault
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_field_is_copied_once_something_is_wrong() {
        let mut head = HeadText::new();
        head.begin();
        head.field(b"x", b"", FieldKind::Malformed);
        let capacity = head.text.capacity();
        head.field(b"x", &[b'y'; 4_000], FieldKind::Plain);
        assert_eq!((head.fault(), head.text.capacity()), (Some(StreamFault::BadHead), capacity));
    }
}
