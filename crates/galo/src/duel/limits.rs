//! What a command may use.

use galo_plan::units::{format_bytes, parse_bytes, parse_cpus_milli};
use galo_record::Machine;

use crate::cli::DuelArgs;
use crate::exit::WrongUse;

/// Limits of a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) cpus_milli: u32,
    /// In force: what was asked for, or all of the machine's.
    pub(super) memory_bytes: u64,
    pub(super) memory_asked: Option<u64>,
    /// Cores that galo and the commands may use, less where a CPU quota or an affinity says so.
    pub(super) cpus_usable: u32,
}

impl Limits {
    /// As they were asked for, or all of the machine's but one core.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub(super) fn new(duel: &DuelArgs, machine: &Machine) -> Result<Self, WrongUse> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u32;
        let told = |option: &str, error: String| WrongUse(format!("{option}: {error}"));
        let cpus = duel.cpus.as_deref().map(parse_cpus_milli).transpose().map_err(|e| told("--cpus", e))?;
        let memory = duel.memory.as_deref().map(parse_bytes).transpose().map_err(|e| told("--memory", e))?;
        let own = machine.memory_bytes.max(1 << 30);
        if let Some(memory) = memory.filter(|memory| *memory > own) {
            let text = format!("--memory {} is more than this machine has", format_bytes(memory));
            return Err(WrongUse(format!("{text}\nhint: leave it out for no limit")));
        }
        Ok(Self {
            cpus_milli: cpus.unwrap_or((cores.saturating_sub(1) * 1000).max(500)),
            memory_bytes: memory.unwrap_or(own),
            memory_asked: memory,
            cpus_usable: cores,
        })
    }
}
