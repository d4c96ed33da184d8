//! The bounds of time of all connections, by one timer.
//!
//! A timer for each request would be set and cleared some hundred times for each time that it goes off. Here a
//! connection notes what it waits for and since which tick, and a look at all of them a few times a second ends those
//! that are late, by at most a tick.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::task::AbortHandle;

use crate::config::Limits;

/// The longest time between two looks.
const TICK_MAX: Duration = Duration::from_millis(250);

/// How long a client may take to notice a refusal before its connection is cut.
const LINGER_TIMEOUT: Duration = Duration::from_secs(2);

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    /// The first byte of the first request.
    First,
    /// The rest of a head.
    Head,
    /// The rest of a body.
    Body,
    /// That the client takes the answer.
    Send,
    /// That a refused client closes.
    Linger,
    /// The next request.
    Idle,
    /// The handler. It has bounds of its own, and is never cut.
    Handler,
}

/// One connection, as the watchdog sees it: the phase in the upper half, and in the lower one since which tick. In one word, so that nobody
/// ever sees a new phase with the time of the one before.
#[derive(Debug)]
pub(crate) struct Watched(AtomicU64);

impl Watched {
    fn word(phase: Phase, since: u32) -> u64 {
        u64::from(phase as u8) << 32 | u64::from(since)
    }

    /// The number of the phase, and since which tick.
    fn now(&self) -> (u8, u32) {
        let word = self.0.load(Relaxed);
        ((word >> 32) as u8, word as u32)
    }
}

/// All connections.
#[derive(Debug)]
pub(crate) struct Watchdog {
    tick: Duration,
    /// By phase, in ticks; a handler has none.
    bounds: [u32; Phase::Handler as usize],
    now: AtomicU32,
    date: Mutex<String>,
    connections: Mutex<Vec<(Arc<Watched>, AbortHandle)>>,
}

impl Watchdog {
    pub(crate) fn new(limits: &Limits) -> Self {
        let bounds = [
            limits.head_timeout,
            limits.head_timeout,
            limits.body_timeout,
            limits.send_timeout,
            LINGER_TIMEOUT,
            limits.idle_timeout,
        ];
        let shortest = bounds.into_iter().min().unwrap_or(TICK_MAX);
        let tick = (shortest / 4).clamp(Duration::from_millis(1), TICK_MAX);
        let ticks =
            |bound: Duration| u32::try_from(bound.as_nanos().div_ceil(tick.as_nanos())).unwrap_or(u32::MAX);
        Self {
            tick,
            bounds: bounds.map(ticks),
            now: AtomicU32::new(0),
            date: Mutex::new(date()),
            connections: Mutex::default(),
        }
    }

    /// A new connection.
    pub(crate) fn begin(&self) -> Arc<Watched> {
        Arc::new(Watched(AtomicU64::new(Watched::word(Phase::First, self.now.load(Relaxed)))))
    }

    /// Watches the task that serves a connection.
    pub(crate) fn watch(&self, watched: Arc<Watched>, task: AbortHandle) {
        self.connections().push((watched, task));
    }

    /// Notes what a connection waits for from now on; its time goes on where that is what it waits for already.
    pub(crate) fn enter(&self, watched: &Watched, phase: Phase) {
        if watched.now().0 != phase as u8 {
            watched.0.store(Watched::word(phase, self.now.load(Relaxed)), Relaxed);
        }
    }

    /// The date for answers, some ticks old at most, as [`httpdate`] writes it.
    pub(crate) fn with_date<T>(&self, then: impl FnOnce(&str) -> T) -> T {
        then(&self.date.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks after the connections, and calls `each_tick`; does not end.
    pub(crate) async fn run(&self, each_tick: impl Fn()) {
        loop {
            tokio::time::sleep(self.tick).await;
            self.look();
            each_tick();
        }
    }

    fn look(&self) {
        let now = self.now.load(Relaxed).wrapping_add(1);
        self.now.store(now, Relaxed);
        *self.date.lock().unwrap_or_else(PoisonError::into_inner) = date();
        self.connections().retain(|(watched, task)| {
            let (phase, since) = watched.now();
            // One more: the first tick may have come right after it began.
            if self.bounds.get(usize::from(phase)).is_some_and(|&bound| now.wrapping_sub(since) > bound) {
                task.abort();
            }
            !task.is_finished()
        });
    }

    /// Ends the connections on which no request is under way: its head has not come as a whole, or its refusal is sent.
    pub(crate) fn end_idle(&self) {
        let idle = [Phase::First, Phase::Head, Phase::Linger, Phase::Idle].map(|phase| phase as u8);
        for (watched, task) in self.connections().iter() {
            if idle.contains(&watched.now().0) {
                task.abort();
            }
        }
    }

    fn connections(&self) -> MutexGuard<'_, Vec<(Arc<Watched>, AbortHandle)>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn date() -> String {
    httpdate::fmt_http_date(SystemTime::now())
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::time::Duration;

    use super::{Phase, Watchdog};
    use crate::config::Limits;

    #[tokio::test]
    async fn a_connection_that_waits_too_long_is_ended_and_one_at_work_never() {
        let second = Duration::from_secs(1);
        let watchdog = Watchdog::new(&Limits {
            head_timeout: second,
            body_timeout: second,
            send_timeout: second,
            idle_timeout: 2 * second,
            ..Limits::default()
        });
        let phases = [Phase::First, Phase::Head, Phase::Body, Phase::Send, Phase::Idle, Phase::Handler];
        let tasks = phases.map(|phase| {
            let (watched, task) = (watchdog.begin(), tokio::spawn(pending::<()>()));
            watchdog.enter(&watched, phase);
            watchdog.watch(watched, task.abort_handle());
            task
        });
        let ended = async |ticks: usize| {
            for _ in 0..ticks {
                watchdog.look();
            }
            tokio::task::yield_now().await;
            tasks.each_ref().map(tokio::task::JoinHandle::is_finished)
        };
        // Four ticks are a second.
        assert_eq!(ended(4).await, [false; 6]);
        assert_eq!(ended(1).await, [true, true, true, true, false, false]);
        assert_eq!(ended(4).await, [true, true, true, true, true, false]);
        assert_eq!(ended(1000).await, [true, true, true, true, true, false]);
        assert_eq!(watchdog.connections().len(), 1);
        tasks[5].abort();
    }
}
