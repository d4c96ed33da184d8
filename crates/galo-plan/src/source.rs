//! Where something stands in a file, for messages: `FILE:LINE: what is wrong`.

use crate::error::PlanError;

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
