//! Signals that ask galo to end.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// These signals. A hang-up is none of them where it is ignored from the beginning, as `nohup` has it.
pub(crate) fn stop_signals() -> impl Iterator<Item = i32> {
    // `SigIgn`: a bit for each signal, the first one's the lowest (proc_pid_status(5)).
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let hears_hang_up = ignored >> (SIGHUP - 1) & 1 == 0;
    [SIGINT, SIGTERM].into_iter().chain(hears_hang_up.then_some(SIGHUP))
}

/// Makes a flag that [`stop_signals`] set. The second such signal ends galo at once (the supervisor then
/// kills the contender).
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in stop_signals() {
        // Registered first, so it sees the flag only from an earlier signal.
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
            .context("cannot handle signals")?;
    }
    Ok(stop)
}

/// Whether the caller wants to stop.
pub(crate) fn stopped(stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed)
}
