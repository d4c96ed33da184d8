//! What can be wrong with files and options.

use std::path::PathBuf;

/// Why there is no plan. All are the caller's to mend.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A file cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file says something that it may not. `message` is whole: file, line, what is wrong, what to do.
    #[error("{0}")]
    Invalid(String),
}
