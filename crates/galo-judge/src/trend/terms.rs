//! What a ratio depends on beside the two that are compared: the machine, and the terms of the run.

use galo_plan::JsonSchema;
use galo_plan::{Injection, Runner};
use galo_record::duel::{Level, LevelTerms};
use galo_record::machine::{Machine, is_same_memory};
use serde::{Deserialize, Serialize};

use crate::duel::JudgedDuel;
use crate::fight::JudgedFight;
use crate::terms::Demand;

/// What decides how fast a machine is. Two machines of one make look the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hardware {
    /// `model name` of the processor.
    pub cpu: String,
    /// Logical cores that galo may use.
    pub cores: u32,
    /// Memory of the machine.
    pub memory_bytes: u64,
    /// Whether it is a virtual machine.
    pub virtual_machine: bool,
}

impl Hardware {
    pub(crate) fn of_machine(machine: &Machine) -> Self {
        let Machine { cpu, cores, memory_bytes, virtual_machine, .. } = machine;
        Self {
            cpu: cpu.clone(),
            cores: *cores,
            memory_bytes: *memory_bytes,
            virtual_machine: *virtual_machine,
        }
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (&self.cpu, self.cores, self.virtual_machine) == (&other.cpu, other.cores, other.virtual_machine)
            && is_same_memory(self.memory_bytes, other.memory_bytes)
    }
}

/// On which terms a pair was compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum TrendTerms {
    /// Terms of a duel.
    Duel {
        /// CPU limit of each command, in thousandths; null: none.
        cpus_milli: Option<u32>,
        /// Memory limit of each command; null: none.
        memory_bytes: Option<u64>,
        /// Whether limits were in force where there are any.
        limits_enforced: bool,
        /// Loads of each turn, in this order.
        levels: Vec<Level>,
        /// The traffic that was asked for; null: by what the slower side reaches.
        asked: Option<Injection>,
        /// Connections at most; in a closed loop so many at once.
        connections: u32,
    },
    /// Terms of a fight.
    Fight {
        /// Name of the profile.
        profile: String,
        /// Factor on every arrival rate.
        scale: f64,
        /// How the head's and the base's services were started.
        runners: [Runner; 2],
        /// What all services of a contender may take.
        budget: Demand,
        /// Whether limits were in force.
        limits_enforced: bool,
        /// The longest latency of a good answer.
        service_level_ms: f64,
    },
}

impl TrendTerms {
    pub(super) fn of_duel(duel: &JudgedDuel) -> Self {
        let asked = duel.level(Level::Asked).and_then(|terms| terms.injection.clone());
        let connections = |terms: &LevelTerms| terms.connections;
        Self::Duel {
            cpus_milli: duel.cpus_milli,
            memory_bytes: duel.memory_bytes,
            limits_enforced: duel.limits_enforced,
            levels: duel.levels.iter().map(|terms| terms.level).collect(),
            asked,
            connections: duel.levels.iter().map(connections).max().unwrap_or(0),
        }
    }

    pub(super) fn of_fight(fight: &JudgedFight, runners: [Runner; 2]) -> Self {
        Self::Fight {
            profile: fight.profile.clone(),
            scale: fight.scale,
            runners,
            budget: fight.budget,
            limits_enforced: fight.limits_enforced,
            service_level_ms: fight.service_level_ms,
        }
    }
}
