//! How what is written down step by step came to its end.

use serde::{Deserialize, Serialize};

/// How a search of `galo limit`, or a duel, ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// It has not: it runs, or galo died.
    Running,
    /// By itself.
    Done,
    /// The caller broke it off.
    Interrupted,
    /// By an error, in words.
    Failed(String),
}
