//! What was remarkable while a contender was up, as facts with figures.

use galo_plan::Blame;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a finding means for the contender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// It disqualifies.
    Must,
    /// It is a defect, but does not disqualify.
    Should,
    /// It is good to know.
    Note,
}

/// What whoever started a contender saw of it, beside what was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum HostFact {
    /// A service ended while it should have run.
    ServiceDied {
        /// Which.
        service: String,
        /// How.
        ended: Ended,
        /// Where the kernel killed something of it for want of memory: its limit, if it had one.
        out_of_memory: Option<MemoryLimit>,
        /// Its last lines.
        log: Vec<String>,
        /// Where the whole log is.
        log_path: String,
    },
    /// The kernel killed processes of a service that went on all the same.
    ServiceOutOfMemory {
        /// Which.
        service: String,
        /// How many of its processes.
        killed: u64,
        /// Its limit.
        limit: MemoryLimit,
        /// Its last lines.
        log: Vec<String>,
    },
    /// A process left its service's control group, and with it the service's limits.
    ServiceLeftItsGroup {
        /// Which service.
        service: String,
        /// The process.
        pid: i32,
        /// What it runs.
        command: String,
        /// Where it is now, as `/proc/PID/cgroup` says.
        groups: Vec<String>,
    },
    /// A service came to the limit of processes.
    ServiceOutOfProcesses {
        /// Which.
        service: String,
        /// Processes and threads that it may have.
        limit: u32,
        /// How often it was refused one more.
        refused: u64,
    },
    /// Something else changed a service's limits while it ran.
    LimitsLost {
        /// Which.
        service: String,
        /// The files that were written to.
        written: Vec<String>,
        /// How they differ from what was asked for; null: they were changed back.
        difference: Option<String>,
    },
    /// A service wrote very much log.
    LogFlood {
        /// Which.
        service: String,
        /// It wrote more than this.
        limit_bytes: u64,
        /// Where the log is, without its middle.
        log_path: String,
    },
    /// A service did not end when it was asked to, and was killed.
    ServiceLateToStop {
        /// Which.
        service: String,
        /// How long it was given.
        grace_ns: u64,
    },
    /// A service went on making processes while it was killed.
    ServiceHardToKill {
        /// Which.
        service: String,
        /// How many more passes it took.
        passes: u32,
    },
    /// After its round it did not start again on fresh volumes.
    SecondStartFailed {
        /// What failed, in the host's words.
        error: String,
    },
    /// Its volumes lie in memory, where nothing is flushed to a disk.
    VolumesInMemory {
        /// Where.
        place: String,
        /// E.g. `tmpfs`.
        file_system: String,
    },
    /// No outage could be tried: no two services run the same program.
    NoOutageRound,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// By itself, with this exit status.
    Status(i32),
    /// By a signal.
    Signal(i32),
}

/// The memory that a service may use; null: nobody limits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryLimit {
    /// Bytes.
    pub bytes: Option<u64>,
}

impl HostFact {
    /// Stable, in kebab case.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::ServiceDied { .. } => "service-died",
            Self::ServiceOutOfMemory { .. } => "service-out-of-memory",
            Self::ServiceLeftItsGroup { .. } => "service-left-its-group",
            Self::ServiceOutOfProcesses { .. } => "service-out-of-processes",
            Self::LimitsLost { .. } => "limits-lost",
            Self::LogFlood { .. } => "log-flood",
            Self::ServiceLateToStop { .. } => "service-late-to-stop",
            Self::ServiceHardToKill { .. } => "service-hard-to-kill",
            Self::SecondStartFailed { .. } => "second-start-failed",
            Self::VolumesInMemory { .. } => "volumes-in-memory",
            Self::NoOutageRound => "no-outage-round",
        }
    }

    /// What it means for the contender.
    pub const fn weight(&self) -> Weight {
        match self {
            Self::LimitsLost { .. } | Self::ServiceLeftItsGroup { .. } => Weight::Must,
            Self::ServiceOutOfProcesses { .. } => Weight::Should,
            Self::ServiceDied { .. } | Self::ServiceOutOfMemory { .. } | Self::SecondStartFailed { .. } => {
                Weight::Should
            }
            Self::LogFlood { .. }
            | Self::ServiceLateToStop { .. }
            | Self::ServiceHardToKill { .. }
            | Self::VolumesInMemory { .. }
            | Self::NoOutageRound => Weight::Note,
        }
    }

    /// Who is to blame.
    pub const fn blame(&self) -> Blame {
        match self {
            Self::LimitsLost { .. } | Self::VolumesInMemory { .. } => Blame::Host,
            _ => Blame::Contender,
        }
    }
}
