//! Upstreams that are down, break off, or do not answer.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use crate::support::{Balancer, Reply, Upstream, answer, refusing};

#[test]
fn the_next_upstream_is_asked_where_one_refuses_the_connection() {
    let up = Upstream::named("up");
    let balancer = Balancer::start(&[refusing(), up.address]);
    for _ in 0..4 {
        let mut client = balancer.connect();
        client.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody");
        assert_eq!(client.read().text(), "up");
    }
    assert!(up.seen().iter().all(|request| request.text() == "body"));
}

#[test]
fn without_any_upstream_the_answer_is_502_and_the_connection_goes_on() {
    let balancer = Balancer::start(&[refusing(), refusing()]);
    let mut client = balancer.connect();
    assert_eq!(client.get("/").status(), 502);
    assert_eq!(client.get("/").status(), 502);
}

#[test]
fn a_request_that_an_upstream_has_seen_is_not_sent_again() {
    let breaks = Upstream::start_with(|_| Reply::Break);
    let other = Upstream::named("other");
    let balancer = Balancer::start(&[breaks.address, other.address]);
    assert_eq!(balancer.get("/").status(), 502);
    assert_eq!((breaks.seen().len(), other.seen().len()), (1, 0));
}

#[test]
fn an_upstream_that_does_not_answer_in_time_is_504() {
    let silent = Upstream::start(|_| {
        loop {
            thread::park();
        }
    });
    let balancer = Balancer::start_with_timeout(&[silent.address], 100);
    assert_eq!(balancer.get("/").status(), 504);
}

#[test]
fn a_kept_connection_that_the_upstream_closed_is_replaced() {
    let upstream = Upstream::start_with(|_| Reply::Last(answer(b"only one")));
    let balancer = Balancer::start(&[upstream.address]);
    for _ in 0..3 {
        assert_eq!(balancer.get("/").text(), "only one");
        // Nothing tells when the balancer has seen that the upstream closed.
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(upstream.connections.load(Ordering::Relaxed), 3);
}

#[test]
fn an_answer_cut_in_the_middle_is_cut_for_the_client_too() {
    let half = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
    let upstream = Upstream::start_with(move |_| Reply::Last(half.to_vec()));
    let balancer = Balancer::start(&[upstream.address]);
    let mut client = balancer.connect();
    client.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(client.read_head().starts_with("HTTP/1.1 200 OK\r\n"));
    assert_eq!(client.read_to_close(), b"half");
}

#[test]
fn a_stopped_balancer_lets_the_request_under_way_finish() {
    let slow = Upstream::start(|_| {
        thread::sleep(Duration::from_millis(200));
        answer(b"slow")
    });
    let mut balancer = Balancer::start(&[slow.address]);
    let mut client = balancer.connect();
    client.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    while slow.seen().is_empty() {
        thread::yield_now();
    }
    balancer.terminate();
    assert_eq!(client.read().text(), "slow");
    assert!(balancer.wait().success());
}
