//! Where something stands in a file, for messages: `FILE:LINE: what is wrong`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::error::PlanError;

/// Bytes of the largest file that is read which people write: a Compose file, a challenge, a profile.
const MOST: u64 = 16 << 20;

/// The text of a file that people write.
///
/// # Errors
/// What the file system says, and that it is larger than 16 MiB or no UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {} MiB", MOST >> 20),
        ));
    }
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the file is not UTF-8 text"))
}

/// A file's name and text.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
}

impl Source<'_> {
    /// An error about what stands at byte `offset`.
    pub(crate) fn error_at(&self, offset: usize, message: impl std::fmt::Display) -> PlanError {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        self.error_on(line as u64, message)
    }

    /// An error about what stands on `line` (from 1).
    pub(crate) fn error_on(&self, line: u64, message: impl std::fmt::Display) -> PlanError {
        PlanError::Invalid(format!("{}:{line}: {message}", self.file))
    }

    /// An error about the file as a whole.
    pub(crate) fn error(&self, message: impl std::fmt::Display) -> PlanError {
        PlanError::Invalid(format!("{}: {message}", self.file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_end_is_not_read_to_its_end() {
        let error = read_text(Path::new("/dev/zero")).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 16 MiB");
    }
}
