//! How people are kept, as the handlers see it.

use std::fmt;
use std::future::Future;

use uuid::Uuid;

use crate::person::Person;

pub mod sqlite;

/// Most results of one search; the contest lets it stop there.
pub const SEARCH_RESULTS_MAX: u32 = 50;

/// A place that keeps people. Two instances of the API share one place, so nothing may be known to one alone.
///
/// Methods are asynchronous because a store may wait: for a group commit here, for a network elsewhere.
pub trait Store: Send + Sync + 'static {
    /// Returns when the store can do its work. The server listens only after it.
    fn ready(&self) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Keeps a person, unless there is one of the same `apelido`. After [`Creation::Created`] the person
    /// survives a crash, and is found by every instance.
    fn create(&self, person: Person) -> impl Future<Output = Result<Creation, StoreError>> + Send;

    /// The person of this id.
    fn find(&self, id: Uuid) -> impl Future<Output = Result<Option<Person>, StoreError>> + Send;

    /// People in whom `term` is contained in `apelido`, `nome` or one element of `stack`, whatever the letter
    /// case: all of them, or [`SEARCH_RESULTS_MAX`].
    fn search(&self, term: String) -> impl Future<Output = Result<Vec<Person>, StoreError>> + Send;

    /// How many people there are now.
    fn count(&self) -> impl Future<Output = Result<u64, StoreError>> + Send;
}

/// What became of a creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Creation {
    /// The person is kept.
    Created,
    /// Somebody else has that `apelido`; nothing was changed.
    Duplicate,
}

/// The store could not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreError(String);

impl StoreError {
    /// An error with a text for the log.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StoreError {}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self(format!("database: {error}"))
    }
}
