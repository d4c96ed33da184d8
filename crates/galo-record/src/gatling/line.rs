//! Lines of a file of any length: one at a time, and of a line without end only its start.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

use super::Oddity;

/// Bytes of a line that are kept.
const LONGEST: u64 = 1 << 20;

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
    /// What can be read of it, without the line break.
    pub(super) text: Cow<'a, str>,
    /// Whether it ends with a line break, as every line should.
    ended: bool,
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
        let text = String::from_utf8_lossy(bytes.strip_suffix(b"\r").unwrap_or(bytes));
        Ok(Some(Line { number: self.number, text, ended, too_long }))
    }

    /// Appends what there is up to a line break, as much as is kept of a line.
    fn some(&mut self) -> io::Result<usize> {
        self.from.by_ref().take(LONGEST).read_until(b'\n', &mut self.line)
    }
}

impl Line<'_> {
    /// What is odd about it, whatever record it is.
    pub(super) fn oddities(&self) -> impl Iterator<Item = Oddity> + use<> {
        let is_text = matches!(self.text, Cow::Borrowed(_));
        [(self.too_long, Oddity::TooLong), (!self.ended, Oddity::CutOff), (!is_text, Oddity::NoText)]
            .into_iter()
            .filter_map(|(is_odd, what)| is_odd.then_some(what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Vec<(u64, String, bool)> {
        // A buffer of a byte, so that every line comes in pieces.
        let mut lines = Lines::new(io::BufReader::with_capacity(1, text));
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push((line.number, line.text.into_owned(), line.ended));
        }
        all
    }

    #[test]
    fn lines_are_numbered_and_say_how_they_end() {
        let expected = [(1, "ab", true), (2, "", true), (3, "cd", false)];
        let expected = expected.map(|(number, text, ended)| (number, text.to_owned(), ended));
        assert_eq!(read(b"ab\n\r\ncd"), expected);
        assert_eq!(read(b""), []);
    }

    #[test]
    fn of_a_line_without_end_only_its_start_is_kept() {
        let long = vec![b'x'; 3 * LONGEST as usize + 5];
        let text = [&long[..], b"\nab\n"].concat();
        let mut lines = Lines::new(&text[..]);
        let first = lines.next().unwrap().unwrap();
        assert_eq!((first.text.len() as u64, first.ended, first.too_long), (LONGEST, true, true));
        assert_eq!(lines.next().unwrap().unwrap().text, "ab");
        assert!(lines.line.capacity() as u64 <= 4 * LONGEST);
    }
}
