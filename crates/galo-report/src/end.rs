//! How what was written down step by step came to its end, as it is told.

use galo_record::RunEnd;
use schemars::JsonSchema;
use serde::Serialize;

/// How a search or a duel ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// It has not: it runs, or galo died.
    Running,
    /// By itself.
    Done,
    /// The caller broke it off.
    Interrupted,
    /// By an error.
    Failed,
}

impl End {
    /// How, and the error that ended it.
    pub(crate) fn of(end: &RunEnd) -> (Self, Option<String>) {
        match end {
            RunEnd::Running => (Self::Running, None),
            RunEnd::Done => (Self::Done, None),
            RunEnd::Interrupted => (Self::Interrupted, None),
            RunEnd::Failed(error) => (Self::Failed, Some(error.clone())),
        }
    }

    /// What a reader must know of it; nothing where it ended by itself.
    pub(crate) fn warning(self, error: Option<&str>) -> Option<String> {
        match self {
            Self::Done => None,
            Self::Running => Some("it was not ended by galo: what follows is what was known then".to_owned()),
            Self::Interrupted => Some("broken off: what follows is what was known then".to_owned()),
            Self::Failed => Some(format!("ended by an error: {}", error.unwrap_or_default())),
        }
    }
}
