//! Files of the kernel that are read again and again.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// What one read gives at most. The kernel makes the whole text of the files read here at once, the longest
/// (`/proc/net/netstat`) has some 6 KB, and `/proc/stat` is wanted for its first line alone.
const LONGEST: usize = 16 << 10;

/// One file, opened once.
#[derive(Debug)]
pub(crate) struct Reread(Option<File>);

/// Room for what was read, shared by all files of a thread.
#[derive(Debug)]
pub(crate) struct Buffer(Box<[u8; LONGEST]>);

impl Buffer {
    pub(crate) fn new() -> Self {
        Self(Box::new([0; LONGEST]))
    }
}

impl Reread {
    /// A file that cannot be opened is as one that tells nothing.
    pub(crate) fn open(path: &Path) -> Self {
        Self(File::open(path).ok())
    }

    /// The file's text now; `None` where there is none (any more: the group was removed).
    pub(crate) fn read<'a>(&self, buffer: &'a mut Buffer) -> Option<&'a str> {
        let length = self.0.as_ref()?.read_at(&mut buffer.0[..], 0).ok()?;
        std::str::from_utf8(&buffer.0[..length]).ok()
    }

    /// The file's text, if it is one number.
    pub(crate) fn number(&self, buffer: &mut Buffer) -> Option<u64> {
        self.read(buffer)?.trim().parse().ok()
    }

    /// How many lines the file has now. The kernel gives such lists in pieces.
    pub(crate) fn lines(&self, buffer: &mut Buffer) -> Option<u32> {
        let file = self.0.as_ref()?;
        let (mut offset, mut lines) = (0, 0);
        loop {
            let length = file.read_at(&mut buffer.0[..], offset).ok()?;
            if length == 0 {
                return u32::try_from(lines).ok();
            }
            lines += buffer.0[..length].iter().filter(|&&byte| byte == b'\n').count();
            offset += length as u64;
        }
    }
}

/// The value of `key` in lines of `key value`.
pub(crate) fn value(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.trim().parse().ok())
}

/// The value in column `column` of table `table` (`TcpExt:`), in a text of pairs of lines: names, then values.
pub(crate) fn column(text: &str, table: &str, column: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(table));
    let (names, values) = (lines.next()?, lines.next()?);
    let mut cells = names.split_ascii_whitespace().zip(values.split_ascii_whitespace());
    cells.find_map(|(name, value)| (name == column).then(|| value.parse().ok()))?
}
