//! Of how a contender behaved over time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Number, StepName};

/// A fact about how a contender behaved over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum BehaviourFact {
    /// Nothing at all was answered for a while.
    Pauses {
        /// The first of them, at most three.
        pauses: Vec<Pause>,
        /// How many more.
        more: u64,
        /// From the start of one to the start of the next, where that is always about the same.
        period_ns: Option<u64>,
        /// Operations that fell due in them.
        due: u64,
    },
    /// Answers took longer the more was stored.
    SlowsWithRows {
        /// The step that slowed down most.
        step: StepName,
        /// Rows stored in the end.
        rows: u64,
        /// Median service time while the first third of them was stored.
        early_ns: u64,
        /// The same while the last third was.
        late_ns: u64,
    },
    /// A request cost more the more earlier holds had stored.
    CostGrowsWithStored {
        /// A hold with less stored, at the same scale or a higher one.
        earlier: HoldCost,
        /// A later one.
        later: HoldCost,
    },
    /// Connections were closed instead of answered.
    ResetsConnections {
        /// Operations that lost their connection.
        closed: u64,
        /// All operations.
        operations: u64,
        /// The same by kind of failure.
        kinds: Vec<Number>,
    },
    /// Creations are kept whose client got no answer.
    KeptWithoutAnswer {
        /// Kept of these.
        kept: u64,
        /// Creations of unknown effect.
        unknown: u64,
    },
    /// The count took long to answer.
    CountSlow {
        /// The longest.
        took_ns: u64,
        /// Operations under load.
        operations: u64,
        /// Their median latency.
        usual_us: f64,
    },
    /// An instance took no real part in the load.
    Unbalanced {
        /// The idle one.
        idle: ServiceCpu,
        /// Operations of the load.
        operations: u64,
        /// The other instances.
        others: Vec<ServiceCpu>,
    },
}

impl BehaviourFact {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Pauses { .. } => "pauses",
            Self::SlowsWithRows { .. } => "slows-with-rows",
            Self::CostGrowsWithStored { .. } => "cost-grows-with-stored",
            Self::ResetsConnections { .. } => "resets-connections",
            Self::KeptWithoutAnswer { .. } => "kept-without-answer",
            Self::CountSlow { .. } => "count-slow",
            Self::Unbalanced { .. } => "unbalanced",
        }
    }
}

/// What a request cost in a hold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HoldCost {
    /// Its scale, in thousandths.
    pub scale_milli: u64,
    /// Requests that write and were answered rightly since the contender was started, up to the middle of the hold.
    pub written: u64,
    /// CPU of all services for each request, microseconds; null: not seen, or the latency shows it alone.
    pub cpu_us_each: Option<f64>,
    /// Median latency, microseconds.
    pub latency_us_p50: f64,
}

/// A stretch without any answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pause {
    /// From the start of the load.
    pub from_ns: u64,
    /// How long it was.
    pub length_ns: u64,
}

/// CPU that a service used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceCpu {
    /// Which.
    pub service: String,
    /// User and system.
    pub cpu_ns: u64,
}
