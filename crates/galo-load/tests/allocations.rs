//! What the engine takes from the heap: nothing for a request, little for a connection. Alone in its process, because
//! every allocation of the engine's threads is counted.

#![allow(
    clippy::unwrap_used,
    reason = "what a test sets up itself; clippy takes only the test functions for tests"
)]

#[path = "allocations/counting.rs"]
mod counting;
#[path = "allocations/servers.rs"]
mod servers;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use galo_load::{Backend, LoadOptions, LoadOutcome};
use galo_plan::LoadPlan;
use galo_plan::challenge::{Connection, Step};
use galo_plan::load::{Arrivals, Pool, Protocol, Target};
use galo_record::Events;

/// The counters are the process's: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn plan(arrivals: Arrivals, target: Target, connection: Connection) -> LoadPlan {
    LoadPlan::repeating(Step::plain("GET", "/thing"), connection, Duration::from_secs(60), arrivals, target)
}

fn options(backend: Backend) -> LoadOptions {
    LoadOptions {
        threads: 1,
        history: false,
        real_time: false,
        backend,
        spin: false,
        drain: Duration::ZERO,
        stop: Arc::new(AtomicBool::new(false)),
        events: Events::none(),
        // Seconds that are kept would grow with the length, which differs.
        seconds: Some(std::sync::mpsc::channel().0),
        gate: None,
    }
}

/// Allocations of the engine's threads for so many requests of 64 users, and how many seconds they took.
fn allocations(requests: u64, protocol: Protocol, backend: Backend) -> (u64, u64) {
    let server = match protocol {
        Protocol::Http2 => servers::http2(),
        _ => servers::http1(),
    };
    let arrivals = Arrivals::Closed { users: 64, total: Some(requests), duration_ns: None };
    let mut plan = plan(arrivals, Target::plain(server), Connection::Shared);
    plan.transport.protocol = protocol;
    plan.pool = match protocol {
        Protocol::Http2 => Pool { connections: 4, streams: 16 },
        _ => Pool { connections: 64, streams: 1 },
    };
    let before = counting::allocations();
    let outcome: LoadOutcome = galo_load::run(&plan, &options(backend)).unwrap();
    assert_eq!(outcome.load.steps[0].ledger.ok, requests, "{:?}", outcome.evidence.first());
    let seconds = (outcome.load.ended_ns - outcome.load.started_ns) / 1_000_000_000;
    (counting::allocations() - before, seconds)
}

#[test]
fn a_request_allocates_nothing() {
    let _alone = ALONE.lock().unwrap();
    for protocol in [Protocol::Http1, Protocol::Http2] {
        for backend in [Backend::IoUring, Backend::Epoll] {
            let (few, _) = allocations(20_000, protocol, backend);
            let (many, seconds) = allocations(200_000, protocol, backend);
            println!("{protocol:?} {backend:?}: {few} for 20,000, {many} for 200,000 in {seconds} s");
            assert!(few > 0, "nothing is counted");
            // Each second's histograms are taken out of the open ones when it ends.
            let bound = few + 100 + 30 * seconds;
            assert!(many <= bound, "{protocol:?} {backend:?}: {many} > {bound}");
        }
    }
}

#[test]
fn an_open_connection_takes_less_than_10_kb() {
    let _alone = ALONE.lock().unwrap();
    galo_load::raise_open_files();
    for backend in [Backend::IoUring, Backend::Epoll] {
        let [one, all] = [1, 2_000].map(|connections| heap_with(connections, backend));
        let each = (all - one) / 1_999;
        println!("{backend:?}: {one} bytes with one connection, {each} for each other");
        assert!(each < 10_000, "{backend:?}: {each} bytes");
        assert!(each > 100, "nothing is counted");
    }
}

/// Live bytes of the engine's threads while so many users hold a connection, had an answer, and wait for another.
fn heap_with(connections: u32, backend: Backend) -> i64 {
    let server = servers::silent(connections as usize);
    let arrivals = Arrivals::Closed { users: connections, total: None, duration_ns: Some(u64::MAX / 4) };
    let mut plan = plan(arrivals, Target::plain(server.address), Connection::PerUser);
    let again = plan.scenarios[0].steps[0].clone();
    plan.scenarios[0].steps.push(again);
    let options = options(backend);
    let before = counting::live_bytes();
    std::thread::scope(|scope| {
        let load = scope.spawn(|| galo_load::run(&plan, &options).unwrap());
        server.all_asked.recv().unwrap();
        let live = counting::live_bytes() - before;
        options.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        let steps = load.join().unwrap().load.steps;
        let users = u64::from(connections);
        assert_eq!((steps[0].ledger.ok, steps[1].ledger.unfinished), (users, users), "{steps:?}");
        live
    })
}
