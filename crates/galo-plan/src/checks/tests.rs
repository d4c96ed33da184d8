use proptest::prelude::*;
use serde_json::json;

use super::*;

const HEAD: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nVia: a\r\nVia: b\r\n\r\n";

fn answer(body: &[u8]) -> Answer<'_> {
    Answer { status: 200, head: HEAD, location: None, content_type: None, body }
}

/// The difference that one check finds in a body, or `right`.
fn found(check: Result<Check, String>, body: &str) -> String {
    let broken = first_broken(&[check.unwrap()], &answer(body.as_bytes()));
    broken.map_or_else(|| "right".to_owned(), |(_, difference)| difference)
}

#[test]
fn a_text_is_found_wherever_it_stands() {
    assert_eq!(found(Check::text("José"), "-> José"), "right");
    assert_eq!(found(Check::text("José"), "Jos"), "the body does not hold `José`");
    assert_eq!(found(Check::text("a\nb"), ""), "the body does not hold `a\u{fffd}b`");
}

#[test]
fn a_value_is_found_at_its_pointer_and_compared_by_meaning() {
    let body = r#"{"a":{"b":4,"c/d":["x",null]},"n":3.0,"o":{"p":1,"q":[2]},"big":18446744073709551615}"#;
    for right in [
        "/a/b = 4",
        "/a/b=4.0",
        "/n = 3",
        "/a/c~1d/0 = x",
        r#"/a/c~1d/0 = "x""#,
        "/a/c~1d/1 = null",
        r#"/o = {"q":[2.0], "p":1}"#,
        "/big = 18446744073709551615",
    ] {
        assert_eq!(found(Check::json(right), body), "right", "{right}");
    }
    assert_eq!(found(Check::json("= 5"), "5"), "right");
    insta::assert_snapshot!(found(Check::json("/a/b = 3"), body), @"/a/b is 4, expected 3");
    insta::assert_snapshot!(found(Check::json(r#"/a/b = "4""#), body), @r#"/a/b is 4, expected "4""#);
    insta::assert_snapshot!(found(Check::json("/a/x = 3"), body), @"/a/x is missing, expected 3");
    insta::assert_snapshot!(found(Check::json("/big = 18446744073709551614"), body), @"/big is 18446744073709551615, expected 18446744073709551614");
    insta::assert_snapshot!(found(Check::json("/o = {}"), body), @r#"/o is {"p":1,"q":[2]}, expected {}"#);
    insta::assert_snapshot!(found(Check::json("= 5"), "6"), @"the body is 6, expected 5");
    insta::assert_snapshot!(found(Check::json("/a = 5"), "<html>"), @"the body is no JSON (expected value at line 1 column 1), expected 5 at /a");
}

#[test]
fn a_header_is_compared_whole_or_in_part_and_any_of_its_values_will_do() {
    assert_eq!(found(Check::header("content-type ~ json"), ""), "right");
    assert_eq!(found(Check::header("Via = b"), ""), "right");
    assert_eq!(found(Check::header("Content-Type=application/json; charset=utf-8"), ""), "right");
    insta::assert_snapshot!(found(Check::header("Content-Type = json"), ""), @"header `Content-Type` is `application/json; charset=utf-8`, expected `json`");
    insta::assert_snapshot!(found(Check::header("Via ~ c"), ""), @"header `Via` is `a`, expected one with `c`");
    insta::assert_snapshot!(found(Check::header("X = y"), ""), @"header `X` is missing, expected `y`");
}

#[test]
fn the_first_broken_check_names_its_rule() {
    let checks =
        [Check::text("a").unwrap(), Check::json("/x = 1").unwrap(), Check::header("Via = c").unwrap()];
    let rule = |checks: &[Check], body: &str| {
        first_broken(checks, &answer(body.as_bytes())).map(|(rule, _)| RULES[rule].name.to_string())
    };
    assert_eq!(rule(&checks, "{}").as_deref(), Some("body-lacks-text"));
    assert_eq!(rule(&checks, r#"{"a":1}"#).as_deref(), Some("body-differs"));
    assert_eq!(rule(&checks, r#"{"a":1,"x":1}"#).as_deref(), Some("header-differs"));
    assert_eq!(rule(&checks[..2], r#"{"a":1,"x":1}"#), None);
}

#[test]
fn a_difference_shows_little_of_a_long_answer() {
    let long = json!({ "a": "é".repeat(500) }).to_string();
    let difference = found(Check::json("/a = 1"), &long);
    assert!(difference.starts_with("/a is \"éé") && difference.ends_with("é..., expected 1"), "{difference}");
    assert!(difference.chars().count() < 100, "{difference}");
}

#[test]
fn what_is_no_check_is_told() {
    insta::assert_snapshot!(Check::json("a/b = 3").unwrap_err(), @"`a/b = 3` is no check of JSON; write a JSON pointer and a value, for example `/items/0/name = Ana`");
    insta::assert_snapshot!(Check::header("Via").unwrap_err(), @"`Via` is no check of a header; write `Content-Type = application/json`, or `Content-Type ~ json` for a part of the value");
    insta::assert_snapshot!(Check::text("").unwrap_err(), @"
    every body holds the empty text
    hint: leave this check out
    ");
    for text in ["/a", "", "/a~2 = 1", "/a~ = 1", "a=1"] {
        assert!(Check::json(text).is_err(), "{text}");
    }
    for text in ["", "=", "~ x", "a b = c"] {
        assert!(Check::header(text).is_err(), "{text}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z/~=]{0,3}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_value_equals_itself_at_any_key_and_not_another(key in "[a-z/~é]{0,6}", value in any_json(), other in any_json()) {
        let pointer = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
        let check = Check::json(&format!("{pointer} = {value}")).unwrap();
        let body = |value: &Value| json!({ key.clone(): value }).to_string();
        prop_assert!(first_broken(std::slice::from_ref(&check), &answer(body(&value).as_bytes())).is_none());
        let differs = first_broken(&[check], &answer(body(&other).as_bytes())).is_some();
        prop_assert_eq!(differs, other != value);
    }

    #[test]
    fn arbitrary_text_and_answers_never_panic(text in ".*", near in "/?[a-z~]{0,3} ?[=~] ?.{0,4}", body: Vec<u8>, head: Vec<u8>) {
        let checks: Vec<Check> = [&text, &near]
            .into_iter()
            .flat_map(|text| [Check::text(text), Check::json(text), Check::header(text)])
            .filter_map(Result::ok)
            .collect();
        let answer = Answer { head: &head, ..answer(&body) };
        let _ = first_broken(&checks, &answer);
        for check in checks {
            let _ = first_broken(&[check], &answer);
        }
    }
}

#[test]
fn every_rule_of_every_challenge_has_its_words_in_both_languages() {
    for rule in RULES.iter().chain(crate::rules::GENERIC) {
        let words = rule.words.as_ref().expect(&rule.name);
        let [en, pt] = &words.headline;
        assert!([en, pt, &words.text_pt].iter().all(|text| !text.is_empty() && !text.ends_with('.')));
        assert!(en != pt && words.text_pt != rule.text, "{}", rule.name);
    }
}
