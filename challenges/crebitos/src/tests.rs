use galo_plan::conformance::{CaseRequest, Expect};
use galo_plan::model::{Answer, CheckKind, Effect, Question, Row, Seen};
use galo_plan::{Challenge, ChallengeData, ChallengeModel, Seed, Severity, ledger};

use crate::index::{
    AFTER_DEBITS, CREDITS, DEBITS, FIRST_DEBITS, LARGE_DEBITS, MOVE, NO_CLIENT, REFUSED_AMOUNT, STATEMENT,
    VISITS, WIDE_AMOUNTS, WIDE_CREDIT,
};
use crate::{CHALLENGE_TOML, Crebitos, rules};

fn data() -> Box<dyn ChallengeData> {
    Crebitos.prepare(Seed::of_number(1), &[25, 25, 5, 100, 100, 100, 100, 5])
}

/// What is made of an answer: the name of the rule that it breaks or goes against, what it did, and what was seen.
fn examined(check: usize, feeder: usize, status: u16, body: &str) -> (Option<String>, Effect, Vec<Seen>) {
    let question = Question { check, step: 0, feeder, row: 0, created: None };
    let content_type = Some(&b"application/json; charset=utf-8"[..]);
    let answer = Answer { status, head: b"", location: None, content_type, body: body.as_bytes() };
    let mut seen = Vec::new();
    let told = data().examine(&question, &answer, &mut seen);
    let rule = told.broken.or(told.advice).map(|rule| rules::RULES[rule].name.to_string());
    (rule, told.effect, seen)
}

fn rule(check: usize, feeder: usize, status: u16, body: &str) -> String {
    examined(check, feeder, status, body).0.unwrap_or_default()
}

#[test]
fn the_definition_is_read_and_official_sends_what_the_contest_sent() {
    let challenge = Challenge::parse("challenge.toml", CHALLENGE_TOML, &Crebitos).unwrap();
    let official = challenge.profiles.iter().find(|profile| profile.name == "official").unwrap();
    let requests: u64 = challenge
        .scenarios
        .iter()
        .zip(&official.flows)
        .filter(|(scenario, _)| scenario.compared)
        .map(|(scenario, flow)| scenario.requests() * flow.as_ref().map_or(0, galo_plan::Flow::users))
        .sum();
    assert_eq!(requests, 61_503);
    let score = challenge.score.unwrap();
    assert_eq!(
        [score.of(100, 98, 0), score.of(100, 50, 0), score.of(100, 98, 2)],
        [100_000.0, 52_000.0, 98_393.98]
    );
    assert_eq!(score.of(100, 0, 1000), 0.0);
}

#[test]
fn rows_are_what_the_contest_draws() {
    let data = data();
    for row in 0..1000 {
        for (feeder, most) in [(DEBITS, 10_000), (CREDITS, 10_000), (LARGE_DEBITS, 400_000)] {
            let entry = data.entry(MOVE, Row { feeder, number: row }).unwrap();
            assert!(entry.account < 5 && (1..=most).contains(&entry.delta.abs()), "{entry:?}");
            assert_eq!(entry.delta > 0, feeder == CREDITS);
        }
    }
    let digests: std::collections::HashSet<u64> =
        (0..1000).map(|number| data.entry(MOVE, Row { feeder: DEBITS, number }).unwrap().digest).collect();
    assert_eq!(digests.len(), 1000, "a description is an identity");
    let mut body = Vec::new();
    data.write_field(FIRST_DEBITS, 7, 1, &mut body);
    assert_eq!(body, br#"{"valor": 1, "tipo": "d", "descricao": "validacao"}"#);
}

#[test]
fn an_answer_to_a_transaction_is_held_to_the_seeded_limit() {
    let right = examined(MOVE, FIRST_DEBITS, 200, r#"{"saldo": -1.0, "extra": [], "limite": 100000}"#);
    assert_eq!(right, (None, Effect::Yes, vec![ledger::told(-1)]));
    for (body, expected) in [
        (r#"{"limite": 100000, "saldo": -100001}"#, "below-limit"),
        (r#"{"limite": 200000, "saldo": -1}"#, "limit-differs"),
        (r#"{"limite": 100000, "saldo": "-1"}"#, "answer-shape"),
        (r#"{"limite": 100000, "saldo": -1.5}"#, "answer-shape"),
        (r#"{"limite": 100000, "saldo": 9223372036854775808}"#, "answer-shape"),
        (r#"{"saldo": -1}"#, "answer-shape"),
        ("-1", "answer-shape"),
        ("", "answer-shape"),
    ] {
        assert_eq!(rule(MOVE, FIRST_DEBITS, 200, body), expected, "{body}");
    }
    assert_eq!(examined(MOVE, FIRST_DEBITS, 422, ""), (None, Effect::No, vec![]));
    assert_eq!(rule(MOVE, FIRST_DEBITS, 400, ""), "exact-status");
    assert_eq!(rule(MOVE, FIRST_DEBITS, 404, ""), "client-missing");
    assert_eq!(rule(WIDE_CREDIT, WIDE_AMOUNTS, 422, ""), "wide-amount");
}

#[test]
fn a_statement_is_read_by_meaning() {
    let entry = |valor: &str, time: &str| {
        format!(r#"{{"valor": {valor}, "tipo": "d", "descricao": "validacao", "realizada_em": "{time}"}}"#)
    };
    let body = |total: &str, list: &str| {
        format!(
            r#"{{"saldo": {{"total": {total}, "data_extrato": "2024-01-17T02:34:41.217753Z", "limite": 100000}}, "ultimas_transacoes": [{list}]}}"#
        )
    };
    let time = "2024-01-17T02:34:38.543030Z";
    let listed = data().entry(MOVE, Row { feeder: FIRST_DEBITS, number: 0 }).unwrap().digest;
    let right = examined(STATEMENT, VISITS, 200, &body("-25", &entry("1", time)));
    let time_us = 1_705_458_878_543_030;
    assert_eq!(right, (None, Effect::None, vec![ledger::told(-25), ledger::listed(listed, time_us)]));
    let elsewhere = "2024-01-16T23:34:38.543030000-03:00";
    assert_eq!(examined(STATEMENT, VISITS, 200, &body("-25.0", &entry("1.0", elsewhere))), right);
    for (text, expected) in [
        (body("-100001", ""), "below-limit"),
        (body("\"0\"", ""), "statement-shape"),
        (body("0", "1"), "statement-shape"),
        (body("0", &entry("1", "ontem")), "date-form"),
        (body("0", "").replace("2024-01-17T", "17/01/2024 "), "date-form"),
        (body("0", "").replace("data_extrato", "data"), "statement-shape"),
        ("{}".to_owned(), "statement-shape"),
    ] {
        assert_eq!(rule(STATEMENT, VISITS, 200, &text), expected, "{text}");
    }
    assert_eq!(rule(AFTER_DEBITS, VISITS, 200, &body("-24", "")), "first-total");
    assert_eq!(rule(STATEMENT, VISITS, 404, ""), "client-missing");
}

#[test]
fn what_must_be_refused_may_be_refused_in_two_ways() {
    let ok = r#"{"limite": 100000, "saldo": 0}"#;
    assert_eq!(examined(REFUSED_AMOUNT, VISITS, 200, ok).0.unwrap(), "bad-amount-accepted");
    for status in [400, 422] {
        assert_eq!(examined(REFUSED_AMOUNT, VISITS, status, ""), (None, Effect::No, vec![]));
    }
    assert_eq!(rule(NO_CLIENT, VISITS, 404, ""), "");
    assert_eq!(rule(NO_CLIENT, VISITS, 200, ok), "unknown-client");
}

/// The rules by which a case's request has its status, and an answer at all.
fn status_and_answer(request: &CaseRequest) -> [&'static galo_plan::Rule; 2] {
    let rule = |is: fn(&Expect) -> bool| {
        let held = request.expect.iter().find(|expectation| is(&expectation.that)).unwrap();
        &rules::RULES[held.rule]
    };
    [rule(|that| matches!(that, Expect::Status(_))), rule(|that| matches!(that, Expect::Answer { .. }))]
}

#[test]
fn that_an_answer_comes_is_a_rule_of_its_own_unless_it_is_advice() {
    let challenge = Challenge::parse("challenge.toml", CHALLENGE_TOML, &Crebitos).unwrap();
    for case in &challenge.cases {
        for request in &case.requests {
            let [status, answer] = status_and_answer(request);
            let expected = if status.severity == Severity::Must { "server-error" } else { &status.name };
            assert_eq!(answer.name, expected, "{}", case.name);
        }
    }
}

#[test]
fn what_the_contest_leaves_open_is_advice() {
    let challenge = Challenge::parse("challenge.toml", CHALLENGE_TOML, &Crebitos).unwrap();
    let case = |name: &str| &challenge.cases.iter().find(|case| case.name == name).unwrap().requests;
    for request in case("further keys are ignored") {
        assert_eq!(status_and_answer(request)[0].severity, Severity::Should);
    }
    for name in ["a debit of 1e30 is refused", "a debit beyond 64 bits is refused"] {
        assert_eq!(status_and_answer(&case(name)[0])[0].name, "below-limit");
    }
}

#[test]
fn every_check_that_asks_an_account_says_which() {
    let data = data();
    for (number, check) in Crebitos.checks().iter().enumerate() {
        let feeder = if check.name.starts_with("wide") { WIDE_AMOUNTS } else { VISITS };
        let entry = data.entry(number, Row { feeder, number: 2 });
        match check.kind {
            CheckKind::Statement { .. } => assert_eq!(entry.unwrap().account, 2),
            CheckKind::Move if number != MOVE => assert_eq!(entry.unwrap().account, 2, "{}", check.name),
            _ => assert_eq!(entry, None, "{}", check.name),
        }
    }
}
