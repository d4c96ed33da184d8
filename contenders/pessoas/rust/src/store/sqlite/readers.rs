//! Threads that read, each with a connection of its own, so that a long search delays neither the event loop
//! nor a commit.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::schema;
use crate::store::StoreError;

type Job = Box<dyn FnOnce(&Connection) + Send>;

/// The reading threads and the way to them.
pub(super) struct Readers {
    // `None` only while the readers are being dropped.
    jobs: Option<mpsc::Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    /// Starts `count` threads on a file whose tables exist.
    pub(super) fn start(path: &Path, count: usize) -> Result<Self, StoreError> {
        let (jobs, waiting) = mpsc::channel::<Job>();
        let waiting = Arc::new(Mutex::new(waiting));
        let mut threads = Vec::with_capacity(count);
        for _ in 0..count {
            let connection = schema::open_reader(path)?;
            let waiting = Arc::clone(&waiting);
            let thread = thread::Builder::new()
                .name("reader".to_owned())
                .spawn(move || {
                    while let Some(job) = next(&waiting) {
                        job(&connection);
                    }
                })
                .map_err(|error| StoreError::Failed(format!("reader: cannot start its thread: {error}")))?;
            threads.push(thread);
        }
        Ok(Self { jobs: Some(jobs), threads })
    }

    /// Runs `work` on the first thread that is free.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let gone = || StoreError::Failed("reader: it has stopped".to_owned());
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // Nobody listens any more when the client has closed its connection.
            let _ = answer.send(work(connection));
        });
        self.jobs.as_ref().ok_or_else(gone)?.send(job).map_err(|_| gone())?;
        Ok(answered.await.map_err(|_| gone())??)
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // A panic there has already been printed.
            let _ = thread.join();
        }
    }
}

/// The next job; `None` when there will be no more. One idle thread waits for the channel, the others for the
/// lock.
fn next(waiting: &Mutex<mpsc::Receiver<Job>>) -> Option<Job> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}
