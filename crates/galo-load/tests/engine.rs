//! The engine against real sockets: servers that are right, wrong, rude and broken.

#![allow(
    clippy::unwrap_used,
    reason = "what a test sets up itself; clippy takes only the test functions for tests"
)]

#[path = "engine/bad_servers.rs"]
mod bad_servers;
#[path = "engine/bodies.rs"]
mod bodies;
#[path = "engine/breaking_off.rs"]
mod breaking_off;
#[path = "engine/endings.rs"]
mod endings;
#[path = "engine/frames.rs"]
mod frames;
#[path = "engine/identity.rs"]
mod identity;
#[path = "engine/plans.rs"]
mod plans;
#[path = "engine/pool.rs"]
mod pool;
#[path = "engine/proxy.rs"]
mod proxy;
#[path = "engine/requests.rs"]
mod requests;
#[path = "engine/retries.rs"]
mod retries;
#[path = "engine/server.rs"]
mod server;
#[path = "engine/serving.rs"]
mod serving;
#[path = "engine/slices.rs"]
mod slices;
#[path = "engine/traffic.rs"]
mod traffic;
#[path = "engine/transports.rs"]
mod transports;
#[path = "engine/web.rs"]
mod web;

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::time::Duration;

use galo_load::{Backend, LoadOutcome};
use galo_plan::challenge::{Connection, Timeouts};
use galo_plan::model::{Effect, Id};
use galo_plan::rules;
use galo_record::OperationResult;
use plans::{burst, create_and_read, one_get, one_request, options, run, run_with, towards};
use rustix::net::{AddressFamily, SocketType};
use server::{Peer, Server};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const SECOND: Duration = Duration::from_secs(1);

/// All operations of a plan of one request ended in this one way.
fn assert_all_failed(outcome: &LoadOutcome, kind: &str) {
    let step = &outcome.load.steps[0];
    assert_eq!((step.ledger.failed, step.ledger.intended), (20, 20), "{step:?}");
    assert_eq!(step.errors, BTreeMap::from([(kind.to_owned(), 20)]));
    assert_eq!(outcome.evidence.len(), 5);
    assert!(
        outcome.evidence.iter().all(|e| e.broken.is_none() && e.difference == kind),
        "{:?}",
        outcome.evidence
    );
    assert!(outcome.load.engine.own_errors.is_empty());
}

#[test]
fn right_answers_are_ok_and_users_start_at_the_plans_offsets() {
    let server = Server::answering(OK);
    let outcome = run(one_get(), &server);
    assert_eq!(outcome.load.steps[0].ledger.ok, 20);
    assert_eq!(outcome.load.steps[0].statuses, BTreeMap::from([(200, 20)]));
    let injection = burst(20);
    let mut users = BTreeSet::new();
    for o in &outcome.history {
        assert_eq!(Some(o.intended_ns), injection.offset_ns(o.user.into()));
        assert_eq!((o.status, o.result, o.effect, o.broken), (200, OperationResult::Ok, Effect::None, None));
        users.insert(o.user);
    }
    assert_eq!(users, (0..20).collect());
    assert_eq!((server.connections(), outcome.load.engine.connections), (20, 20));
    assert_eq!(outcome.load.engine.received_bytes, 20 * OK.len() as u64);
    assert_eq!(outcome.load.engine.threads, 2);
    assert!(
        outcome.load.engine.cpu_ns > 0 && outcome.load.engine.lag_us_max >= outcome.load.engine.lag_us_p50
    );
    assert!(outcome.evidence.is_empty() && !outcome.load.interrupted);
    assert_eq!(outcome.load.ended_ns - outcome.load.started_ns, outcome.history.last().unwrap().done_ns);
    let request =
        format!("GET /thing HTTP/1.1\r\nHost: {}\r\nUser-Agent: test\r\nX-Test: yes\r\n\r\n", server.address);
    assert_eq!(server.requests(), vec![request; 20]);
}

#[test]
fn a_status_that_the_step_does_not_accept_is_wrong() {
    let server = Server::answering("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone");
    let outcome = run(one_get(), &server);
    assert_eq!(outcome.load.steps[0].ledger.wrong, 20);
    assert_eq!(outcome.load.steps[0].statuses, BTreeMap::from([(404, 20)]));
    assert!(outcome.history.iter().all(|o| o.broken == Some(rules::UNEXPECTED_STATUS)));
    let evidence = &outcome.evidence[0];
    assert_eq!(evidence.request, "GET /thing HTTP/1.1");
    assert_eq!(evidence.answer, "HTTP/1.1 404 Not Found\n\ngone");
    assert_eq!(evidence.difference, "status 404, expected 200, 201, 204");
}

#[test]
fn a_server_error_has_failed_and_its_status_is_counted() {
    let server = Server::answering("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
    let outcome = run(one_get(), &server);
    assert_all_failed(&outcome, "status 503");
    assert_eq!(outcome.load.steps[0].statuses, BTreeMap::from([(503, 20)]));
}

#[test]
fn broken_answers_have_failed_by_their_kind() {
    for (answer, kind) in [
        ("", "closed before the answer"),
        ("HTTP/1.1 200 OK\r\nContent-", "closed within the headers"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello", "closed within the body"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "closed within the body"),
        ("not HTTP at all", "unreadable answer: not HTTP/1.x"),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "unreadable answer: Content-Length is not a number"),
        ("HTTP/1.1 204 OK\r\n\r\nand more", "unexpected bytes after the answer"),
    ] {
        let server = Server::answering_once(answer);
        assert_all_failed(&run(one_get(), &server), kind);
    }
}

#[test]
fn endless_answers_are_given_up_at_the_limits() {
    let chunk = format!("{:x}\r\n{}\r\n", 100_000, "x".repeat(100_000));
    for (start, piece, kind) in [
        ("HTTP/1.1 200 OK\r\n", "X-Padding: for ever\r\n", "unreadable answer: headers over 64 KiB"),
        ("HTTP/1.1 200 OK\r\n\r\n", &"for ever ".repeat(10_000), "body over 4 MiB"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", &chunk, "body over 4 MiB"),
        (
            "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\n",
            "unreadable answer: headers over 64 KiB",
        ),
    ] {
        let piece = piece.to_owned();
        let server = Server::start(move |peer| {
            if peer.request().is_some() && peer.send(start.as_bytes()) {
                peer.send_for_ever(piece.as_bytes());
            }
        });
        assert_all_failed(&run(one_get(), &server), kind);
    }
}

#[test]
fn a_body_that_is_announced_as_too_long_is_not_read() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 4194305\r\n\r\nx");
    assert_all_failed(&run(one_get(), &server), "body over 4 MiB");
}

#[test]
fn a_contender_that_is_not_there_refuses() {
    let (_nobody, address) = serving::nobody_listens();
    let outcome = galo_load::run(&towards(address, one_get()), &options()).unwrap();
    plans::check_books(1, &outcome, true);
    assert_all_failed(&outcome, "connection refused");
    assert!(outcome.history.iter().all(|o| o.sent_ns.is_none() && o.status == 0));
}

#[test]
fn no_answer_times_out_with_the_latency_that_it_had() {
    let server = Server::start(Peer::be_silent);
    let timeout = Duration::from_millis(300);
    let outcome = run(one_request(Connection::PerUser, burst(20), timeout), &server);
    assert_eq!(outcome.load.steps[0].ledger.timed_out, 20);
    for o in &outcome.history {
        assert!(o.done_ns - o.sent_ns.unwrap() >= 300_000_000, "given up before its time: {o:?}");
    }
    assert_eq!(outcome.evidence.len(), 5);
    assert_eq!(outcome.evidence[0].difference, "no answer within 300ms");
}

#[test]
fn an_answer_that_trickles_on_is_still_bounded_by_the_timeout() {
    let server = Server::start(|peer| {
        peer.request();
        peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        while peer.send(b"x") {
            peer.wait_ms(10);
        }
    });
    let outcome = run(one_request(Connection::PerUser, burst(20), Duration::from_millis(300)), &server);
    assert_eq!(outcome.load.steps[0].ledger.timed_out, 20);
    assert!(outcome.history.iter().all(|o| o.status == 200 && o.first_byte_ns.is_some()));
    assert!(outcome.load.steps[0].statuses.is_empty(), "none was answered");
}

#[test]
fn an_answer_in_small_pieces_is_right() {
    let server = Server::start(|peer| {
        while peer.request().is_some() {
            for byte in OK.bytes() {
                peer.send(&[byte]);
            }
        }
    });
    assert_eq!(run(one_get(), &server).load.steps[0].ledger.ok, 20);
}

#[test]
fn a_new_connection_for_every_request_where_the_plan_says_so() {
    let server = Server::answering(OK);
    let outcome = run(one_request(Connection::PerRequest, burst(20), SECOND * 20), &server);
    assert_eq!(outcome.load.steps[0].ledger.ok, 20);
    let connections: BTreeSet<u32> = outcome.history.iter().map(|o| o.connection).collect();
    assert_eq!((connections.len(), server.connections()), (20, 20));
}

/// Answers creations and reads as `Things` expects, with `end` after every answer's head.
fn thing_answer(request: &str, extra: &str) -> String {
    let row = |text: &str| text.split_whitespace().nth(1).unwrap().to_owned();
    if request.starts_with("POST") {
        let row = row(request.rsplit("\r\n\r\n").next().unwrap());
        format!("HTTP/1.1 201 Created\r\nLocation: /things/{row}\r\nContent-Length: 0\r\n{extra}\r\n")
    } else {
        let row = row(request).rsplit('/').next().unwrap().to_owned();
        let body = format!("thing {row} of 7");
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{extra}\r\n{body}", body.len())
    }
}

#[test]
fn what_was_created_is_read_back_on_the_same_connection() {
    let server = Server::start(|peer| {
        while let Some(request) = peer.request() {
            peer.send(thing_answer(&request, "").as_bytes());
        }
    });
    let plan = create_and_read(20, SECOND * 20);
    let pause_ns = (0..20).map(|user| plan.pause_ns(0, 1, user)).collect::<Vec<_>>();
    let outcome = run_with(plan, &server, &options());
    assert_eq!(
        (outcome.load.steps[0].ledger.ok, outcome.load.steps[1].ledger.ok),
        (20, 20),
        "{:?}",
        outcome.evidence
    );
    assert_eq!(outcome.load.engine.connections, 20);
    for user in 0..20 {
        let own: Vec<_> = outcome.history.iter().filter(|o| o.user == user).collect();
        let [create, read] = own[..] else { panic!("{own:?}") };
        assert_eq!((create.effect, read.effect), (Effect::Yes, Effect::None));
        assert_eq!((create.id, read.id), (Some(Id(user.into())), Some(Id(user.into()))));
        assert_eq!((create.found, read.found), (0, 1));
        assert_eq!(create.connection, read.connection);
        assert_eq!(read.intended_ns, create.done_ns + pause_ns[user as usize]);
    }
}

#[test]
fn a_source_whose_users_begin_later_takes_later_rows() {
    let server = Server::start(|peer| {
        while let Some(request) = peer.request() {
            peer.send(thing_answer(&request, "").as_bytes());
        }
    });
    let mut plan = create_and_read(20, SECOND * 20);
    plan.sources[0].first_user = 1_000;
    let outcome = run_with(plan, &server, &options());
    // What is right, the examiner finds by the row.
    assert_eq!(
        (outcome.load.steps[0].ledger.ok, outcome.load.steps[1].ledger.ok),
        (20, 20),
        "{:?}",
        outcome.evidence
    );
    assert!(outcome.history.iter().all(|o| (1_000..1_020).contains(&o.user)));
}

#[test]
fn a_closed_connection_is_replaced_by_a_new_one_for_the_next_step() {
    for extra in ["Connection: close\r\n", ""] {
        let server = Server::start(move |peer| {
            if let Some(request) = peer.request() {
                peer.send(thing_answer(&request, extra).as_bytes());
            }
        });
        let mut plan = create_and_read(20, SECOND * 20);
        // Long enough for the closing to arrive, which nobody has announced in the second case.
        plan.scenarios[0].steps[1].pause_ns = Some((300_000_000, 300_000_000));
        let outcome = run_with(plan, &server, &options());
        assert_eq!(
            (outcome.load.steps[0].ledger.ok, outcome.load.steps[1].ledger.ok),
            (20, 20),
            "{:?}",
            outcome.evidence
        );
        assert_eq!(outcome.load.engine.connections, 40);
    }
}

#[test]
fn bytes_that_nobody_asked_for_fail_the_next_step() {
    let server = Server::start(|peer| {
        if let Some(request) = peer.request() {
            peer.send(thing_answer(&request, "").as_bytes());
            peer.wait_ms(50);
            peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            peer.be_silent();
        }
    });
    let mut plan = create_and_read(20, SECOND * 20);
    plan.scenarios[0].steps[1].pause_ns = Some((500_000_000, 500_000_000));
    let outcome = run_with(plan, &server, &options());
    assert_eq!(outcome.load.steps[0].ledger.ok, 20);
    assert_eq!(
        outcome.load.steps[1].errors,
        BTreeMap::from([("unexpected bytes after the answer".to_owned(), 20)])
    );
}

#[test]
fn a_read_without_a_location_is_not_intended() {
    let server = Server::answering("HTTP/1.1 422 No\r\nContent-Length: 0\r\n\r\n");
    let outcome = run_with(create_and_read(20, SECOND * 20), &server, &options());
    assert_eq!((outcome.load.steps[0].ledger.ok, outcome.load.steps[1].ledger.intended), (20, 0));
    assert!(outcome.history.iter().all(|o| o.effect == Effect::No));
}

#[test]
fn the_models_rule_and_difference_are_kept_for_a_wrong_answer() {
    for (body, result, rule, difference) in [
        ("something", OperationResult::Wrong, 0, "another thing"),
        ("rude", OperationResult::Ok, 1, "no please"),
    ] {
        let server = Server::start(move |peer| {
            while let Some(request) = peer.request() {
                let read = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
                peer.send(
                    if request.starts_with("POST") { thing_answer(&request, "") } else { read }.as_bytes(),
                );
            }
        });
        let outcome = run_with(create_and_read(20, SECOND * 20), &server, &options());
        let broken = Some(rules::model_rule(rule));
        let reads = || outcome.history.iter().filter(|o| o.step == 1);
        assert_eq!(reads().count(), 20);
        assert!(reads().all(|o| o.result == result && o.broken == broken), "{:?}", outcome.history);
        assert_eq!(outcome.evidence.len(), 5);
        assert!(outcome.evidence.iter().all(|e| e.broken == broken && e.difference == difference));
        assert!(outcome.evidence[0].answer.ends_with(body), "{:?}", outcome.evidence[0]);
    }
}

#[test]
fn the_effect_of_a_creation_is_known_only_where_it_was_answered() {
    let answers = [
        ("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n", Effect::Unknown),
        ("HTTP/1.1 502 Gateway\r\nContent-Length: 0\r\n\r\n", Effect::Unknown),
        ("HTTP/1.1 504 Gateway\r\nContent-Length: 0\r\n\r\n", Effect::Unknown),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", Effect::Yes),
        ("HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n", Effect::No),
        ("HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n", Effect::Unknown),
        ("garbage", Effect::Unknown),
        ("", Effect::Unknown),
    ];
    for (answer, effect) in answers {
        let server = Server::answering_once(answer);
        let outcome = run_with(create_and_read(20, SECOND * 20), &server, &options());
        assert_eq!(outcome.history.len(), 20);
        assert!(outcome.history.iter().all(|o| o.effect == effect), "{answer:?}: {:?}", outcome.history[0]);
        let evidence = &outcome.evidence[0];
        assert_eq!(evidence.request, format!("POST /things HTTP/1.1\n\nthing {} of 7", evidence.user));
    }
    let server = Server::start(Peer::be_silent);
    let outcome = run_with(create_and_read(20, SECOND / 10), &server, &options());
    assert!(
        outcome.history.iter().all(|o| (o.result, o.effect) == (OperationResult::TimedOut, Effect::Unknown))
    );
    let address = server.address;
    drop(server);
    let outcome = galo_load::run(&towards(address, create_and_read(20, SECOND)), &options()).unwrap();
    assert_eq!(outcome.history.len(), 20);
    assert!(outcome.history.iter().all(|o| (o.result, o.effect) == (OperationResult::Failed, Effect::No)));
}

#[test]
fn a_creation_that_waits_for_its_connection_with_the_kernel_may_still_go_out() {
    // One connection fits into the queue; the kernel leaves the others unanswered.
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).unwrap();
    rustix::net::listen(&socket, 0).unwrap();
    let listener = TcpListener::from(socket);
    let mut plan = create_and_read(20, SECOND / 10);
    plan.timeouts = Timeouts { connect_ns: 300_000_000, answer_ns: 300_000_000 };
    let outcome = galo_load::run(&towards(listener.local_addr().unwrap(), plan), &options()).unwrap();
    assert_eq!(outcome.load.steps[0].ledger.timed_out, 20);
    let unsent = outcome.history.iter().filter(|o| o.sent_ns.is_none()).count();
    // With epoll galo itself sends, once there is a connection.
    assert_eq!(unsent > 10, matches!(options().backend, Backend::Epoll), "{unsent} were never sent");
    assert!(
        outcome
            .history
            .iter()
            .all(|o| o.effect == [Effect::No, Effect::Unknown][usize::from(o.sent_ns.is_some())]),
        "{:?}",
        outcome.history
    );
}

#[test]
fn two_loads_of_one_plan_send_the_same_bytes() {
    let sent = |threads: usize| {
        let server = Server::start(|peer| {
            while let Some(request) = peer.request() {
                peer.send(thing_answer(&request, "").as_bytes());
            }
        });
        let options = galo_load::LoadOptions { threads, ..options() };
        run_with(create_and_read(50, SECOND * 20), &server, &options);
        let port = server.address.to_string();
        server.requests().iter().map(|request| request.replace(&port, "HOST")).collect::<Vec<_>>()
    };
    let first = sent(2);
    assert_eq!(first.len(), 100);
    assert!(first.iter().collect::<BTreeSet<_>>().len() == 100, "every user sends a row of its own");
    assert_eq!(first, sent(2));
    assert_eq!(first, sent(1), "whatever the number of threads");
}
