//! What was seen of a contender's way to the disk.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How often a service had the kernel put something on the disk, by any process of it. Counted is what the file system of its volumes put
/// there, or calls of fsync, fdatasync, msync, sync_file_range, syncfs and sync, and the same asked of an io_uring.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceFlushes {
    /// Name in the Compose file.
    pub service: String,
    /// How often; `None`: that could not be counted.
    pub calls: Option<u64>,
    /// Files in its volumes that flush themselves, since it has them opened with O_SYNC or O_DSYNC, and that it wrote to.
    #[serde(default)]
    pub synchronous_files: u64,
    /// Files in its volumes that changed meanwhile; `None`: no service has a volume, or nobody looked.
    #[serde(default)]
    pub written_files: Option<u64>,
    /// Why it could not be counted, or why the number may not be all of it: the service may write through in a way that is not seen.
    pub doubt: Option<String>,
}

impl ServiceFlushes {
    /// Flushes that were seen; `None`: they could not be counted. A file that flushes itself stands for one.
    pub fn seen(&self) -> Option<u64> {
        Some(self.calls? + self.synchronous_files)
    }

    /// Whether it may have flushed more than was seen: only if something reached a file of its volumes.
    pub fn is_in_doubt(&self) -> bool {
        (self.calls.is_none() || self.doubt.is_some()) && self.written_files != Some(0)
    }
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
