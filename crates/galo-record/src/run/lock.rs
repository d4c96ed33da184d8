//! Only one galo writes a run at a time.

use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::ACTS;
use crate::disk::RecordError;

/// How often the lock of a run is asked for before it is in use, and the pause between: half a second in all.
const LOCK_TRIES: u32 = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Only one galo drives a run: the lock is gone with its process. Whoever that one was just starting has it as well, for the
/// moment until it is another program; so the lock is asked for again.
pub(super) fn lock(acts: &File, run: &Path) -> Result<(), RecordError> {
    for _ in 0..LOCK_TRIES {
        match flock(acts, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(()),
            Err(Errno::WOULDBLOCK) => thread::sleep(LOCK_PAUSE),
            Err(error) => return Err(RecordError::io("lock", &run.join(ACTS), error.into())),
        }
    }
    Err(RecordError::InUse(run.to_owned()))
}
