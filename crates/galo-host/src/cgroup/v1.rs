//! Control groups of version 1: one folder in each hierarchy.

use std::path::Path;

use galo_record::group::Group;

use crate::cgroup::{Limits, make_folder, number, set_quota, write};
use crate::error::HostError;

/// File of the CPU quota.
pub(crate) const CPU_QUOTA: &str = "cpu.cfs_quota_us";
/// File of its period.
pub(crate) const CPU_PERIOD: &str = "cpu.cfs_period_us";

/// Makes the folders and sets the limits.
pub(crate) fn make(group: &Group, limits: Option<&Limits>) -> Result<(), HostError> {
    for folder in group.files().folders {
        make_folder(&folder)?;
    }
    let (Group::V1 { memory, pids, .. }, Some(limits)) = (group, limits) else { return Ok(()) };
    if let (Some(pids), Some(most)) = (pids, limits.pids_max) {
        write(&pids.join("pids.max"), &most.to_string())?;
    }
    set_quota(group, limits)?;
    write(&memory.join("memory.limit_in_bytes"), &limits.memory_bytes.to_string())?;
    // Memory and swap together get the same limit, so nothing is swapped. Not there without swap accounting.
    let with_swap = memory.join("memory.memsw.limit_in_bytes");
    if with_swap.exists() { write(&with_swap, &limits.memory_bytes.to_string()) } else { Ok(()) }
}

/// CPU quota of a group in thousandths; `None`: it has none, or is no group of version 1.
pub(crate) fn cpus_milli(cpu: &Path) -> Option<u32> {
    let quota_us = number(&cpu.join(CPU_QUOTA))?; // -1, which is no u64, is "no limit"
    let period_us = number(&cpu.join(CPU_PERIOD)).filter(|&period| period > 0)?;
    u32::try_from(quota_us.saturating_mul(1000) / period_us).ok()
}
