//! On which terms a run was fought: the budget, the noise that is known.

use schemars::JsonSchema;
use serde::Serialize;

/// The CPU and memory that all services of a contender share.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BudgetReport {
    /// CPUs.
    pub cpus: f64,
    /// Memory.
    pub memory_bytes: u64,
}

/// The noise floor that the run took from an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NoiseFloorReport {
    /// Ratios from `1 / ratio` to `ratio` are noise.
    pub ratio: f64,
    /// Who fought itself there; empty where the run does not say.
    pub contender: String,
    /// Folder of that run.
    pub from_run: String,
    /// When it started, UTC, RFC 3339; empty where the run does not say.
    pub measured: String,
}
