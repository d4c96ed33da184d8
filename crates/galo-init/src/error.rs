//! Why there are no files.

use galo_plan::PlanError;

/// Why there are no files. All are the caller's to mend, and say how.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InitError {
    /// A file cannot be read, or says something that it may not.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// What was asked for makes no challenge that galo would read.
    #[error("this cannot be written as a challenge: {0}")]
    Challenge(PlanError),
    /// An option, or a description of an API, that is wrong. The message is whole: what is wrong, what to do.
    #[error("{0}")]
    Wrong(String),
}
