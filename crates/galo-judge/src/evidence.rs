//! What shows a fact, each piece such that it can be checked by hand.

mod case;
mod words;

use std::collections::BTreeMap;

use galo_plan::JsonSchema;
use galo_record::round::CountReading;
use serde::{Deserialize, Serialize};

use crate::step::StepName;
pub use case::{Came, Elements, Expected, Ids, difference};
pub(crate) use words::in_cpus;
pub use words::memory_hits;

/// Pieces of evidence that a finding shows.
pub(crate) const EVIDENCE_MAX: usize = 3;

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Evidence {
    /// A count as it was read.
    Count {
        /// HTTP status; 0: no answer.
        status: u16,
        /// The body, or why there was no answer.
        text: String,
    },
    /// A request and what came back.
    Exchange {
        /// The request.
        request: String,
        /// What differs, or the error.
        difference: String,
        /// The answer.
        answer: String,
    },
    /// A case of conformance that did not hold.
    Case {
        /// Name of the case.
        case: String,
        /// At which instances.
        instances: Vec<String>,
        /// The request as a line for a shell.
        request: String,
        /// What was expected.
        expected: Expected,
        /// What came.
        came: Came,
        /// The answer.
        answer: String,
    },
    /// No call that flushes was seen.
    NoFlushes,
    /// Settings of a database.
    Settings {
        /// Where it listens.
        address: String,
        /// By name.
        settings: BTreeMap<String, String>,
    },
    /// Creations of one key that were acknowledged.
    Acknowledged {
        /// Two of them.
        creations: Vec<Given>,
    },
    /// Creations that were given one identity.
    Shared {
        /// Two of them.
        creations: Vec<Given>,
    },
    /// A read that did not find what was acknowledged.
    NotFound {
        /// The identity that it asked for.
        id: Option<String>,
        /// The read.
        read: OperationTold,
        /// What was acknowledged before.
        acknowledged: Option<Given>,
    },
    /// A search that lacks a row.
    Lacks {
        /// The search.
        search: OperationTold,
        /// The row in words.
        who: Who,
        /// Since when it was known.
        known: KnownBy,
        /// The operation from which it was.
        since: Option<OperationTold>,
        /// How long before the search that was.
        age_ns: u64,
        /// The first later answer that shows it.
        later: Option<Later>,
    },
    /// An answer that showed a row that was not sent that way.
    Showed {
        /// The answer.
        answer: OperationTold,
        /// The identity that was shown.
        id: String,
        /// Whose fields were shown.
        who: SeenAt,
        /// What is strange about it.
        why: Strange,
    },
    /// An answer that found what was denied.
    Kept {
        /// The answer.
        found: OperationTold,
        /// The row that it found.
        who: Who,
        /// How its creation was denied.
        denied: Denied,
        /// Its creation.
        creation: OperationTold,
    },
    /// A creation that was refused as a duplicate.
    Refused {
        /// The row in words.
        who: Who,
        /// The creation.
        refusal: OperationTold,
        /// The first other creation of the key that can have happened.
        next: Option<OperationTold>,
    },
    /// Operations about one key, in the order of their ends.
    Key {
        /// The first of them.
        events: Vec<KeyEvent>,
        /// How many more.
        more: u64,
    },
    /// Requests to one account, and the balance that each answer told.
    Account {
        /// Its name.
        account: String,
        /// The balance that this is about; null: none.
        balance: Option<i64>,
        /// In the order of their ends.
        events: Vec<AccountEvent>,
    },
    /// The balance of an account after a restart.
    Balance {
        /// Its name.
        account: String,
        /// As its statement told; null: there was none.
        total: Option<i64>,
        /// After all that was acknowledged.
        expected: i64,
    },
    /// A creation before a crash and what was found of it later.
    Lookup {
        /// The row, as the model says it.
        row: String,
        /// Status of its creation.
        status: u16,
        /// When that was answered, from the start of the load.
        answered_ns: u64,
        /// What was asked for later.
        target: String,
        /// At which service; null: at the contender's own port.
        service: Option<String>,
        /// What came.
        came: LookedUp,
    },
    /// The longest queue of connections that nobody had accepted yet.
    AcceptQueue {
        /// Its length.
        connections: u32,
        /// At which port.
        port: u16,
    },
    /// The statement of a session that others waited for.
    Blocker {
        /// As the database tells it.
        statement: String,
    },
    /// What sessions with a database did, on average over all looks at them.
    Sessions {
        /// How many looks.
        looks: u64,
        /// Sessions that ran.
        running: f64,
        /// Sessions that waited, by what they waited for; most first.
        waiting: Vec<Waits>,
    },
    /// How often a service was at its memory limit.
    MemoryHits {
        /// Allocations at the limit; 0 where the kernel counts none, as of control groups v1 that limit swap as well.
        hits: u64,
        /// Page faults that had to read from a disk.
        faults: u64,
    },
    /// Most anonymous memory of a service.
    MostAnonymous {
        /// How much.
        bytes: u64,
    },
    /// CPU of a service while users waited.
    CpuWhileWaiting(CpuUse),
    /// A line of a service's log.
    LogLine {
        /// The service.
        service: String,
        /// The line.
        line: String,
    },
    /// A process that is neither the contender's nor galo's.
    Neighbour {
        /// Its program.
        name: String,
        /// Its number.
        pid: u32,
        /// CPU that it used while the load ran.
        cpu_ns: u64,
    },
    /// When a stall began, from the start of the load.
    StallBegan {
        /// That.
        at_ns: u64,
    },
}

impl From<&CountReading> for Evidence {
    fn from(reading: &CountReading) -> Self {
        Self::Count { status: reading.status, text: reading.text.clone() }
    }
}

/// CPU that a service used, of its limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuUse {
    /// Its name.
    pub service: String,
    /// CPU used, in cores.
    pub cpus: f64,
    /// Its limit; null: none.
    pub limit_cpus: Option<f64>,
}

/// Sessions that waited for one thing, on average.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Waits {
    /// For what, as the database calls it.
    pub event: String,
    /// How many.
    pub sessions: f64,
}

/// An operation, so that it can be looked up by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperationTold {
    /// Its step.
    pub step: StepName,
    /// What a search asked for.
    pub asked: Option<String>,
    /// How many a search listed.
    pub listed: Option<u32>,
    /// Number of the user.
    pub user: u32,
    /// Number of the connection.
    pub connection: u32,
    /// When it was due, from the start of the load.
    pub due_ns: u64,
    /// When it was sent; null: never.
    pub sent_ns: Option<u64>,
    /// When its end was known.
    pub done_ns: u64,
    /// HTTP status; 0: no answer.
    pub status: u16,
}

/// Somebody who was meant to be created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Who {
    /// The row, as the model says it; null: there is none.
    pub row: Option<String>,
    /// The identity that an acknowledgement gave.
    pub id: Option<String>,
}

/// A creation, and whom it created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Given {
    /// The row, as the model says it.
    pub row: String,
    /// The identity that it was given.
    pub id: Option<String>,
    /// The creation.
    pub creation: OperationTold,
}

/// From what it is known that somebody is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KnownBy {
    /// Their creation was acknowledged.
    Acknowledged,
    /// They had been found.
    Found,
}

/// A later answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Later {
    /// How long after the last search that lacks them.
    pub after_ns: u64,
    /// The answer.
    pub answer: OperationTold,
}

/// Whose fields an answer showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "fields")]
pub enum SeenAt {
    /// Fields that no row has: only their digest is known.
    Unknown {
        /// In hexadecimal digits.
        digest: String,
    },
    /// Fields of a row.
    Of(Who),
}

/// What is strange about what an answer showed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "why")]
pub enum Strange {
    /// Nobody with these fields was ever sent.
    NeverSent,
    /// They were only sent later; null: never.
    SentLater {
        /// From the start of the load.
        sent_ns: Option<u64>,
    },
    /// The acknowledgement gave another identity; null: it gave this one to somebody else.
    OtherIdentity {
        /// Its creation.
        creation: Option<OperationTold>,
    },
    /// The identity had other fields before.
    OtherFields {
        /// In this answer.
        before: OperationTold,
    },
    /// They had another identity before.
    TwoIdentities {
        /// In this answer.
        before: OperationTold,
    },
}

/// How a creation was denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Denied {
    /// Refused.
    Refused,
    /// Answered with a 5xx.
    Failed,
}

/// What an operation says about its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "event")]
pub enum KeyEvent {
    /// It acknowledged somebody.
    Acknowledged {
        /// The row in words.
        who: Who,
        /// The operation.
        operation: OperationTold,
    },
    /// It left open whether it created somebody.
    LeftOpen {
        /// The row in words.
        who: Who,
        /// The operation.
        operation: OperationTold,
    },
    /// It refused a duplicate.
    Refused {
        /// The operation.
        operation: OperationTold,
    },
    /// It found somebody.
    Found {
        /// The row in words.
        who: Who,
        /// The operation.
        operation: OperationTold,
    },
    /// It lacks somebody.
    Lacks {
        /// The row in words.
        who: Who,
        /// The operation.
        operation: OperationTold,
    },
}

/// A request to an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccountEvent {
    /// The row, as the model says it.
    pub row: String,
    /// The request.
    pub operation: OperationTold,
    /// The balance that its answer told; null: none.
    pub told: Option<i64>,
}

/// What came of asking for a creation after a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "came")]
pub enum LookedUp {
    /// No answer.
    Nothing,
    /// Somebody else.
    Another,
    /// A list, and it is in it.
    Listed,
    /// This status.
    Status {
        /// HTTP status.
        status: u16,
    },
}
