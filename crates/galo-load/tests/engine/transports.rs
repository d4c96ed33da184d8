//! Every way in which a request can travel, against servers that somebody else wrote.

use galo_plan::load::{Address, Pool, Protocol, Transport};

use super::identity::Identity;
use super::plans::{drive, options};
use super::proxy::TestProxy;
use super::serving::Place;
use super::traffic::{closed, echoing};
use super::web::{Web, echo};

const USERS: u32 = 8;
const TOTAL: u64 = 200;

/// One way.
#[derive(Debug)]
struct Way {
    protocol: Protocol,
    place: Place,
    tls: bool,
    through_proxy: bool,
}

/// All users find their own answers, on as many connections as they may have.
fn travel(way: &Way, identity: &Identity, pool: Pool) {
    // A Unix socket leads to the proxy where there is one, as the proxy's client sees only that.
    let (place, proxy_place) = match (&way.place, way.through_proxy) {
        (Place::Unix(_), true) => (&Place::V4, way.place.clone()),
        (place, _) => (place, place.clone()),
    };
    let web = Web::start(place, way.protocol, way.tls.then_some(identity), echo);
    let proxy = way.through_proxy.then(|| TestProxy::towards(&proxy_place, web.target.address.clone()));
    let mut plan = echoing(closed(USERS, TOTAL), &web.target);
    plan.pool = pool;
    plan.transport = Transport {
        protocol: way.protocol,
        tls: identity.settings(),
        proxy: proxy.as_ref().map(TestProxy::as_proxy),
    };
    let outcome = drive(&plan, &options());
    let ok: u64 = outcome.load.steps.iter().map(|step| step.ledger.ok).sum();
    assert_eq!(ok, TOTAL, "{way:?}: {:?} {:?}", outcome.load.steps, outcome.evidence.first());
    let engine = &outcome.load.engine;
    assert_eq!((engine.connections, engine.retries), (pool.connections.into(), 0), "{way:?}");
    assert_eq!((web.connections(), engine.connects.count()), (pool.connections as usize, engine.connections));
    assert!(web.busiest() <= (pool.connections * pool.streams) as usize, "{way:?}");
    if let Some(proxy) = proxy {
        let connect = format!("CONNECT {} HTTP/1.1", web.target.authority);
        assert_eq!(proxy.asked(), vec![connect; pool.connections as usize], "{way:?}");
    }
}

fn travel_all_ways(protocol: Protocol, pool: Pool) {
    let identity = Identity::new();
    let folder = tempfile::tempdir().unwrap();
    for (n, (tls, through_proxy)) in
        [(false, false), (false, true), (true, false), (true, true)].iter().enumerate()
    {
        for place in [Place::V4, Place::V6, Place::Unix(folder.path().join(n.to_string()))] {
            travel(&Way { protocol, place, tls: *tls, through_proxy: *through_proxy }, &identity, pool);
        }
    }
}

#[test]
fn http_1_travels_in_the_clear_and_encrypted_directly_and_through_a_proxy_by_every_address() {
    travel_all_ways(Protocol::Http1, Pool { connections: 4, streams: 1 });
}

#[test]
fn http_2_travels_in_the_clear_and_encrypted_directly_and_through_a_proxy_by_every_address() {
    travel_all_ways(Protocol::Http2, Pool { connections: 2, streams: 4 });
}

#[test]
fn a_user_may_have_an_encrypted_connection_of_its_own_or_one_for_each_request() {
    use galo_plan::challenge::Connection;
    let identity = Identity::new();
    for protocol in [Protocol::Http1, Protocol::Http2] {
        for connection in [Connection::PerUser, Connection::PerRequest] {
            let web = Web::start(&Place::V4, protocol, Some(&identity), echo);
            let mut plan = echoing(closed(USERS, 20), &web.target);
            plan.transport = Transport { protocol, tls: identity.settings(), proxy: None };
            for scenario in &mut plan.scenarios {
                scenario.connection = connection;
                let again = scenario.steps[0].clone();
                scenario.steps.push(again);
            }
            let outcome = drive(&plan, &options());
            let ok: Vec<u64> = outcome.load.steps.iter().map(|step| step.ledger.ok).collect();
            assert_eq!(ok, [10; 4], "{protocol:?} {connection:?}: {:?}", outcome.evidence.first());
            let connections = if connection == Connection::PerUser { 20 } else { 40 };
            assert_eq!(
                (web.connections(), outcome.load.engine.connections),
                (connections, connections as u64)
            );
        }
    }
}

#[test]
fn the_address_is_not_the_name() {
    let identity = Identity::of(&["galo.test"]);
    let mut web = Web::start(&Place::V4, Protocol::Http1, Some(&identity), echo);
    web.target.host = "galo.test".to_owned();
    web.target.authority = "galo.test:443".to_owned();
    assert!(matches!(web.target.address, Address::Ip(_)));
    let mut plan = echoing(closed(1, 2), &web.target);
    plan.transport.tls = identity.settings();
    let outcome = drive(&plan, &options());
    assert_eq!(
        (outcome.load.steps[0].ledger.ok, outcome.load.steps[1].ledger.ok),
        (1, 1),
        "{:?}",
        outcome.evidence
    );
}
