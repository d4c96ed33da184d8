//! Servers and proxies that are not what they should be, behind TLS and by HTTP/2: each a failure with a name.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use galo_plan::LoadPlan;
use galo_plan::challenge::Connection;
use galo_plan::load::{Address, Protocol, Proxy, Target};
use rustls::ServerConfig;

use super::frames::{Frames, STATUS_200};
use super::identity::Identity;
use super::plans::{burst, drive, options};
use super::server::{Peer, Server};
use super::traffic::{asking, open};
use super::{OK, assert_all_failed};

/// Enough of a ClientHello to be sure that it is there: what is left unread when a socket is closed makes it a reset.
fn read_hello(peer: &mut Peer) {
    if let Some(head) = peer.bytes(5) {
        peer.bytes(usize::from(u16::from_be_bytes([head[3], head[4]])));
    }
}

/// 20 users with a connection each.
fn each_alone(server: &Server, protocol: Protocol, identity: Option<&Identity>) -> LoadPlan {
    let target = Target { tls: identity.is_some(), ..Target::plain(server.address) };
    let mut plan = asking("GET", open(burst(20)), &target);
    plan.scenarios[0].connection = Connection::PerUser;
    plan.transport.protocol = protocol;
    if let Some(identity) = identity {
        plan.transport.tls = identity.settings();
    }
    plan
}

fn assert_fails(plan: &LoadPlan, kind: &str) {
    assert_all_failed(&drive(plan, &options()), kind);
}

#[test]
fn a_server_that_does_not_speak_tls_is_told() {
    let identity = Identity::new();
    for answer in ["HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", "SSH-2.0-OpenSSH_9.6\r\n"] {
        let server = Server::start(move |peer| {
            read_hello(peer);
            peer.send(answer.as_bytes());
            peer.be_silent();
        });
        for protocol in [Protocol::Http1, Protocol::Http2] {
            let plan = each_alone(&server, protocol, Some(&identity));
            assert_fails(
                &plan,
                "the server does not speak TLS; hint: `http://` instead of `https://`, or another port",
            );
        }
    }
}

#[test]
fn a_certificate_of_somebody_else_or_by_an_unknown_issuer_is_refused() {
    let (other, unknown) = (Identity::of(&["elsewhere.test"]), Identity::new());
    for (identity, trusted, why) in [
        (
            &other,
            &other,
            "the server's certificate is not for `127.0.0.1`, but for `elsewhere.test`; hint: use a name that it has, ask for one with `--sni NAME`, or trust everyone with `--insecure`",
        ),
        (
            &unknown,
            &other,
            "the issuer of the server's certificate is not trusted; hint: name a file with it with `--cacert FILE`, or trust everyone with `--insecure`",
        ),
    ] {
        for protocol in [Protocol::Http1, Protocol::Http2] {
            let server = answering_behind(identity.server(protocol), |peer| {
                peer.request();
            });
            let mut plan = each_alone(&server, protocol, Some(trusted));
            assert_fails(&plan, why);
            plan.transport.tls.insecure = true;
            plan.transport.tls.roots = None;
            let outcome = drive(&plan, &options());
            assert!(!outcome.load.steps[0].errors.contains_key(why), "any certificate would do: {outcome:?}");
        }
    }
}

/// A server behind TLS.
fn answering_behind(config: Arc<ServerConfig>, serve: impl Fn(&mut Peer) + Send + Sync + 'static) -> Server {
    Server::start(move |peer| {
        peer.encrypt(config.clone());
        serve(peer);
    })
}

#[test]
fn a_server_of_another_protocol_is_told_by_alpn() {
    let identity = Identity::new();
    for (spoken, wanted) in [(Protocol::Http1, Protocol::Http2), (Protocol::Http2, Protocol::Http1)] {
        let server = answering_behind(identity.server(spoken), |peer| {
            peer.request();
        });
        assert_fails(
            &each_alone(&server, wanted, Some(&identity)),
            "the server does not speak this version of HTTP (ALPN); hint: choose another, such as HTTP/1.1",
        );
    }
}

#[test]
fn an_http_1_server_is_no_http_2_server() {
    let server = Server::start(|peer| {
        peer.head();
        peer.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        peer.be_silent();
    });
    assert_fails(&each_alone(&server, Protocol::Http2, None), "unreadable answer: not HTTP/2");
}

#[test]
fn garbage_behind_tls_and_by_http_2_is_named() {
    let identity = Identity::new();
    let config = identity.server(Protocol::Http1);
    for (garbage, kind) in [
        ("\0\0\0garbage", "unreadable answer: not HTTP/1.x"),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "unreadable answer: Content-Length is not a number"),
        ("HTTP/1.1 204 OK\r\n\r\nand more", "unexpected bytes after the answer"),
    ] {
        let server = answering_behind(config.clone(), move |peer| {
            peer.head();
            peer.send(garbage.as_bytes());
            peer.be_silent();
        });
        assert_fails(&each_alone(&server, Protocol::Http1, Some(&identity)), kind);
    }
    for (frame, kind) in [
        ((0, 0, &b"x"[..]), "HTTP/2: frame on a stream where it cannot be"),
        ((1, 5, b"\xff\xff\xff\xff\xff\xff"), "HTTP/2: headers that cannot be decompressed"),
        ((4, 0, b"12345"), "HTTP/2: frame of a wrong length"),
        ((5, 4, b"\0\0\0\x02\x88"), "HTTP/2: push although disabled"),
    ] {
        let (frame_kind, flags, payload) = frame;
        let serve = move |peer: &mut Peer| {
            let Some(mut frames) = Frames::greet(peer, &[]) else { return };
            let Some(stream) = frames.request() else { return };
            let stream = if frame_kind == 1 || frame_kind == 5 { stream } else { 0 };
            frames.say(frame_kind, flags, stream, payload);
            frames.peer.be_silent();
        };
        assert_fails(&each_alone(&Server::start(serve), Protocol::Http2, None), kind);
        let server = answering_behind(identity.server(Protocol::Http2), serve);
        assert_fails(&each_alone(&server, Protocol::Http2, Some(&identity)), kind);
    }
}

#[test]
fn an_end_within_the_handshake_or_without_the_end_of_tls_is_told() {
    let identity = Identity::new();
    let server = Server::start(read_hello);
    for protocol in [Protocol::Http1, Protocol::Http2] {
        assert_fails(&each_alone(&server, protocol, Some(&identity)), "closed within the TLS handshake");
    }
    // A server hello that is announced, and never whole.
    let server = Server::start(|peer| {
        read_hello(peer);
        peer.send(b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76\x03\x03");
    });
    assert_fails(&each_alone(&server, Protocol::Http1, Some(&identity)), "closed within the TLS handshake");
    let server = answering_behind(identity.server(Protocol::Http1), |peer| {
        peer.head();
        peer.send(&OK.as_bytes()[..OK.len() - 1]);
    });
    let plan = each_alone(&server, Protocol::Http1, Some(&identity));
    assert_fails(&plan, "closed without the end of TLS (close_notify)");
}

#[test]
fn an_end_under_requests_of_http_2_is_told() {
    let identity = Identity::new();
    let cut = |peer: &mut Peer| {
        let Some(mut frames) = Frames::greet(peer, &[]) else { return };
        if let Some(stream) = frames.request() {
            frames.settle();
            frames.headers(stream, &[STATUS_200], false);
            frames.data(stream, b"he", false);
        }
    };
    let outcome = drive(&each_alone(&Server::start(cut), Protocol::Http2, None), &options());
    assert_all_failed(&outcome, "closed within the body");
    let server = answering_behind(identity.server(Protocol::Http2), cut);
    let plan = each_alone(&server, Protocol::Http2, Some(&identity));
    assert_fails(&plan, "closed without the end of TLS (close_notify)");
}

#[test]
fn a_silent_server_is_given_up_at_the_timeout_of_connecting() {
    let identity = Identity::new();
    let server = Server::start(Peer::be_silent);
    let proxy = Server::start(Peer::be_silent);
    for (tls, through) in [(true, false), (false, true), (true, true)] {
        let mut plan = each_alone(&server, Protocol::Http1, tls.then_some(&identity));
        plan.transport.proxy = through.then(|| towards_proxy(&proxy));
        plan.timeouts.connect_ns = 300_000_000;
        let outcome = drive(&plan, &options());
        assert_eq!(outcome.load.steps[0].ledger.timed_out, 20);
        assert_eq!(outcome.evidence[0].difference, "no connection within 300ms");
        assert!(outcome.history.iter().all(|o| o.sent_ns.is_none()));
    }
}

fn towards_proxy(server: &Server) -> Proxy {
    Proxy { address: Address::Ip(server.address), authority: server.address.to_string(), authorization: None }
}

#[test]
fn a_proxy_that_refuses_closes_or_talks_nonsense_is_told() {
    let identity = Identity::new();
    let target = Server::answering(OK);
    for (answer, kind) in [
        (
            "HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n",
            "the proxy wants to know who asks (status 407); hint: give `--proxy` as `http://USER:PASSWORD@HOST:PORT`",
        ),
        (
            "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nbad",
            "the proxy refuses the tunnel (status 502); hint: see whether it allows CONNECT to this host and port",
        ),
        ("", "closed by the proxy before the tunnel was open"),
        ("HTTP/1.1 200", "closed by the proxy before the tunnel was open"),
        (
            "220 smtp ready\r\n",
            "the proxy does not answer in HTTP/1.x; hint: `--proxy` takes the address of an HTTP proxy",
        ),
    ] {
        let proxy = Server::answering_once(answer);
        for (protocol, tls) in [(Protocol::Http1, false), (Protocol::Http1, true), (Protocol::Http2, true)] {
            let mut plan = each_alone(&target, protocol, tls.then_some(&identity));
            plan.transport.proxy = Some(towards_proxy(&proxy));
            assert_fails(&plan, kind);
        }
    }
    assert_eq!(target.connections(), 0);
}

#[test]
fn a_proxy_that_closes_after_the_tunnel_is_told_as_the_servers_end() {
    let target = Server::answering(OK);
    let proxy = Server::start(|peer| {
        if peer.head().is_some() && peer.send(b"HTTP/1.1 200 OK\r\n\r\n") {
            peer.head();
        }
    });
    let mut plan = each_alone(&target, Protocol::Http1, None);
    plan.transport.proxy = Some(towards_proxy(&proxy));
    assert_fails(&plan, "closed before the answer");
}

#[test]
fn a_bad_server_of_a_pool_ends_the_closed_model_all_the_same() {
    let identity = Identity::new();
    let server = Server::start(read_hello);
    for protocol in [Protocol::Http1, Protocol::Http2] {
        let mut plan = each_alone(&server, protocol, Some(&identity));
        plan.scenarios[0].connection = Connection::Shared;
        plan.sources[0].arrivals = super::traffic::closed_for(8, Duration::from_millis(350));
        plan.pool = galo_plan::load::Pool { connections: 2, streams: 4 };
        let outcome = drive(&plan, &options());
        let ledger = outcome.load.steps[0].ledger;
        assert_eq!(
            outcome.load.steps[0].errors,
            BTreeMap::from([("closed within the TLS handshake".to_owned(), ledger.intended)])
        );
        assert!((2..=32).contains(&ledger.failed), "{ledger:?}");
    }
}
