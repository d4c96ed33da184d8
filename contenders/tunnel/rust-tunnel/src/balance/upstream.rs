//! An upstream, and each thread's connections to it.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::address::Address;
use crate::dial::{NotConnected, dial_any};
use crate::net::{Stream, Wake, deadline_in, now_ns};
use crate::resolve::Resolver;

/// Bytes that one read brings within a body.
pub(super) const BODY_READ_BYTES: u32 = 16 * 1024;
/// After a connection could not be made, others are preferred for so long.
const PAUSE: Duration = Duration::from_secs(1);
/// A connection that had nothing to do for longer may be about to be closed by the other side.
const KEPT_NS: u64 = 4_000_000_000;

/// All threads' knowledge of it.
#[derive(Debug)]
pub(crate) struct Upstream {
    pub(crate) address: Address,
    /// What it said of itself, where it is asked.
    answers: AtomicBool,
    /// Until then nobody expects a connection to be taken.
    refuses_until_ns: AtomicU64,
}

impl Upstream {
    pub(super) fn new(address: Address) -> Self {
        Self { address, answers: AtomicBool::new(true), refuses_until_ns: AtomicU64::new(0) }
    }

    pub(super) fn is_well(&self, now_ns: u64) -> bool {
        self.answers.load(Ordering::Relaxed) && self.refuses_until_ns.load(Ordering::Relaxed) <= now_ns
    }

    /// What it said of itself.
    pub(super) fn note(&self, answers: bool) {
        self.answers.store(answers, Ordering::Relaxed);
    }
}

/// One thread's connections to an upstream.
pub(super) struct Link {
    pub(super) upstream: Arc<Upstream>,
    resolver: Option<Arc<Resolver>>,
    wake: Arc<Wake>,
    /// With the time since when each has nothing to do. The last is the next: it is the least likely to be closed meanwhile.
    kept: RefCell<Vec<(u64, Stream)>>,
}

impl Link {
    pub(super) fn new(upstream: Arc<Upstream>, resolver: Option<Arc<Resolver>>, wake: Arc<Wake>) -> Self {
        Self { upstream, resolver, wake, kept: RefCell::default() }
    }

    /// One that was used before, if there is any that seems fine.
    pub(super) fn take_kept(&self) -> Option<Stream> {
        let since = now_ns().saturating_sub(KEPT_NS);
        let mut kept = self.kept.borrow_mut();
        while let Some((at_ns, stream)) = kept.pop() {
            if at_ns >= since && stream.is_quiet() {
                return Some(stream);
            }
        }
        None
    }

    /// A new one.
    pub(super) async fn connect(&self, within: Duration) -> Result<Stream, NotConnected> {
        let connected = dial_any(&self.upstream.address, within, self.resolver.as_ref(), &self.wake).await;
        let until_ns = if connected.is_ok() { 0 } else { deadline_in(PAUSE) };
        if self.upstream.refuses_until_ns.load(Ordering::Relaxed) != until_ns {
            self.upstream.refuses_until_ns.store(until_ns, Ordering::Relaxed);
        }
        connected.inspect(|stream| stream.read_at_most(BODY_READ_BYTES))
    }

    /// Keeps one for the next request; no more than so many.
    pub(super) fn keep(&self, stream: Stream, most: usize) {
        let mut kept = self.kept.borrow_mut();
        let since = now_ns().saturating_sub(KEPT_NS);
        if kept.first().is_some_and(|(at_ns, _)| *at_ns < since) {
            kept.remove(0);
        }
        if kept.len() < most && stream.is_quiet() {
            stream.rest();
            kept.push((now_ns(), stream));
        }
    }
}
