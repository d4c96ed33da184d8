//! Who waits until everything that was committed before is in memory.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use crate::store::StoreError;

/// Who waits for the next question.
#[derive(Default)]
pub(super) struct Askers {
    waiting: Mutex<Vec<Asker>>,
    arrived: Notify,
}

/// One of them.
pub(super) struct Asker {
    pub(super) answer: oneshot::Sender<Result<(), StoreError>>,
    pub(super) deadline: Instant,
}

impl Askers {
    /// Returns when everything that was committed before this call is in memory.
    pub(super) async fn caught_up(&self, wait: Duration) -> Result<(), StoreError> {
        let (answer, answered) = oneshot::channel();
        self.lock().push(Asker { answer, deadline: Instant::now() + wait });
        self.arrived.notify_one();
        answered.await.unwrap_or_else(|_| Err(StoreError::Unavailable("the store has stopped".to_owned())))
    }

    /// Returns when somebody waits.
    pub(super) async fn arrived(&self) {
        while self.lock().is_empty() {
            self.arrived.notified().await;
        }
    }

    /// All who wait.
    pub(super) fn take(&self) -> Vec<Asker> {
        std::mem::take(&mut *self.lock())
    }

    /// Puts those back who were not answered.
    pub(super) fn put_back(&self, mut askers: Vec<Asker>) {
        if !askers.is_empty() {
            let mut waiting = self.lock();
            askers.append(&mut waiting);
            *waiting = askers;
            self.arrived.notify_one();
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Vec<Asker>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
