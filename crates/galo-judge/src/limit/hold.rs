//! What the judge says of one hold: facts with figures.

use std::collections::BTreeMap;

use galo_plan::JsonSchema;
use galo_record::{HostFact, Ledger, Percentiles};
use serde::{Deserialize, Serialize};

use crate::assertion;
use crate::bottleneck::Usage;
use crate::findings::{Fact, Finding, HoldCost};
use crate::void::VoidReason;

/// One hold: constant traffic at one scale.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Hold {
    /// The scale.
    pub scale_milli: u64,
    /// Whether it is a long one, that confirms.
    pub confirms: bool,
    /// How long users arrived.
    pub length_ns: u64,
    /// At which rate, by scenario.
    pub rates: Vec<ScenarioRate>,
    /// What was done to give the tables their size; `None`: nothing was needed.
    pub preload: Option<Preload>,
    /// The count before.
    pub stored_before: Option<u64>,
    /// The count after.
    pub stored_after: Option<u64>,
    /// Creations acknowledged, in all scenarios.
    pub acknowledged: u64,
    /// Creations of unknown effect, in all scenarios.
    pub unknown: u64,
    /// Operations of the compared scenarios.
    pub ledger: Ledger,
    /// Operations of the others.
    pub probe_ledger: Ledger,
    /// Failures by kind, in all scenarios.
    pub errors: BTreeMap<String, u64>,
    /// What was wrong with the first few wrong answers, advice included.
    pub wrong: Vec<String>,
    /// Latency from the intended start, of everything that ended in the compared scenarios.
    pub latency: Percentiles,
    /// From the first arrival to the end of the last operation.
    pub elapsed_ns: u64,
    /// In the order of the placement.
    pub services: Vec<HoldService>,
    /// CPU of galo's own process, all threads; `None`: not seen.
    pub galo_cpu_ns: Option<u64>,
    /// CPU of the engine's threads.
    pub engine_cpu_ns: u64,
    /// Lag of the engine, 99 %.
    pub lag_us_p99: f64,
    /// What held it back, the most telling first, where it was not met.
    pub causes: Vec<Finding>,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: HoldOutcome,
}

impl Hold {
    /// Operations that ended, those of probes included.
    pub const fn requests(&self) -> u64 {
        self.ledger.ended() + self.probe_ledger.ended()
    }

    /// CPU of all services for each request, in microseconds; `None`: not seen of one, or nothing ended.
    pub fn cpu_us_each(&self) -> Option<f64> {
        let all: Option<u64> = self.services.iter().map(|service| service.cpu_ns).sum();
        let requests = self.requests();
        all.filter(|_| requests > 0 && !self.services.is_empty()).map(|ns| ns as f64 / 1e3 / requests as f64)
    }

    /// What a request cost in an earlier hold and in a later one, where its causes say that it grows with what is stored.
    pub(super) fn grown_cost(&self) -> Option<(HoldCost, HoldCost)> {
        self.causes.iter().find_map(|cause| match &cause.fact {
            Fact::CostGrowsWithStored(grown) => Some((grown.earlier, grown.later)),
            _ => None,
        })
    }
}

/// The rate of one scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScenarioRate {
    /// Scenario's name.
    pub scenario: String,
    /// In millionths of a user per second.
    pub rate_micro: u64,
    /// Whether it belongs to the compared figures.
    pub compared: bool,
}

/// How tables were given their size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Preload {
    /// Whether the contender was started anew for it.
    pub fresh: bool,
    /// What the count grew by.
    pub created: u64,
    /// How long it took, without the start.
    pub took_ns: u64,
}

/// What one service used in a hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HoldService {
    /// Its name.
    pub name: String,
    /// Its CPU limit, in thousandths of a CPU.
    pub cpus_milli: Option<u32>,
    /// Its memory limit.
    pub memory_limit_bytes: Option<u64>,
    /// CPU, user and system, to the end of the last operation; `None`: not seen.
    pub cpu_ns: Option<u64>,
    /// CPU while users arrived as a share of what its limit gives in that time.
    pub cpu_share: Option<f64>,
    /// Share of its CPU periods that were throttled while users arrived; 0 where there were none.
    pub throttled_share: f64,
    /// Most memory, page cache included.
    pub memory_peak_bytes: Option<u64>,
    /// Most anonymous memory.
    pub anonymous_peak_bytes: Option<u64>,
    /// Processes that the kernel killed for want of memory.
    pub oom_kills: u64,
    /// All of that while users arrived, as a bottleneck is told of it; `None`: not seen.
    pub usage: Option<Usage>,
}

/// What came of a hold.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HoldOutcome {
    /// Whether the criterion was met, everybody was still alive, and the count was right.
    pub met: bool,
    /// Whether galo itself kept up. If not, the hold says nothing about the contender.
    pub valid: bool,
    /// Operations that were due, per second.
    pub offered_per_s: f64,
    /// Operations that ended while users arrived, per second.
    pub achieved_per_s: f64,
    /// Why it was not met, or says nothing.
    pub reasons: Vec<NotMet>,
}

impl HoldOutcome {
    /// Whether it says that its scale is not held.
    pub const fn is_not_met(&self) -> bool {
        self.valid && !self.met
    }
}

/// Why a hold was not met, or says nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NotMet {
    /// The host saw that something was wrong with a service.
    Host(HostFact),
    /// A part of the service level was not met.
    Broken(assertion::Outcome),
    /// More fell due than was answered, so its queue grew.
    QueueGrew {
        /// What fell due.
        due_per_s: f64,
        /// What was answered.
        answered_per_s: f64,
    },
    /// The count was not answered, before or after.
    NoCount,
    /// The count fell.
    CountFell {
        /// From so many.
        before: u64,
        /// To so many.
        after: u64,
    },
    /// The count grew by another number than that which was acknowledged.
    CountGrew {
        /// By so many.
        grown: u64,
        /// Creations acknowledged.
        acknowledged: u64,
        /// Creations of unknown effect.
        unknown: u64,
    },
    /// Its tables could not be filled, since something was wrong with a service.
    FillBroken {
        /// To so many.
        wanted: u64,
        /// What was wrong.
        fact: HostFact,
    },
    /// Its tables cannot be filled: the profile creates nothing that is compared.
    NothingToFill,
    /// Its tables could not be filled.
    NotFilled {
        /// To so many.
        wanted: u64,
        /// They had so many in the end.
        stored: u64,
    },
    /// galo or its machine is to blame: it says nothing.
    Void(VoidReason),
}
