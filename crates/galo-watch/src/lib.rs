//! See it happen: CPU, throttling and memory of every service, and the host's troubles, every 100 ms.
//!
//! It reads the kernel's files and nothing else; which file belongs to which service it learns from the
//! [`Placement`]. Its one key decision: all files are found below two folders that the caller names
//! (`/proc` and the groups'), so that tests hand in recorded ones.

use std::path::Path;
use std::time::Duration;

use galo_record::{Machine, Placement, Sample};

/// Time between two samples.
pub const INTERVAL: Duration = Duration::from_millis(100);

/// A thread that samples until it is stopped.
#[derive(Debug)]
pub struct Watcher {}

/// Why nothing can be watched.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch: {0}")]
pub struct WatchError(pub String);

impl Watcher {
    /// Starts sampling.
    pub fn start(_placement: &Placement) -> Result<Self, WatchError> {
        todo!()
    }

    /// Takes one last sample and returns all, in order.
    pub fn stop(self) -> Vec<Sample> {
        todo!()
    }
}

/// Looks at the machine. `root` is `/` but in tests.
pub fn machine(_root: &Path) -> Machine {
    todo!()
}
