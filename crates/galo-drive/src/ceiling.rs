//! What the load engine reaches on this machine, against a server that does nothing.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use galo_load::{Backend, LoadError, LoadOptions};
use galo_plan::challenge::{Connection, Step};
use galo_plan::load::{Arrivals, Pool, Spacing, Target};
use galo_plan::{Injection, LoadPlan};
use galo_record::{Events, LoadRecord};

/// Connections of each load.
pub const CALIBRATION_CONNECTIONS: u32 = 64;
/// How long [`ceiling`] takes.
pub const CALIBRATION_S: u64 = 2 * LENGTH.as_secs();
/// Of each of its two loads.
const LENGTH: Duration = Duration::from_secs(3);
/// Share of what a closed loop reaches at which lag is measured.
const SHARE: f64 = 0.5;
/// Between the end of the arrivals and the end of a load.
const DRAIN: Duration = Duration::from_secs(2);

/// What one thread reaches by one of the kernel's interfaces.
#[derive(Debug, Clone, Copy)]
pub struct Ceiling {
    /// Right answers per second of a closed loop.
    pub per_s: f64,
    /// The engine's CPU for each, in microseconds.
    pub cpu_us: f64,
    /// Right answers per second where half as many were due.
    pub half_per_s: f64,
    /// galo's lag there, p50 and p99, in microseconds.
    pub lag_us: [f64; 2],
}

/// As fast as it goes, and then at half of that.
///
/// # Errors
/// What keeps the engine from driving it. Where nothing was answered all figures are 0.
pub fn ceiling(server: SocketAddr, backend: Backend, stop: &Arc<AtomicBool>) -> Result<Ceiling, LoadError> {
    let duration_ns = Some(LENGTH.as_nanos() as u64);
    let users = Arrivals::Closed { users: CALIBRATION_CONNECTIONS, total: None, duration_ns };
    let closed = drive(server, users, backend, stop)?;
    let per_s = right_per_s(&closed);
    if per_s == 0.0 {
        return Ok(Ceiling { per_s, cpu_us: 0.0, half_per_s: 0.0, lag_us: [0.0; 2] });
    }
    let injection = Injection::constant((per_s * SHARE * 1e6) as u64, LENGTH);
    let open = drive(server, Arrivals::Open { injection, spacing: Spacing::Even }, backend, stop)?;
    let right = closed.total().ledger.ok.max(1) as f64;
    Ok(Ceiling {
        per_s,
        cpu_us: closed.engine.cpu_ns as f64 / 1e3 / right,
        half_per_s: right_per_s(&open),
        lag_us: [open.engine.lag_us_p50, open.engine.lag_us_p99],
    })
}

fn drive(
    server: SocketAddr,
    arrivals: Arrivals,
    backend: Backend,
    stop: &Arc<AtomicBool>,
) -> Result<LoadRecord, LoadError> {
    let mut plan = LoadPlan::repeating(
        Step::plain("GET", "/"),
        Connection::Shared,
        DRAIN,
        arrivals,
        Target::plain(server),
    );
    plan.pool = Pool { connections: CALIBRATION_CONNECTIONS, streams: 1 };
    let options = LoadOptions {
        threads: 1,
        history: false,
        real_time: false,
        backend,
        spin: false,
        drain: DRAIN,
        stop: Arc::clone(stop),
        events: Events::none(),
        seconds: None,
        gate: None,
    };
    Ok(galo_load::run(&plan, &options)?.load)
}

fn right_per_s(load: &LoadRecord) -> f64 {
    load.total().ledger.ok as f64 * 1e9 / load.elapsed_ns().max(1) as f64
}
