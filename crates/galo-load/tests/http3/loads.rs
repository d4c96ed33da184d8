//! Loads that go well.

use std::collections::{BTreeMap, BTreeSet};
use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use galo_load::{Backend, LoadOptions, LoadOutcome};
use galo_plan::LoadPlan;
use galo_plan::challenge::Connection;
use galo_plan::injection::Injection;
use galo_plan::load::{Arrivals, Pool, Spacing};

use super::server::Server;
use super::{closed, options, plan};

pub(crate) const BACKENDS: [Backend; 2] = [Backend::IoUring, Backend::Epoll];

fn burst(users: u64) -> Arrivals {
    let injection = Injection::constant(users * 20_000_000, Duration::from_millis(50));
    Arrivals::Open { injection, spacing: Spacing::Even }
}

/// Every request got its answer, and the times of each are in order.
fn all_ok(plan: &LoadPlan, backend: Backend, requests: u64) -> LoadOutcome {
    let outcome = galo_load::run(plan, &options(backend)).unwrap();
    let step = &outcome.load.steps[0];
    assert_eq!((step.ledger.intended, step.ledger.ok), (requests, requests), "{:?}", outcome.evidence);
    assert_eq!(step.statuses, BTreeMap::from([(200, requests)]));
    for o in &outcome.history {
        let times = [Some(o.intended_ns), o.sent_ns, o.first_byte_ns, Some(o.done_ns)];
        assert!(times.iter().flatten().is_sorted(), "{o:?}");
        assert!(o.sent_ns.is_some() && o.first_byte_ns.is_some(), "{o:?}");
    }
    outcome
}

#[test]
fn a_closed_load_is_answered_whoever_owns_the_connections() {
    for backend in BACKENDS {
        for (connection, expected) in
            [(Connection::Shared, 4), (Connection::PerUser, 100), (Connection::PerRequest, 100)]
        {
            let server = Server::honest(100);
            let mut plan = plan(server.address, "/", connection, closed(20, 100));
            plan.pool = Pool { connections: 4, streams: 5 };
            let outcome = all_ok(&plan, backend, 100);
            let opened = outcome.load.engine.connections;
            let own: BTreeSet<u32> = outcome.history.iter().map(|o| o.connection).collect();
            assert_eq!((opened, server.connections()), (expected, expected as usize), "{connection:?}");
            if connection != Connection::Shared {
                assert_eq!(own.len(), 100);
            }
            assert!(outcome.load.engine.received_bytes > 0 && outcome.load.engine.sent_bytes > 0);
        }
    }
}

#[test]
fn an_open_load_is_answered_on_connections_that_all_share() {
    for backend in BACKENDS {
        let server = Server::honest(100);
        let mut plan = plan(server.address, "/", Connection::Shared, burst(200));
        plan.pool = Pool { connections: 2, streams: 50 };
        assert_eq!(all_ok(&plan, backend, 200).engine.connections, 2);
    }
}

#[test]
fn requests_wait_for_a_server_that_takes_fewer_at_once_than_galo_would_send() {
    for backend in BACKENDS {
        let server = Server::honest(1);
        let mut plan = plan(server.address, "/", Connection::Shared, closed(16, 60));
        plan.pool = Pool { connections: 2, streams: 8 };
        assert_eq!(all_ok(&plan, backend, 60).engine.connections, 2);
    }
}

#[test]
fn an_answer_of_many_datagrams_arrives_whole() {
    for backend in BACKENDS {
        let server = Server::honest(100);
        let plan = plan(server.address, "/1000000", Connection::PerUser, closed(4, 12));
        assert!(all_ok(&plan, backend, 12).engine.received_bytes > 12_000_000);
    }
}

#[test]
fn the_server_is_told_of_the_end_of_every_connection() {
    for backend in BACKENDS {
        let server = Server::honest(100);
        for connection in [Connection::Shared, Connection::PerUser, Connection::PerRequest] {
            let mut plan = plan(server.address, "/", connection, closed(4, 20));
            plan.pool = Pool { connections: 2, streams: 2 };
            all_ok(&plan, backend, 20);
        }
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        while server.goodbyes() < server.connections() {
            assert!(
                std::time::Instant::now() < deadline,
                "{} of {}",
                server.goodbyes(),
                server.connections()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn what_is_lost_on_the_way_is_sent_again() {
    for backend in BACKENDS {
        let server = Server::honest(100);
        let (inside, outside) =
            (UdpSocket::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
        inside.connect(server.address).unwrap();
        let mut plan = plan(outside.local_addr().unwrap(), "/20000", Connection::Shared, closed(4, 60));
        plan.pool = Pool { connections: 1, streams: 4 };
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            // The client is the first to talk.
            let (inside, outside, over) = (&inside, &outside, &over);
            scope.spawn(move || relay(outside, inside, over));
            scope.spawn(move || relay(inside, outside, over));
            let outcome = galo_load::run(&plan, &LoadOptions { threads: 1, ..options(backend) });
            over.store(true, Ordering::Relaxed);
            assert_eq!(outcome.unwrap().steps[0].ledger.ok, 60);
        });
    }
}

/// Passes on most of what `from` receives, but not the first.
fn relay(from: &UdpSocket, to: &UdpSocket, over: &AtomicBool) {
    from.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let mut buffer = [0; 65_536];
    let mut count = 0;
    while !over.load(Ordering::Relaxed) {
        let Ok((length, sender)) = from.recv_from(&mut buffer) else { continue };
        if from.peer_addr().is_err() {
            from.connect(sender).unwrap();
        }
        count += 1;
        if count % 7 != 1 {
            // Whoever has gone needs nothing more.
            let _ = to.send(&buffer[..length]);
        }
    }
}
