//! Reading a recording piece by piece: such a file may be larger than memory, and a piece without end is refused.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;

use super::Wrong;

/// Longest line, and entry of an archive (which holds its answer too).
pub(super) const LONGEST: u64 = 64 << 20;

/// A text that is read once, from its beginning, without a mark of its byte order.
pub(super) struct Text<'a> {
    from: &'a mut dyn BufRead,
}

impl<'a> Text<'a> {
    /// Skips the mark that some editors begin a file with, which UTF-8 does not need.
    pub(super) fn of(from: &'a mut dyn BufRead) -> io::Result<Self> {
        if from.fill_buf()?.starts_with("\u{feff}".as_bytes()) {
            from.consume(3);
        }
        Ok(Self { from })
    }

    /// Hands on each line without its end, with its number from 1. What is no UTF-8 in it is replaced.
    pub(super) fn each_line(
        self,
        mut take: impl FnMut(usize, &str) -> Result<(), Wrong>,
    ) -> Result<(), Wrong> {
        let mut bytes = Vec::new();
        for number in 1.. {
            bytes.clear();
            let read = (&mut *self.from).take(LONGEST + 1).read_until(b'\n', &mut bytes);
            if read.map_err(|e| Wrong::reading(number, &e))? == 0 {
                break;
            }
            if bytes.len() as u64 > LONGEST {
                return Err(Wrong::new(number, too_long("this line")));
            }
            let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            take(number, &String::from_utf8_lossy(line))?;
        }
        Ok(())
    }

    /// All of a file that people write by hand.
    pub(super) fn whole(self) -> Result<String, Wrong> {
        let mut bytes = Vec::new();
        let read = self.from.take(LONGEST + 1).read_to_end(&mut bytes);
        read.map_err(|e| Wrong::reading(1, &e))?;
        if bytes.len() as u64 > LONGEST {
            return Err(Wrong::new(1, too_long("this file")));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Its bytes, of which so many may be read as `left` says.
    pub(super) fn bounded(self, left: Rc<Cell<u64>>) -> Bounded<'a> {
        Bounded { from: self.from, left }
    }
}

pub(super) fn too_long(what: &str) -> String {
    format!("{what} is longer than {} MiB\nhint: is it such a recording at all?", LONGEST >> 20)
}

/// See [`Text::bounded`].
pub(super) struct Bounded<'a> {
    from: &'a mut dyn BufRead,
    left: Rc<Cell<u64>>,
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(buffer)?;
        let left = self.left.get().checked_sub(count as u64);
        self.left.set(left.ok_or_else(|| io::Error::other(too_long("this entry")))?);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::super::{Collected, har, lines, text};
    use super::*;

    /// The error of a file that begins so and never ends.
    fn refused(start: &str, parse: fn(Text<'_>, &mut Collected) -> Result<(), Wrong>) -> String {
        let mut endless = BufReader::new(start.as_bytes().chain(io::repeat(b'a')));
        let parsed = Text::of(&mut endless).map(|text| parse(text, &mut Collected::default()));
        parsed.unwrap().map_err(|wrong| format!("{}: {}", wrong.line, wrong.what)).unwrap_err()
    }

    #[test]
    fn a_line_or_an_entry_without_end_is_refused() {
        let line = "h - - [x] \"GET /a HTTP/1.1\" 200 5\n";
        assert!(refused(line, text::access_log).starts_with("2: this line is longer than 64 MiB\nhint: "));
        let line = "{\"url\": \"/a\"}\n{\"url\": \"/";
        assert!(refused(line, lines::parse).starts_with("2: this line is longer than 64 MiB"));
        let entry = r#"{"log": {"entries": [{"request": {"method": "GET", "url": "/a"}}, {"response": ""#;
        let told = refused(entry, har::parse);
        assert!(told.contains("this entry is longer than 64 MiB"), "{told}");
    }
}
