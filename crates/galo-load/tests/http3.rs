//! The engine over HTTP/3, against a server that is not galo's; or without the feature, in which case it says so.

#![allow(
    clippy::unwrap_used,
    reason = "what a test sets up itself; clippy takes only the test functions for tests"
)]

#[cfg(feature = "http3")]
#[path = "http3/faults.rs"]
mod faults;
#[cfg(feature = "http3")]
#[path = "http3/loads.rs"]
mod loads;
#[cfg(feature = "http3")]
#[path = "http3/server.rs"]
mod server;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use galo_load::{Backend, LoadError, LoadOptions};
use galo_plan::LoadPlan;
use galo_plan::challenge::Connection;
use galo_plan::load::{Arrivals, Protocol, Target, TlsSettings};
use galo_plan::single::SingleRequest;
use galo_record::Events;

/// So many users of the closed model at once.
fn closed(users: u32, total: u64) -> Arrivals {
    Arrivals::Closed { users, total: Some(total), duration_ns: None }
}

/// GETs of `path` over HTTP/3.
fn plan(address: SocketAddr, path: &str, connection: Connection, arrivals: Arrivals) -> LoadPlan {
    let request = SingleRequest {
        method: "GET".to_owned(),
        target: path.to_owned(),
        headers: vec![("X-Asked".to_owned(), "by galo".to_owned())],
        body: None,
        statuses: vec![200],
        timeout: Duration::from_secs(20),
        connection,
    };
    let target = Target { tls: true, ..Target::plain(address) };
    let mut plan = LoadPlan::of_one_request(&request, arrivals, target);
    plan.transport.protocol = Protocol::Http3;
    plan.transport.tls = TlsSettings { insecure: true, ..TlsSettings::default() };
    plan
}

fn options(backend: Backend) -> LoadOptions {
    LoadOptions {
        threads: 2,
        history: true,
        real_time: false,
        backend,
        spin: false,
        drain: Duration::from_secs(30),
        stop: Arc::new(AtomicBool::new(false)),
        events: Events::none(),
        seconds: None,
    }
}

/// Why the load does not begin.
fn refusal(plan: &LoadPlan) -> String {
    match galo_load::run(plan, &options(Backend::Auto)) {
        Err(error @ LoadError::Http3(_)) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

fn nowhere() -> LoadPlan {
    plan(SocketAddr::from(([127, 0, 0, 1], 1)), "/", Connection::PerUser, closed(1, 1))
}

#[cfg(not(feature = "http3"))]
#[test]
fn a_galo_without_http_3_says_how_to_get_one_with_it() {
    assert_eq!(
        refusal(&nowhere()),
        "this galo was built without HTTP/3\nhint: cargo install with --features http3"
    );
}

#[cfg(feature = "http3")]
#[test]
fn ways_that_http_3_cannot_go_are_refused_before_the_load() {
    use galo_plan::load::{Address, Proxy};

    let mut proxied = nowhere();
    let address = proxied.targets[0].address.clone();
    proxied.transport.proxy = Some(Proxy { address, authority: "proxy:1".to_owned(), authorization: None });
    let mut unix = nowhere();
    unix.targets[0].address = Address::Unix("/run/server".into());
    let mut plain = nowhere();
    plain.targets[0].tls = false;
    for (plan, start) in [
        (proxied, "HTTP/3 cannot pass through an HTTP proxy\nhint: "),
        (unix, "HTTP/3 needs UDP, which a Unix socket has not\nhint: "),
        (plain, "HTTP/3 is always encrypted\nhint: "),
    ] {
        let refusal = refusal(&plan);
        assert!(refusal.starts_with(start), "{refusal}");
    }
}
