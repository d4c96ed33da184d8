//! PostgreSQL, with everybody in the memory of each instance.
//!
//! - A creation is acknowledged after the commit that holds it. Whatever arrives while one commit is under way goes
//!   into the next one (`writer`, `batch`, `queue`).
//! - The database alone decides who is a duplicate, by its index on `apelido`.
//! - Reads are answered from memory (`people`, with `blocks` of text, an `index` over them, and `words` that many
//!   have in common). An instance knows its own people; for those of the others it asks the database before it
//!   answers: every id says which writer gave it and in what order (`id`), so "what is new" is a few ranges of the
//!   primary key (`seen`, `catch_up`).
//! - Nobody waits longer than a bound. An answer says what is known: kept, not kept and never will be, or unknown.
//! - Nothing is ever deleted. Whoever empties the table must restart the instances.
//!
//! What a connection costs and what its errors mean is in `session`.

use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio_postgres::Config;
use uuid::Uuid;

use crate::person::NewPerson;
use crate::store::{Creation, Found, Store, StoreError};
use catch_up::CatchUp;
use id::Id;
use people::Search;
use record::Draft;
use shared::Shared;
use writer::Writer;

mod askers;
mod batch;
mod blocks;
mod catch_up;
mod id;
mod index;
mod pace;
mod people;
mod queue;
mod record;
mod seen;
mod session;
mod shared;
mod words;
mod writer;

/// Blocks that a search reads before others get their turn: some 2 MB, which takes less than a millisecond.
const SEARCH_BLOCKS: usize = 256;

/// Bounds and pauses of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How long a request waits for the database.
    pub wait: Duration,
    /// Least time from the beginning of one commit to the next, while so many creations arrive that several will share it:
    /// a longer one makes rows cheaper, and creations later.
    pub batch_pause: Duration,
    /// Least time from the beginning of one question for news to the next. Likewise for reads.
    pub catch_up_pause: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { wait: Duration::from_secs(2), batch_pause: Duration::ZERO, catch_up_pause: Duration::ZERO }
    }
}

/// People in a PostgreSQL database.
pub struct PostgresStore {
    config: Config,
    shared: Arc<Shared>,
    /// The writing and the reading task; none before the first call of `ready`.
    tasks: Mutex<Vec<AbortHandle>>,
}

/// A person as JSON, as it was written once for all readers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document(Vec<u8>);

impl PostgresStore {
    /// A store on the database that a URL names (`postgres://user@host/database`, or `?host=/folder` for a Unix
    /// socket). Nothing happens before [`Store::ready`], which must be called on the runtime that is to run it.
    ///
    /// # Errors
    /// The text is no such URL.
    pub fn new(url: &str, options: Options) -> Result<Self, StoreError> {
        let config = Config::from_str(url).map_err(|error| {
            StoreError::Failed(format!(
                "database URL: {error}\nhint: write it as postgres://user@localhost/database?host=/run/postgresql"
            ))
        })?;
        Ok(Self { config, shared: Arc::new(Shared::new(options)), tasks: Mutex::default() })
    }

    fn start(&self) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        if tasks.is_empty() {
            let writer = Writer::new(Arc::clone(&self.shared), self.config.clone());
            let catch_up = CatchUp::new(Arc::clone(&self.shared), self.config.clone());
            tasks.push(tokio::spawn(writer.run()).abort_handle());
            tasks.push(tokio::spawn(catch_up.run()).abort_handle());
        }
    }

    /// Returns when everything that was committed before this call is in memory.
    async fn caught_up(&self) -> Result<(), StoreError> {
        self.shared.askers.caught_up(self.shared.options.wait).await
    }

    fn known(&self, id: Id) -> Option<Document> {
        self.shared.state().people.document(id).map(|json| Document(json.to_vec()))
    }
}

impl Store for PostgresStore {
    type Found = Document;

    async fn ready(&self) -> Result<(), StoreError> {
        self.start();
        let mut stages = self.shared.stage.subscribe();
        let stopped = || StoreError::Failed("the store has stopped".to_owned());
        let done = |stage: &shared::Stage| stage.refused.is_some() || (stage.writes && stage.loaded);
        let refused = stages.wait_for(done).await.map_err(|_| stopped())?.refused.clone();
        match refused {
            Some(error) => Err(error),
            None => self.caught_up().await,
        }
    }

    async fn create(&self, person: NewPerson<'_>) -> Result<Creation, StoreError> {
        // Whoever is in memory is in the database, and nobody is ever deleted.
        if self.shared.state().people.has(&person.apelido) {
            return Ok(Creation::Duplicate);
        }
        let draft = Draft::new(&person)
            .ok_or_else(|| StoreError::Failed(format!("`{}` is no date", person.nascimento)))?;
        drop(person);
        let answered = self.shared.queue.push(draft, self.shared.options.wait)?;
        let stopped = |_| Err(StoreError::Unknown("the store has stopped".to_owned()));
        answered.await.unwrap_or_else(stopped)
    }

    async fn find(&self, id: Uuid) -> Result<Option<Document>, StoreError> {
        let Some(id) = Id::from_uuid(id) else { return Ok(None) };
        if let Some(document) = self.known(id) {
            return Ok(Some(document));
        }
        if self.shared.state().seen.covers(id) {
            return Ok(None);
        }
        self.caught_up().await?;
        Ok(self.known(id))
    }

    async fn search(&self, term: String) -> Result<Vec<Document>, StoreError> {
        self.caught_up().await?;
        let mut search = Search::new(&term);
        while !self.shared.state().people.search(&mut search, SEARCH_BLOCKS) {
            tokio::task::yield_now().await;
        }
        Ok(search.into_found().into_iter().map(Document).collect())
    }

    async fn count(&self) -> Result<u64, StoreError> {
        self.caught_up().await?;
        Ok(self.shared.state().people.count() as u64)
    }

    fn metrics(&self, out: &mut String) {
        self.shared.metrics(out);
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        for task in self.tasks.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            task.abort();
        }
    }
}

impl Document {
    /// The JSON object.
    #[must_use]
    pub fn json(&self) -> &[u8] {
        &self.0
    }
}

impl Found for Document {
    fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }
}
