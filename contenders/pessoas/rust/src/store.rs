//! How people are kept, as the handlers see it.

use std::future::Future;

use uuid::Uuid;

use crate::person::{NewPerson, Person};

pub mod postgres;
pub mod sqlite;
mod text;

/// Most results of one search; the contest lets it stop there.
pub const SEARCH_RESULTS_MAX: u32 = 50;

/// A place that keeps people. Two instances of the API share one place, so nothing may be known to one alone.
///
/// Methods are asynchronous because a store may wait: for a group commit here, for a network elsewhere.
pub trait Store: Send + Sync + 'static {
    /// A person as this store gives them back.
    type Found: Found;

    /// Returns when the store can do its work. The server listens only after it.
    fn ready(&self) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Keeps a person under an identity of the store's making, unless there is one of the same `apelido`. After
    /// [`Creation::Created`] the person survives a crash, and is found by every instance.
    fn create(&self, person: NewPerson<'_>) -> impl Future<Output = Result<Creation, StoreError>> + Send;

    /// The person of this id.
    fn find(&self, id: Uuid) -> impl Future<Output = Result<Option<Self::Found>, StoreError>> + Send;

    /// People in whom `term` (as people write it, never empty) is contained in `apelido`, `nome` or one element of
    /// `stack`, whatever the letter case: all of them, or [`SEARCH_RESULTS_MAX`].
    fn search(&self, term: String) -> impl Future<Output = Result<Vec<Self::Found>, StoreError>> + Send;

    /// How many people there are now.
    fn count(&self) -> impl Future<Output = Result<u64, StoreError>> + Send;

    /// Appends what the store measures of itself: whole lines in the text format of Prometheus.
    fn metrics(&self, _out: &mut String) {}
}

/// A person who is kept.
pub trait Found: Send {
    /// Appends the JSON object that a reader gets.
    fn write_json(&self, out: &mut Vec<u8>);
}

impl Found for Person {
    fn write_json(&self, out: &mut Vec<u8>) {
        // A vector takes whatever is written, and texts can always be.
        let _ = serde_json::to_writer(out, self);
    }
}

/// What became of a creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Creation {
    /// The person is kept, under this identity.
    Created(Uuid),
    /// Somebody else has that `apelido`; nothing was changed.
    Duplicate,
}

/// The store could not do what it was asked for. What a client may conclude differs, so each has a status of its
/// own; the text is for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Not now: nothing was kept, and never will be. 503.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// It was sent to the database, and nobody knows (yet) whether it is kept. 504.
    #[error("outcome unknown: {0}")]
    Unknown(String),
    /// A bug, or a broken database. 500.
    #[error("failed: {0}")]
    Failed(String),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(format!("database: {error}"))
    }
}
