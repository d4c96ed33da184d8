//! Who is to blame for an error or a finding.

use crate::JsonSchema;
use serde::{Deserialize, Serialize};

/// The three parties of a fight. Every error and every finding names one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Blame {
    /// The contender: its program, its configuration, its files.
    Contender,
    /// galo itself, or whoever called it.
    Client,
    /// The machine: its kernel, its limits, its other processes.
    Host,
}
