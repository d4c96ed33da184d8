//! Servers that are wrong, silent or gone.

use std::net::UdpSocket;
use std::time::Duration;

use galo_load::{Backend, LoadOptions, LoadOutcome};
use galo_plan::challenge::Connection;
use galo_plan::load::{Arrivals, Pool};
use quinn::VarInt;

use super::loads::BACKENDS;
use super::server::Server;
use super::{closed, options, plan};

/// 20 requests to a server; all books add up.
fn run(server: &Server, backend: Backend, connection: Connection) -> LoadOutcome {
    let mut plan = plan(server.address, "/", connection, closed(5, 20));
    plan.pool = Pool { connections: 2, streams: 10 };
    let outcome = galo_load::run(&plan, &options(backend)).unwrap();
    let ledger = outcome.load.steps[0].ledger;
    assert!(ledger.adds_up() && ledger.intended == 20, "{ledger:?}");
    outcome
}

fn assert_all_failed(outcome: &LoadOutcome, kind: &str) {
    let step = &outcome.load.steps[0];
    assert_eq!(step.ledger.failed, 20, "{step:?}");
    assert!(step.errors.keys().all(|told| told == kind), "{:?}", step.errors);
}

#[test]
fn a_stream_that_is_no_http_3_fails_its_request() {
    for backend in BACKENDS {
        let server = Server::start(100, |connection| async move {
            while let Ok((mut send, mut receive)) = connection.accept_bi().await {
                let _ = receive.read_to_end(100_000).await;
                let _ = send.finish();
            }
        });
        for connection in [Connection::Shared, Connection::PerUser] {
            assert_all_failed(&run(&server, backend, connection), "closed before the end of the answer");
        }
    }
}

#[test]
fn a_request_that_the_server_rejects_is_sent_again_once() {
    for backend in BACKENDS {
        let server = Server::start(100, |connection| async move {
            while let Ok((mut send, _)) = connection.accept_bi().await {
                let _ = send.reset(VarInt::from_u32(0x10b));
            }
        });
        let outcome = run(&server, backend, Connection::Shared);
        assert_all_failed(&outcome, "stream reset: H3_REQUEST_REJECTED");
        assert_eq!(outcome.load.engine.retries, 20);
    }
}

#[test]
fn a_connection_that_the_server_ends_fails_its_requests() {
    for backend in BACKENDS {
        let server = Server::start(100, |connection| async move {
            let _ = connection.accept_bi().await;
            connection.close(VarInt::from_u32(0x102), b"");
        });
        for connection in [Connection::Shared, Connection::PerUser] {
            let outcome = run(&server, backend, connection);
            assert_all_failed(&outcome, "closed by the server (HTTP/3 error 0x102)");
        }
    }
}

#[test]
fn a_server_that_is_not_there_refuses() {
    for backend in BACKENDS {
        let gone = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = gone.local_addr().unwrap();
        drop(gone);
        for connection in [Connection::Shared, Connection::PerUser] {
            let nowhere = plan(address, "/", connection, closed(5, 20));
            let outcome = galo_load::run(&nowhere, &options(backend)).unwrap();
            assert_all_failed(&outcome, "connection refused");
            assert!(outcome.history.iter().all(|o| o.sent_ns.is_none()));
        }
    }
}

#[test]
fn a_server_that_goes_away_fails_what_it_was_asked() {
    for backend in BACKENDS {
        let server = Server::honest(100);
        let forever = Arrivals::Closed { users: 10, total: None, duration_ns: Some(1_000_000_000) };
        let mut plan = plan(server.address, "/", Connection::Shared, forever);
        plan.pool = Pool { connections: 2, streams: 5 };
        plan.timeouts.answer_ns = 300_000_000;
        let outcome = std::thread::scope(|scope| {
            let load = scope.spawn(|| galo_load::run(&plan, &options(backend)));
            std::thread::sleep(Duration::from_millis(300));
            drop(server);
            load.join().unwrap().unwrap()
        });
        let ledger = outcome.load.steps[0].ledger;
        assert!(ledger.adds_up() && ledger.ok > 0 && ledger.failed + ledger.timed_out > 0, "{ledger:?}");
        assert_eq!(ledger.unfinished, 0);
    }
}

#[test]
fn a_connection_without_room_is_taken_again_when_all_gave_up() {
    for backend in BACKENDS {
        let server = Server::start(1, |connection| async move {
            while let Ok(held) = connection.accept_bi().await {
                tokio::time::sleep(Duration::from_millis(250)).await;
                drop(held);
            }
        });
        let arrivals = Arrivals::Closed { users: 2, total: Some(10), duration_ns: Some(5_000_000_000) };
        let mut plan = plan(server.address, "/", Connection::Shared, arrivals);
        plan.pool = Pool { connections: 1, streams: 2 };
        plan.timeouts.answer_ns = 100_000_000;
        let options = LoadOptions { threads: 1, drain: Duration::from_secs(1), ..options(backend) };
        let outcome = galo_load::run(&plan, &options).unwrap();
        assert_eq!(
            (outcome.load.steps[0].ledger.timed_out, outcome.load.engine.connections),
            (10, 1),
            "{outcome:?}"
        );
    }
}

#[test]
fn a_silent_server_lets_every_request_time_out() {
    for backend in BACKENDS {
        let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
        let mut plan = plan(silent.local_addr().unwrap(), "/", Connection::PerUser, closed(20, 20));
        plan.timeouts.connect_ns = 300_000_000;
        let outcome = galo_load::run(&plan, &options(backend)).unwrap();
        assert_eq!(outcome.load.steps[0].ledger.timed_out, 20);
        assert_eq!(outcome.evidence[0].difference, "no connection within 300ms");
    }
}
