//! Reading a recording piece by piece: such a file may be larger than memory, and a piece without end is refused.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::rc::Rc;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::read::MultiGzDecoder;

/// Longest line, and entry of an archive (which holds its answer too).
pub(super) const LONGEST: u64 = 64 << 20;

/// Most that is unpacked: a packed file of a few bytes may hold lines without end.
const MOST_UNPACKED: u64 = 16 << 30;

/// Bytes by which a file's kind is seen.
const LOOKED_AT: usize = 64 << 10;

/// A file as text: unpacked if it is packed by gzip, in UTF-8 whatever it is written in. What is no text is replaced by
/// [`LOST`](super::sent::LOST).
pub(super) fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut file = BufReader::new(File::open(path)?);
    let is_packed = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let plain: Box<dyn Read> = match is_packed {
        true => Box::new(Limited { from: MultiGzDecoder::new(file), left: MOST_UNPACKED }),
        false => Box::new(file),
    };
    let mut plain = BufReader::with_capacity(LOOKED_AT, plain);
    let encoding = encoding(plain.fill_buf()?);
    let mut text = DecodeReaderBytesBuilder::new().encoding(Some(encoding)).bom_override(true).build(plain);
    let mut start = Vec::new();
    // What cannot be read is told where it stands, behind what can.
    let failed = (&mut text).take(LOOKED_AT as u64).read_to_end(&mut start).err();
    let all = Cursor::new(start).chain(Failed(failed)).chain(text);
    Ok(Box::new(BufReader::with_capacity(LOOKED_AT, all)))
}

/// Fails once, if it is to.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// UTF-16 is what tools on Windows write, sometimes without a mark: its first letter is one of ASCII.
fn encoding(start: &[u8]) -> &'static Encoding {
    match start {
        [1..=127, 0, ..] => UTF_16LE,
        [0, 1..=127, ..] => UTF_16BE,
        _ => UTF_8,
    }
}

/// A reader that fails once more came than may.
struct Limited<R> {
    from: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(buffer)?;
        let left = self.left.checked_sub(count as u64);
        let told = || io::Error::other(format!("it unpacks to over {} GiB", MOST_UNPACKED >> 30));
        self.left = left.ok_or_else(told)?;
        Ok(count)
    }
}

/// What is wrong with a line, from 1.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) line: usize,
    pub(super) what: String,
}

impl Wrong {
    pub(super) fn new(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }

    pub(super) fn reading(line: usize, error: &io::Error) -> Self {
        Self::new(line, format!("it cannot be read: {error}"))
    }
}

/// A text that is read once, from its beginning, without a mark of its byte order.
pub(super) struct Text<'a> {
    from: &'a mut dyn BufRead,
}

impl<'a> Text<'a> {
    /// Skips the mark that some editors begin a file with, which UTF-8 does not need.
    pub(super) fn new(from: &'a mut dyn BufRead) -> io::Result<Self> {
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

    use super::super::{collected::Collected, har, lines, log};
    use super::*;

    /// The error of a file that begins so and never ends.
    fn refused(start: &str, parse: fn(Text<'_>, &mut Collected) -> Result<(), Wrong>) -> String {
        let mut endless = BufReader::new(start.as_bytes().chain(io::repeat(b'a')));
        let parsed = Text::new(&mut endless).map(|text| parse(text, &mut Collected::default()));
        parsed.unwrap().map_err(|wrong| format!("{}: {}", wrong.line, wrong.what)).unwrap_err()
    }

    #[test]
    fn a_line_or_an_entry_without_end_is_refused() {
        let line = "h - - [x] \"GET /a HTTP/1.1\" 200 5\n";
        assert!(refused(line, log::parse).starts_with("2: this line is longer than 64 MiB\nhint: "));
        let line = "{\"url\": \"/a\"}\n{\"url\": \"/";
        assert!(refused(line, lines::parse).starts_with("2: this line is longer than 64 MiB"));
        let entry = r#"{"log": {"entries": [{"request": {"method": "GET", "url": "/a"}}, {"response": ""#;
        let told = refused(entry, har::parse);
        assert!(told.contains("this entry is longer than 64 MiB"), "{told}");
    }
}
