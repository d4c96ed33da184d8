//! What a database said of its sessions while the load ran.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One look at a PostgreSQL: sessions of clients, galo's own not counted, and counters since its start.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DatabaseSample {
    /// When.
    pub at_ns: u64,
    /// Sessions that run a statement and wait for nothing.
    pub running: u32,
    /// Sessions that run a statement and wait, by event (`pg_stat_activity`): `IO:WALSync`, `Lock:relation`.
    pub waiting: BTreeMap<String, u32>,
    /// Sessions without a transaction.
    pub idle: u32,
    /// Sessions that hold a transaction open and ask for nothing.
    pub idle_in_transaction: u32,
    /// Transactions committed in the database.
    pub commits: u64,
    /// Rows that are deleted or replaced and not cleaned up, in all tables.
    pub dead_rows: u64,
    /// The setting `max_connections`.
    pub max_connections: u32,
    /// The statement of a session that others wait for, shortened.
    pub blocker: Option<String>,
}

impl DatabaseSample {
    /// Sessions that wait for an event (`LWLock:WALWrite`), or for any of a class (`IO`, `Lock`).
    pub fn waiting_for(&self, wanted: &str) -> u32 {
        let is_of = |event: &str| event == wanted || event.split(':').next() == Some(wanted);
        self.waiting.iter().filter(|(event, _)| is_of(event)).map(|(_, sessions)| sessions).sum()
    }

    /// Sessions that somebody uses: running, waiting, or in a transaction.
    pub fn busy(&self) -> u32 {
        self.running + self.waiting.values().sum::<u32>() + self.idle_in_transaction
    }

    /// All sessions.
    pub fn sessions(&self) -> u32 {
        self.busy() + self.idle
    }
}
