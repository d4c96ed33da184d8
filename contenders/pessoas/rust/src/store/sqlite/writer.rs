//! Group commit: one thread of each instance writes, and one fsync serves all creations that waited for it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use super::schema::{self, Flush};
use crate::log::{self, Level};
use crate::person::Person;
use crate::store::{Creation, StoreError};

/// Most creations in one transaction. It bounds how long the last one waits for the work of the others.
const BATCH_MAX: usize = 256;

/// Creations that may wait; further ones wait in their handlers.
const WAITING_MAX: usize = 4096;

struct Job {
    person: Person,
    answer: oneshot::Sender<Result<Creation, StoreError>>,
}

/// The writing thread and the way to it.
pub(super) struct Writer {
    // Both are `None` only while the writer is being dropped.
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Opens the file, makes the tables, and starts the thread.
    pub(super) fn start(path: &Path, flush: Flush) -> Result<Self, StoreError> {
        let lock = WriteLock::open(path)?;
        let connection = lock.hold(|| schema::open_writer(path, flush).map_err(StoreError::from))?;
        let (jobs, waiting) = mpsc::channel(WAITING_MAX);
        let thread = thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || write(connection, &lock, waiting))
            .map_err(|error| StoreError::Failed(format!("writer: cannot start its thread: {error}")))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Returns after the commit that holds the person.
    pub(super) async fn create(&self, person: Person) -> Result<Creation, StoreError> {
        let gone = || StoreError::Failed("writer: it has stopped".to_owned());
        let (answer, answered) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or_else(gone)?;
        jobs.send(Job { person, answer }).await.map_err(|_| gone())?;
        answered
            .await
            .map_err(|_| StoreError::Unknown("writer: it stopped before it said what it did".to_owned()))?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Without a sender the thread ends when it has written what waits.
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic there has already been printed, and its creations answered with an error.
            let _ = thread.join();
        }
    }
}

/// The thread: as long as there are senders, takes what waits and writes it.
fn write(mut connection: Connection, lock: &WriteLock, mut waiting: mpsc::Receiver<Job>) {
    let mut batch = Vec::with_capacity(BATCH_MAX);
    while let Some(first) = waiting.blocking_recv() {
        batch.push(first);
        let outcome = lock.hold(|| {
            // Taken only now: whatever came while the other instance held the lock goes into this commit too.
            while batch.len() < BATCH_MAX
                && let Ok(job) = waiting.try_recv()
            {
                batch.push(job);
            }
            commit(&mut connection, &batch).map_err(StoreError::from)
        });
        answer(&mut batch, outcome);
    }
}

/// Writes a batch in one transaction: all of it is durable, or none.
fn commit(connection: &mut Connection, batch: &[Job]) -> rusqlite::Result<Vec<Creation>> {
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let creations =
        batch.iter().map(|job| schema::insert(&transaction, &job.person)).collect::<Result<_, _>>()?;
    transaction.commit()?;
    Ok(creations)
}

/// Tells everybody. Somebody who no longer listens has closed the connection; the person is kept all the
/// same.
fn answer(batch: &mut Vec<Job>, outcome: Result<Vec<Creation>, StoreError>) {
    match outcome {
        Ok(creations) => {
            for (job, creation) in batch.drain(..).zip(creations) {
                let _ = job.answer.send(Ok(creation));
            }
        }
        Err(error) => {
            for job in batch.drain(..) {
                let _ = job.answer.send(Err(error.clone()));
            }
        }
    }
}

/// A file beside the database that instances lock around their write transactions. SQLite's own way to wait
/// for the other writer is to sleep for 1, 2, 5 and more milliseconds and ask again; this one wakes at once.
struct WriteLock {
    file: File,
}

impl WriteLock {
    fn open(database: &Path) -> Result<Self, StoreError> {
        let mut path = database.as_os_str().to_owned();
        path.push(".writer-lock");
        let path = PathBuf::from(path);
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| {
            let path = path.display();
            StoreError::Failed(format!(
                "lock file `{path}`: {error}\nhint: DATABASE names a file in a writable folder"
            ))
        })?;
        Ok(Self { file })
    }

    /// Does `work` while no other instance writes.
    fn hold<T>(&self, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.file.lock().map_err(|error| StoreError::Failed(format!("lock file: {error}")))?;
        let result = work();
        if let Err(error) = self.file.unlock() {
            // What was committed stays committed, so its callers must hear that and not this.
            log::write(Level::Error, "lock file cannot be unlocked", &[("error", &error)]);
        }
        result
    }
}
