use proptest::prelude::*;
use serde_json::json;

use super::*;

fn tree(text: &str) -> Result<Node, String> {
    read(text, 0, 100).map_err(|Wrong { line, message }| format!("{line}: {message}"))
}

fn json(text: &str) -> serde_json::Value {
    tree(text).unwrap().into()
}

#[test]
fn words_of_yaml_1_1_are_text() {
    let words = "on off On OFF yes no Yes NO y n Y N 0123 -0123 00 0123.5 1_000 0b1 0X1F 0O7 12:30 190:20:30 2001-12-14 tRuE nUll 0x 0o8 1e 1e+ + - .  =";
    for word in words.split_whitespace().filter(|word| *word != "-") {
        assert_eq!(json(&format!("- {word}\n- [{word}]\n")), json!([word, [word]]), "{word}");
        assert_eq!(json(&format!("{word}: {word}\n")), json!({ word: word }), "{word}");
    }
}

#[test]
fn the_core_schema_has_null_booleans_and_numbers() {
    let text = "[~, null, NULL, ~, true, True, FALSE, 0, -1, +12, 0x1F, 0o17, 1.5, .5, 5., -2e3, 1E-2, 0.0, 18446744073709551615]";
    assert_eq!(
        json(text),
        json!([
            null,
            null,
            null,
            null,
            true,
            true,
            false,
            0,
            -1,
            12,
            31,
            15,
            1.5,
            0.5,
            5.0,
            -2000.0,
            0.01,
            0.0,
            18_446_744_073_709_551_615_u64
        ])
    );
    assert_eq!(
        json("a:\nb: ''\nc: \"12\"\nd: !!str 12\n"),
        json!({ "a": null, "b": "", "c": "12", "d": "12" })
    );
}

#[test]
fn keys_are_text_whatever_they_look_like() {
    assert_eq!(
        json("200: a\n1.0: b\ntrue: c\nnull: d\n~: e\n0x1F: f\n"),
        json!({ "200": "a", "1.0": "b", "true": "c", "null": "d", "~": "e", "0x1F": "f" })
    );
}

#[test]
fn an_alias_stands_for_what_was_written_at_its_anchor() {
    assert_eq!(
        json("a: &a 0123\nb: *a\nc: &c é 1_000\nd: [&d 1_000, *d, *c]\n"),
        json!({
            "a": "0123", "b": "0123", "c": "é 1_000", "d": ["1_000", "1_000", "é 1_000"]
        })
    );
}

#[test]
fn what_is_not_finite_is_text() {
    assert_eq!(json("[.inf, -.inf, .nan]"), json!([".inf", "-.inf", ".nan"]));
}

proptest! {
    #[test]
    fn what_the_core_schema_does_not_name_comes_back_as_it_was_written(
        words in prop::collection::vec("[a-zA-Z0-9_+.]{1,6}|[0-9]{1,4}(:[0-9]{2}){1,2}|0[0-9_]{1,5}", 1..8)
    ) {
        let words: Vec<String> = words.into_iter().filter(|word| !is_in_core_schema(word)).collect();
        let lower = |word: &String| word.to_ascii_lowercase();
        let words: Vec<String> =
            words.into_iter().filter(|word| ![".inf", "+.inf", ".nan", "+.nan"].contains(&lower(word).as_str())).collect();
        let text: String = words.iter().map(|word| format!("- {word}\n")).collect();
        prop_assert_eq!(if words.is_empty() { json!(words) } else { json(&text) }, json!(words));
    }

    #[test]
    fn whatever_a_text_holds_it_is_read_without_a_panic(text in "(?s).{0,120}") {
        let _ = tree(&text);
    }
}

fn entries(node: &Node) -> Vec<(String, u64)> {
    let Value::Map(entries) = &node.value else { panic!("a map") };
    entries.iter().map(|entry| (entry.key.clone(), entry.line.number)).collect()
}

#[test]
fn every_key_knows_its_line_also_through_an_alias() {
    let node = tree("x-api: &api\n  image: a\nservices:\n  one: *api\n").unwrap();
    assert_eq!(entries(&node), [("x-api".to_owned(), 1), ("services".to_owned(), 3)]);
    let Value::Map(top) = &node.value else { panic!("a map") };
    let Value::Map(services) = &top[1].node.value else { panic!("a map") };
    assert_eq!(entries(&services[0].node), [("image".to_owned(), 2)]);
}

#[test]
fn merge_keys_are_resolved_and_a_services_own_keys_win() {
    let text = "a: &a { cpus: 1, memory: 2 }\nb: { <<: *a, memory: 3 }\nc:\n  <<: [*a, { user: x }]\n";
    let Value::Map(top) = tree(text).unwrap().value else { panic!("a map") };
    let Value::Map(b) = &top[1].node.value else { panic!("a map") };
    let value = |key: &str| &b.iter().find(|entry| entry.key == key).unwrap().node.value;
    assert_eq!(b.len(), 2);
    assert_eq!(value("cpus").text().as_deref(), Some("1"));
    assert_eq!(value("memory").text().as_deref(), Some("3"));
    assert_eq!(entries(&top[2].node).len(), 3);
}

#[test]
fn what_is_written_in_one_piece_has_a_text() {
    let node = tree("[8081, 0.45, 2.0, 1e3, true, yes, '007', ~, -1, []]").unwrap();
    let Value::List(nodes) = &node.value else { panic!("a list") };
    let texts: Vec<_> = nodes.iter().map(|node| node.value.text().unwrap_or("none".into())).collect();
    assert_eq!(texts, ["8081", "0.45", "2", "1000", "true", "yes", "007", "none", "-1", "none"]);
}

#[test]
fn broken_yaml_is_told_with_its_line() {
    insta::assert_snapshot!(tree("a: [\n").unwrap_err(), @"1: unclosed bracket '['");
    insta::assert_snapshot!(tree("a: 1\na: 2\n").unwrap_err(), @"2: duplicate mapping key: a not allowed here");
    insta::assert_snapshot!(tree("a:\n  b: *c\n").unwrap_err(), @"2: reference to unknown value");
    insta::assert_snapshot!(tree("a:\n - b\n c: 1\n").unwrap_err(), @"3: while parsing a block collection, did not find expected '-' indicator");
    insta::assert_snapshot!(tree("a: 1\n---\nb: 1\n").unwrap_err(), @"3: only single YAML document expected but multiple found");
    insta::assert_snapshot!(tree("a: &x [*x]\n").unwrap_err(), @"1: recursive reference not allowed here");
    insta::assert_snapshot!(tree("a: 1\n? [a]\n: 5\n").unwrap_err(), @"2: a key must be text");
}
