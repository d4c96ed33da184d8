//! Why a load, a round or a hold says nothing about who was asked.

use std::collections::BTreeMap;

use galo_plan::Blame;
use galo_record::HostFact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Contradiction;

/// One reason for a load to be void, with its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum VoidReason {
    /// The caller broke it off.
    Interrupted,
    /// galo could not even try some operations.
    CouldNotSend {
        /// How many, by what was lacking, e.g. `no free local port`.
        operations: BTreeMap<String, u64>,
    },
    /// galo itself was stopped by a CPU quota of its own, which is why it was late or waited.
    Throttled {
        /// CPUs that the quota allows.
        cpus: f64,
        /// The file that says so, e.g. `cpu.max`.
        file: String,
        /// How long it was stopped.
        stopped_s: f64,
        /// How long the load was.
        length_s: f64,
    },
    /// galo itself was late.
    Late {
        /// Which percentile of its lag: 50 or 99.
        percentile: u8,
        /// That, in microseconds.
        lag_us: f64,
        /// What it may be at most.
        bound_us: f64,
    },
    /// galo's own threads were the bottleneck.
    Busy {
        /// How many.
        threads: u32,
        /// Share of the time in which they were busy.
        share: f64,
        /// What it may be at most.
        bound: f64,
    },
    /// A thread of galo's was ready to run and had no core.
    Waited {
        /// Share of the time in which it waited.
        share: f64,
        /// What it may be at most.
        bound: f64,
    },
    /// A hypervisor took CPU time away.
    Stolen {
        /// Share of what the machine wanted.
        share: f64,
        /// What it may be at most.
        bound: f64,
    },
    /// The host found what must not have been, such as limits that did not hold to the end: the terms were not equal.
    Unequal {
        /// What it found.
        found: HostFact,
    },
    /// A service used more CPU than its limit allows over a second or longer, so something lifted the limit.
    OverQuota {
        /// Which.
        service: String,
        /// CPU time beyond what it may use.
        over_s: f64,
        /// Its limit.
        limit_cpus: f64,
        /// Times its limit that it may use.
        factor: f64,
    },
    /// galo's own records contradict themselves: a bug.
    Contradiction {
        /// How.
        contradiction: Contradiction,
    },
    /// The judge itself failed: a bug.
    JudgeFailed {
        /// What it said, if anything.
        said: Option<String>,
    },
}

/// How far what is void may still be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spoils {
    /// Its times and rates. An answer is as wrong as ever, however late it was asked for.
    Figures,
    /// The account itself: nothing in it may be held against anybody.
    Account,
}

impl VoidReason {
    /// Name of the finding that it becomes.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Interrupted => "interrupted",
            Self::CouldNotSend { .. } => "galo-could-not-send",
            Self::Throttled { .. } => "galo-throttled",
            Self::Late { .. } => "galo-late",
            Self::Busy { .. } | Self::Waited { .. } => "galo-busy",
            Self::Stolen { .. } => "host-steal",
            Self::Unequal { .. } | Self::OverQuota { .. } => "unequal-terms",
            Self::Contradiction { .. } => "records-contradict",
            Self::JudgeFailed { .. } => "judge-failed",
        }
    }

    /// Who is to blame: galo (or its caller), or the host.
    pub const fn blame(&self) -> Blame {
        match self {
            Self::Stolen { .. } | Self::Unequal { .. } | Self::OverQuota { .. } => Blame::Host,
            _ => Blame::Client,
        }
    }

    /// What it spoils.
    pub const fn spoils(&self) -> Spoils {
        match self {
            Self::Interrupted | Self::Contradiction { .. } | Self::JudgeFailed { .. } => Spoils::Account,
            _ => Spoils::Figures,
        }
    }

    /// Whether it is one of the causes: whatever else was seen may be of its making.
    pub(crate) const fn is_cause(&self) -> bool {
        !matches!(self, Self::Interrupted | Self::Contradiction { .. } | Self::JudgeFailed { .. })
    }
}
