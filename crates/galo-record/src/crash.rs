//! What is recorded where galo itself kills services: a crash of all of them, or the outage of one.

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::count::CountReading;
use crate::durability::ServiceFlushes;
use crate::finding::HostFact;

/// What was done to the contender in a round of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CrashKind {
    /// All services are killed at once under load, and started again after it.
    Crash,
    /// One API instance is killed under load, and started again while the load goes on.
    Outage,
}

impl CrashKind {
    /// How many times over the plan's traffic is sent in such a round: an outage takes time before and after it.
    pub const fn repeats(self) -> usize {
        match self {
            Self::Crash => 1,
            Self::Outage => 2,
        }
    }
}

/// How all services of a contender are ended, to be started again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Halt {
    /// Each is asked by its own signal, dependants first, and killed when its time is over.
    Asked,
    /// All are killed at once.
    Killed,
}

/// What came of ending all services at rest, and of starting them again on what they left. Times are of [`crate::clock`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restarted {
    /// When galo began to end them.
    pub halted_at_ns: u64,
    /// When it began to start them again.
    pub restarted_at_ns: u64,
    /// When all were ready again.
    pub ready_at_ns: Option<u64>,
    /// Why they did not become ready, in a sentence with a hint.
    pub not_up: Option<String>,
    /// Bytes of files in its volumes before the load, and when they had ended.
    pub volumes_bytes: [u64; 2],
    /// Acknowledged rows all of whose texts stood in files of its volumes after the end, and all rows that were sought.
    /// `None`: no row was sought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traced: Option<[u32; 2]>,
    /// Flushes of each service from before the load until they had ended; empty: nobody counted.
    pub flushes: Vec<ServiceFlushes>,
    /// What the host saw meanwhile.
    pub findings: Vec<HostFact>,
}

/// A restart at rest, with what was asked after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestartRecord {
    /// How its services were ended.
    pub halt: Halt,
    /// What came of it.
    pub restarted: Restarted,
    /// The count just before it, after a while in which nobody asked for anything.
    pub count_before: Option<CountReading>,
    /// The count after it.
    pub count: Option<CountReading>,
    /// What was looked up after it.
    pub lookups: Vec<Lookup>,
}

/// The facts of such a round, beside those of every round. Times are of [`crate::clock`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrashRecord {
    /// What was done.
    pub kind: CrashKind,
    /// Names of the services that are killed.
    pub services: Vec<String>,
    /// When they were; `None`: the round ended before.
    pub killed_at_ns: Option<u64>,
    /// When galo began to start them again.
    pub restarted_at_ns: Option<u64>,
    /// When all were ready again.
    pub ready_at_ns: Option<u64>,
    /// Why they did not become ready, in a sentence with a hint.
    pub not_up: Option<String>,
    /// As [`Restarted::volumes_bytes`], where all services were killed.
    #[serde(default)]
    pub volumes_bytes: [u64; 2],
    /// As [`Restarted::traced`], where all services were killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traced: Option<[u32; 2]>,
    /// What was looked up when the count had come to rest.
    pub lookups: Vec<Lookup>,
}

impl CrashRecord {
    /// Nothing has happened yet.
    pub const fn new(kind: CrashKind, services: Vec<String>) -> Self {
        Self {
            kind,
            services,
            killed_at_ns: None,
            restarted_at_ns: None,
            ready_at_ns: None,
            not_up: None,
            volumes_bytes: [0, 0],
            traced: None,
            lookups: Vec::new(),
        }
    }
}

/// One question after the restart: is what a creation left (or must not have left) there?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lookup {
    /// The creation, as an index into [`crate::RoundData::history`]; by account, the number of that.
    pub creation: u32,
    /// How it was asked.
    pub by: LookupBy,
    /// The service that was asked directly; `None`: the contender's own port.
    pub service: Option<String>,
    /// HTTP status of the last answer; 0: none came, however often it was asked, or there was no time to ask.
    pub status: u16,
    /// Digests of the things that the answer showed ([`galo_plan::model::Seen::digest`]).
    pub digests: Vec<u64>,
}

impl Lookup {
    /// Whether an answer of this status says what is there. None came for 0; who is too busy (408, 429) or broken (5xx) does not know.
    pub fn tells(status: u16) -> bool {
        !matches!(status, 0 | 408 | 429 | 500..)
    }
}

/// How a thing is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LookupBy {
    /// By the identity that it was given: whoever was acknowledged.
    Id,
    /// By a search for its key: whoever was refused.
    Key,
    /// By its statement: each account of a ledger.
    Account,
}
