//! See it happen: CPU, throttling and memory of every service, and the host's troubles, every 100 ms.
//!
//! It reads the kernel's files and counters, and asks a database for its settings; which file belongs to which service it learns from the
//! [`Placement`]. It judges nothing: counters are kept as the kernel tells them.
//!
//! Its one key decision: watching must not disturb what is watched. Every file is opened once and read again from its
//! start with one system call, and all files are found below folders that the caller names (the groups' by the
//! placement, and `/proc`), so that tests hand in recorded ones.

mod database;
mod files;
mod flushes;
mod group;
mod host;
mod logs;
mod machine;
mod neighbours;
mod perf;
mod sampler;
mod witness;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use galo_record::{Event, Events, Placement, Sample};

pub use database::{DatabaseWatcher, databases};
pub use flushes::{FlushCounter, FlushMark, flushes_lack};
pub use logs::Logs;
pub use machine::machine;
use sampler::Sampler;
pub use witness::Witness;

/// Time between two samples.
pub const INTERVAL: Duration = Duration::from_millis(100);
const INTERVAL_NS: u64 = INTERVAL.as_nanos() as u64;

/// A thread that samples until it is stopped (or dropped).
#[derive(Debug)]
pub struct Watcher {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<Sample>>>,
}

/// Looks at a contender and its machine whenever it is asked to.
#[derive(Debug)]
pub struct Looks(Sampler);

impl Looks {
    /// At what runs here.
    ///
    /// # Errors
    /// As [`Watcher::start`].
    pub fn open(placement: &Placement) -> Result<Self, WatchError> {
        Sampler::open(placement, Path::new("/proc")).map(Self)
    }

    /// One look, now.
    pub fn look(&mut self) -> Sample {
        self.0.sample()
    }
}

/// Why nothing can be watched.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch: {0}")]
pub struct WatchError(pub String);

impl Watcher {
    /// Starts sampling, at once for the first time. Who listens to `events` is told what is watched, and every sample.
    ///
    /// # Errors
    /// The host tells nothing of itself (no `/proc`), or gives no thread. A group that is not there is no error: its
    /// values are 0.
    pub fn start(placement: &Placement, events: &Events) -> Result<Self, WatchError> {
        let sampler = Sampler::open(placement, Path::new("/proc"))?;
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, events) = (Arc::clone(&stop), events.clone());
        events.send(Event::Watched(Box::new(placement.clone())));
        let thread = thread::Builder::new()
            .name("galo-watch".into())
            .spawn(move || watch(sampler, &events, &stopped))
            .map_err(|e| {
                WatchError(format!("no thread: {e}\nhint: raise the limit of processes (ulimit -u)"))
            })?;
        Ok(Self { stop, thread: Some(thread) })
    }

    /// Takes one last sample and returns all, in order.
    pub fn stop(mut self) -> Vec<Sample> {
        match self.end() {
            Some(Ok(samples)) => samples,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Vec::new(),
        }
    }

    fn end(&mut self) -> Option<thread::Result<Vec<Sample>>> {
        let thread = self.thread.take()?;
        self.stop.store(true, Ordering::Release);
        thread.thread().unpark();
        Some(thread.join())
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// The thread: a sample at every multiple of [`INTERVAL`] since the first, so that a late one delays no other (those
/// that it made impossible are left out), and one at the end.
fn watch(mut sampler: Sampler, events: &Events, stop: &AtomicBool) -> Vec<Sample> {
    let mut look = || {
        let sample = sampler.sample();
        events.send(Event::Sampled(sample.clone()));
        sample
    };
    let mut samples = vec![look()];
    let mut due_ns = samples[0].at_ns + INTERVAL_NS;
    while !stop.load(Ordering::Acquire) {
        let now_ns = galo_record::clock::now_ns();
        if now_ns < due_ns {
            // Not a sleep: `stop` ends it at once, so that the last sample tells of that moment.
            thread::park_timeout(Duration::from_nanos(due_ns - now_ns));
            continue;
        }
        samples.push(look());
        due_ns = next_due(due_ns, now_ns);
    }
    samples.push(look());
    samples
}

/// The first due time after `now_ns`, which is not before `due_ns`.
const fn next_due(due_ns: u64, now_ns: u64) -> u64 {
    due_ns + ((now_ns - due_ns) / INTERVAL_NS + 1) * INTERVAL_NS
}

#[cfg(test)]
mod tests;
