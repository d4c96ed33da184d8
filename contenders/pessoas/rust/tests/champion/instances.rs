//! Instances that are killed and stopped while the champion serves.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use crate::http::{Answer, person};
use crate::support::client::{message, raw, until_ended};
use crate::support::load::{Load, Tolerance};
use crate::support::{BOUND, Champion, until};

/// What clients see of an instance that is gone in the middle of their requests.
const GONE: Tolerance = Tolerance { statuses: &[502, 503, 504], cuts: false };

#[test]
fn an_instance_that_is_killed_and_started_again_loses_nobody() {
    let mut champion = Champion::start();
    let load = Load::start(champion.balancer.address, "k", 8, GONE);
    for _ in 0..3 {
        load.wait_for_creations(5);
        champion.instances[0].kill();
        // The other one goes on by itself.
        load.wait_for_creations(5);
        champion.instances[0].restart();
    }
    load.wait_for_creations(5);
    let told = load.stop();
    champion.wait_until_it_answers();
    told.holds(&champion);
}

#[test]
fn an_instance_that_is_stopped_answers_what_it_has_begun() {
    let mut champion = Champion::start();
    let load = Load::start(champion.balancer.address, "s", 8, GONE);
    load.wait_for_creations(5);
    let address = champion.instances[0].address;
    let whole = message("POST", "/pessoas", person("under way").as_bytes());
    let (begun, rest) = whole.split_at(whole.len() - 10);
    let (mut under_way, mut idle) = (raw(address), raw(address));
    under_way.write_all(begun).unwrap();
    // Long enough for the instance to have read it.
    std::thread::sleep(Duration::from_millis(200));
    champion.instances[0].terminate();

    until("new connections are refused", || TcpStream::connect(address).is_err());
    under_way.write_all(rest).unwrap();
    let received = until_ended(&mut under_way, BOUND).expect("it is ended after its answer");
    let answer = Answer::of(&received).expect("a request under way is answered");
    assert_eq!(answer.status, 201);
    assert!(until_ended(&mut idle, 2 * BOUND).is_some(), "an idle connection is still there");
    until("it ends", || champion.instances[0].has_ended());
    assert_eq!(champion.instances[0].wait().code(), Some(0));

    load.wait_for_creations(5);
    champion.instances[0].restart();
    let mut told = load.stop();
    champion.wait_until_it_answers();
    told.acknowledged.push(("under way".to_owned(), answer.header("location").unwrap().to_owned()));
    told.holds(&champion);
}
