//! Records written by hand, and the whole of what is made of them.

use galo_plan::conformance::{Case, Content, Expectation, Way};
use galo_record::conformance::{Failure, FailureKind};
use proptest::prelude::*;

use super::*;
use crate::evidence::{Elements, Ids};
use crate::findings::{BrokenAt, BrokenRule};
use crate::step::StepName;
use crate::testing::plan;

mod bodies;

/// Numbers of the model's rules in [`plan`].
const MUST: usize = 0;
const SHOULD: usize = 1;
const MUST_NAME: &str = "search-phantom";

const ID: &str = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
const OTHER: &str = "00000000-9dad-11d1-80b4-00c04fd430c8";

fn asks(method: &str, target: &str, expect: &[(usize, Expect)]) -> CaseRequest {
    let mut request = CaseRequest::new(method, target);
    request.expect =
        expect.iter().map(|(rule, that)| Expectation { rule: *rule, that: that.clone() }).collect();
    request
}

fn answers(status: u16, headers: &str, body: &str) -> Option<Exchange> {
    Some(Exchange {
        target: ([127, 0, 0, 1], 8081).into(),
        through: None,
        reused: false,
        status,
        head: Content::from(format!("HTTP/1.1 {status} X\r\n{headers}\r\n")),
        body: Content::of_bytes(body.as_bytes()),
        body_bytes: body.len() as u64,
        failure: None,
    })
}

fn fails(kind: FailureKind, text: &str) -> Option<Exchange> {
    let failure = Some(Failure { kind, text: text.to_owned() });
    answers(0, "", "").map(|exchange| Exchange { failure, head: Content::default(), ..exchange })
}

fn created() -> Option<Exchange> {
    answers(201, &format!("Location: /people/{ID}\r\n"), "")
}

fn ran(instance: &str, exchanges: Vec<Option<Exchange>>) -> CaseRun {
    CaseRun {
        instance: instance.to_owned(),
        direct: false,
        mark: "a1b".to_owned(),
        exchanges,
        flushes: None,
        gone: None,
    }
}

fn record(requests: Vec<CaseRequest>, runs: Vec<CaseRun>) -> CaseRecord {
    CaseRecord { case: Case { name: "a case".to_owned(), requests, front: false }, runs, missing: None }
}

fn missing(because: &str, blame: Blame) -> Option<Missing> {
    Some(Missing { because: because.to_owned(), blame })
}

fn judged(records: &[CaseRecord]) -> Conformance {
    judge_cases(&plan(), records).unwrap()
}

/// What was expected and what came, as JSON.
fn facts(broken: &BrokenCase) -> String {
    let [expected, came] = [serde_json::to_string(&broken.expected), serde_json::to_string(&broken.came)];
    format!("{} / {}", expected.unwrap(), came.unwrap())
}

/// What one answer to one request broke.
fn breach(expect: Expect, exchange: Option<Exchange>) -> Option<String> {
    let case = record(vec![asks("GET", "/people", &[(MUST, expect)])], vec![ran("api1", vec![exchange])]);
    let told = judged(&[case]).broken;
    told.first().map(facts)
}

/// The same behind a creation that gave [`ID`].
fn breach_after_creation(expect: Expect, exchange: Option<Exchange>) -> Option<String> {
    let requests = vec![asks("POST", "/people", &[]), asks("GET", "/people", &[(MUST, expect)])];
    let told = judged(&[record(requests, vec![ran("api1", vec![created(), exchange])])]).broken;
    told.first().map(facts)
}

fn answer(server_errors: &[u16], cut: bool) -> Expect {
    Expect::Answer { server_errors: server_errors.to_vec(), cut }
}

fn lists(of: &[&str], at_least: usize, others: bool) -> Expect {
    Expect::Lists { of: of.iter().map(ToString::to_string).collect(), at_least, others }
}

#[test]
fn nothing_asked_is_nothing_judged() {
    assert_eq!(judge_cases(&plan(), &[]), None);
}

#[test]
fn a_case_that_breaks_a_rule_on_one_instance_is_told_whole() {
    let requests = vec![
        asks("POST", "/people", &[(MUST, Expect::Status(vec![201]))]),
        asks("GET", "/people?t={mark}", &[(MUST, lists(&["{0.id}"], 1, true))]),
    ];
    let right = answers(200, "", &format!(r#"[{{"id":"{ID}"}}]"#));
    let wrong = answers(200, "Content-Type: application/json\r\n", "[]");
    let runs = vec![ran("api1", vec![created(), right]), ran("api2", vec![created(), wrong])];
    let conformance = judged(&[record(requests, runs)]);
    assert_eq!(
        conformance,
        Conformance {
            cases: 1,
            held: 0,
            missing: 0,
            missing_because: None,
            instances: vec!["api1".to_owned(), "api2".to_owned()],
            direct: false,
            broken: vec![BrokenCase {
                case: "a case".to_owned(),
                rule: MUST_NAME.to_owned(),
                headline: None,
                instances: vec!["api2".to_owned()],
                request: "curl -sS -i 'http://127.0.0.1:8081/people?t=a1b'".to_owned(),
                before: vec!["curl -sS -i -X 'POST' 'http://127.0.0.1:8081/people'".to_owned()],
                expected: these(ID),
                came: Came::Value { value: "[]".to_owned() },
                answer: "HTTP/1.1 200 X\nContent-Type: application/json\n\n[]".to_owned(),
            }],
            advice: Vec::new(),
        }
    );
    let mut findings = Vec::new();
    add_findings(&plan(), &conformance, &mut findings);
    assert_eq!(
        findings,
        [Finding::new(broken(1, Vec::new())).shown_by([Evidence::Case {
            case: "a case".to_owned(),
            instances: vec!["api2".to_owned()],
            request: "curl -sS -i 'http://127.0.0.1:8081/people?t=a1b'".to_owned(),
            expected: these(ID),
            came: Came::Value { value: "[]".to_owned() },
            answer: "HTTP/1.1 200 X\nContent-Type: application/json\n\n[]".to_owned(),
        }])]
    );
}

#[test]
fn a_rule_is_told_once_for_a_case_and_only_what_disqualifies_makes_it_not_hold() {
    let refuse = |exact| {
        vec![asks(
            "POST",
            "/people",
            &[(MUST, Expect::Status(vec![400, 422])), (SHOULD, Expect::Status(vec![exact]))],
        )]
    };
    let run = |status| ["api1", "api2"].map(|name| ran(name, vec![answers(status, "", "")])).to_vec();
    let told = judged(&[
        record(refuse(422), run(400)),
        record(refuse(422), run(201)),
        record(refuse(422), run(422)),
    ]);
    let status =
        |names: &[&str]| Expected::Status { statuses: names.iter().map(|&name| name.to_owned()).collect() };
    let of = |case: &BrokenCase| (case.instances.len(), case.expected.clone());
    assert_eq!(told.broken.iter().map(of).collect::<Vec<_>>(), [(2, status(&["400", "422"]))]);
    let advice: Vec<_> = told.advice.iter().map(|advice| (advice.cases, of(&advice.example))).collect();
    assert_eq!(advice, [(1, (2, status(&["422"])))]);
    assert_eq!((told.cases, told.held), (3, 2));
}

#[test]
fn one_cause_of_advice_that_shows_in_many_cases_is_told_once_and_all_of_them_hold() {
    let case = |number: usize| {
        let requests = vec![asks("POST", "/people", &[(SHOULD, Expect::LocationRelative)])];
        let instance = ["api1", "api2"][number % 2];
        let absolute = answers(201, &format!("Location: http://h/people/{ID}\r\n"), "");
        record(requests, vec![ran(instance, vec![absolute])])
    };
    let told = judged(&(0..215).map(case).collect::<Vec<_>>());
    assert_eq!((told.cases, told.held, told.broken.len()), (215, 215, 0));
    let [Advice { cases: 215, example }] = &told.advice[..] else { panic!("{:?}", told.advice) };
    assert_eq!(example.instances, ["api1", "api2"]);
    let mut findings = Vec::new();
    add_findings(&plan(), &told, &mut findings);
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].weight, findings[0].evidence.len()), (Weight::Should, 1));
    let Fact::BrokenRule(broken) = &findings[0].fact else { panic!("{:?}", findings[0]) };
    assert_eq!((broken.cases, broken.steps.len()), (215, 0));
}

/// A list in which this one is.
fn these(id: &str) -> Expected {
    let elements = Elements::These(Ids { ids: vec![id.to_owned()], more: 0 });
    Expected::Lists { elements, is_array: true }
}

/// The fact that the rule of these tests was broken.
fn broken(cases: u64, steps: Vec<BrokenAt>) -> BrokenRule {
    let text = "a search finds only who matches it".to_owned();
    BrokenRule { rule: MUST_NAME.to_owned(), text, text_pt: None, headline: None, cases, steps }
}

#[test]
fn what_the_traffic_found_by_the_same_rule_stays_one_finding() {
    let conformance = judged(&[record(
        vec![asks("GET", "/", &[(MUST, Expect::Status(vec![200]))])],
        vec![ran("api1", vec![answers(404, "", "")])],
    )]);
    let step = StepName { scenario: Some("probe".to_owned()), step: "search".to_owned() };
    let at = || vec![BrokenAt { step: step.clone(), broken: 3, operations: 5 }];
    let known = Finding::new(broken(0, at())).shown_by([Evidence::NoFlushes]);
    let mut findings = vec![known];
    add_findings(&plan(), &conformance, &mut findings);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].fact, broken(1, at()).into());
    assert_eq!((findings[0].weight, findings[0].blame), (Weight::Must, Blame::Contender));
    assert_eq!(findings[0].evidence.len(), 2);
}

#[test]
fn an_answer_must_be_whole_and_no_5xx_unless_that_will_do() {
    let cut = || fails(FailureKind::Cut, "connection reset");
    let broken = r#"{"kind":"whole-answer"} / {"kind":"broken","status":null,"because":"why"}"#;
    assert_eq!(breach(answer(&[], false), answers(404, "", "")), None);
    insta::assert_snapshot!(breach(answer(&[], false), answers(500, "", "")).unwrap(), @r#"{"kind":"no-server-error"} / {"kind":"status","status":500}"#);
    assert_eq!(breach(answer(&[501], false), answers(501, "", "")), None);
    insta::assert_snapshot!(breach(answer(&[501], false), answers(502, "", "")).unwrap(), @r#"{"kind":"no-server-error"} / {"kind":"status","status":502}"#);
    insta::assert_snapshot!(breach(answer(&[], false), cut()).unwrap(), @r#"{"kind":"whole-answer"} / {"kind":"broken","status":null,"because":"connection reset"}"#);
    for kind in [FailureKind::Cut, FailureKind::Unreadable, FailureKind::TooLong] {
        assert_eq!(breach(answer(&[500], false), fails(kind, "why")).unwrap(), broken);
        assert_eq!(breach(answer(&[], true), fails(kind, "why")), None);
    }
    assert_eq!(breach(answer(&[], false), fails(FailureKind::Own, "too many open files")), None);
    assert_eq!(breach(Expect::Alive, answers(500, "", "")), None);
    assert_eq!(breach(Expect::Alive, fails(FailureKind::TimedOut, "late")), None);
    for kind in [FailureKind::TimedOut, FailureKind::Connect] {
        assert_eq!(breach(answer(&[500], true), fails(kind, "why")).unwrap(), broken);
    }
    let begun = answers(200, "", "x")
        .map(|e| Exchange { failure: fails(FailureKind::Cut, "reset").unwrap().failure, ..e });
    insta::assert_snapshot!(breach(answer(&[], false), begun).unwrap(), @r#"{"kind":"whole-answer"} / {"kind":"broken","status":200,"because":"reset"}"#);
}

#[test]
fn an_answer_longer_than_what_is_read_is_an_answer_and_holds_no_body() {
    let long = |status| {
        let failure = fails(FailureKind::TooLong, "long").unwrap().failure;
        answers(status, "", "[{}").map(|e| Exchange { failure, body_bytes: 1 << 20, ..e })
    };
    assert_eq!(breach(answer(&[], false), long(200)), None);
    assert_eq!(breach(Expect::Status(vec![200, 400]), long(200)), None);
    insta::assert_snapshot!(breach(Expect::Status(vec![400]), long(200)).unwrap(), @r#"{"kind":"status","statuses":["400"]} / {"kind":"status","status":200}"#);
    insta::assert_snapshot!(breach(answer(&[], false), long(500)).unwrap(), @r#"{"kind":"whole-answer"} / {"kind":"broken","status":500,"because":"long"}"#);
    let json = || "{}".to_owned();
    let of_bodies = [Expect::Shows(json()), Expect::ListShows(json()), lists(&[], 0, false)];
    for of_body in of_bodies.into_iter().chain([Expect::LengthAtMost(1)]) {
        let told = breach(of_body, long(200)).unwrap();
        assert!(told.ends_with(r#"{"kind":"too-long","bytes":1048576}"#), "{told}");
    }
}

#[test]
fn nothing_but_the_missing_answer_is_told_where_there_is_none() {
    for expect in [Expect::Status(vec![200]), lists(&[], 0, false), Expect::SameConnection, Expect::Digits] {
        assert_eq!(breach(expect, fails(FailureKind::Cut, "closed before the answer")), None);
    }
}

#[test]
fn a_whole_hundred_of_statuses_is_told_as_one() {
    let expect = |statuses: &[u16]| breach(Expect::Status(statuses.to_vec()), answers(500, "", "")).unwrap();
    let all: Vec<u16> = [204].into_iter().chain(400..500).collect();
    insta::assert_snapshot!(expect(&all), @r#"{"kind":"status","statuses":["204","4xx"]} / {"kind":"status","status":500}"#);
    insta::assert_snapshot!(expect(&[200, 400, 499]), @r#"{"kind":"status","statuses":["200","400","499"]} / {"kind":"status","status":500}"#);
}

#[test]
fn who_answers_a_wrong_request_by_500_failed_and_accepted_nothing() {
    let told = |status| {
        let expect = [(SHOULD, Expect::Status(vec![400])), (MUST, answer(&[], false))];
        judged(&[record(
            vec![asks("POST", "/people", &expect)],
            vec![ran("api1", vec![answers(status, "", "")])],
        )])
    };
    let broken: Vec<Expected> = told(500).broken.into_iter().map(|case| case.expected).collect();
    assert_eq!((broken, told(500).advice), (vec![Expected::NoServerError], Vec::new()));
    assert_eq!((told(201).broken, told(201).advice.len()), (Vec::new(), 1));
}

#[test]
fn a_body_is_held_to_nothing_under_another_status_than_2xx() {
    assert_eq!(breach(lists(&[], 0, false), answers(404, "", "nobody here")), None);
    assert_eq!(breach(Expect::MediaType("application/json".to_owned()), answers(400, "", "")), None);
}

#[test]
fn a_request_that_was_not_sent_is_held_to_nothing() {
    let requests =
        vec![asks("POST", "/people", &[]), asks("GET", "{0.location}", &[(MUST, answer(&[], false))])];
    let told = judged(&[record(requests, vec![ran("api1", vec![answers(422, "", ""), None])])]);
    assert_eq!((told.held, told.broken), (1, Vec::new()));
}

#[test]
fn a_location_leads_to_a_uuid_whether_relative_or_not() {
    let leads = Expect::Location("/people/".to_owned());
    let to = |location: &str| answers(201, &format!("Location: {location}\r\n"), "");
    for right in
        [format!("/people/{ID}"), format!("people/{}", ID.to_uppercase()), format!("http://h:1/people/{ID}")]
    {
        assert_eq!(breach(leads.clone(), to(&right)), None, "{right}");
    }
    for wrong in ["/people/17", "/people", "ftp://h/", &format!("/people/{ID}/"), &format!("/people/{ID}?x")]
    {
        let came = Came::Value { value: format!("{wrong:?}") };
        let told = breach(leads.clone(), to(wrong)).unwrap();
        assert!(told.ends_with(&serde_json::to_string(&came).unwrap()), "{told}");
    }
    let header = Expect::CreatedWith("Location".to_owned());
    insta::assert_snapshot!(breach(header.clone(), answers(201, "", "")).unwrap(), @r#"{"kind":"header","name":"Location"} / {"kind":"nothing"}"#);
    assert_eq!(breach(header, answers(422, "", "")), None);
    assert_eq!(breach(leads, answers(201, "", "")), None);
    assert_eq!(breach(Expect::LocationRelative, to("/people/17")), None);
    insta::assert_snapshot!(breach(Expect::LocationRelative, to("http://h/people/17")).unwrap(), @r#"{"kind":"relative-location"} / {"kind":"value","value":"\"http://h/people/17\""}"#);
}

#[test]
fn of_requests_at_once_exactly_one_may_succeed() {
    let judged_with = |statuses: [u16; 3]| {
        let mut requests = vec![asks("POST", "/people", &[]); 3];
        requests[1].way = Way::AtOnce;
        let one = Expect::OneOf { status: 201, last: 3 };
        requests[2].expect = vec![Expectation { rule: MUST, that: one }];
        let exchange = |status| match status {
            0 => fails(FailureKind::Cut, "connection reset"),
            _ => answers(status, "", ""),
        };
        let exchanges = statuses.map(exchange).to_vec();
        let told = judged(&[record(requests, vec![ran("api1", exchanges)])]).broken;
        told.first().map(|broken| broken.came.clone())
    };
    let had = |requests| Some(Came::Had { requests });
    assert_eq!(judged_with([422, 201, 422]), None);
    assert_eq!(judged_with([201, 422, 201]), had(2));
    assert_eq!(judged_with([422, 422, 422]), had(0));
    // 0: cut, and it may be the one.
    assert_eq!(judged_with([422, 0, 422]), None);
    assert_eq!(judged_with([201, 0, 201]), had(2));
}

#[test]
fn a_header_and_a_connection_are_held_to_their_rule() {
    let json = || Expect::MediaType("application/json".to_owned());
    assert_eq!(breach(json(), answers(200, "content-type: Application/JSON; charset=utf-8\r\n", "")), None);
    let html = breach(json(), answers(200, "Content-Type: text/html\r\n", "")).unwrap();
    insta::assert_snapshot!(html, @r#"{"kind":"content-type","media_type":"application/json"} / {"kind":"value","value":"\"text/html\""}"#);
    insta::assert_snapshot!(breach(json(), answers(200, "", "")).unwrap(), @r#"{"kind":"content-type","media_type":"application/json"} / {"kind":"nothing"}"#);
    assert!(breach(Expect::SameConnection, answers(200, "", "")).is_some());
    let reused = answers(200, "", "").map(|exchange| Exchange { reused: true, ..exchange });
    assert_eq!(breach(Expect::SameConnection, reused), None);
}

#[test]
fn a_server_that_ended_is_told_of_the_case_and_the_rest_is_missing() {
    let requests = || vec![asks("POST", "/people", &[(MUST, answer(&[], true))])];
    let mut ended = ran("api1", vec![fails(FailureKind::Cut, "connection reset")]);
    ended.gone = Some("GET /count: connection refused".to_owned());
    let mut first = record(requests(), vec![ended]);
    first.missing = missing("api1 answers no more", Blame::Contender);
    let mut second = record(requests(), Vec::new());
    second.missing.clone_from(&first.missing);
    let told = judged(&[first, second]);
    assert_eq!((told.cases, told.held, told.missing), (2, 0, 2));
    let [broken] = &told.broken[..] else { panic!("{:?}", told.broken) };
    let because = "GET /count: connection refused".to_owned();
    assert_eq!((&broken.expected, &broken.came), (&Expected::LivesOn, &Came::NoMore { because }));
    let mut findings = Vec::new();
    add_findings(&plan(), &told, &mut findings);
    let names: Vec<_> = findings.iter().map(|finding| (finding.name(), finding.weight)).collect();
    assert_eq!(names, [(MUST_NAME, Weight::Must), ("cases-missing", Weight::Should)]);
    let because = "api1 answers no more".to_owned();
    assert_eq!(findings[1].fact, Fact::CasesMissing(CasesMissing { missing: 2, cases: 2, because }));
}

#[test]
fn what_galo_could_not_ask_is_not_held_against_the_contender() {
    let mut unasked = record(vec![asks("GET", "/", &[])], Vec::new());
    unasked.missing = missing("galo itself could not ask: too many open files", Blame::Client);
    let told = judged(&[unasked]);
    assert_eq!((told.held, told.missing, told.broken.len()), (0, 1, 0));
    let mut findings = Vec::new();
    add_findings(&plan(), &told, &mut findings);
    let names: Vec<_> = findings.iter().map(|finding| (finding.name(), finding.blame)).collect();
    assert_eq!(names, [("cases-missing", Blame::Client)]);
}

#[test]
fn a_server_that_ended_where_anything_else_would_do_breaks_the_rule_of_its_life() {
    let held = [(MUST, Expect::Alive), (SHOULD, answer(&[], false))];
    let mut ended = ran("api1", vec![fails(FailureKind::TimedOut, "late")]);
    let breaks = |run: &CaseRun| {
        let told = judged(&[record(vec![asks("GET", "/", &held)], vec![run.clone()])]);
        (told.broken.len(), told.advice.len())
    };
    assert_eq!(breaks(&ended), (0, 1));
    ended.gone = Some("GET /count: connection refused".to_owned());
    assert_eq!(breaks(&ended), (1, 1));
}

#[test]
fn a_port_that_was_asked_beside_the_instances_is_none_of_them() {
    let requests = || vec![asks("GET", "/", &[(MUST, Expect::Status(vec![200]))])];
    let of_instance = |name: &str| CaseRun { direct: true, ..ran(name, vec![answers(200, "", "")]) };
    let both = ["api1", "api2"].map(of_instance).to_vec();
    let front = ran("port 9999", vec![answers(404, "", "")]);
    let told = judged(&[record(requests(), vec![front.clone(), front]), record(requests(), both)]);
    assert_eq!((told.instances.as_slice(), told.direct), (&["api1".to_owned(), "api2".to_owned()][..], true));
    assert_eq!(told.broken[0].instances, ["port 9999"]);
}

#[test]
fn what_only_an_instance_shows_is_told_and_held_against_nobody() {
    let requests = || vec![asks("GET", "/", &[(MUST, Expect::Status(vec![200]))])];
    let of_instance = |status| CaseRun { direct: true, ..ran("api1", vec![answers(status, "", "")]) };
    let of_front = |status| ran("port 9999", vec![answers(status, "", "")]);
    let broken = |runs: Vec<CaseRun>| {
        let told = judged(&[record(requests(), runs)]);
        (told.held, told.broken.len(), told.advice.len())
    };
    assert_eq!(broken(vec![of_instance(404), of_front(200)]), (1, 0, 1));
    assert_eq!(broken(vec![of_instance(404), of_front(404)]), (0, 1, 0));
    assert_eq!(broken(vec![of_instance(404)]), (1, 0, 1));
}

#[test]
fn a_record_of_another_plan_is_held_to_the_rules_that_there_are() {
    let requests = vec![asks("GET", "/", &[(99, Expect::Status(vec![200]))])];
    let told = judged(&[record(requests, vec![ran("api1", vec![answers(404, "", "")])])]);
    assert_eq!((told.held, told.broken.len()), (1, 0));
}

#[test]
fn an_answer_of_megabytes_is_shown_by_its_start() {
    let body = "x".repeat(30_000);
    let case = record(
        vec![asks("GET", "/", &[(MUST, Expect::Digits)])],
        vec![ran("api1", vec![answers(200, "", &body)])],
    );
    let told = judged(&[case]).broken;
    assert!(
        told[0].answer.len() < 600 && told[0].answer.ends_with("... (30000 bytes)"),
        "{}",
        told[0].answer
    );
}

proptest! {
    #[test]
    fn no_answer_of_any_bytes_makes_the_judge_panic(
        status in 0..700_u16,
        head in prop::collection::vec(any::<u8>(), 0..60),
        body in prop::collection::vec(any::<u8>(), 0..60),
        more in 0..3_u64,
    ) {
        let all = [
            answer(&[], false), Expect::Status(vec![]), Expect::CreatedWith("a".to_owned()), Expect::Digits,
            Expect::Location("/".to_owned()), Expect::LocationRelative, Expect::MediaType(String::new()),
            Expect::Shows("{}".to_owned()), Expect::ShowsExactly("[".to_owned()), lists(&["{0.id}"], 9, false),
            Expect::LengthAtMost(0), Expect::ListShows("{}".to_owned()), Expect::Exceeds { than: 7, by: u64::MAX },
            Expect::SameConnection, Expect::OneOf { status: 201, last: 0 },
        ];
        let exchange = Exchange {
            status,
            head: Content::of_bytes(&head),
            body: Content::of_bytes(&body),
            body_bytes: body.len() as u64 + more,
            ..created().unwrap()
        };
        let held: Vec<_> = all.map(|that| (MUST, that)).into();
        let case = record(vec![asks("GET", "/", &held)], vec![ran("api1", vec![Some(exchange)])]);
        prop_assert!(judged(&[case]).broken.len() <= 1);
    }
}
