//! What was seen of a contender's way to the disk.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How often a service asked the kernel to put something on the disk while the load ran: calls of fsync, fdatasync,
/// msync, sync_file_range, syncfs and sync, by any process of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceFlushes {
    /// Name in the Compose file.
    pub service: String,
    /// Calls; `None`: they could not be counted.
    pub calls: Option<u64>,
    /// Why they could not be counted, or why the number may not be all of it: the service writes through in a way
    /// that needs no such call (files opened with O_SYNC or O_DSYNC, io_uring).
    pub doubt: Option<String>,
}

/// What a service's database says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatabaseSettings {
    /// The service whose environment led to it.
    pub service: String,
    /// E.g. `PostgreSQL`.
    pub system: String,
    /// `host:port`.
    pub address: String,
    /// By name, as the database writes them; empty where it did not answer.
    pub settings: BTreeMap<String, String>,
    /// Why it told nothing.
    pub error: Option<String>,
}
