//! Creations that wait for their commit.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use super::record::Draft;
use crate::store::{Creation, StoreError};

/// Most creations in one statement. Beyond some hundred a row hardly gets cheaper, and everybody waits for the last.
const BATCH_MAX: usize = 512;

/// Most creations that may wait: what a busy database commits within the time that anybody waits. Beyond it there is
/// no hope, and an early answer is a kind one.
const QUEUE_MAX: usize = 16_384;

/// Creations that were not sent yet, the oldest first.
#[derive(Default)]
pub(super) struct Queue {
    jobs: Mutex<VecDeque<Job>>,
    arrived: Notify,
}

/// Somebody to be created.
pub(super) struct Job {
    /// Who.
    pub(super) draft: Draft,
    /// Who asked.
    pub(super) waiter: Waiter,
    /// Whether it was in a batch that was refused for its data, so it is sent without company.
    pub(super) alone: bool,
}

/// A request that waits for its creation.
pub(super) struct Waiter {
    /// `None` when it has been answered.
    answer: Option<oneshot::Sender<Result<Creation, StoreError>>>,
    deadline: Instant,
}

impl Queue {
    /// Adds a creation at the end, to be answered before the deadline. What is answered is received by the second.
    pub(super) fn push(
        &self,
        draft: Draft,
        wait: Duration,
    ) -> Result<oneshot::Receiver<Result<Creation, StoreError>>, StoreError> {
        let (answer, answered) = oneshot::channel();
        let mut jobs = self.lock();
        if jobs.len() >= QUEUE_MAX {
            return Err(StoreError::Unavailable(format!("{QUEUE_MAX} creations wait already")));
        }
        let waiter = Waiter { answer: Some(answer), deadline: Instant::now() + wait };
        jobs.push_back(Job { draft, waiter, alone: false });
        self.arrived.notify_one();
        Ok(answered)
    }

    /// Puts creations that were not kept back to the front.
    pub(super) fn put_back(&self, mut jobs: Vec<Job>) {
        jobs.sort_by_key(|job| std::cmp::Reverse(job.waiter.deadline));
        let mut waiting = self.lock();
        for job in jobs {
            waiting.push_front(job);
        }
        self.arrived.notify_one();
    }

    /// The next batch. Whoever has gone (its connection was closed) is left out.
    pub(super) fn take(&self) -> Vec<Job> {
        let mut waiting = self.lock();
        let mut batch = Vec::with_capacity(waiting.len().min(BATCH_MAX));
        while batch.len() < BATCH_MAX
            && let Some(job) = waiting.pop_front()
        {
            if job.waiter.is_gone() {
                continue;
            }
            if job.alone && !batch.is_empty() {
                waiting.push_front(job);
                break;
            }
            let alone = job.alone;
            batch.push(job);
            if alone {
                break;
            }
        }
        batch
    }

    /// Returns when somebody waits.
    pub(super) async fn arrived(&self) {
        while self.lock().is_empty() {
            self.arrived.notified().await;
        }
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Removes those whose time is over. They were never sent, and never will be.
    pub(super) fn expire(&self, now: Instant) {
        let mut waiting = self.lock();
        while waiting.front().is_some_and(|job| job.waiter.deadline <= now) {
            let Some(mut job) = waiting.pop_front() else { return };
            job.waiter.answer(Err(StoreError::Unavailable("the database did not answer in time".to_owned())));
        }
    }

    /// When the next one's time is over.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.lock().front().map(|job| job.waiter.deadline)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiter {
    /// Answers, unless that has been done.
    pub(super) fn answer(&mut self, outcome: Result<Creation, StoreError>) {
        if let Some(answer) = self.answer.take() {
            // Nobody listens any more when the client has closed its connection.
            let _ = answer.send(outcome);
        }
    }

    /// Answers that nobody knows the outcome, if the time is over.
    pub(super) fn expire(&mut self, now: Instant) {
        if self.deadline <= now {
            self.answer(Err(StoreError::Unknown("sent, but not answered in time".to_owned())));
        }
    }

    /// When its time is over; `None` when it has been answered.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.answer.as_ref().map(|_| self.deadline)
    }

    /// Whether nobody waits for it any more.
    pub(super) fn is_gone(&self) -> bool {
        self.answer.as_ref().is_none_or(oneshot::Sender::is_closed)
    }
}
