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

/// Most creations that may wait: about what an instance commits in a second when nothing else limits it. Whoever came
/// after them would wait in vain, and an early answer is a kind one.
const QUEUE_MAX: usize = 4096;

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

    /// The next batch. Whoever has gone (its connection was closed) is left out, and so is whoever's time was over before
    /// its turn came: nothing of it is kept, which could not be said once it was sent.
    pub(super) fn take(&self, now: Instant) -> Vec<Job> {
        self.expire(now);
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

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::time::Duration;

    use tokio::sync::oneshot::Receiver;
    use tokio::time::Instant;

    use super::{BATCH_MAX, QUEUE_MAX, Queue};
    use crate::person::NewPerson;
    use crate::store::postgres::record::Draft;
    use crate::store::{Creation, StoreError};

    const WAIT: Duration = Duration::from_secs(60);

    fn push(queue: &Queue, wait: Duration) -> Result<Receiver<Result<Creation, StoreError>>, StoreError> {
        let text = Cow::Borrowed("a");
        let nascimento = Cow::Borrowed("2000-01-01");
        let person = NewPerson { apelido: text.clone(), nome: text, nascimento, stack: None };
        queue.push(Draft::new(&person).unwrap(), wait)
    }

    #[test]
    fn who_comes_when_too_many_wait_is_told_at_once() {
        let queue = Queue::default();
        let waiting: Vec<_> = (0..QUEUE_MAX).map(|_| push(&queue, WAIT).unwrap()).collect();
        assert!(matches!(push(&queue, WAIT), Err(StoreError::Unavailable(_))));
        assert_eq!(queue.take(Instant::now()).len(), BATCH_MAX);
        assert!(push(&queue, WAIT).is_ok());
        drop(waiting);
    }

    #[test]
    fn who_has_gone_is_not_sent() {
        let queue = Queue::default();
        let stays = push(&queue, WAIT).unwrap();
        drop(push(&queue, WAIT));
        assert_eq!(queue.take(Instant::now()).len(), 1);
        assert!(queue.take(Instant::now()).is_empty());
        drop(stays);
    }

    #[test]
    fn whose_time_is_over_is_told_and_never_sent() {
        let queue = Queue::default();
        let begun = Instant::now();
        let mut waiting = [(); 3].map(|()| push(&queue, WAIT).unwrap());
        let late = push(&queue, 3 * WAIT).unwrap();
        queue.expire(begun);
        assert!(waiting.iter_mut().all(|answer| answer.try_recv().is_err()));
        // Also if nobody looked before its turn came, since everything stood still for a while.
        assert_eq!(queue.take(begun + 2 * WAIT).len(), 1);
        for mut answer in waiting {
            assert!(matches!(answer.try_recv(), Ok(Err(StoreError::Unavailable(_)))));
        }
        drop(late);
    }

    #[test]
    fn who_was_sent_and_not_answered_in_time_is_told_that_nobody_knows() {
        let queue = Queue::default();
        let mut answer = push(&queue, WAIT).unwrap();
        let mut batch = queue.take(Instant::now());
        batch[0].waiter.expire(Instant::now() + 2 * WAIT);
        assert!(matches!(answer.try_recv(), Ok(Err(StoreError::Unknown(_)))));
        queue.put_back(batch);
        assert!(queue.take(Instant::now()).is_empty(), "it was answered, so nobody waits for a second try");
    }

    #[test]
    fn the_suspects_of_a_refused_batch_go_alone_and_before_others() {
        let queue = Queue::default();
        let answers: Vec<_> = (0..2).map(|_| push(&queue, WAIT).unwrap()).collect();
        let mut batch = queue.take(Instant::now());
        batch.iter_mut().for_each(|job| job.alone = true);
        let more = push(&queue, WAIT).unwrap();
        queue.put_back(batch);
        assert_eq!(
            [
                queue.take(Instant::now()).len(),
                queue.take(Instant::now()).len(),
                queue.take(Instant::now()).len()
            ],
            [1, 1, 1]
        );
        drop((answers, more));
    }
}
