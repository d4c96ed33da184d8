//! Files beside a recording, which its requests name as their bodies.

use std::cell::Cell;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::left_out::{Left, Reason};
use super::read::LONGEST;

/// The folder of a recording. Nothing outside of it is read.
#[derive(Debug, Default)]
pub(super) struct Beside {
    folder: Option<PathBuf>,
    /// Bytes that were read for the present request, which may name a file any number of times.
    read: Cell<u64>,
}

impl Beside {
    /// The files beside this recording.
    pub(super) fn new(recording: &Path) -> Self {
        let folder = recording.canonicalize().ok().and_then(|path| path.parent().map(Path::to_owned));
        Self { folder, read: Cell::default() }
    }

    /// What is read from here on is for another request.
    pub(super) fn next_request(&self) {
        self.read.set(0);
    }

    /// All of a file, by its name as it is written.
    pub(super) fn read(&self, name: &str) -> Result<Vec<u8>, Left> {
        let left = || Left::new(Reason::File, name);
        let folder = self.folder.as_ref().ok_or_else(left)?;
        let path = folder.join(name).canonicalize().map_err(|_| left())?;
        if !path.starts_with(folder) || !path.is_file() {
            return Err(left());
        }
        let mut bytes = Vec::new();
        let file = std::fs::File::open(path).map_err(|_| left())?;
        file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|_| left())?;
        let read = self.read.get() + bytes.len() as u64;
        self.read.set(read);
        if read > LONGEST { Err(left()) } else { Ok(bytes) }
    }
}
