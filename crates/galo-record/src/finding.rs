//! What was remarkable while a contender was up, as facts with figures.

use galo_plan::JsonSchema;
use galo_plan::Severity;
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

impl From<Severity> for Weight {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Must => Self::Must,
            Severity::Should => Self::Should,
        }
    }
}

/// What the host saw of a contender, beside what was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum HostFact {
    /// A service ended while it should have run.
    ServiceDied(ServiceDied),
    /// The kernel killed processes of a service that went on all the same.
    ServiceOutOfMemory(ServiceOutOfMemory),
    /// A process left its service's control group, and with it the service's limits.
    ServiceLeftItsGroup(ServiceLeftItsGroup),
    /// A service came to the limit of processes.
    ServiceOutOfProcesses(ServiceOutOfProcesses),
    /// Something else changed a service's limits while it ran.
    LimitsLost(LimitsLost),
    /// A service wrote very much log.
    LogFlood(LogFlood),
    /// A service did not end when it was asked to, and was killed.
    ServiceLateToStop(ServiceLateToStop),
    /// A service went on making processes while it was killed.
    ServiceHardToKill(ServiceHardToKill),
    /// After its round it did not start again on fresh volumes.
    SecondStartFailed(SecondStartFailed),
    /// Its volumes lie in memory, where nothing is flushed to a disk.
    VolumesInMemory(VolumesInMemory),
    /// No outage could be tried: no two services run the same program.
    NoOutageRound(NoOutageRound),
}

/// A service ended while it should have run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceDied {
    /// Which.
    pub service: String,
    /// How.
    pub ended: Ended,
    /// Where the kernel killed something of it for want of memory: its limit, if it had one.
    pub out_of_memory: Option<MemoryLimit>,
    /// Its last lines.
    pub log: Vec<String>,
    /// Where the whole log is.
    pub log_path: String,
}

/// The kernel killed processes of a service that went on all the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceOutOfMemory {
    /// Which.
    pub service: String,
    /// How many of its processes.
    pub killed: u64,
    /// Its limit.
    pub limit: MemoryLimit,
    /// Its last lines.
    pub log: Vec<String>,
}

/// A process left its service's control group, and with it the service's limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceLeftItsGroup {
    /// Which service.
    pub service: String,
    /// The process.
    pub pid: i32,
    /// What it runs.
    pub command: String,
    /// Where it is now, as `/proc/PID/cgroup` says.
    pub groups: Vec<String>,
}

/// A service came to the limit of processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceOutOfProcesses {
    /// Which.
    pub service: String,
    /// Processes and threads that it may have.
    pub limit: u32,
    /// How often it was refused one more.
    pub refused: u64,
}

/// Something else changed a service's limits while it ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LimitsLost {
    /// Which.
    pub service: String,
    /// The files that were written to.
    pub written: Vec<String>,
    /// How they differ from what was asked for; null: they were changed back.
    pub difference: Option<String>,
}

/// A service wrote very much log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogFlood {
    /// Which.
    pub service: String,
    /// It wrote more than this.
    pub limit_bytes: u64,
    /// Where the log is, without its middle.
    pub log_path: String,
}

/// A service did not end when it was asked to, and was killed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceLateToStop {
    /// Which.
    pub service: String,
    /// How long it was given.
    pub grace_ns: u64,
}

/// A service went on making processes while it was killed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceHardToKill {
    /// Which.
    pub service: String,
    /// How many more passes it took.
    pub passes: u32,
}

/// After its round it did not start again on fresh volumes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SecondStartFailed {
    /// What failed, in the host's words.
    pub error: String,
}

/// Its volumes lie in memory, where nothing is flushed to a disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VolumesInMemory {
    /// Where.
    pub place: String,
    /// E.g. `tmpfs`.
    pub file_system: String,
}

/// No outage could be tried: no two services run the same program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoOutageRound {}

/// A fact of each kind as one of all.
macro_rules! facts {
    ($($fact:ident),*) => {
        $(impl From<$fact> for HostFact {
            fn from(fact: $fact) -> Self {
                Self::$fact(fact)
            }
        })*
    };
}

facts!(
    ServiceDied,
    ServiceOutOfMemory,
    ServiceLeftItsGroup,
    ServiceOutOfProcesses,
    LimitsLost,
    LogFlood,
    ServiceLateToStop,
    ServiceHardToKill,
    SecondStartFailed,
    VolumesInMemory,
    NoOutageRound
);

impl HostFact {
    /// Whether it says that limits did not hold, by whoever's doing.
    pub const fn breaks_limits(&self) -> bool {
        matches!(self, Self::LimitsLost(_) | Self::ServiceLeftItsGroup(_))
    }
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
