//! Lines of a file of any length: one at a time, and of a line without end only its start.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

use super::warnings::Warnings;
use crate::text::{clean, shorten};

/// Bytes of a line that are kept.
const LONGEST: u64 = 1 << 20;
/// Columns of a line that is shown.
const SHOWN: usize = 120;

/// Reads line by line.
pub(super) struct Lines<R> {
    from: R,
    line: Vec<u8>,
    number: u64,
}

/// One line.
pub(super) struct Line<'a> {
    /// From 1.
    pub(super) number: u64,
    /// Whether it ends with a line break, as every line should.
    ended: bool,
    bytes: &'a [u8],
    carriage_return: bool,
    too_long: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(from: R) -> Self {
        Self { from, line: Vec::new(), number: 0 }
    }

    /// How many lines were read.
    pub(super) fn read(&self) -> u64 {
        self.number
    }

    /// The next line; `None` after the last.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        if self.some()? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let mut ended = self.line.last() == Some(&b'\n');
        let too_long = !ended && self.line.len() as u64 == LONGEST;
        if too_long {
            let kept = self.line.len();
            while !ended && self.some()? > 0 {
                ended = self.line.last() == Some(&b'\n');
                self.line.truncate(kept);
            }
        }
        let bytes = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let without = bytes.strip_suffix(b"\r");
        let carriage_return = without.is_some();
        let bytes = without.unwrap_or(bytes);
        Ok(Some(Line { number: self.number, ended, bytes, carriage_return, too_long }))
    }

    /// Appends what there is up to a line break, as much as is kept of a line.
    fn some(&mut self) -> io::Result<usize> {
        self.from.by_ref().take(LONGEST).read_until(b'\n', &mut self.line)
    }
}

impl<'a> Line<'a> {
    /// Its text; what is odd about it is told.
    pub(super) fn text(&self, warnings: &mut Warnings) -> Cow<'a, str> {
        if self.carriage_return {
            warnings.tell("CRLF", self.number, || "ends with CRLF, which is read as LF".to_owned());
        }
        if self.too_long {
            let text = || format!("is longer than {} KiB; the rest of it was not read", LONGEST >> 10);
            warnings.tell("long", self.number, text);
        }
        if !self.ended {
            let text = || "does not end with a line break: the log may be cut off here".to_owned();
            warnings.tell("cut", self.number, text);
        }
        let text = String::from_utf8_lossy(self.bytes);
        if matches!(text, Cow::Owned(_)) {
            let text = || "holds bytes that are no UTF-8, which are shown as \u{fffd}".to_owned();
            warnings.tell("UTF-8", self.number, text);
        }
        text
    }

    /// Tells that it is no record, and counts nowhere.
    pub(super) fn malformed(&self, text: &str, reason: &str, warnings: &mut Warnings) {
        let kind = text.split('\t').next().unwrap_or_default();
        let kind = if self.ended { format!("malformed {}", shorten(kind, 20)) } else { "end".to_owned() };
        let shown = shorten(&clean(text), SHOWN);
        warnings.tell(&kind, self.number, || format!("was left out, {reason}: `{shown}`"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Vec<(u64, usize, bool, bool)> {
        // A buffer of a byte, so that every line comes in pieces.
        let mut lines = Lines::new(io::BufReader::with_capacity(1, text));
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push((line.number, line.bytes.len(), line.ended, line.carriage_return));
        }
        all
    }

    #[test]
    fn lines_are_numbered_and_say_how_they_end() {
        assert_eq!(read(b"ab\n\r\ncd"), [(1, 2, true, false), (2, 0, true, true), (3, 2, false, false)]);
        assert_eq!(read(b""), []);
    }

    #[test]
    fn of_a_line_without_end_only_its_start_is_kept() {
        let long = vec![b'x'; 3 * LONGEST as usize + 5];
        let text = [&long[..], b"\nab\n"].concat();
        let mut lines = Lines::new(&text[..]);
        let first = lines.next().unwrap().unwrap();
        assert_eq!((first.bytes.len() as u64, first.ended, first.too_long), (LONGEST, true, true));
        assert_eq!(lines.next().unwrap().unwrap().bytes, b"ab");
        assert!(lines.line.capacity() as u64 <= 4 * LONGEST);
    }
}
