//! Of a crash or an outage.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CountDifference, Number};

/// A fact about a crash or an outage. Times are from the start of the load.
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
