//! Files of contenders, and signals.

use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};

/// A file of a contender.
pub(crate) fn deployed(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Sends a signal to a process that may have ended.
pub(crate) fn signal(process: u32, signal: Signal) {
    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        let _ = kill_process(process, signal);
    }
}
