//! Who is asked, over which connections.

use std::sync::atomic::Ordering;

use crate::support::{Balancer, Upstream};

#[test]
fn requests_go_to_the_upstreams_in_turn_on_one_connection() {
    let (one, two) = (Upstream::named("one"), Upstream::named("two"));
    let balancer = Balancer::start(&[one.address, two.address]);
    let mut client = balancer.connect();
    let asked: Vec<String> = (0..6).map(|_| client.get("/").text().to_owned()).collect();
    assert_eq!(asked, ["one", "two", "one", "two", "one", "two"]);
}

#[test]
fn requests_go_to_the_upstreams_in_turn_on_connections_of_their_own() {
    let (one, two, three) = (Upstream::named("one"), Upstream::named("two"), Upstream::named("three"));
    let balancer = Balancer::start(&[one.address, two.address, three.address]);
    let asked: Vec<String> = (0..6).map(|_| balancer.get("/").text().to_owned()).collect();
    assert_eq!(asked, ["one", "two", "three", "one", "two", "three"]);
}

#[test]
fn connections_to_upstreams_are_kept_although_clients_come_and_go() {
    let (one, two) = (Upstream::named("one"), Upstream::named("two"));
    let balancer = Balancer::start(&[one.address, two.address]);
    for _ in 0..100 {
        balancer.get("/");
    }
    let opened = one.connections.load(Ordering::Relaxed) + two.connections.load(Ordering::Relaxed);
    // One each, and perhaps another where the next request came before the last connection was back.
    assert!(opened <= 10, "{opened} connections for 100 requests");
    assert_eq!((one.seen().len(), two.seen().len()), (50, 50));
}

#[test]
fn five_hundred_clients_at_once_are_all_served() {
    let (one, two) = (Upstream::named("one"), Upstream::named("two"));
    let balancer = Balancer::start(&[one.address, two.address]);
    let mut clients: Vec<_> = (0..500).map(|_| balancer.connect()).collect();
    for client in &mut clients {
        client.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    for client in &mut clients {
        assert_eq!(client.read().status(), 200);
    }
    assert_eq!((one.seen().len(), two.seen().len()), (250, 250));
}
