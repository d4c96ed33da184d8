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

/// Memory within this factor is the memory of one machine: what a kernel keeps for itself differs from boot to boot.
const SAME_MEMORY: f64 = 1.02;

impl Machine {
    /// Whether it is the machine of another record, on the same terms.
    pub fn is_same(&self, other: &Self) -> bool {
        let alike = Self { memory_bytes: self.memory_bytes, ..other.clone() };
        *self == alike && is_same_memory(self.memory_bytes, other.memory_bytes)
    }
}

/// Whether one machine may have so much memory after the one boot, and so much after another.
pub fn is_same_memory(one: u64, other: u64) -> bool {
    one.max(other) as f64 <= SAME_MEMORY * one.min(other) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_the_same_after_a_boot_that_leaves_it_a_little_less_memory() {
        let machine =
            |memory_mib: u64, cores| Machine { cores, memory_bytes: memory_mib << 20, ..Machine::default() };
        assert!(machine(8_000, 2).is_same(&machine(7_900, 2)));
        assert!(!machine(8_000, 2).is_same(&machine(7_000, 2)));
        assert!(!machine(8_000, 2).is_same(&machine(8_000, 4)));
    }
}
