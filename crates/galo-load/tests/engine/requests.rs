//! What is sent: the head of a request, and where a `Location` leads.

use galo_plan::challenge::Header;

use super::plans::{create_and_read, one_get, options, run, run_with};
use super::server::Server;
use super::{OK, SECOND, thing_answer};

#[test]
fn the_plans_own_host_is_sent_and_only_one() {
    for (common, own, expected) in [
        (None, &["example.test"][..], "example.test"),
        (Some("common.test:8080"), &[], "common.test:8080"),
        (Some("common.test"), &["own.test"], "own.test"),
        (None, &["first.test", "second.test"], "second.test"),
    ] {
        let server = Server::answering(OK);
        let mut plan = one_get();
        plan.headers.extend(common.map(|host: &str| Header::new("host", host)));
        let step = &mut plan.scenarios[0].steps[0];
        step.headers.extend(own.iter().map(|host| Header::new("HOST", host)));
        assert_eq!(run(plan, &server).load.steps[0].ledger.ok, 20);
        let request =
            format!("GET /thing HTTP/1.1\r\nHost: {expected}\r\nUser-Agent: test\r\nX-Test: yes\r\n\r\n");
        assert_eq!(server.requests(), vec![request; 20]);
    }
}

#[test]
fn a_header_of_a_step_takes_the_place_of_the_common_one() {
    let server = Server::answering(OK);
    let mut plan = one_get();
    let step = &mut plan.scenarios[0].steps[0];
    step.headers = vec![Header::new("user-agent", "own"), Header::new("A", "1")];
    step.headers.push(Header::new("A", "2"));
    run(plan, &server);
    let head = format!("GET /thing HTTP/1.1\r\nHost: {}\r\n", server.address);
    assert_eq!(server.requests(), vec![head + "user-agent: own\r\nA: 1\r\nA: 2\r\n\r\n"; 20]);
}

#[test]
fn a_location_is_resolved_against_the_target_of_the_creation() {
    for before in ["things/", "./things/", "//elsewhere:9/a/../things/", "http://elsewhere/things/./"] {
        let server = Server::start(move |peer| {
            while let Some(request) = peer.request() {
                let answer = thing_answer(&request, "").replace("/things/", before);
                peer.send(answer.as_bytes());
            }
        });
        let outcome = run_with(create_and_read(20, SECOND * 20), &server, &options());
        assert_eq!((outcome.load.steps[0].ledger.ok, outcome.load.steps[1].ledger.ok), (20, 20), "{before}");
        let requests = server.requests();
        let reads: Vec<_> = requests.iter().filter(|request| request.starts_with("GET ")).collect();
        assert_eq!(reads.len(), 20);
        assert!(reads.iter().all(|request| request.starts_with("GET /things/")), "{reads:?}");
    }
}
