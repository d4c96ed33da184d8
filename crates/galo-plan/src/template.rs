//! Request text with places for a row's fields and for what the user captured: `/pessoas?t={term}`.

use serde::{Deserialize, Serialize};

use crate::model::ChallengeData;

/// A template, parsed and resolved against its feeder's fields and its scenario's captures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    parts: Vec<Part>,
}

/// One piece of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Text as it stands.
    Text(String),
    /// Field by its number in the feeder.
    Field(usize),
    /// The path of the captured `Location`.
    Location,
}

/// How inserted fields are written. Literal text and a captured location are never changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// As they are: for bodies.
    Raw,
    /// Percent-encoded except for RFC 3986 unreserved characters: for the query and path.
    Percent,
}

/// Why a template cannot be resolved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// A `{` without its `}`.
    #[error("`{{` is never closed in `{0}`")]
    Unclosed(String),
    /// A name that is neither a field of the feeder nor `location`.
    #[error("unknown name `{{{name}}}` (known: {known}){hint}")]
    Unknown {
        /// The name as written.
        name: String,
        /// All names that would do, comma separated.
        known: String,
        /// `; did you mean ...`, or empty.
        hint: String,
    },
}

impl Template {
    /// Parses `text`. `{{` and `}}` stand for the braces themselves; `{location}` is known only where
    /// `with_location` says that an earlier step captures it.
    pub fn parse(_text: &str, _fields: &[&str], _with_location: bool) -> Result<Self, TemplateError> {
        todo!()
    }

    /// The pieces, in order.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Appends the text for one row. `location` is empty where nothing was captured.
    pub fn write(
        &self,
        _data: &dyn ChallengeData,
        _feeder: usize,
        _row: u64,
        _location: &[u8],
        _encoding: Encoding,
        _out: &mut Vec<u8>,
    ) {
        todo!()
    }
}
