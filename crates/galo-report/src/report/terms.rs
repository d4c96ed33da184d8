//! On which terms a run was fought: the machine, the budget, the noise that is known.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

/// The machine of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MachineReport {
    /// Model of the processor.
    pub cpu: String,
    /// Logical cores.
    pub cores: u32,
    /// Memory.
    pub memory_bytes: u64,
    /// Kernel and its release.
    pub kernel: String,
    /// Distribution and its version.
    pub system: String,
    /// Whether it is a virtual machine.
    pub virtual_machine: bool,
    /// Control groups: `v1`, `v2`, `hybrid` or `none`.
    pub cgroups: String,
    /// Clock source of the kernel.
    pub clock_source: String,
    /// Kernel settings that bear on a fight.
    pub settings: BTreeMap<String, String>,
}

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
