//! Of the way to the disk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fact about the way to the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum DurabilityFact {
    /// Nothing was flushed to a disk under load.
    NothingFlushed {
        /// Creations acknowledged meanwhile.
        acknowledged: u64,
    },
    /// Few flushes for so many creations.
    SeldomFlushed {
        /// Creations acknowledged under load.
        acknowledged: u64,
        /// Forced writes meanwhile.
        flushes: u64,
    },
    /// A service may have flushed what was not seen.
    FlushesUnseen {
        /// Which.
        service: String,
        /// Why, in the watcher's words.
        why: String,
    },
    /// Creations with nobody else about were acknowledged before anything was flushed to a disk.
    AcknowledgedBeforeFlush {
        /// Cases of conformance in which a creation was acknowledged and nothing flushed.
        unflushed: u64,
        /// Cases, each on an instance, in which a creation was acknowledged.
        alone: u64,
        /// Name of the first of them.
        case: String,
    },
    /// A database says of itself that it does not wait for the disk.
    CommitNotSynchronous {
        /// What it is, e.g. `PostgreSQL`.
        system: String,
        /// The service.
        service: String,
        /// Its settings that are off.
        off: Vec<String>,
    },
    /// The count moved while nobody asked for anything.
    CountMovesUnasked {
        /// The least that it was.
        least: u64,
        /// The most.
        most: u64,
    },
    /// Data outlived its volume.
    OutlivesItsVolume {
        /// What it counted at once on fresh volumes.
        counted: u64,
    },
}

impl DurabilityFact {
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::NothingFlushed { .. } => "nothing-flushed",
            Self::SeldomFlushed { .. } => "seldom-flushed",
            Self::FlushesUnseen { .. } => "flushes-unseen",
            Self::AcknowledgedBeforeFlush { .. } => "acknowledged-before-flush",
            Self::CommitNotSynchronous { .. } => "commit-not-synchronous",
            Self::CountMovesUnasked { .. } => "count-moves-unasked",
            Self::OutlivesItsVolume { .. } => "outlives-its-volume",
        }
    }
}
