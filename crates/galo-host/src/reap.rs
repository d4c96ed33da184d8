//! The end of galo's own children.

use std::process::Child;
use std::time::{Duration, Instant};

use crate::error::HostError;

/// How long killing may take before galo gives up. A process in an uninterruptible wait (a dead disk) outlives it.
pub(crate) const KILL_WITHIN: Duration = Duration::from_secs(10);
/// Time between two looks at a process that was killed.
const LOOK: Duration = Duration::from_millis(2);

/// Kills a child of galo's by its id, wherever it is, and waits for its end, but not for ever: a process in an uninterruptible
/// wait outlives that.
///
/// # Errors
/// It still lives.
pub(crate) fn end(child: &mut Child) -> Result<(), HostError> {
    let give_up = Instant::now() + KILL_WITHIN;
    let _ = child.kill();
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() > give_up {
            let (pid, seconds) = (child.id(), KILL_WITHIN.as_secs());
            return Err(HostError::host(format!(
                "process {pid} still runs {seconds} s after it was killed\n\
                 hint: see what it waits for: cat /proc/{pid}/stack; then `galo clean`"
            )));
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}
