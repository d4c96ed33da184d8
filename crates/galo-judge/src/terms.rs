//! On which terms contenders run: what they may take, and whether that is held.

use galo_plan::JsonSchema;
use galo_plan::challenge::Policy;
use galo_plan::{Contender, Plan};
use galo_record::Placement;
use serde::{Deserialize, Serialize};

/// CPU and memory that all services of a contender take, or may take, together.
#[derive(Default, Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Demand {
    /// CPUs.
    pub cpus: f64,
    /// Memory.
    pub memory_bytes: u64,
}

impl Demand {
    /// The budget.
    pub fn budget(policy: &Policy) -> Self {
        Self { cpus: policy.cpus_nano() as f64 / 1e9, memory_bytes: policy.memory_bytes }
    }

    /// What a contender's file asks for.
    pub fn from_contender(contender: &Contender) -> Self {
        let memory = contender.services.iter().map(|service| service.memory_bytes);
        Self { cpus: contender.cpus_nano() as f64 / 1e9, memory_bytes: memory.fold(0, u64::saturating_add) }
    }

    /// Whether it is more than this budget.
    pub fn is_over(&self, budget: &Self) -> bool {
        self.cpus > budget.cpus || self.memory_bytes > budget.memory_bytes
    }
}

/// Why limits are not enforced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LimitsNote {
    /// The caller switched them off (`--unlimited`).
    Unlimited,
    /// The server ran already, so nothing is limited.
    StartedByOthers,
    /// A round was not limited, and does not say why.
    Unexplained,
    /// No contender came up, so no limit could be read back.
    Unplaced,
    /// What the host says.
    Host(String),
}

/// What the rounds tell of their limits and walls.
#[derive(Default)]
pub(crate) struct Limits {
    /// Whether any contender came up.
    placed: bool,
    /// Why limits are not enforced, by the first round in which they are not.
    unenforced: Option<LimitsNote>,
    /// Why services are not kept apart, by the first round in which they are not.
    pub(crate) walls: Option<String>,
}

impl Limits {
    pub(crate) fn see(&mut self, placement: Option<&Placement>) {
        let Some(placement) = placement else { return };
        self.placed = true;
        self.walls = self.walls.take().or_else(|| placement.walls_note.clone());
        if !placement.limits_enforced && self.unenforced.is_none() {
            let note = placement.limits_note.clone();
            self.unenforced = Some(note.map_or(LimitsNote::Unexplained, LimitsNote::Host));
        }
    }

    /// Why limits are not enforced; `None` where they are.
    pub(crate) fn note(self, plan: &Plan) -> Option<LimitsNote> {
        if plan.contenders.iter().any(Contender::runs_already) {
            return Some(LimitsNote::StartedByOthers);
        }
        if !plan.limited {
            return Some(LimitsNote::Unlimited);
        }
        if self.placed { self.unenforced } else { Some(LimitsNote::Unplaced) }
    }
}
