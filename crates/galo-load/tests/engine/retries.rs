//! Requests that met their connection's end: which are sent again, and which have failed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use galo_load::{Backend, LoadOutcome};
use galo_plan::LoadPlan;
use galo_plan::load::{Address, Pool, Protocol, Proxy, Target};

use super::OK;
use super::frames::Frames;
use super::plans::{drive, options};
use super::server::{Peer, Server};
use super::traffic::{SINGLE_FILE, asking, closed, closed_for};

const REFUSED_STREAM: u32 = 7;

fn alone(method: &str, server: &Server, total: u64) -> LoadPlan {
    let mut plan = asking(method, closed(1, total), &Target::plain(server.address));
    plan.pool = SINGLE_FILE;
    plan
}

/// Answers the first request of each connection, and the second with these bytes before it closes.
fn answering_the_second(answer: &'static str) -> Server {
    Server::start(move |peer| {
        if peer.request().is_some() && peer.send(OK.as_bytes()) && peer.request().is_some() {
            peer.send(answer.as_bytes());
        }
    })
}

fn proxy(server: &Server) -> Proxy {
    let (address, authority) = (Address::Ip(server.address), server.address.to_string());
    Proxy { address, authority, authorization: None }
}

fn errors(outcome: &LoadOutcome) -> BTreeMap<&str, u64> {
    outcome.load.steps[0].errors.iter().map(|(kind, n)| (kind.as_str(), *n)).collect()
}

#[test]
fn a_kept_connection_that_is_closed_under_a_request_that_may_be_repeated_costs_nothing_but_time() {
    for method in ["GET", "PUT", "DELETE", "OPTIONS"] {
        let server = answering_the_second("");
        let outcome = drive(&alone(method, &server, 10), &options());
        assert_eq!((outcome.load.steps[0].ledger.ok, outcome.load.engine.retries), (10, 9), "{method}");
        assert_eq!((server.connections(), outcome.load.engine.connections), (10, 10));
        assert_eq!(server.requests().len(), 19);
    }
}

#[test]
fn a_request_that_may_not_be_repeated_has_failed() {
    for method in ["POST", "PATCH"] {
        let server = answering_the_second("");
        let outcome = drive(&alone(method, &server, 10), &options());
        assert_eq!((outcome.load.steps[0].ledger.ok, outcome.load.engine.retries), (5, 0), "{method}");
        assert_eq!(errors(&outcome), BTreeMap::from([("closed before the answer", 5)]));
        assert_eq!(server.requests().len(), 10);
    }
}

/// Drives posts on kept connections, each of which the server ends together with its first answer: what came of them, and how many
/// connections there were.
fn ended_by_its_answer(posts: u64, tunnelled: bool) -> (LoadOutcome, usize) {
    // A busy thread that waits by epoll may be told of the bytes a moment before the end.
    let users = if options().backend == Backend::Epoll { 1 } else { 16 };
    let server = Server::start(move |peer| {
        if tunnelled && (peer.head().is_none() || !peer.send(b"HTTP/1.1 200 OK\r\n\r\n")) {
            return;
        }
        if peer.request().is_some() {
            peer.hold();
            peer.send(OK.as_bytes());
        }
    });
    let mut plan = alone("POST", &server, posts);
    plan.sources[0].arrivals = closed(users, posts);
    plan.pool.connections = users;
    plan.transport.proxy = tunnelled.then(|| proxy(&server));
    let outcome = drive(&plan, &galo_load::LoadOptions { threads: 1, ..options() });
    (outcome, server.connections())
}

#[test]
fn a_connection_that_ends_with_its_answer_carries_no_other_request() {
    const POSTS: u64 = 400;
    for tunnelled in [false, true] {
        let mut told = String::new();
        // A server that has no core for 200 ms between answer and end has sent the answer alone.
        let is_right = (0..3).any(|_| {
            let (outcome, connections) = ended_by_its_answer(POSTS, tunnelled);
            told = format!("{tunnelled}, {connections}: {:?}", errors(&outcome));
            (outcome.load.steps[0].ledger.ok, connections as u64) == (POSTS, POSTS)
        });
        assert!(is_right, "{told}");
    }
}

#[test]
fn a_request_whose_answer_had_begun_has_failed() {
    for (part, kind) in [
        ("H", "closed within the headers"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe", "closed within the body"),
    ] {
        let server = answering_the_second(part);
        let outcome = drive(&alone("GET", &server, 10), &options());
        assert_eq!((outcome.load.steps[0].ledger.ok, outcome.load.engine.retries), (5, 0));
        assert_eq!(errors(&outcome), BTreeMap::from([(kind, 5)]));
    }
}

#[test]
fn a_request_is_repeated_once_at_most_and_never_on_a_new_connection() {
    let connections = AtomicUsize::new(0);
    let server = Server::start(move |peer| {
        let first = connections.fetch_add(1, Ordering::Relaxed) == 0;
        if first && peer.request().is_some() {
            peer.send(OK.as_bytes());
        }
        peer.request();
    });
    let outcome = drive(&alone("GET", &server, 10), &options());
    assert_eq!((outcome.load.steps[0].ledger.ok, outcome.load.engine.retries), (1, 1));
    assert_eq!(errors(&outcome), BTreeMap::from([("closed before the answer", 9)]));
    assert_eq!(server.requests().len(), 11);
}

#[test]
fn the_time_that_a_server_took_to_close_is_no_lag_of_galos() {
    let server = Server::start(|peer| {
        if peer.request().is_some() && peer.send(OK.as_bytes()) && peer.request().is_some() {
            peer.wait_ms(600);
        }
    });
    let outcome = drive(&alone("GET", &server, 2), &options());
    assert_eq!((outcome.load.steps[0].ledger.ok, outcome.load.engine.retries), (2, 1));
    assert!(outcome.load.engine.lag_us_max < 600_000.0, "{:?}", outcome.load.engine);
    let last = outcome.history.last().unwrap();
    assert!(last.done_ns - last.intended_ns >= 600_000_000, "but it is in the latency: {last:?}");
}

/// An HTTP/2 server on raw frames.
fn http2(serve: impl Fn(&mut Frames<'_>) + Send + Sync + 'static) -> Server {
    Server::start(move |peer: &mut Peer| {
        if let Some(mut frames) = Frames::greet(peer, &[]) {
            serve(&mut frames);
        }
    })
}

fn alone_by_http2(method: &str, server: &Server, total: u64) -> LoadPlan {
    let mut plan = alone(method, server, total);
    plan.transport.protocol = Protocol::Http2;
    plan.pool = Pool { connections: 1, streams: 8 };
    plan
}

#[test]
fn what_a_goaway_leaves_unprocessed_is_sent_again_whatever_the_method() {
    for method in ["GET", "POST"] {
        let server = http2(|frames| {
            let Some(first) = frames.request() else { return };
            frames.ok(first);
            if frames.request().is_some() {
                frames.goaway(first);
                frames.peer.be_silent();
            }
        });
        let outcome = drive(&alone_by_http2(method, &server, 10), &options());
        assert_eq!(
            (outcome.load.steps[0].ledger.ok, outcome.load.engine.retries),
            (10, 9),
            "{:?}",
            outcome.evidence
        );
        assert_eq!(server.connections(), 10);
    }
}

#[test]
fn what_was_processed_before_a_goaway_is_answered_and_others_go_elsewhere() {
    let server = http2(|frames| {
        let Some(first) = frames.request() else { return };
        frames.goaway(first);
        frames.ok(first);
        frames.peer.be_silent();
    });
    let outcome = drive(&alone_by_http2("POST", &server, 10), &options());
    assert_eq!(
        (outcome.load.steps[0].ledger.ok, outcome.load.engine.retries),
        (10, 0),
        "{:?}",
        outcome.evidence
    );
    assert_eq!(server.connections(), 10);
}

#[test]
fn what_waits_for_room_on_a_connection_that_a_goaway_ends_goes_elsewhere() {
    let connections = AtomicUsize::new(0);
    // The proxy, and the server behind it: both speak at once, so that the bound of one stream is known before a
    // request is sent.
    let server = Server::start(move |peer| {
        let first = connections.fetch_add(1, Ordering::Relaxed) == 0;
        let settings = b"\0\0\x06\x04\0\0\0\0\0\0\x03\0\0\0\x01";
        if peer.head().is_none() || !peer.send(&[b"HTTP/1.1 200 OK\r\n\r\n", &settings[..]].concat()) {
            return;
        }
        let Some(mut frames) = Frames::greet(peer, &[]) else { return };
        while let Some(stream) = frames.request() {
            if first {
                frames.goaway(stream);
            }
            frames.ok(stream);
        }
    });
    let mut plan = alone_by_http2("POST", &server, 4);
    plan.sources[0].arrivals = closed(4, 4);
    plan.pool.streams = 4;
    plan.timeouts.connect_ns = 2_000_000_000;
    plan.transport.proxy = Some(proxy(&server));
    let outcome = drive(&plan, &options());
    assert_eq!(
        (outcome.load.steps[0].ledger.ok, outcome.load.engine.retries),
        (4, 3),
        "{:?}",
        outcome.evidence
    );
    assert_eq!(server.connections(), 2);
}

#[test]
fn a_refused_stream_is_sent_again_once_and_within_the_bound_of_connections() {
    for method in ["GET", "POST"] {
        let server = http2(|frames| {
            while let Some(stream) = frames.request() {
                // Streams 1, 5, 9 ... are answered.
                if stream % 4 == 1 { frames.ok(stream) } else { frames.reset(stream, REFUSED_STREAM) }
            }
        });
        let outcome = drive(&alone_by_http2(method, &server, 11), &options());
        assert_eq!(
            (outcome.load.steps[0].ledger.ok, outcome.load.engine.retries),
            (11, 10),
            "{:?}",
            outcome.evidence
        );
        assert_eq!((server.connections(), outcome.load.engine.connections), (1, 1));
    }
    let server = http2(|frames| {
        while let Some(stream) = frames.request() {
            frames.reset(stream, REFUSED_STREAM);
        }
    });
    let outcome = drive(&alone_by_http2("GET", &server, 5), &options());
    assert_eq!(errors(&outcome), BTreeMap::from([("stream reset: REFUSED_STREAM", 5)]));
    assert_eq!(outcome.load.engine.retries, 5);
}

#[test]
fn a_reset_stream_has_failed_alone() {
    for (code, kind) in [(2, "stream reset: INTERNAL_ERROR"), (8, "stream reset: CANCEL")] {
        let server = http2(move |frames| {
            while let Some(stream) = frames.request() {
                if stream % 4 == 1 { frames.ok(stream) } else { frames.reset(stream, code) }
            }
        });
        let mut plan = alone_by_http2("GET", &server, 40);
        plan.sources[0].arrivals = closed(4, 40);
        let outcome = drive(&plan, &galo_load::LoadOptions { threads: 1, ..options() });
        assert_eq!((outcome.load.steps[0].ledger.ok, outcome.load.engine.retries), (20, 0));
        assert_eq!(errors(&outcome), BTreeMap::from([(kind, 20)]));
        assert_eq!(server.connections(), 1);
    }
}

#[test]
fn a_kept_connection_of_http_2_that_is_closed_under_several_requests_is_replaced_by_one() {
    let connections = Arc::<AtomicUsize>::default();
    let server = http2(move |frames| {
        let first = connections.fetch_add(1, Ordering::Relaxed) == 0;
        for n in 0.. {
            let Some(stream) = frames.request() else { return };
            // Eight answers, then the end under the next eight.
            if first && n >= 15 {
                return;
            }
            if !first || n < 8 {
                frames.ok(stream);
            }
        }
    });
    let mut plan = alone_by_http2("GET", &server, 40);
    plan.sources[0].arrivals = closed(8, 40);
    let outcome = drive(&plan, &galo_load::LoadOptions { threads: 1, ..options() });
    assert_eq!(
        (outcome.load.steps[0].ledger.ok, outcome.load.engine.retries),
        (40, 8),
        "{:?}",
        outcome.evidence
    );
    assert_eq!(server.connections(), 2);
}

#[test]
fn the_closed_model_does_not_spin_where_nobody_listens() {
    let (_nobody, address) = super::serving::nobody_listens();
    let target = Target::plain(address);
    for (protocol, tls) in [(Protocol::Http1, false), (Protocol::Http2, false), (Protocol::Http1, true)] {
        let mut plan = asking("GET", closed_for(4, Duration::from_millis(500)), &target);
        plan.targets[0].tls = tls;
        plan.transport.tls.insecure = true;
        plan.transport.protocol = protocol;
        let outcome = drive(&plan, &options());
        let ledger = outcome.load.steps[0].ledger;
        assert_eq!(errors(&outcome), BTreeMap::from([("connection refused", ledger.failed)]));
        // Each of the 4 users tries at 0, 100, ... 400 ms at most.
        assert!(ledger.failed == ledger.intended && (4..=20).contains(&ledger.failed), "{ledger:?}");
    }
}
