//! What stages work with.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use galo_host::Host;
use galo_plan::conformance::Case;
use galo_plan::{ChallengeModel, Plan};
use galo_record::{Events, RunWriter};

/// Where contenders come from.
#[derive(Clone, Copy)]
pub enum Server<'a> {
    /// The host starts and ends them.
    Hosted(&'a Host),
    /// The plan's only contender is a server that runs already, at this address.
    There(SocketAddr),
}

/// What a stage needs, and all units share.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// What is to happen.
    pub plan: &'a Plan,
    /// The challenge's own Rust.
    pub model: &'a dyn ChallengeModel,
    /// Where it is written down.
    pub writer: &'a RunWriter,
    /// Where contenders come from.
    pub server: Server<'a>,
    /// Threads of the load engine.
    pub threads: usize,
    /// Set by the caller to break off.
    pub stop: &'a Arc<AtomicBool>,
    /// For whoever watches.
    pub events: &'a Events,
    /// Cases of conformance.
    pub cases: &'a [Case],
}
