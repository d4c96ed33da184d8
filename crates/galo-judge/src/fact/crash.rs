//! Of a crash, an outage or a restart at rest.

use galo_record::Halt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CountDifference, Number};

/// A fact about a crash, an outage or a restart at rest. Times are from the start of the load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum CrashFact {
    /// What was acknowledged was lost in a crash.
    LostAfterCrash {
        /// When services were killed.
        at_ns: u64,
        /// What was lost.
        loss: Loss,
    },
    /// What was refused is there after a crash.
    RefusedAfterCrash {
        /// When services were killed.
        at_ns: u64,
        /// Refused creations that were looked up.
        refused: u64,
        /// ... of these there.
        there: u64,
    },
    /// It did not come up again after a crash.
    NotUpAfterCrash {
        /// When services were killed.
        at_ns: u64,
        /// How that was seen.
        why: NotUp,
    },
    /// What came of a crash in which nothing was lost.
    Crash {
        /// When services were killed.
        at_ns: u64,
        /// What was looked up.
        there: AllThere,
        /// From the restart until all were ready.
        up_ns: Option<u64>,
    },
    /// What was acknowledged is not there any more after a restart at rest.
    LostAfterRestart {
        /// How its services were ended.
        halt: Halt,
        /// What was lost.
        loss: Loss,
    },
    /// What was refused is there after a restart at rest.
    RefusedAfterRestart {
        /// How its services were ended.
        halt: Halt,
        /// Refused creations that were looked up.
        refused: u64,
        /// ... of these there.
        there: u64,
    },
    /// It did not come up again on what it left.
    NotUpAfterRestart {
        /// How its services were ended.
        halt: Halt,
        /// How that was seen.
        why: NotUp,
    },
    /// It holds nobody after a restart at rest, although its volumes held what may be all of them.
    EmptiedAtStart {
        /// How its services were ended.
        halt: Halt,
        /// Creations that it acknowledged before.
        acknowledged: u64,
        /// Bytes that its volumes grew by until it was ended.
        grown_bytes: u64,
        /// Flushes until then; null: nobody counted.
        flushes: Option<u64>,
    },
    /// What came of a restart at rest in which nothing was lost.
    Restart {
        /// How its services were ended.
        halt: Halt,
        /// What was looked up.
        there: AllThere,
        /// From when galo began to end its services until all had ended.
        down_ns: u64,
        /// From when galo began to start them again until all were ready.
        up_ns: u64,
    },
    /// It showed what it had acknowledged after its services had ended, and not from its volumes: none of those who were sought stood in them.
    NotInItsVolumes {
        /// Creations that it acknowledged before.
        acknowledged: u64,
        /// Acknowledged creations whose texts were sought.
        sought: u32,
        /// Bytes that its volumes grew by.
        grown_bytes: u64,
    },
    /// What was acknowledged was lost with one instance.
    LostInOutage {
        /// The instances that were killed.
        services: Vec<String>,
        /// What was lost.
        loss: Loss,
    },
    /// An instance that was killed did not recover.
    OutageNotRecovered {
        /// The instances that were killed.
        services: Vec<String>,
        /// How that was seen.
        why: NotRecovered,
    },
    /// What came of an outage.
    Outage {
        /// The instances that were killed.
        services: Vec<String>,
        /// What clients saw.
        figures: OutageFigures,
        /// What was looked up; null where something was lost.
        there: Option<AllThere>,
    },
}

impl CrashFact {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::LostAfterCrash { .. } => "lost-after-crash",
            Self::RefusedAfterCrash { .. } => "refused-after-crash",
            Self::NotUpAfterCrash { .. } => "not-up-after-crash",
            Self::Crash { .. } => "crash",
            Self::LostAfterRestart { .. } => "lost-after-restart",
            Self::RefusedAfterRestart { .. } => "refused-after-restart",
            Self::NotUpAfterRestart { .. } => "not-up-after-restart",
            Self::EmptiedAtStart { .. } => "emptied-at-start",
            Self::Restart { .. } => "restart",
            Self::NotInItsVolumes { .. } => "not-in-its-volumes",
            Self::LostInOutage { .. } => "lost-in-outage",
            Self::OutageNotRecovered { .. } => "outage-not-recovered",
            Self::Outage { .. } => "outage",
        }
    }
}

/// Acknowledged creations that were lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "by")]
pub enum Loss {
    /// As lookups say.
    Lookups {
        /// Acknowledged creations that were looked up.
        sought: u64,
        /// Not there, or changed.
        lost: u64,
        /// Could not be read any more.
        unreadable: u64,
    },
    /// As the count says.
    Count(CountDifference),
}

/// What lookups say where nothing is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AllThere {
    /// Acknowledged creations that were looked up.
    pub sought: u64,
    /// ... of these no answer told.
    pub untold: u64,
}

/// How it was seen that services did not come up again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "seen")]
pub enum NotUp {
    /// They could not be started.
    NotStarted {
        /// What the host said.
        error: String,
        /// What it said to do about it.
        hint: Option<String>,
    },
    /// They said that they were ready, but most lookups had no answer.
    Silent(AllThere),
}

impl NotUp {
    /// By what the host said: an error, with a hint or without.
    pub(crate) fn not_started(reason: &str) -> Self {
        let (error, hint) = match reason.split_once("\nhint: ") {
            Some((error, hint)) => (error.to_owned(), Some(hint.to_owned())),
            None => (reason.to_owned(), None),
        };
        Self::NotStarted { error, hint }
    }
}

/// How it was seen that an instance did not recover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "seen")]
pub enum NotRecovered {
    /// It could not be started.
    NotStarted {
        /// What the host said.
        error: String,
    },
    /// Operations still failed 2 s after it was ready again.
    StillFailing {
        /// How many.
        operations: u64,
    },
    /// Lookups at one instance had no answer.
    SilentAtOne {
        /// How many.
        lookups: u64,
    },
    /// Lookups had no answer.
    Silent(AllThere),
}

/// What clients saw of an outage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutageFigures {
    /// When it was killed, from the start of the load.
    pub from_ns: u64,
    /// When it was started again.
    pub restarted_ns: Option<u64>,
    /// From then until it was ready; null: it never was.
    pub up_ns: Option<u64>,
    /// Operations that fell due while it was down.
    pub meanwhile: u64,
    /// ... of these not answered rightly.
    pub meanwhile_failed: u64,
    /// The first and the last failure, from the kill.
    pub failing_ns: Option<[u64; 2]>,
    /// The kinds of failure, most frequent first; at most three.
    pub kinds: Vec<Number>,
    /// Operations that fell due after it was ready again.
    pub after: u64,
    /// ... of these not answered rightly.
    pub after_failed: u64,
}
