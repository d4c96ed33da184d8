//! Make it happen, part two: the load engine. Drives a plan's traffic at its targets and keeps what came of it.
//!
//! It knows neither who runs behind them nor what the figures will mean.
//!
//! Its one key decision: a thread shares nothing. Each engine thread owns a share of the users (user `n` belongs to
//! thread `n mod threads`), their connections, timers, histograms and history; results are joined after the end.

mod arrivals;
mod cookies;
mod ending;
mod evidence;
mod exchange;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod gate;
mod h2;
mod io;
mod join;
mod live;
mod net;
mod os;
mod response;
mod run;
mod script;
mod seconds;
mod tally;
#[cfg(test)]
mod testing;
mod timers;
mod tls;
mod tunnel;
mod user;
mod worker;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;
use std::time::Duration;

use galo_plan::LoadPlan;
use galo_plan::model::Seen;
use galo_record::{Events, Evidence, LoadRecord, Operation, SecondLatencies, StepLatencies};

pub use exchange::{Connection, Exchanged, Fetched, Outgoing, get, get_unless};
pub use gate::Gate;
pub use io::Backend;

/// How to drive.
#[derive(Debug, Clone)]
pub struct LoadOptions {
    /// Engine threads, at least 1; fewer are started where there are fewer users (closed model) or shared connections.
    pub threads: usize,
    /// Whether to keep the history (112 bytes an operation, in memory until the end).
    pub history: bool,
    /// Whether engine threads ask to run before everything else on the machine. For traffic whose rate a plan bounds,
    /// on cores that the contender's budget may take whole: there galo would otherwise be late by the contender's
    /// doing, and overload would read as a void round.
    pub real_time: bool,
    /// Which of the kernel's interfaces to use.
    pub backend: Backend,
    /// Whether an engine thread stays awake for the last microseconds before a request falls due. Takes a core whole
    /// where the rate is high.
    pub spin: bool,
    /// After the last arrival, how long to wait for what is under way before it is counted as unfinished.
    pub drain: Duration,
    /// Set by the caller to break off; what is under way is then unfinished.
    pub stop: Arc<AtomicBool>,
    /// For the live view, about five times a second.
    pub events: Events,
    /// Where each second's latencies go, all steps together, in order and without gaps, two seconds or more after its
    /// end. With it [`LoadOutcome::latencies`] keep no seconds of their own, and memory does not grow with the length.
    pub seconds: Option<Sender<SecondLatencies>>,
    /// By what it is driven in slices; `None`: it goes on from its start to its end.
    pub gate: Option<Arc<Gate>>,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadOutcome {
    /// Its facts.
    pub load: LoadRecord,
    /// By flat step number.
    pub latencies: Vec<StepLatencies>,
    /// In the order of `done_ns`; empty if it was not wanted.
    pub history: Vec<Operation>,
    /// What their answers showed ([`Operation::seen`]).
    pub seen: Vec<Seen>,
    /// The first few of each broken rule and kind of failure.
    pub evidence: Vec<Evidence>,
}

/// Why the engine could not even begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The kernel refused something.
    #[error(
        "cannot {action}: {source}\nhint: galo needs Linux 5.11 or newer and room for threads; see `galo doctor`"
    )]
    Os {
        /// What was tried.
        action: &'static str,
        /// Why not.
        source: std::io::Error,
    },
    /// TLS cannot be set up.
    #[error("{0}")]
    Tls(String),
    /// An engine thread panicked: a bug in galo.
    #[error("an engine thread panicked (a bug in galo): {0}")]
    Panic(String),
}

/// Raises the number of files that this process may open to what it is allowed to. To be called once, before
/// anything is started: contenders inherit it, and all rounds must be alike. Sockets that do not fit all the same are
/// galo's own errors.
pub fn raise_open_files() {
    os::raise_open_files();
}

/// Drives the whole of a plan's traffic.
pub fn run(plan: &LoadPlan, options: &LoadOptions) -> Result<LoadOutcome, LoadError> {
    run::run(plan, options)
}
