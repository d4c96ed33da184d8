//! The machine on which a run happened.

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is told of the machine in every report.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// `model name` of the processor.
    pub cpu: String,
    /// Logical cores that galo may use.
    pub cores: u32,
    /// Memory of the machine.
    pub memory_bytes: u64,
    /// `uname -sr`.
    pub kernel: String,
    /// `ID` and `VERSION_ID` of os-release.
    pub system: String,
    /// Virtualisation, as far as `/proc/cpuinfo` tells (`hypervisor` flag).
    pub virtual_machine: bool,
    /// `v1`, `v2`, `hybrid` (v1 controllers, and an empty v2 hierarchy beside them) or `none`.
    pub cgroups: String,
    /// Clock source of the kernel.
    pub clock_source: String,
    /// Kernel settings that bear on a fight, by name, e.g. `net.core.somaxconn`.
    pub settings: std::collections::BTreeMap<String, String>,
}
