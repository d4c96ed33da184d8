//! Bodies that are large, answers that come early or in pieces, and answers without a body.

use std::sync::Arc;
use std::sync::Mutex;

use galo_plan::LoadPlan;
use galo_plan::load::{Pool, Protocol, Target};
use galo_plan::template::Template;

use super::OK;
use super::frames::{Frames, STATUS_200};
use super::identity::Identity;
use super::plans::{drive, options};
use super::server::{Peer, Server};
use super::serving::Place;
use super::traffic::{SINGLE_FILE, asking, closed};
use super::web::{Answer, Web};

const LARGE: usize = 8 * 1024 * 1024;

/// A body in which no piece is like another.
fn large_body() -> Vec<u8> {
    (0..LARGE as u32 / 4).flat_map(|n| n.wrapping_mul(0x9e37_79b9).to_be_bytes()).collect()
}

fn posting(target: &Target, total: u64) -> LoadPlan {
    let mut plan = asking("POST", closed(1, total), target);
    plan.scenarios[0].steps[0].body = Some(Template::bytes(large_body()));
    plan.scenarios[0].steps[0].statuses = vec![200, 413];
    plan.pool = SINGLE_FILE;
    plan
}

#[test]
fn large_bodies_are_sent_whole() {
    let identity = Identity::new();
    for protocol in [Protocol::Http1, Protocol::Http2] {
        for tls in [false, true] {
            let body = large_body();
            let right = move |asked: &super::web::Asked| Answer {
                status: if asked.body == body { 200 } else { 400 },
                ..Answer::ok("")
            };
            let web = Web::start(&Place::V4, protocol, tls.then_some(&identity), right);
            let mut plan = posting(&web.target, 3);
            plan.transport.protocol = protocol;
            plan.transport.tls = identity.settings();
            let outcome = drive(&plan, &options());
            assert_eq!(
                outcome.load.steps[0].ledger.ok,
                3,
                "{protocol:?} {tls}: {:?}",
                outcome.evidence.first()
            );
            assert_eq!((web.connections(), outcome.load.engine.retries), (1, 0));
            assert!(outcome.load.engine.sent_bytes > 3 * LARGE as u64);
        }
    }
}

#[test]
fn an_answer_before_the_body_is_sent_counts_and_its_connection_is_not_used_again() {
    let server = Server::start(|peer| {
        if peer.head().is_some() {
            peer.send(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n");
            peer.wait_ms(100);
        }
    });
    let outcome = drive(&posting(&Target::plain(server.address), 3), &options());
    assert_eq!(outcome.load.steps[0].ledger.ok, 3, "{:?}", outcome.evidence.first());
    assert_eq!(outcome.load.steps[0].statuses, [(413, 3)].into());
    assert_eq!((server.connections(), outcome.load.engine.retries), (3, 0));
}

#[test]
fn an_answer_before_the_body_is_sent_leaves_a_connection_of_http_2_usable() {
    let server = Server::start(|peer| {
        let Some(mut frames) = Frames::greet(peer, &[]) else { return };
        while let Some(stream) = frames.head() {
            frames.ok(stream);
            frames.reset(stream, 0);
        }
    });
    let mut plan = posting(&Target::plain(server.address), 3);
    plan.transport.protocol = Protocol::Http2;
    plan.pool.streams = 4;
    let outcome = drive(&plan, &options());
    assert_eq!(outcome.load.steps[0].ledger.ok, 3, "{:?}", outcome.evidence.first());
    assert_eq!((server.connections(), outcome.load.engine.retries), (1, 0));
    assert!(outcome.load.engine.sent_bytes < LARGE as u64, "the windows were never opened");
}

#[test]
fn answers_split_at_every_byte_are_right_behind_tls() {
    let identity = Identity::new();
    let (http1, http2) = (identity.server(Protocol::Http1), identity.server(Protocol::Http2));
    let by_http1 = Server::start(move |peer| {
        peer.encrypt(http1.clone());
        while peer.request().is_some() {
            OK.bytes().for_each(|byte| _ = peer.send(&[byte]));
        }
    });
    let by_http2 = Server::start(move |peer| {
        peer.encrypt(http2.clone());
        peer.in_pieces();
        let Some(mut frames) = Frames::greet(peer, &[]) else { return };
        while let Some(stream) = frames.request() {
            frames.headers(stream, &[STATUS_200], false);
            frames.data(stream, b"hello", true);
        }
    });
    for (protocol, server) in [(Protocol::Http1, by_http1), (Protocol::Http2, by_http2)] {
        let target = Target { tls: true, ..Target::plain(server.address) };
        let mut plan = asking("GET", closed(4, 40), &target);
        plan.transport.tls = identity.settings();
        plan.transport.protocol = protocol;
        plan.pool = Pool { connections: 2, streams: 2 };
        let outcome = drive(&plan, &options());
        assert_eq!(outcome.load.steps[0].ledger.ok, 40, "{protocol:?}: {:?}", outcome.evidence.first());
        assert_eq!(server.connections(), 2);
    }
}

/// Three requests to each server in turn succeed on one connection.
fn succeeds(
    method: &str,
    protocol: Protocol,
    identity: Option<&Identity>,
    serve: impl Fn(&mut Peer) + Send + Sync + 'static,
) {
    let config = identity.map(|identity| identity.server(protocol));
    let server = Server::start(move |peer| {
        if let Some(config) = &config {
            peer.encrypt(Arc::clone(config));
        }
        serve(peer);
    });
    let target = Target { tls: identity.is_some(), ..Target::plain(server.address) };
    let mut plan = asking(method, closed(1, 3), &target);
    plan.pool = SINGLE_FILE;
    plan.transport.protocol = protocol;
    if let Some(identity) = identity {
        plan.transport.tls = identity.settings();
    }
    let outcome = drive(&plan, &options());
    assert_eq!(outcome.load.steps[0].ledger.ok, 3, "{method} {protocol:?}: {:?}", outcome.evidence.first());
    assert_eq!((server.connections(), outcome.load.engine.retries), (1, 0));
}

#[test]
fn interim_answers_and_answers_without_a_body_are_right() {
    let identity = Identity::new();
    for tls in [None, Some(&identity)] {
        for (method, answer) in [
            (
                "GET",
                "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
            ),
            ("POST", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 P\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"),
            ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
            ("HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            ("GET", "HTTP/1.1 204 No Content\r\n\r\n"),
            ("GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n"),
        ] {
            succeeds(method, Protocol::Http1, tls, move |peer| {
                while peer.request().is_some() {
                    peer.send(answer.as_bytes());
                }
            });
        }
        // `:status` 103, 204 and 304, and `content-length: 1000`, by HPACK's static table.
        let (interim, length) = (b"\x08\x03103", b"\x0f\x0d\x041000");
        let blocks: [(&str, Vec<Vec<u8>>); 4] = [
            ("GET", vec![interim.to_vec(), vec![STATUS_200]]),
            ("HEAD", vec![[&[STATUS_200][..], length].concat()]),
            ("GET", vec![vec![0x89]]),
            ("GET", vec![[&[0x8b][..], length].concat()]),
        ];
        for (method, blocks) in blocks {
            succeeds(method, Protocol::Http2, tls, move |peer| {
                let Some(mut frames) = Frames::greet(peer, &[]) else { return };
                while let Some(stream) = frames.request() {
                    let (last, before) = blocks.split_last().unwrap();
                    before.iter().for_each(|block| frames.headers(stream, block, false));
                    frames.headers(stream, last, true);
                }
            });
        }
    }
}

#[test]
fn a_body_until_the_end_of_the_connection_is_right_behind_tls_only_with_its_end() {
    let identity = Identity::new();
    let ended = Arc::new(Mutex::new(true));
    let (config, is_ended) = (identity.server(Protocol::Http1), ended.clone());
    let server = Server::start(move |peer| {
        peer.encrypt(config.clone());
        if peer.request().is_some() {
            peer.send(b"HTTP/1.1 200 OK\r\n\r\nhello");
            if *is_ended.lock().unwrap() {
                peer.end();
            }
        }
    });
    let target = Target { tls: true, ..Target::plain(server.address) };
    let mut plan = asking("GET", closed(1, 3), &target);
    plan.transport.tls = identity.settings();
    let outcome = drive(&plan, &options());
    assert_eq!(outcome.load.steps[0].ledger.ok, 3, "{:?}", outcome.evidence.first());
    *ended.lock().unwrap() = false;
    let outcome = drive(&plan, &options());
    let cut = "closed without the end of TLS (close_notify)".to_owned();
    assert_eq!(outcome.load.steps[0].errors, [(cut, 3)].into());
}
