//! Of the count, the ledger and the limits.

use galo_record::Ledger;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::StepName;

/// A fact about the count, the ledger or the limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum AccountFact {
    /// The count was not 0 before the first request.
    DirtyStart {
        /// What it was.
        counted: u64,
    },
    /// No integer could be read in a count.
    CountUnreadable {
        /// Which.
        when: When,
    },
    /// A count holds several numbers, or one with separators.
    CountAmbiguous,
    /// The count was never answered by a 2xx after the load.
    CountUnanswered,
    /// So nobody knows whether it differs.
    CountUnjudged,
    /// The count at rest is not what was acknowledged.
    CountDiffers(CountDifference),
    /// The count had its last value late.
    SettledLate {
        /// How long after the end of the load.
        after_ns: u64,
        /// Acknowledged creations that it lacked until then.
        lacked: u64,
    },
    /// More creations were acknowledged than the rows allow.
    AboveCeiling {
        /// Acknowledged in the compared scenarios.
        created: u64,
        /// The ceiling, without rows that may be accepted or refused.
        ceiling_min: u64,
        /// The ceiling, with all of them.
        ceiling_max: u64,
    },
    /// Valid creations were not acknowledged.
    BelowCeiling {
        /// Acknowledged in the compared scenarios.
        created: u64,
        /// Creations without an answer.
        unanswered: u64,
        /// The ceiling, without rows that may be accepted or refused.
        ceiling_min: u64,
        /// The ceiling, with all of them.
        ceiling_max: u64,
    },
    /// Operations had no complete answer.
    OperationsFailed {
        /// All operations.
        operations: u64,
        /// No complete answer, or a 5xx.
        failed: u64,
        /// No complete answer in time.
        timed_out: u64,
        /// Under way at the end.
        unfinished: u64,
        /// The kinds of failure, most frequent first; at most three.
        kinds: Vec<Number>,
        /// When answers of 5xx began.
        first: Option<FirstErrors>,
    },
    /// Limits were switched off.
    Unlimited,
    /// The server ran already, so there was nothing that galo could limit.
    StartedByOthers,
    /// Limits are not in force.
    LimitsNotEnforced {
        /// Why not, as the host says.
        why: Option<String>,
    },
    /// galo was later than its goal.
    GaloLag {
        /// 99 % of its lag.
        lag_us_p99: f64,
        /// The goal for it.
        goal_us: f64,
    },
}

impl AccountFact {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::DirtyStart { .. } => "dirty-start",
            Self::CountUnreadable { .. } => "count-unreadable",
            Self::CountAmbiguous => "count-ambiguous",
            Self::CountUnanswered => "count-unanswered",
            Self::CountUnjudged => "count-unjudged",
            Self::CountDiffers(_) => "count-differs",
            Self::SettledLate { .. } => "settled-late",
            Self::AboveCeiling { .. } => "above-ceiling",
            Self::BelowCeiling { .. } => "below-ceiling",
            Self::OperationsFailed { .. } => "operations-failed",
            Self::Unlimited => "unlimited",
            Self::StartedByOthers => "started-by-others",
            Self::LimitsNotEnforced { .. } => "limits-not-enforced",
            Self::GaloLag { .. } => "galo-lag",
        }
    }
}

/// A count before or after the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// Before the first request.
    BeforeTheLoad,
    /// After the load.
    AfterTheLoad,
}

/// The count at rest beside what could be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CountDifference {
    /// The count at rest.
    pub counted: u64,
    /// Creations acknowledged in the compared scenarios.
    pub created: u64,
    /// Creations acknowledged by probes.
    pub probes: u64,
    /// Creations of unknown effect.
    pub unknown: u64,
    /// The count before the first request.
    pub started_with: u64,
}

impl CountDifference {
    /// All that was acknowledged.
    pub const fn acknowledged(self) -> u64 {
        self.created + self.probes
    }

    /// Acknowledged creations that the count lacks.
    pub const fn lost(self) -> u64 {
        self.acknowledged().saturating_sub(self.counted)
    }

    /// What it counts beyond all that may have been stored.
    pub const fn extra(self) -> u64 {
        self.counted.saturating_sub(self.acknowledged() + self.unknown)
    }
}

/// How many there are of something that has a name: a kind of failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Number {
    /// Of what.
    pub of: String,
    /// How many.
    pub number: u64,
}

/// The first answers of 5xx.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstErrors {
    /// From the start of the load.
    pub at_ns: u64,
    /// The most frequent status of the first of them.
    pub status: u16,
}

/// How the records of a round contradict one another: a bug in galo, or a damaged run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "what")]
pub enum Contradiction {
    /// The ledger of a step does not add up.
    LedgerDoesNotAddUp {
        /// The step.
        step: StepName,
        /// As recorded.
        ledger: Ledger,
    },
    /// The round recorded another number of steps than the challenge has.
    OtherSteps {
        /// Steps of the challenge.
        planned: u64,
        /// Steps of the round.
        recorded: u64,
    },
    /// The history has operations that cannot be.
    History {
        /// How they are strange.
        fault: HistoryFault,
        /// How many.
        operations: u64,
    },
    /// The ledger has operations, but the history is empty.
    EmptyHistory {
        /// Operations of the ledger.
        operations: u64,
    },
    /// Ledger and history of a step differ.
    HistoryDiffers {
        /// The step.
        step: StepName,
        /// As recorded.
        ledger: Ledger,
        /// As the history adds up.
        history: Ledger,
    },
    /// The ledger and the latencies of a step differ.
    LatenciesDiffer {
        /// The step.
        step: StepName,
        /// Right operations of the ledger.
        right: u64,
        /// All others.
        other: u64,
        /// Latencies of right operations.
        right_latencies: u64,
        /// Latencies of the others.
        other_latencies: u64,
    },
    /// The count was not read before and after the load.
    CountNotRead,
    /// Nobody was killed in a round that was made for it.
    NobodyKilled,
    /// It looked up creations that its history does not have.
    StrangeLookups,
    /// It did not look up what was acknowledged.
    NotLookedUp {
        /// Acknowledged creations.
        creations: u64,
    },
}

/// How operations of a history are strange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HistoryFault {
    /// Of a step that the challenge does not have.
    NoSuchStep,
    /// With a broken rule that the plan does not have.
    NoSuchRule,
    /// With a wrong answer but no rule that it breaks.
    NoRule,
    /// Out of the order of time.
    OutOfOrder,
    /// There already: one user did one step twice.
    Twice,
    /// Ended before it was sent, or sent before it was due.
    EndedBeforeSent,
    /// Ended after the load.
    EndedAfterTheLoad,
    /// Its answer began before it was due, or after its end.
    AnsweredOutside,
    /// Of a user that the plan does not have.
    NoSuchUser,
    /// Showed more than the history has.
    ShowedMore,
}
