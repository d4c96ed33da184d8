//! What is not galo's to mend.

/// An error that is the caller's to mend, with exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct WrongUse(pub(crate) String);

/// What was to be started did not start, with exit code 4.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NotStarted(pub(crate) String);
