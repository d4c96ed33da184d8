//! What the caller has to mend.

/// An error that is the caller's to mend, with exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct WrongUse(pub(crate) String);
