//! What is accepted and what is refused.

use serde_json::{Value, json};

use crate::http::{full, person};
use crate::support::Instance;

#[test]
fn a_created_person_is_read_back_as_it_was_sent() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    let stacks = [
        Value::Null,
        json!([]),
        json!(["Node", "node", "C++", "C#", "Node", "a b", " ", "\"", "\\", "é"]),
        json!(["x".repeat(32), "é".repeat(32)]),
    ];
    for (n, stack) in stacks.iter().enumerate() {
        let location = instance.create(&full(&format!("p{n}"), "  Zé \"da\" Silva\\ ", stack));
        let id = location.strip_prefix("/pessoas/").unwrap();
        assert_eq!((id.len(), id.matches('-').count()), (36, 4), "{id}");
        let answer = instance.get(&location);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        let want = json!({
            "id": id, "apelido": format!("p{n}"), "nome": "  Zé \"da\" Silva\\ ", "nascimento": "2000-01-31",
            "stack": stack
        });
        assert_eq!(answer.json(), want);
    }
    assert_eq!(instance.count(), 4);
}

#[test]
fn a_stack_that_is_left_out_is_null() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    let location = instance.create(r#"{"apelido":"a","nome":"b","nascimento":"1985-09-23"}"#);
    assert_eq!(instance.get(&location).json()["stack"], Value::Null);
}

#[test]
fn lengths_are_counted_in_characters() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    for (apelido, nome, status) in [
        ("a".repeat(32), "n".repeat(100), 201),
        ("é".repeat(32), "é".repeat(100), 201),
        ("😀".repeat(32), "😀".repeat(100), 201),
        ("b".repeat(33), "n".to_owned(), 422),
        ("ç".repeat(33), "n".to_owned(), 422),
        ("c".to_owned(), "n".repeat(101), 422),
        ("d".to_owned(), "é".repeat(101), 422),
    ] {
        assert_eq!(instance.post(&full(&apelido, &nome, &Value::Null)).status, status, "{apelido} {nome}");
    }
    assert_eq!(instance.post(&full("e", "n", &json!(["x".repeat(33)]))).status, 422);
    assert_eq!(instance.count(), 3);
}

/// A body in which one field has another value (written as JSON).
fn with(field: &str, value: &str) -> String {
    let fields =
        [("apelido", "\"a\""), ("nome", "\"b\""), ("nascimento", "\"2000-01-01\""), ("stack", "null")];
    let fields: Vec<String> = fields
        .iter()
        .map(|(name, good)| format!("\"{name}\":{}", if *name == field { value } else { good }))
        .collect();
    format!("{{{}}}", fields.join(","))
}

#[test]
fn each_bad_field_is_refused_with_the_status_of_the_rules_and_nothing_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    for (field, value, status) in [
        ("apelido", "null", 422),
        ("apelido", "\"\"", 422),
        ("apelido", r#""a\u0000""#, 422),
        ("apelido", "1", 400),
        ("apelido", "[]", 400),
        ("nome", "null", 422),
        ("nome", "\"\"", 422),
        ("nome", "1", 400),
        ("nome", "true", 400),
        ("nome", "{}", 400),
        ("nascimento", "null", 422),
        ("nascimento", "\"\"", 422),
        ("nascimento", "\"2000-13-01\"", 422),
        ("nascimento", "\"2000-01-32\"", 422),
        ("nascimento", "\"2000-02-30\"", 422),
        ("nascimento", "\"2001-02-29\"", 422),
        ("nascimento", "\"1900-02-29\"", 422),
        ("nascimento", "\"12-12-2000\"", 422),
        ("nascimento", r#""\"12-12-2000\"""#, 422),
        ("nascimento", "\"null\"", 422),
        ("nascimento", "\"10\"", 422),
        ("nascimento", "\"2000-01-01T00:00:00\"", 422),
        ("nascimento", "10", 400),
        ("stack", "\"PHP\"", 400),
        ("stack", "1", 400),
        ("stack", "{}", 400),
        ("stack", "[1,\"PHP\"]", 400),
        ("stack", "[[\"PHP\"]]", 400),
        ("stack", "[null]", 422),
        ("stack", "[\"\"]", 422),
        ("stack", r#"["\u0000"]"#, 422),
        ("stack", "[\"Go\",\"\"]", 422),
        ("stack", "[\"1234567890123456789012345678901234567890\"]", 422),
    ] {
        assert_eq!(instance.post(&with(field, value)).status, status, "{field}: {value}");
    }
    assert_eq!(instance.count(), 0);
    // The frame of all these bodies is good.
    assert_eq!(instance.post(&with("stack", "[]")).status, 201);
}

#[test]
fn each_missing_required_field_is_refused_with_422() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    for body in [
        r#"{"nome":"b","nascimento":"2000-01-01"}"#,
        r#"{"apelido":"a","nascimento":"2000-01-01"}"#,
        r#"{"apelido":"a","nome":"b"}"#,
        "{}",
    ] {
        assert_eq!(instance.post(body).status, 422, "{body}");
    }
    assert_eq!(instance.count(), 0);
}

#[test]
fn broken_json_is_refused_with_400() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    let good = person("a");
    let deep = format!(r#"{{"apelido":{}"#, "[".repeat(10_000));
    for body in ["", " ", "{", "null", "[]", "1", "\"a\"", "{'apelido':'a'}", &good[..good.len() - 1], &deep]
    {
        assert_eq!(instance.post(body).status, 400, "{body}");
    }
    let lone_surrogate = with("nome", r#""\ud800""#);
    assert_eq!(instance.post(&lone_surrogate).status, 400);
    assert_eq!(instance.count(), 0);
}

#[test]
fn a_nickname_is_taken_once_and_letter_case_distinguishes_it() {
    let folder = tempfile::tempdir().unwrap();
    let instance = Instance::start(folder.path());
    instance.create(&full("ana", "first", &Value::Null));
    let second = instance.post(&full("ana", "second", &Value::Null));
    assert_eq!((second.status, second.header("location")), (422, None));
    instance.create(&person("Ana"));
    assert_eq!(instance.count(), 2);
    assert_eq!(instance.search("second"), Vec::<String>::new());
}
