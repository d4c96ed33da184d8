//! What is passed on, and how.

use std::io::Write;

use crate::support::{Balancer, Upstream, answer};

#[test]
fn headers_are_passed_both_ways_except_for_those_of_one_connection() {
    let upstream = Upstream::start(|_| {
        let head = "HTTP/1.1 201 Created\r\nLocation: /pessoas/1\r\nX-Kept: a\r\nConnection: keep-alive, x-dropped\r\n\
                    X-Dropped: b\r\nKeep-Alive: timeout=5\r\nContent-Length: 0\r\n\r\n";
        head.as_bytes().to_vec()
    });
    let balancer = Balancer::start(&[upstream.address]);
    let mut client = balancer.connect();
    client.send(
        b"POST /pessoas?t=a%20b HTTP/1.1\r\nHost: contest:9999\r\nUser-Agent: me\r\nX-Mine: 1\r\nConnection: x-gone\r\n\
          X-Gone: 2\r\nTE: trailers\r\nContent-Length: 2\r\n\r\nhi",
    );
    let got = client.read();
    assert_eq!(
        (got.status(), got.header("location"), got.header("x-kept")),
        (201, Some("/pessoas/1"), Some("a"))
    );
    assert_eq!((got.header("x-dropped"), got.header("keep-alive")), (None, None));

    let asked = &upstream.seen()[0];
    assert!(asked.head.starts_with("POST /pessoas?t=a%20b HTTP/1.1\r\n"), "{}", asked.head);
    assert_eq!((asked.header("host"), asked.header("user-agent")), (Some("contest:9999"), Some("me")));
    assert_eq!((asked.header("x-mine"), asked.header("x-gone"), asked.header("te")), (Some("1"), None, None));
    assert_eq!(asked.text(), "hi");
}

#[test]
fn a_large_body_is_passed_unchanged_both_ways() {
    let upstream = Upstream::start(|request| answer(&request.body));
    let balancer = Balancer::start(&[upstream.address]);
    let body: Vec<u8> =
        (0..8_u32 * 1024 * 1024).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut client = balancer.connect();
    client.send(format!("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes());
    client.send(&body);
    assert!(client.read().body == body, "the body came back changed");
}

#[test]
fn chunked_bodies_are_passed_both_ways() {
    let upstream = Upstream::start(|request| {
        let mut out = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        for chunk in request.body.chunks(3) {
            write!(out, "{:x}\r\n", chunk.len()).unwrap();
            out.extend_from_slice(chunk);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"0\r\n\r\n");
        out
    });
    let balancer = Balancer::start(&[upstream.address]);
    let mut client = balancer.connect();
    for _ in 0..2 {
        client.send(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n3\r\nefg\r\n0\r\n\r\n");
        let got = client.read();
        assert_eq!((got.header("transfer-encoding"), got.text()), (Some("chunked"), "abcdefg"));
    }
}

#[test]
fn the_answer_to_head_keeps_its_length_and_the_connection_goes_on() {
    let upstream = Upstream::start(|request| {
        let head_only = b"HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n".to_vec();
        if request.head.starts_with("HEAD") { head_only } else { answer(b"body") }
    });
    let balancer = Balancer::start(&[upstream.address]);
    let mut client = balancer.connect();
    client.send(b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(client.read_head().to_lowercase().contains("content-length: 1234\r\n"));
    assert_eq!(client.get("/").text(), "body");
}

#[test]
fn a_client_of_http_1_0_is_served_and_the_upstream_is_asked_by_http_1_1() {
    let upstream = Upstream::named("one");
    let balancer = Balancer::start(&[upstream.address]);
    let mut client = balancer.connect();
    client.send(b"GET /old HTTP/1.0\r\n\r\n");
    assert_eq!(client.read().text(), "one");
    let asked = &upstream.seen()[0];
    assert!(
        asked.head.starts_with("GET /old HTTP/1.1\r\n") && asked.header("host").is_some(),
        "{}",
        asked.head
    );
}

#[test]
fn a_request_with_a_whole_address_asks_the_upstream_for_the_path() {
    let upstream = Upstream::named("one");
    let balancer = Balancer::start(&[upstream.address]);
    assert_eq!(balancer.get("http://elsewhere.example/pessoas?t=a").status(), 200);
    assert!(upstream.seen()[0].head.starts_with("GET /pessoas?t=a HTTP/1.1\r\n"));
}
