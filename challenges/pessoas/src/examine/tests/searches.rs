//! Answers to `GET /pessoas?t=<term>`.

use super::*;

fn person(id: &str, apelido: &str, nome: &str, stack: &str) -> String {
    format!(
        r#"{{"id":"{id}","apelido":"{apelido}","nome":"{nome}","nascimento":"1985-09-23","stack":{stack}}}"#
    )
}

#[track_caller]
fn told_of(term: &str, body: &str) -> String {
    told(&search(term.as_bytes(), &json_answer(body), &mut Vec::new()))
}

#[test]
fn a_term_may_stand_in_any_field_in_any_case() {
    let people = [
        person(UUID, "xNoDe", "b", "null"),
        person(OTHER_UUID, "a", "the node", "[]"),
        person(&OTHER_UUID.replace('4', "5"), "a", "b", r#"["Go","NODE.js"]"#),
    ];
    let examination = search(b"Node", &json_answer(&format!("[{}]", people.join(","))), &mut Vec::new());
    assert_eq!(told(&examination), "ok");
    assert_eq!((examination.found, examination.effect), (3, Effect::None));
    assert_eq!(told_of("Node", "[]"), "ok");
}

#[test]
fn somebody_without_the_term_is_a_phantom() {
    let body = format!("[{},{}]", person(UUID, "node", "b", "null"), person(OTHER_UUID, "a", "nod", "null"));
    insta::assert_snapshot!(told_of("node", &body), @r#"search-phantom: 00000000-0000-4000-8000-000000000000 has the term "node" in no field"#);
}

#[test]
fn a_term_found_only_across_fields_is_advised_against() {
    for (apelido, nome, stack) in [
        ("xno", "dex", "null"),
        ("dex", "no", "null"),
        ("a", "xno", r#"["de"]"#),
        ("a", "b", r#"["no","de"]"#),
    ] {
        let told = told_of("node", &format!("[{}]", person(UUID, apelido, nome, stack)));
        assert!(told.starts_with("search-across-fields: ") && told.ends_with("only across two"), "{told}");
    }
    let joined_by_space = format!("[{}]", person(UUID, "ana", "maria", "null"));
    assert!(told_of("a m", &joined_by_space).starts_with("search-across-fields: "));
}

#[test]
fn fields_may_be_joined_for_a_search_in_any_order() {
    let body = |long: &str| {
        let (apelido, nome) = (format!("ab{long}CD"), format!("ef{long}GH"));
        format!("[{}]", person(UUID, &apelido, &nome, &format!(r#"["ij","{long}","KL"]"#)))
    };
    // Texts longer than a term are looked at by their ends alone; in an `İ` a lower case is longer than the letter.
    for body in [body("-"), body(&"x".repeat(200)), body(&"İé".repeat(100))] {
        for ends in ["cdef", "cdij", "ghab", "ghij", "klab", "klef"] {
            let (left, right) = ends.split_at(2);
            for term in [ends.to_owned(), format!("{left} {right}")] {
                assert!(told_of(&term, &body).starts_with("search-across-fields: "), "{term} in {body}");
            }
        }
        for inside_out in ["abgh", "cdgh", "cd  ef", "efab", "ijcd", "cdx"] {
            assert!(told_of(inside_out, &body).starts_with("search-phantom: "), "{inside_out} in {body}");
        }
    }
    let skills = |term: &str| told_of(term, &format!("[{}]", person(UUID, "x", "y", r#"["Go","R","C"]"#)));
    for joined in ["xgorcy", "gorc", "go r c", "o,r", "y go, r, c x"] {
        assert!(skills(joined).starts_with("search-across-fields: "), "{joined}");
    }
    assert!(skills("goc").starts_with("search-phantom: "));
}

#[test]
fn nobody_is_listed_twice() {
    let body = format!("[{},{}]", person(UUID, "node", "b", "null"), person(UUID, "node", "b", "null"));
    insta::assert_snapshot!(told_of("node", &body), @"search-duplicate: 6ba7b810-9dad-11d1-80b4-00c04fd430c8 is listed twice");
}

#[test]
fn what_is_no_list_of_people_has_the_wrong_shape() {
    let good = person(UUID, "node", "b", "null");
    for body in [
        "",
        "null",
        "{}",
        &good,
        "[1]",
        "[[]]",
        "[{}]",
        &format!("[{good}"),
        &format!("[{good}] x"),
        &format!("[{}]", good.replace("1985-09-23", "23/09/1985")),
        &format!("[{}]", good.replace(UUID, "17")),
        &format!("[{}]", person(UUID, "node", "b", "[1]")),
        &format!("[{}]", person(UUID, "node", "b", r#""node""#)),
    ] {
        assert!(told_of("node", body).starts_with("search-shape: "), "{body}");
    }
    let not_found = Answer { status: 404, ..json_answer("[]") };
    assert_eq!(told(&search(b"node", &not_found, &mut Vec::new())), "search-shape: expected 200, got 404");
}

#[test]
fn a_stack_left_out_and_another_content_type_are_advised_against() {
    let body = format!("[{}]", person(UUID, "node", "b", "null").replace(r#","stack":null"#, ""));
    assert_eq!(told_of("node", &body), "null-stack-kept: expected [0].stack, got none");
    let plain = Answer { content_type: Some(b"text/html"), ..json_answer("[]") };
    assert!(told(&search(b"node", &plain, &mut Vec::new())).starts_with("content-type-json: "));
}

#[test]
fn who_is_listed_is_seen_by_identity_and_meaning_up_to_a_bound() {
    let probe = Probe::of_row(crate::draw::Key::numbered(1), crate::index::PROBES, 7);
    let sent = Seen { id: ID, digest: probe.person.digest() };
    let seen = |body: &str| {
        let mut seen = Vec::new();
        search(probe.piece.as_bytes(), &json_answer(body), &mut seen);
        seen
    };
    let mut answered = stored(&probe.person, UUID);
    assert_eq!(seen(&format!("[{answered}]")), [sent]);
    answered["nome"] = "somebody else".into();
    assert_ne!(seen(&format!("[{answered}]")), [sent]);
    assert_eq!(seen("[]"), []);
    assert_eq!(seen(&format!("[{}]", vec![answered.to_string(); 300].join(","))).len(), SEEN_MAX);
}

#[test]
fn of_a_very_long_list_the_first_thousand_are_examined_and_all_are_counted() {
    let list = |length: u128, last: &str| {
        let ids = (1..=length).map(|n| uuid::Uuid::from_u128(n).to_string());
        let people: Vec<String> = ids.map(|id| person(&id, "node", "b", "null")).collect();
        format!("[{},{last}]", people.join(","))
    };
    let phantom = person(UUID, "a", "b", "null");
    assert!(told_of("node", &list(999, &phantom)).starts_with("search-phantom: "));
    assert!(told_of("node", &list(999, "17")).starts_with("search-shape: "));
    for unexamined in [&phantom, "17"] {
        let body = list(1000, unexamined);
        let examination = search(b"node", &json_answer(&body), &mut Vec::new());
        assert_eq!((told(&examination).as_str(), examination.found), ("ok", 1001));
    }
    // It is still no right answer if it is no JSON.
    for broken in ["", "{", "nul"] {
        assert!(told_of("node", &list(1000, broken)).starts_with("search-shape: "), "{broken}");
    }
    assert!(told_of("node", &(list(1000, "1") + "]")).starts_with("search-shape: "));
}

#[test]
fn a_wrong_answer_is_told_before_one_that_only_should_be_otherwise() {
    let body = format!("[{},{}]", person(UUID, "xno", "de", "null"), person(OTHER_UUID, "a", "b", "null"));
    let answer = Answer { content_type: None, ..json_answer(&body) };
    assert!(told(&search(b"node", &answer, &mut Vec::new())).starts_with("search-phantom: "));
}
