//! How what was written down step by step came to its end, as it is told.

use galo_record::RunEnd;
use galo_words::Both;
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

/// What a reader must know of how a run ended; nothing where it ended by itself.
pub(crate) fn told(end: &RunEnd) -> Option<Both> {
    let (end, error) = End::of(end);
    end.told(error.as_deref())
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
    pub(crate) fn told(self, error: Option<&str>) -> Option<Both> {
        Some(match self {
            Self::Done => return None,
            Self::Running => Both::word(
                "it was not ended by galo: what follows is what was known then",
                "não foi encerrado pelo galo: o que segue é o que se sabia então",
            ),
            Self::Interrupted => Both::word(
                "broken off: what follows is what was known then",
                "interrompido: o que segue é o que se sabia então",
            ),
            Self::Failed => {
                let error = error.unwrap_or_default();
                Both::new(format!("ended by an error: {error}"), format!("encerrado por um erro: {error}"))
            }
        })
    }
}
