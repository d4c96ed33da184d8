//! Of what only the whole history shows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::StepName;

/// A fact that only the whole history shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum HistoryFact {
    /// Rules could not be judged.
    HistoryUnjudged {
        /// Their names.
        rules: Vec<String>,
        /// Why not.
        why: Unjudged,
    },
    /// What may be there only once was acknowledged several times.
    CreatedTwice {
        /// Keys of which that is so.
        keys: u64,
        /// Acknowledged creations beyond the first of each.
        extra: u64,
    },
    /// Reads denied what was acknowledged before.
    ReadMissesAcknowledged {
        /// Reads that did.
        missed: u64,
        /// All reads.
        reads: u64,
        /// The longest from the acknowledgement to such a read.
        longest_ns: u64,
    },
    /// Searches lacked what was acknowledged before.
    SearchMissesAcknowledged(SearchLacks),
    /// Searches lacked what had been found before.
    SearchForgets(SearchLacks),
    /// Somebody was shown who was not sent that way.
    SearchUnknownPerson {
        /// Answers that showed such.
        answers: u64,
        /// With fields that were never sent.
        never_sent: u64,
        /// Before they were sent.
        sent_later: u64,
        /// With another identity than the acknowledgement gave.
        other_identity: u64,
        /// With an identity that had other fields before.
        other_fields: u64,
        /// With another identity than before.
        two_identities: u64,
    },
    /// One identity was given to several.
    IdentityGivenTwice {
        /// Identities of which that is so.
        identities: u64,
        /// Creations that were given one of them.
        creations: u64,
    },
    /// What was refused was kept.
    RefusedButKept {
        /// How many.
        creations: u64,
    },
    /// What failed was kept.
    FailedButKept {
        /// How many.
        creations: u64,
    },
    /// A valid creation was refused as a duplicate of nothing.
    RefusedWithoutDuplicate {
        /// How many.
        creations: u64,
    },
    /// The answers about a key fit no order of events.
    NotLinearizable {
        /// How many keys.
        keys: u64,
    },
}

impl HistoryFact {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::HistoryUnjudged { .. } => "history-unjudged",
            Self::CreatedTwice { .. } => "created-twice",
            Self::ReadMissesAcknowledged { .. } => "read-misses-acknowledged",
            Self::SearchMissesAcknowledged(_) => "search-misses-acknowledged",
            Self::SearchForgets(_) => "search-forgets",
            Self::SearchUnknownPerson { .. } => "search-unknown-person",
            Self::IdentityGivenTwice { .. } => "identity-given-twice",
            Self::RefusedButKept { .. } => "refused-but-kept",
            Self::FailedButKept { .. } => "failed-but-kept",
            Self::RefusedWithoutDuplicate { .. } => "refused-without-duplicate",
            Self::NotLinearizable { .. } => "not-linearizable",
        }
    }
}

/// What searches lacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SearchLacks {
    /// Searches that lacked somebody.
    pub searches: u64,
    /// All searches.
    pub of: u64,
    /// Creations that were lacked.
    pub creations: u64,
    /// The longest from the moment at which one was known to such a search.
    pub longest_ns: u64,
    /// Creations that no later answer shows.
    pub never: u64,
    /// The longest until a later answer showed one; null: none did.
    pub latest_ns: Option<u64>,
}

/// Why rules about the history could not be judged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "why")]
pub enum Unjudged {
    /// The history contradicts itself.
    Contradicts,
    /// The model does not say what the rows of a step become.
    RowsUnsaid {
        /// The step.
        step: StepName,
    },
    /// The plan does not say what the check of a step means.
    CheckUnsaid {
        /// The step.
        step: StepName,
    },
    /// The model does not say whom a search must list.
    SearchesUnsaid,
    /// Searches listed more than the history keeps.
    ListsTooLong {
        /// How many.
        searches: u64,
    },
    /// Keys with too many concurrent operations.
    TooConcurrent {
        /// How many.
        keys: u64,
    },
}
