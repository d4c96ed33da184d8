//! The task that writes: one connection, one statement under way, and in it whatever arrived since the last one.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::Config;

use super::batch::{self, Batch, Ids, Insert};
use super::id::Id;
use super::pace::Pace;
use super::queue::Waiter;
use super::session::{Fate, OPEN_MAX, SILENCE_MAX, Session, Trouble, describe, fate};
use super::shared::{Pauses, Shared};
use crate::store::{Creation, StoreError};

/// The writing task of one instance.
pub(super) struct Writer {
    shared: Arc<Shared>,
    config: Config,
    pauses: Pauses,
    /// What was under way when the connection ended: nobody knows its outcome yet.
    lost: Option<Batch>,
}

/// A connection with a number of its own.
struct Writing {
    session: Session,
    insert: Insert,
    /// The next creation's.
    next: Id,
}

impl Writer {
    pub(super) fn new(shared: Arc<Shared>, config: Config) -> Self {
        Self { shared, config, pauses: Pauses::new("writer"), lost: None }
    }

    /// Writes for ever.
    pub(super) async fn run(mut self) {
        loop {
            let ids = self.lost.as_ref().map(Batch::ids);
            let opened = {
                let opening = open(&self.config, ids);
                expiring(&self.shared, waiters(&mut self.lost), opening).await
            };
            let trouble = match opened {
                Ok((writing, kept)) => {
                    self.pauses.connected();
                    if let (Some(lost), Some(kept)) = (self.lost.take(), kept) {
                        self.resolve(lost, &kept);
                    }
                    self.shared.stage.send_modify(|stage| stage.writes = true);
                    self.serve(writing).await
                }
                Err(trouble) => trouble,
            };
            self.shared.counters.reconnects.add(1);
            self.shared.trouble(&mut self.pauses, trouble);
            expiring(&self.shared, waiters(&mut self.lost), sleep(self.pauses.next())).await;
        }
    }

    /// Writes until there is trouble.
    async fn serve(&mut self, mut writing: Writing) -> Trouble {
        let mut pace = Pace::new(self.shared.options.batch_pause);
        loop {
            tokio::select! {
                () = writing.session.closed() => return Trouble::new("the connection was closed"),
                () = self.shared.queue.arrived() => {}
            }
            pace.wait().await;
            let now = Instant::now();
            let jobs = self.shared.queue.take(now);
            if jobs.is_empty() {
                continue;
            }
            pace.begin(now, jobs.len());
            let batch = Batch::new(writing.next, jobs);
            writing.next = Id { sequence: batch.ids().last().sequence + 1, ..writing.next };
            if let Err(trouble) = self.write(&writing, batch).await {
                return trouble;
            }
            self.pauses.reset();
        }
    }

    /// Commits a batch and answers those who wait for it.
    async fn write(&mut self, writing: &Writing, mut batch: Batch) -> Result<(), Trouble> {
        let outcome = {
            let insert = writing.insert.run(&writing.session, batch.ids(), &batch.drafts);
            expiring(&self.shared, &mut batch.waiters, timeout(SILENCE_MAX, insert)).await
        };
        let error = match outcome {
            Ok(Ok(kept)) => {
                self.finish(&mut batch, &kept);
                for waiter in &mut batch.waiters {
                    waiter.answer(Ok(Creation::Duplicate));
                }
                return Ok(());
            }
            Ok(Err(error)) => error,
            Err(_) => {
                self.lost = Some(batch);
                return Err(Trouble::new("the server says nothing"));
            }
        };
        match fate(&error) {
            Fate::Refused if batch.drafts.len() == 1 => {
                let text = format!("the database refuses this person: {}", describe(&error));
                batch.waiters[0].answer(Err(StoreError::Failed(text)));
                Ok(())
            }
            Fate::Refused => {
                self.shared.queue.put_back(batch.into_jobs(true, |_| false));
                Ok(())
            }
            Fate::Undone => {
                self.shared.queue.put_back(batch.into_jobs(false, |_| false));
                Err(error.into())
            }
            Fate::Unknown => {
                self.lost = Some(batch);
                Err(error.into())
            }
        }
    }

    /// What is known now of a batch whose connection ended: the kept are kept, the others are tried again.
    fn resolve(&self, mut lost: Batch, kept: &[bool]) {
        self.finish(&mut lost, kept);
        self.shared.queue.put_back(lost.into_jobs(false, |at| kept[at]));
    }

    /// Takes those who are kept into memory, then tells them.
    fn finish(&self, batch: &mut Batch, kept: &[bool]) {
        let ids = batch.ids();
        let mut created = 0;
        let mut state = self.shared.state();
        for (at, draft) in batch.drafts.iter().enumerate().filter(|(at, _)| kept[*at]) {
            created += 1;
            let id = ids.at(at);
            batch.waiters[at].answer(match state.people.add(id, &draft.record()) {
                Ok(_) => Ok(Creation::Created(id.uuid())),
                Err(error) => Err(StoreError::Failed(error.to_string())),
            });
        }
        state.seen.extend(ids.first, ids.last());
        let counters = &self.shared.counters;
        counters.batches.add(1);
        counters.batch_rows.add(ids.count as u64);
        counters.created.add(created);
    }
}

/// Opens a connection; and looks up what became of a batch of an earlier one, which by then can change nothing.
async fn open(config: &Config, lost: Option<Ids>) -> Result<(Writing, Option<Vec<bool>>), Trouble> {
    let silent = || Trouble::new("the server says nothing");
    let opening = async {
        let session = Session::open(config).await?;
        let next = Id { writer: session.register().await?, sequence: 1 };
        let insert = Insert::prepare(&session).await?;
        Ok::<_, Trouble>(Writing { session, insert, next })
    };
    let writing = timeout(OPEN_MAX, opening).await.map_err(|_| silent())??;
    let Some(ids) = lost else { return Ok((writing, None)) };
    let looking = async {
        writing.session.bury(ids.first.writer).await?;
        Ok::<_, Trouble>(batch::look_up(&writing.session, ids).await?)
    };
    let kept = timeout(SILENCE_MAX, looking).await.map_err(|_| silent())??;
    Ok((writing, Some(kept)))
}

fn waiters(lost: &mut Option<Batch>) -> &mut [Waiter] {
    lost.as_mut().map_or(&mut [], |batch| &mut batch.waiters)
}

/// Does `work`, and meanwhile answers those whose time is over: those in the queue that they were not kept, those under
/// way that nobody knows.
async fn expiring<T>(shared: &Shared, under_way: &mut [Waiter], work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    loop {
        let deadlines = under_way.iter().filter_map(Waiter::deadline);
        // Whoever comes later has at least the time of somebody who comes now.
        let next = deadlines.chain(shared.queue.deadline()).min();
        let next = next.unwrap_or_else(|| Instant::now() + shared.options.wait.max(Duration::from_millis(1)));
        match timeout_at(next, &mut work).await {
            Ok(done) => return done,
            Err(_) => {
                let now = Instant::now();
                Batch::expire(under_way, now);
                shared.queue.expire(now);
            }
        }
    }
}
