//! Waiting for a time.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::future::Future;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use super::clock::now_ns;
use super::task::{self, TaskId};

/// Times are rounded up to this, so that many fall together.
const STEP_NS: u64 = 1_000_000;

/// When, which one (many fall together), and for whom.
type Entry = (u64, u64, TaskId);

thread_local! {
    static DUE: RefCell<BTreeSet<Entry>> = const { RefCell::new(BTreeSet::new()) };
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// Wakes its task for a time that it waits for; forgotten when it is dropped. One that is used again and again costs next to nothing:
/// what it is set to wakes the task once too early, and is set anew only then.
#[derive(Default)]
pub(crate) struct Alarm {
    entry: Option<Entry>,
}

impl Alarm {
    /// Whether the time has come.
    fn poll(&mut self, at_ns: u64) -> Poll<()> {
        if at_ns <= now_ns() {
            return Poll::Ready(());
        }
        let (at_ns, task) = (at_ns.next_multiple_of(STEP_NS), task::this_task());
        let is_set = self
            .entry
            .is_some_and(|(set_ns, _, whose)| whose == task && set_ns <= at_ns && set_ns > now_ns());
        if !is_set {
            self.forget();
            let entry = (at_ns, NEXT.replace(NEXT.get() + 1), task);
            DUE.with_borrow_mut(|due| due.insert(entry));
            self.entry = Some(entry);
        }
        Poll::Pending
    }

    fn forget(&mut self) {
        if let Some(entry) = self.entry.take() {
            // At the end of its thread there is nothing to forget.
            let _ = DUE.try_with(|due| due.borrow_mut().remove(&entry));
        }
    }

    /// What a future gives, or nothing if it has not ended by then.
    pub(crate) async fn timeout<T>(&mut self, until_ns: u64, future: impl Future<Output = T>) -> Option<T> {
        self.timeout_at(&Cell::new(until_ns), future).await
    }

    /// The same, with a time that may be moved meanwhile.
    pub(crate) async fn timeout_at<T>(
        &mut self,
        until_ns: &Cell<u64>,
        future: impl Future<Output = T>,
    ) -> Option<T> {
        let mut future = pin!(future);
        std::future::poll_fn(|context| match future.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => self.poll(until_ns.get()).map(|()| None),
        })
        .await
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.forget();
    }
}

/// When the next is due, on the clock of [`now_ns`].
pub(super) fn next_ns() -> Option<u64> {
    DUE.with_borrow(|due| due.first().map(|&(at_ns, ..)| at_ns))
}

/// A task whose time has come.
pub(super) fn pop(now_ns: u64) -> Option<TaskId> {
    DUE.with_borrow_mut(|due| {
        let &(at_ns, ..) = due.first()?;
        (at_ns <= now_ns).then(|| due.pop_first())?.map(|(.., task)| task)
    })
}

/// This far from now, on the clock of [`now_ns`].
pub(crate) fn deadline_in(wait: Duration) -> u64 {
    now_ns().saturating_add(u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX / 2))
}

/// Until then.
pub(crate) async fn sleep(until_ns: u64) {
    timeout(until_ns, std::future::pending::<()>()).await;
}

/// What a future gives, or nothing if it has not ended by then.
pub(crate) async fn timeout<T>(until_ns: u64, future: impl Future<Output = T>) -> Option<T> {
    Alarm::default().timeout(until_ns, future).await
}
