//! What the requests and the two tasks of a store share.

use std::fmt::{Display, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::Options;
use super::askers::Askers;
use super::people::People;
use super::queue::Queue;
use super::seen::Seen;
use super::session::Trouble;
use crate::log::{self, Level};
use crate::store::StoreError;

/// Between two tries to connect, at first and at last.
const PAUSE_MIN: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_millis(500);

/// For a server to be there when this starts. One that says that it is not ready yet is waited for, and so is reading
/// everybody.
const SERVER_WAIT: Duration = Duration::from_secs(30);

/// Everything that several of them touch. The runtime has one thread, so the lock is there for the compiler's peace;
/// it is never held while anything waits.
pub(super) struct Shared {
    state: Mutex<State>,
    /// Creations that wait.
    pub(super) queue: Queue,
    /// Reads that wait.
    pub(super) askers: Askers,
    /// What is told by the metrics.
    pub(super) counters: Counters,
    /// How far the start is.
    pub(super) stage: watch::Sender<Stage>,
    /// Bounds and pauses.
    pub(super) options: Options,
}

/// What is known of the database.
#[derive(Default)]
pub(super) struct State {
    /// Everybody.
    pub(super) people: People,
    /// Up to where.
    pub(super) seen: Seen,
}

/// How far the start is.
#[derive(Debug, Clone, Default)]
pub(super) struct Stage {
    /// The writer has its number.
    pub(super) writes: bool,
    /// Everybody is in memory.
    pub(super) loaded: bool,
    /// It makes no sense to go on.
    pub(super) refused: Option<StoreError>,
}

/// Pauses between tries that grow, and what was said of the trouble.
pub(super) struct Pauses {
    task: &'static str,
    next: Duration,
    told: bool,
    /// Since when there is no server.
    alone_since: Option<Instant>,
}

/// A number that only grows.
#[derive(Default)]
pub(super) struct Counter(AtomicU64);

/// What happened since the start.
#[derive(Default)]
pub(super) struct Counters {
    pub(super) batches: Counter,
    pub(super) batch_rows: Counter,
    pub(super) created: Counter,
    pub(super) catch_ups: Counter,
    pub(super) caught_up_rows: Counter,
    pub(super) reconnects: Counter,
}

impl Shared {
    pub(super) fn new(options: Options) -> Self {
        Self {
            state: Mutex::default(),
            queue: Queue::default(),
            askers: Askers::default(),
            counters: Counters::default(),
            stage: watch::Sender::default(),
            options,
        }
    }

    /// What is known. Not to be held while waiting.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells trouble, the first of a row; and before the store was ready for the first time gives up where trying again
    /// would change nothing, or there was no server for too long.
    pub(super) fn trouble(&self, pauses: &mut Pauses, trouble: Trouble) {
        if !pauses.told {
            pauses.told = true;
            tell(pauses.task, &trouble);
        }
        let alone = pauses.alone(&trouble);
        let starts = !(self.stage.borrow().loaded && self.stage.borrow().writes);
        let refused = if trouble.permanent {
            Some(trouble.into())
        } else if alone >= SERVER_WAIT {
            Some(trouble.of_nobody(SERVER_WAIT))
        } else {
            None
        };
        if starts && refused.is_some() {
            self.stage.send_modify(|stage| stage.refused = refused);
        }
    }

    /// Appends Prometheus lines.
    pub(super) fn metrics(&self, out: &mut String) {
        let (people, footprint) = {
            let state = self.state();
            (state.people.count(), state.people.footprint())
        };
        let counters = &self.counters;
        for (name, help, kind, value) in [
            ("people", "People in memory.", "gauge", people as u64),
            ("queue_length", "Creations that wait to be sent.", "gauge", self.queue.len() as u64),
            ("batches_total", "Statements that committed creations.", "counter", counters.batches.get()),
            ("batch_rows_total", "Creations in these.", "counter", counters.batch_rows.get()),
            ("created_total", "Of these the kept.", "counter", counters.created.get()),
            ("catch_ups_total", "Questions for what is new.", "counter", counters.catch_ups.get()),
            ("caught_up_rows_total", "Rows that came back.", "counter", counters.caught_up_rows.get()),
            ("reconnects_total", "Connections lost or refused.", "counter", counters.reconnects.get()),
        ] {
            // A string takes whatever is written.
            let _ = writeln!(
                out,
                "# HELP pessoas_{name} {help}\n# TYPE pessoas_{name} {kind}\npessoas_{name} {value}"
            );
        }
        out.push_str("# HELP pessoas_memory_bytes Memory of people, by part.\n");
        out.push_str("# TYPE pessoas_memory_bytes gauge\n");
        for (part, bytes) in [
            ("documents", footprint.documents),
            ("haystacks", footprint.haystacks),
            ("index", footprint.index),
            ("tables", footprint.tables),
        ] {
            let _ = writeln!(out, "pessoas_memory_bytes{{part=\"{part}\"}} {bytes}");
        }
    }
}

impl Pauses {
    pub(super) fn new(task: &'static str) -> Self {
        Self { task, next: PAUSE_MIN, told: false, alone_since: None }
    }

    /// There is a server.
    pub(super) fn connected(&mut self) {
        self.alone_since = None;
    }

    /// How long there has been no server, by the latest trouble.
    fn alone(&mut self, trouble: &Trouble) -> Duration {
        if trouble.is_answer {
            self.connected();
            return Duration::ZERO;
        }
        self.alone_since.get_or_insert_with(Instant::now).elapsed()
    }

    /// The next pause, twice the one before.
    pub(super) fn next(&mut self) -> Duration {
        let next = self.next;
        self.next = (next * 2).min(PAUSE_MAX);
        next
    }

    /// It works again.
    pub(super) fn reset(&mut self) {
        if self.told {
            tell(self.task, &"it works again");
        }
        *self = Self::new(self.task);
    }
}

/// Tells what happened to a task.
pub(super) fn tell(task: &str, what: &dyn Display) {
    log::write(Level::Warn, "database", &[("task", &task), ("what", what)]);
}

impl Counter {
    pub(super) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
