//! How what is written down step by step came to its end.

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunEnd {
    /// It has not: it runs, or galo died.
    #[default]
    Running,
    /// By itself.
    Done,
    /// The caller broke it off.
    Interrupted,
    /// By an error, in words.
    Failed(String),
    /// What the caller named is not there, or gives no right answer: why, in words.
    Refused(String),
}
