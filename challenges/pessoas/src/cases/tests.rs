//! The cases are many, of different names, sound in themselves, and hold every row of the contest's rules.

use std::collections::{BTreeSet, HashSet};

use galo_plan::Severity;
use galo_plan::conformance::{Case, CaseRequest, Expect, Filling, Form, Given, Way, mark};

use crate::rules::{Broken, RULES};

fn all() -> Vec<Case> {
    super::all(crate::draw::Key::numbered(2023))
}

fn requests(cases: &[Case]) -> impl Iterator<Item = (&Case, usize, &CaseRequest)> {
    cases.iter().flat_map(|case| case.requests.iter().enumerate().map(move |(n, request)| (case, n, request)))
}

/// Names of the rules by which anything is held to anything.
fn rules_used(cases: &[Case]) -> BTreeSet<String> {
    requests(cases)
        .flat_map(|(_, _, request)| &request.expect)
        .map(|e| RULES[e.rule].name.to_string())
        .collect()
}

#[test]
fn there_are_at_least_120_cases_and_no_two_share_a_name() {
    let cases = all();
    assert!(cases.len() >= 120, "{}", cases.len());
    let names: HashSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), cases.len());
    assert!(cases.iter().all(|case| !case.name.contains(char::is_control) && case.name.len() < 120));
}

#[test]
fn same_seed_same_cases_and_another_seed_draws_others() {
    assert_eq!(all(), all());
    assert_ne!(all(), super::all(crate::draw::Key::numbered(2024)));
}

/// The contest's table of ambiguities, row by row, and the rules that hold its `must` and its `should`.
const TABLE: &[(&str, &[&str], &[&str])] = &[
    (
        "null, too long, bad date, wrong type, broken JSON",
        &[
            "null-accepted",
            "too-long-accepted",
            "bad-date-accepted",
            "wrong-type-accepted",
            "broken-json-accepted",
        ],
        &["exact-status"],
    ),
    ("date", &["bad-date-accepted"], &["impossible-date-accepted"]),
    ("length", &["valid-person-refused", "too-long-accepted"], &["length-in-bytes"]),
    (
        "stack",
        &["stack-kept", "valid-person-refused"],
        &["empty-stack-kept", "null-stack-kept", "empty-element-refused"],
    ),
    ("case", &["search-case"], &["search-case-unicode"]),
    ("metacharacters", &["search-metacharacters", "server-error"], &["search-wildcard"]),
    ("across fields", &[], &["search-across-fields"]),
    ("number of results", &["search-incomplete", "search-phantom"], &[]),
    ("t= empty", &["no-term"], &[]),
    ("id that is no UUID", &["unknown-person"], &[]),
    ("two creations of one apelido at once", &["duplicate-accepted"], &[]),
    ("count", &["server-error"], &["count-plain-text", "count-fresh"]),
    ("Location", &["location-missing", "location-no-uuid"], &["location-relative"]),
    // And what the table leaves to the list of endpoints and of faults.
    (
        "endpoints",
        &["create-status", "read-shape", "read-differs", "search-shape"],
        &["content-type-json", "not-found"],
    ),
    ("two instances", &["search-other-instance"], &[]),
    (
        "HTTP and JSON",
        &["server-error"],
        &[
            "http-forms",
            "head-answered",
            "keep-alive",
            "pipelining",
            "method-refused",
            "json-read",
            "strict-json",
            "odd-text",
            "date-form",
        ],
    ),
];

#[test]
fn every_row_of_the_contests_table_has_cases() {
    let used = rules_used(&all());
    for (row, musts, shoulds) in TABLE {
        for (names, severity) in [(musts, Severity::Must), (shoulds, Severity::Should)] {
            for name in names.iter() {
                let rule = RULES.iter().find(|rule| rule.name == *name).expect(name);
                assert_eq!(rule.severity, severity, "{row}: {name}");
                assert!(used.contains(*name), "{row}: {name}");
            }
        }
    }
}

#[test]
fn every_rule_that_only_cases_can_break_has_one() {
    let used = rules_used(&all());
    // What the traffic's own checks hold.
    let by_traffic = ["invalid-person-accepted", "search-duplicate", "exact-refusal"];
    for rule in RULES.iter().filter(|rule| !by_traffic.contains(&&*rule.name)) {
        assert!(used.contains(&*rule.name), "{}", rule.name);
    }
}

#[test]
fn every_request_that_waits_for_an_answer_must_have_one_or_be_survived() {
    for (case, number, request) in requests(&all()) {
        let by_must = request.expect.iter().any(|e| {
            matches!(e.that, Expect::Alive | Expect::Answer { .. }) && e.rule == Broken::ServerError as usize
        });
        let waits = !matches!(request.form, Form::Cut(_)) && request.way != Way::Pipelined;
        assert_eq!(by_must, waits, "{}: request {number}", case.name);
    }
}

/// Rules by which a request must have an answer without a 5xx, and those by which it must have a status.
fn musts(case: &str, number: usize) -> Vec<String> {
    let cases = all();
    let case = cases.iter().find(|other| other.name == case).unwrap_or_else(|| panic!("no case {case}"));
    let demands = |that: &Expect| matches!(that, Expect::Answer { .. } | Expect::Status(_));
    let held = case.requests[number].expect.iter().filter(|e| demands(&e.that)).map(|e| &RULES[e.rule]);
    held.filter(|rule| rule.severity == Severity::Must).map(|rule| rule.name.to_string()).collect()
}

#[test]
fn of_what_the_contest_leaves_open_only_survival_is_a_must() {
    for (case, number) in [
        ("a key t with brackets is answered", 1),
        ("a term given twice is answered", 1),
        ("an id in braces is answered", 1),
        ("DELETE /pessoas/<id> is refused", 1),
        ("DELETE /pessoas/<id> is refused", 2),
        ("PUT /pessoas is refused", 1),
        ("OPTIONS is answered", 0),
        ("the path /nada does not exist", 0),
        ("a path in capitals is answered", 0),
        ("the date \"2021-02-30\" should be refused", 0),
        ("an apelido of 32 characters beyond ASCII is accepted", 0),
        ("JOSÉ finds josé", 1),
        ("an empty nome is either created or refused", 0),
        ("a person as text/plain is either created or refused", 0),
        ("white space around everything is read", 0),
        ("a stack of 100,000 elements is either created or refused", 0),
        ("a body in chunks is read", 0),
    ] {
        assert_eq!(musts(case, number), Vec::<String>::new(), "{case}");
    }
}

#[test]
fn what_the_contest_speaks_of_must_have_an_answer_by_a_rule_that_says_what_of() {
    for (case, number, rules) in [
        ("the term C++ is found in a nome", 1, vec!["search-metacharacters"; 2]),
        ("the term ' is found at the end of an element of stack", 1, vec!["search-metacharacters"; 2]),
        ("the term . is found in a nome", 1, vec!["server-error", "search-shape"]),
        (
            "a person is created, read and found",
            0,
            vec!["server-error", "valid-person-refused", "create-status"],
        ),
        ("a person is created, read and found", 1, vec!["server-error", "read-shape"]),
    ] {
        assert_eq!(musts(case, number), rules, "{case}");
    }
}

#[test]
fn what_is_about_http_alone_is_asked_at_the_own_port_and_names_nobody_elsewhere() {
    let cases = all();
    let in_front = |name: &str| cases.iter().find(|case| case.name == name).unwrap().front;
    for name in ["a body in chunks is read", "a header of 200 KB is survived", "a term of 100 KB is survived"]
    {
        assert!(in_front(name), "{name}");
    }
    assert!(!in_front("a person is created, read and found"));
    assert!(cases.iter().filter(|case| case.front).flat_map(|case| &case.requests).all(|r| !r.elsewhere));
}

/// Everything that a request may say, with each earlier request taken for a creation.
fn filled(request: &CaseRequest, number: usize) -> Option<Vec<String>> {
    let given: Vec<Option<Given>> = (0..number)
        .map(|_| Given::of_location(b"/pessoas/6ba7b810-9dad-11d1-80b4-00c04fd430c8", b"/pessoas"))
        .collect();
    let mark = mark(galo_plan::Seed::of_number(1), 2, 3);
    let filling = Filling { mark: &mark, given: &given };
    let mut texts = vec![String::from_utf8_lossy(&filling.content(&request.target)?.bytes()).into_owned()];
    for (_, value) in &request.headers {
        filling.content(value)?;
    }
    for expectation in &request.expect {
        match &expectation.that {
            Expect::Shows(json) | Expect::ShowsExactly(json) | Expect::ListShows(json) => {
                texts.push(filling.text(json)?);
            }
            Expect::Lists { of, .. } => {
                for id in of {
                    filling.text(id)?;
                }
            }
            _ => {}
        }
    }
    Some(texts)
}

#[test]
fn what_a_request_names_was_created_before_it_and_is_json_where_it_must_be() {
    for (case, number, request) in requests(&all()) {
        let texts = filled(request, number).unwrap_or_else(|| panic!("{}: request {number}", case.name));
        let target = &texts[0];
        assert!(!target.contains(' ') && !target.is_empty(), "{}: {target}", case.name);
        for json in &texts[1..] {
            let value: Result<serde_json::Value, _> = serde_json::from_str(json);
            assert!(value.is_ok_and(|value| value.is_object()), "{}: {json}", case.name);
        }
    }
}

#[test]
fn a_request_at_once_or_behind_another_follows_one() {
    for (case, number, request) in requests(&all()) {
        assert!(number > 0 || request.way == Way::Fresh, "{}", case.name);
    }
}

#[test]
fn people_who_must_be_accepted_keep_every_rule() {
    let must = |request: &&CaseRequest| {
        let accepted = |e: &galo_plan::conformance::Expectation| {
            e.rule == Broken::ValidPersonRefused as usize && e.that == Expect::Status(vec![201])
        };
        request.expect.iter().any(accepted)
    };
    let cases = all();
    let mark = mark(galo_plan::Seed::of_number(1), 2, 3);
    let filling = Filling { mark: &mark, given: &[] };
    let mut seen = 0;
    for (case, _, request) in requests(&cases).filter(|(_, _, request)| must(request)) {
        let body = filling.content(request.body.as_ref().unwrap()).unwrap().bytes();
        let person: serde_json::Value = serde_json::from_slice(&body).unwrap();
        let chars = |key: &str| person[key].as_str().unwrap().chars().count();
        assert!((1..=32).contains(&chars("apelido")) && (1..=100).contains(&chars("nome")), "{}", case.name);
        let date = person["nascimento"].as_str().unwrap();
        assert!(date.len() == 10 && ("1940".."2021").contains(&&date[..4]), "{}", case.name);
        for skill in person["stack"].as_array().into_iter().flatten() {
            assert!((1..=32).contains(&skill.as_str().unwrap().chars().count()), "{}", case.name);
        }
        seen += 1;
    }
    assert!(seen > 100, "{seen}");
}

#[test]
fn every_rule_of_the_cases_is_explained_in_the_docs() {
    let page = include_str!("../../../../docs/reference/conformance.md");
    for name in rules_used(&all()) {
        let rule = RULES.iter().find(|rule| rule.name == name).unwrap();
        let severity = if rule.severity == Severity::Must { "must" } else { "should" };
        assert!(page.contains(&format!("| `{name}` | {severity} |")), "{name}");
    }
}
