//! The files that a contender is written in.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::digest::hex;
use crate::error::PlanError;
use crate::source::{Source, read_text};
use crate::yaml::{self, Line, Node};

/// Bytes that all that aliases repeat may come to, were each of it as long as the file.
const MOST_REPEATED: usize = 256 << 20;

/// Values that aliases may repeat.
const MOST_REPLAYED: usize = 100_000;

/// A file that was read.
#[derive(Debug)]
pub(super) struct File {
    /// As messages name it.
    pub(super) shown: String,
    /// Canonical.
    pub(super) path: PathBuf,
    pub(super) text: String,
    /// Where another file names it; `None`: nowhere, it is the Compose file.
    pub(super) named_at: Option<Line>,
}

impl File {
    pub(super) fn read(path: &Path) -> Result<Self, PlanError> {
        let read_error = |source| PlanError::Read { path: path.to_owned(), source };
        let shown = path.display().to_string();
        let text = read_text(path).map_err(|error| match error.kind() {
            ErrorKind::InvalidData | ErrorKind::FileTooLarge => {
                PlanError::Invalid(format!("{shown}: {error}"))
            }
            _ => read_error(error),
        })?;
        Ok(Self { path: path.canonicalize().map_err(read_error)?, shown, text, named_at: None })
    }

    pub(super) fn source(&self) -> Source<'_> {
        Source { file: &self.shown, text: &self.text }
    }

    /// What it says, as the file of this number.
    pub(super) fn tree(&self, number: usize) -> Result<Node, PlanError> {
        // A few lines of anchors can stand for more than any memory holds.
        let most = (MOST_REPEATED / self.text.len().max(1)).min(MOST_REPLAYED);
        yaml::read(&self.text, number, most)
            .map_err(|wrong| self.source().error_on(wrong.line, wrong.message))
    }

    /// The folder to which the file's paths are relative.
    pub(super) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("/"))
    }
}

/// See [`crate::Contender::file_sha256`].
pub(super) fn sha256<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let digests: Vec<_> = texts.map(Sha256::digest).collect();
    match &digests[..] {
        [one] => hex(one),
        several => hex(&Sha256::digest(several.concat())),
    }
}
