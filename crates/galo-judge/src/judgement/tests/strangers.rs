//! Servers that galo did not start, with people in them from before; and cases that disqualify.

use galo_plan::conformance::{Case, CaseRequest, Expect, Expectation};
use galo_record::CaseRecord;
use galo_record::conformance::{CaseRun, Exchange};

use super::*;

/// A round at an address, where so many people were before, and in the end.
fn round_at_an_address(before: &str, after: &str) -> RoundBuilder {
    let mut round = RoundBuilder::clean().counts_after(&[(1, after)]);
    round.0.record.count_before = Some(reading(0, before));
    if let Some(placement) = &mut round.0.record.placement {
        placement.services.clear();
    }
    round
}

#[test]
fn people_from_before_are_good_to_know_on_a_server_that_galo_did_not_start() {
    let judgement = judged(&round_at_an_address("513", "623"));
    assert_eq!(judgement.standing, Standing::Valid);
    insta::assert_snapshot!(text_of(&judgement, "dirty-start"), @r#"{"kind":"dirty-start","counted":513}, excused: HeldBefore"#);
}

#[test]
fn counts_are_compared_as_differences_on_a_server_that_galo_did_not_start() {
    let judgement = judged(&round_at_an_address("513", "622"));
    assert_eq!(judgement.standing, disqualified(&["count-differs"]));
    insta::assert_snapshot!(text_of(&judgement, "count-differs"), @r#"{"kind":"count-differs","counted":109,"created":100,"probes":10,"unknown":0,"started_with":0}"#);
    let judgement = judged(&round_at_an_address("513", "624"));
    assert_eq!(judgement.standing, disqualified(&["count-differs"]));
}

#[test]
fn a_creation_refused_as_taken_is_no_fault_where_people_were_before() {
    let refused = |before: &str, after: &str, status| {
        let mut round = round_at_an_address(before, after);
        round.change(CREATE, 3, |o| {
            (o.result, o.effect, o.broken, o.status) = (Wrong, Effect::No, Some(PHANTOM), status);
        });
        judged(&round).standing
    };
    assert_eq!(refused("513", "620", 422), Standing::Valid);
    assert_eq!(refused("513", "620", 400), disqualified(&["search-phantom"]));
    assert_eq!(refused("0", "107", 422), disqualified(&["below-ceiling", "search-phantom"]));
}

#[test]
fn a_case_that_breaks_a_must_rule_disqualifies() {
    let mut request = CaseRequest::new("GET", "/people");
    request.expect = vec![Expectation { rule: 0, that: Expect::Status(vec![400]) }];
    let exchange = Exchange {
        target: ([127, 0, 0, 1], 8081).into(),
        through: None,
        reused: false,
        status: 200,
        head: "HTTP/1.1 200 OK\r\n\r\n".into(),
        body: "".into(),
        body_bytes: 0,
        failure: None,
    };
    let run = CaseRun {
        instance: "api1".to_owned(),
        direct: false,
        mark: "a1".to_owned(),
        exchanges: vec![Some(exchange)],
        flushes: None,
        gone: None,
    };
    let case = Case { name: "a search without a term".to_owned(), requests: vec![request], front: false };
    let mut round = RoundBuilder::clean();
    round.0.conformance = vec![CaseRecord { case, runs: vec![run], missing: None }];
    let judgement = judged(&round);
    assert_eq!(judgement.standing, disqualified(&["search-phantom"]));
    assert_eq!(judgement.conformance.map(|cases| (cases.cases, cases.held)), Some((1, 0)));
    // A should rule is told, and no more.
    round.0.conformance[0].case.requests[0].expect[0].rule = 1;
    assert_eq!(judged(&round).standing, Standing::Valid);
}
