//! What held a round back.

use galo_plan::Blame;
use galo_record::round::Lack;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What held a round back, and how much of its trouble that covers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CauseFact {
    /// What was seen.
    #[serde(flatten)]
    pub cause: Cause,
    /// Share of the trouble that it covers, 0 to 1.
    pub share: f64,
    /// The trouble.
    pub waiting: Waiting,
}

/// The trouble of a round: the waiting of operations that were slow or failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Waiting {
    /// How many were slow or failed.
    pub operations: u64,
    /// Above this an operation is slow; null: too few were, and only those that failed are counted.
    pub slow_ns: Option<u64>,
}

/// What was seen while operations were slow or failed, by sign.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Cause {
    /// Connections were dropped because an accept queue was full.
    AcceptQueue {
        /// How many.
        dropped: u64,
        /// How much of the time followed on that.
        seen: Explained,
        /// Whether it was the queue of a container engine's proxy, which listens at the published port of a container on a bridge.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_engines: bool,
    },
    /// Somebody else took the CPU.
    BusyNeighbour {
        /// Share of the time in which the services wanted a core, in which they had none.
        waited_share: f64,
        /// CPU that processes used that are neither the contender's nor galo's, in cores.
        others_cpus: f64,
        /// The busiest of them by name.
        busiest: Option<String>,
    },
    /// A service had used up its CPU.
    CpuLimit {
        /// Which.
        service: String,
        /// Its limit.
        limit_cpus: f64,
        /// In which of its quota periods.
        seen: Explained,
        /// Services that had much of theirs left.
        idle: Vec<CpuUse>,
        /// The budget shared out by what an answer cost each service; null where that would not help.
        split: Option<Split>,
    },
    /// A service had used up its CPU, and another of the same program had not.
    SlowInstance {
        /// Which.
        service: String,
        /// Its limit.
        limit_cpus: f64,
        /// In which of its quota periods.
        seen: Explained,
        /// The other one.
        twin: String,
        /// Share of its quota periods in which that one had.
        twin_share: f64,
    },
    /// Sessions of the database waited for a lock.
    DatabaseLock {
        /// In how much of the time in which sessions were busy.
        seen: Explained,
        /// How many did at once.
        most: u32,
    },
    /// Sessions of the database waited for the disk.
    SlowDisk {
        /// In how much of the time in which sessions were busy.
        seen: Explained,
        /// For how long, for each commit.
        commit_ns: u64,
    },
    /// All sessions with the database were in use.
    PoolExhausted {
        /// For how much of the time.
        seen: Explained,
        /// How many sessions there were.
        sessions: u32,
        /// Operations that were under way meanwhile.
        under_way: f64,
    },
    /// A service was short of memory.
    MemoryLimit {
        /// Which.
        service: String,
        /// Its limit.
        limit_bytes: u64,
        /// For how much of the time.
        seen: Explained,
        /// Processes of it that the kernel killed.
        killed: u64,
    },
    /// Again and again nobody was answered.
    Stalls {
        /// How often.
        stalls: u64,
        /// The longest.
        longest_ns: u64,
        /// From the start of one to the start of the next; null where that is not always about the same.
        period_ns: Option<u64>,
    },
    /// A program says in its log that it lacks something.
    Lack {
        /// What.
        #[schemars(with = "String", extend("enum" = [
            "balancer_connections", "database_connections", "pool_connections", "descriptors", "ports", "heap"
        ]))]
        lack: Lack,
        /// Whose logs say so.
        said: Vec<Said>,
        /// Operations that failed.
        failed: u64,
    },
}

/// How often a sign was there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explained {
    /// Share of the trouble.
    pub in_trouble: f64,
    /// Share of the calm moments; null: there were too few.
    pub in_calm: Option<f64>,
}

/// CPU that a service used, of its limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuUse {
    /// Which.
    pub service: String,
    /// CPU used, in cores.
    pub cpus: f64,
    /// Its limit; null: none.
    pub limit_cpus: Option<f64>,
}

/// A budget shared out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Split {
    /// All of it.
    pub budget_cpus: f64,
    /// Each service's part.
    pub parts: Vec<Part>,
}

/// A service's part of a budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// Which.
    pub service: String,
    /// Its part.
    pub cpus: f64,
}

/// Lines of a service's log that say one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    /// The service.
    pub service: String,
    /// How many lines.
    pub lines: u64,
}

impl Cause {
    /// One of [`crate::causes::CAUSES`].
    pub const fn name(&self) -> &'static str {
        match self {
            Self::AcceptQueue { .. } => "accept-queue",
            Self::BusyNeighbour { .. } => "busy-neighbour",
            Self::CpuLimit { .. } => "cpu-limit",
            Self::SlowInstance { .. } => "slow-instance",
            Self::DatabaseLock { .. } => "database-lock",
            Self::SlowDisk { .. } => "slow-disk",
            Self::PoolExhausted { .. } => "pool-exhausted",
            Self::MemoryLimit { .. } => "memory-limit",
            Self::Stalls { .. } => "stalls",
            Self::Lack { lack, .. } => match lack {
                Lack::BalancerConnections => "balancer-connections",
                Lack::DatabaseConnections => "database-connections",
                Lack::PoolConnections => "pool-exhausted",
                Lack::Descriptors => "descriptors",
                Lack::Ports => "ports",
                Lack::Heap => "heap",
            },
        }
    }

    /// A disk is the machine's, though who flushes how often is the contender's choice.
    pub(crate) const fn blame(&self) -> Blame {
        match self {
            Self::BusyNeighbour { .. }
            | Self::SlowDisk { .. }
            | Self::AcceptQueue { is_engines: true, .. } => Blame::Host,
            _ => Blame::Contender,
        }
    }
}

impl Explained {
    /// What the sign explains.
    pub(crate) fn share(self) -> f64 {
        (self.in_trouble - self.in_calm.unwrap_or(0.0)).max(0.0)
    }
}
