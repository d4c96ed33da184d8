//! Cases of conformance in the terminal, in the page and in JSON.

use galo_plan::conformance::{Case, CaseRequest, Content, Expect, Expectation};
use galo_plan::{Blame, Rule, Severity};
use galo_record::conformance::{CaseRecord, CaseRun, Exchange, Failure, FailureKind, Missing};

use crate::runs::{ToldFight, alone};
use crate::synthetic::{fair, folder_but, plan};
use crate::traffic::HOSTILE;

/// A creation that must be refused, should be refused with 422, and must have an answer.
fn creation(name: &str, mut runs: Vec<CaseRun>) -> CaseRecord {
    // What the first of them answered comes at the front as well, so that it counts.
    runs.extend(runs.first().map(|first| CaseRun { direct: false, ..first.clone() }));
    let mut request = CaseRequest::new("POST", "/pessoas");
    request.headers = vec![("Content-Type".to_owned(), Content::from("application/json"))];
    request.body = Some(Content::from(r#"{"apelido":"d'{mark}"}"#));
    let answer = Expect::Answer { server_errors: Vec::new(), cut: false };
    request.expect = vec![
        Expectation { rule: 1, that: Expect::Status(vec![400, 422]) },
        Expectation { rule: 2, that: Expect::Status(vec![422]) },
        Expectation { rule: 1, that: answer },
    ];
    CaseRecord {
        case: Case { name: name.to_owned(), requests: vec![request], front: false },
        runs,
        missing: None,
    }
}

/// Asked of one instance, which answered so.
fn ran(instance: &str, status: u16, body: &str) -> CaseRun {
    let exchange = Exchange {
        target: ([127, 0, 0, 1], 8081).into(),
        through: None,
        reused: false,
        status,
        head: Content::from(format!("HTTP/1.1 {status} X\r\nContent-Type: text/html\r\n\r\n")),
        body: Content::from(body),
        body_bytes: body.len() as u64,
        failure: (status == 0)
            .then(|| Failure { kind: FailureKind::Cut, text: "connection reset".to_owned() }),
    };
    CaseRun {
        instance: instance.to_owned(),
        direct: true,
        mark: "q0h0w4r1t2z".to_owned(),
        exchanges: vec![Some(exchange)],
        flushes: None,
        gone: None,
    }
}

fn both(status: u16) -> Vec<CaseRun> {
    vec![ran("api1", status, ""), ran("api2", status, "")]
}

/// One round of one contender with these cases.
fn told(cases: &[CaseRecord]) -> ToldFight {
    let rounds = &fair(1, 1.0)[..1];
    let mut plan = plan(&["rust-sqlite"], rounds);
    plan.rules.push(Rule::worded(
        Severity::Must,
        "too-long-accepted",
        "what is too long is refused, and nothing is stored",
        ["a text that is too long was accepted", "um texto longo demais foi aceito"],
        "o que é longo demais é recusado, e nada é gravado",
    ));
    plan.rules.push(Rule::should("exact-status", "a refusal has the status that the rules name"));
    ToldFight::of(&folder_but(&plan, rounds, |data| {
        data.conformance = cases.to_vec();
        data.record.cases = cases.len();
    }))
}

fn failing() -> ToldFight {
    let mut cases = vec![
        creation("a duplicate is refused", both(422)),
        creation("a null apelido is refused", vec![ran("api1", 422, ""), ran("api2", 400, "")]),
        creation(
            "an apelido of 33 letters is refused",
            vec![ran("api1", 201, HOSTILE), ran("api2", 422, "")],
        ),
        creation("a body of 1 MB is refused", both(0)),
    ];
    let because = "api2 answers no more".to_owned();
    cases[3].missing = Some(Missing { because, blame: Blame::Contender });
    told(&cases)
}

fn section(text: &str) -> String {
    let from = text.lines().skip_while(|line| !line.starts_with("Conformance:"));
    from.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn failing_cases_are_told_with_a_request_to_paste_and_what_came() {
    insta::assert_snapshot!(section(&failing().terminal(80, false)), @r#"
    Conformance: rust-sqlite, round 1: 2 of 4 cases hold on both instances; 1 could
      not be asked: api2 answers no more; advice: 1 rule
    must: too-long-accepted: an apelido of 33 letters is refused (on api1)
      curl -sS -i -H 'Content-Type: application/json' --data-raw '{"apelido":"d'\''q0h0w4r1t2z"}' 'http://127.0.0.1:8081/pessoas'
      expected status 400 or 422, got status 201
    must: too-long-accepted: a body of 1 MB is refused (on both instances)
      curl -sS -i -H 'Content-Type: application/json' --data-raw '{"apelido":"d'\''q0h0w4r1t2z"}' 'http://127.0.0.1:8081/pessoas'
      expected a whole answer, got connection reset
    should: exact-status: a null apelido is refused (on api2)
      curl -sS -i -H 'Content-Type: application/json' --data-raw '{"apelido":"d'\''q0h0w4r1t2z"}' 'http://127.0.0.1:8081/pessoas'
      expected status 422, got status 400
    "#);
}

#[test]
fn cases_that_all_hold_take_one_line() {
    let text = told(&[creation("a duplicate is refused", both(422))]).terminal(80, false);
    assert_eq!(section(&text), "Conformance: rust-sqlite, round 1: 1 of 1 case holds on both instances");
    assert_eq!(section(&alone().terminal(80, false)), "");
    assert!(!alone().html().contains("Conformance"));
}

#[test]
fn more_than_ten_failing_cases_are_counted() {
    let cases: Vec<CaseRecord> =
        (0..14).map(|number| creation(&format!("case {number}"), both(201))).collect();
    let text = section(&told(&cases).terminal(80, false));
    assert_eq!(text.matches("must: too-long-accepted").count(), 10);
    assert!(text.ends_with("\n4 more in the report"), "{text}");
}

#[test]
fn advice_is_told_once_with_how_many_cases_show_it() {
    let cases: Vec<CaseRecord> =
        (0..14).map(|number| creation(&format!("case {number}"), both(400))).collect();
    insta::assert_snapshot!(section(&told(&cases).terminal(80, false)), @r#"
    Conformance: rust-sqlite, round 1: 14 of 14 cases hold on both instances;
      advice: 1 rule
    should: exact-status: 14 cases (on both instances), first: case 0
      curl -sS -i -H 'Content-Type: application/json' --data-raw '{"apelido":"d'\''q0h0w4r1t2z"}' 'http://127.0.0.1:8081/pessoas'
      expected status 422, got status 400
    "#);
}

#[test]
fn the_page_shows_every_failing_case_and_obeys_no_answer() {
    let page = failing().html();
    assert!(page.contains("<p><span lang=\"en\">Conformance: rust-sqlite, round 1: "));
    for name in
        ["a null apelido is refused", "an apelido of 33 letters is refused", "a body of 1 MB is refused"]
    {
        assert!(page.contains(name), "{name}");
    }
    assert!(page.contains("--data-raw"));
    assert!(page.contains("rodada 1: 2 de 4 casos certos nas duas instâncias; 1 não pôde ser testado: "));
    assert!(page.contains("; conselhos: 1 regra</span>"));
    let headline = "<p class=\"told\" lang=\"pt\">um texto longo demais foi aceito</p>";
    assert_eq!(page.matches(headline).count(), 2, "each case says it in Portuguese");
    assert!(!page.contains(HOSTILE) && page.contains("&#60;script&#62;"));
}

#[test]
fn the_report_holds_each_broken_rule_of_each_case() {
    let told = failing();
    let conformance = told.report.rounds[0].judgement.conformance.as_ref().unwrap();
    assert_eq!((conformance.cases, conformance.held, conformance.missing), (4, 2, 1));
    assert_eq!(conformance.instances, ["api1", "api2"]);
    let broken: Vec<_> = conformance.broken.iter().map(|b| (b.rule.as_str(), b.instances.len())).collect();
    assert_eq!(broken, [("too-long-accepted", 1), ("too-long-accepted", 2)]);
    let advice: Vec<_> = conformance.advice.iter().map(|a| (a.example.rule.as_str(), a.cases)).collect();
    assert_eq!(advice, [("exact-status", 1)]);
    let json: serde_json::Value = serde_json::from_str(&galo_judge::json::pretty(&told.report)).unwrap();
    assert_eq!(json["rounds"][0]["conformance"]["advice"][0]["rule"], "exact-status");
}
