//! What all threads of the process, and all tasks of a thread, know.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::task::Poll;

use crate::address::Address;
use crate::admission::Admission;
use crate::log::Log;
use crate::metrics::Metrics;
use crate::net;
use crate::options::Mode;
use crate::tls::Identity;

/// What all threads share.
pub(crate) struct Shared {
    pub(crate) mode: Mode,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) log: Log,
    pub(crate) admission: Arc<Admission>,
    pub(crate) identity: Option<Identity>,
    /// Where it listens, with the port that the system chose.
    pub(crate) bound: Address,
    /// Clients that were still there when the time to end was over.
    pub(crate) cut_off: AtomicUsize,
}

/// What is told of a tunnel once it is over.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) target: Option<String>,
    pub(crate) status: Option<u16>,
    pub(crate) up: u64,
    pub(crate) down: u64,
    pub(crate) end: &'static str,
}

thread_local! {
    static DRAINING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread was told to end.
pub(crate) fn is_draining() -> bool {
    DRAINING.get()
}

/// Has this thread end: nobody is let in any more.
pub(crate) fn drain() {
    DRAINING.set(true);
    net::wake_all();
}

/// What a future gives, or nothing as soon as the thread is to end.
pub(crate) async fn unless_draining<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending if is_draining() => Poll::Ready(None),
        Poll::Pending => Poll::Pending,
    })
    .await
}
