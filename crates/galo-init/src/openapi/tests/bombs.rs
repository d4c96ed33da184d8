//! Short descriptions that stand for more than could ever be made: each is read in bounded time and memory. What there is
//! too much of is left out, and told; what stands beside it is not.

use std::path::Path;

use serde_json::{Value, json};

use super::{of_paths, plain, read_text};
use crate::draft::DraftRequests;
use crate::openapi::document::Document;

fn reference(name: impl std::fmt::Display) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Of a description in which `POST /a` takes a body of this schema, beside `GET /b`.
pub(super) fn of_body(schema: &Value, schemas: &Value) -> DraftRequests {
    let body = json!({ "required": true, "content": { "application/json": { "schema": schema } } });
    let document = json!({
        "openapi": "3.1.0",
        "paths": { "/a": { "post": { "requestBody": body } }, "/b": { "get": {} } },
        "components": { "schemas": schemas },
    });
    read_text(&document.to_string(), &plain()).unwrap()
}

/// What was left out of it; `GET /b` never is.
fn told(schema: &Value, schemas: &Value) -> String {
    let traffic = of_body(schema, schemas);
    assert!(traffic.scenarios.iter().any(|scenario| scenario.name == "GET /b"));
    traffic.told.join("\n")
}

/// Schemas `0` to `14`, each of which is made of the next one, as `of` says; `15` is `last`.
fn chain(of: impl Fn(Value) -> Value, last: Value) -> Value {
    let each = (0..15).map(|n| (n.to_string(), of(reference(n + 1))));
    each.chain([("15".to_owned(), last)]).collect::<serde_json::Map<_, _>>().into()
}

#[test]
fn a_chain_of_all_of_is_not_followed_in_every_way() {
    let eight = |next: Value| json!({ "allOf": vec![next; 8] });
    let object = json!({ "type": "object", "properties": { "x": { "type": "string" } } });
    insta::assert_snapshot!(told(&reference(0), &chain(eight, object)), @"left out: POST /a, because its body cannot be made: its schema is too large");
    let nothing = json!({ "type": "string" });
    insta::assert_snapshot!(told(&reference(0), &chain(eight, nothing)), @"left out: POST /a, because its body cannot be made: its schema is too large");
}

#[test]
fn a_chain_of_all_of_in_parameters_and_other_types_is_not_followed_either() {
    let eight = |next: Value| json!({ "allOf": vec![next; 8] });
    let schemas = chain(eight, json!({ "type": "object", "properties": { "x": {} } }));
    let outer = json!({ "type": "object", "properties": { "a": reference(0), "b": reference(1) } });
    insta::assert_snapshot!(told(&outer, &schemas), @r#"
left out: a of another type in POST /a, because its schema does not say of which it is
left out: b of another type in POST /a, because its schema does not say of which it is
"#);
}

#[test]
fn ways_that_all_fail_are_not_tried_for_ever() {
    for key in ["oneOf", "anyOf"] {
        let eight = |next: Value| json!({ key: vec![next; 8] });
        let impossible = json!({ "type": "string", "pattern": "x" });
        let told = told(&reference(0), &chain(eight, impossible));
        assert_eq!(told, "left out: POST /a, because its body cannot be made: its schema is too large");
    }
}

#[test]
fn properties_that_lead_back_to_their_object_end() {
    let wide: serde_json::Map<_, _> = (0..20).map(|n| (n.to_string(), reference("A"))).collect();
    let schemas =
        json!({ "A": { "properties": wide }, "B": { "allOf": [reference("B")] }, "C": reference("C") });
    assert_eq!(of_body(&reference("A"), &schemas).scenarios.len(), 2);
    insta::assert_snapshot!(told(&reference("B"), &schemas), @"left out: POST /a, because its body cannot be made: its schema contains itself");
    insta::assert_snapshot!(told(&reference("C"), &schemas), @"left out: POST /a, because its body cannot be made: its references go round in a circle");
}

#[test]
fn arrays_of_arrays_do_not_multiply() {
    let many = (0..5).fold(
        json!({ "type": "string" }),
        |items, _| json!({ "type": "array", "minItems": 1000, "items": items }),
    );
    insta::assert_snapshot!(told(&many, &json!({})), @"left out: POST /a, because its body cannot be made: what it asks for is too large");
}

#[test]
fn large_examples_do_not_multiply() {
    let schemas = json!({ "A": { "example": "x".repeat(100_000) } });
    let names: Vec<String> = (0..1_000).map(|n| n.to_string()).collect();
    let all: serde_json::Map<_, _> = names.iter().map(|name| (name.clone(), reference("A"))).collect();
    let schema = json!({ "type": "object", "properties": all, "required": names });
    insta::assert_snapshot!(told(&schema, &schemas), @"left out: POST /a, because its body cannot be made: of `10`: what it asks for is too large");
}

#[test]
fn cases_of_a_large_body_are_not_all_made() {
    let all: serde_json::Map<_, _> =
        (0..5_000).map(|n| (format!("property {n}"), json!({ "type": "string" }))).collect();
    let body: serde_json::Map<_, _> = all.keys().map(|name| (name.clone(), json!("x"))).collect();
    let schema = json!({ "type": "object", "properties": all });
    let of = |body: Value| json!({ "post": { "requestBody": { "content": { "application/json": body } } } });
    let traffic = of_paths(&json!({
        "/a": of(json!({ "schema": schema, "example": body })),
        "/b": { "get": {} },
    }));
    let bytes: usize = traffic.cases.iter().map(|case| case.request.bytes()).sum();
    assert!((16 << 20..=32 << 20).contains(&bytes), "{bytes}");
    insta::assert_snapshot!(traffic.told.join("\n"), @"left out: what follows in POST /a and after it, because all requests together are larger than 32 MiB");
}

#[test]
fn references_that_spell_one_place_in_many_ways_are_not_all_read() {
    // `%41` is `A`: each way to write the name is another reference to the same large schema.
    let large = json!({ "x-large": vec![0; 2_000] });
    let name = "A".repeat(10);
    let spelled = |n: usize| -> String {
        let letter = |bit: usize| if n >> bit & 1 == 1 { "%41" } else { "A" };
        (0..10).map(letter).collect()
    };
    let ways: Vec<Value> = (0..1_024).map(|n| json!({ "allOf": [reference(spelled(n))] })).collect();
    let told = told(
        &json!({ "required": ["x"], "properties": { "x": { "allOf": ways } } }),
        &json!({ name: large }),
    );
    insta::assert_snapshot!(told, @r#"
left out: POST /a, because its body cannot be made: of `x`: the description refers to itself in more ways than can be looked at
"#);
}

#[test]
fn an_operation_of_very_many_parameters_is_left_out() {
    let all: Vec<Value> = (0..1_001).map(|n| json!({ "name": n.to_string(), "in": "query" })).collect();
    let traffic = of_paths(&json!({ "/a": { "get": { "parameters": all } }, "/b": { "get": {} } }));
    insta::assert_snapshot!(traffic.told.join("\n"), @"left out: GET /a, because it has more than 1000 parameters");
}

#[test]
fn a_file_that_is_too_large_is_not_read() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len((64 << 20) + 1).unwrap();
    let told = Document::read(file.path()).map(|_| ()).unwrap_err().to_string();
    assert!(told.ends_with("is larger than 64 MiB\nhint: take out what need not be tried"), "{told}");
}

#[test]
fn variables_of_a_server_are_filled_in_once() {
    let variables: serde_json::Map<_, _> = ('a'..='y')
        .zip('b'..='z')
        .map(|(own, next)| (own.to_string(), json!({ "default": format!("{{{next}}}").repeat(4) })))
        .collect();
    let server = json!({ "url": "/{a}/x", "variables": variables });
    let document = json!({ "openapi": "3.1.0", "servers": [server], "paths": { "/p": { "get": {} } } });
    let document = Document::parse(Path::new("/nowhere/api"), "api", &document.to_string()).unwrap();
    assert_eq!(document.base_path(), "/{b}{b}{b}{b}/x");
}

#[test]
fn aliases_of_yaml_and_depth_are_bounded() {
    let told = |text: &str| {
        Document::parse(Path::new("/nowhere/api.yaml"), "api.yaml", text).map(|_| ()).unwrap_err().to_string()
    };
    let mut laughs =
        "openapi: 3.1.0\nx0: &x0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for n in 1..12 {
        let aliases = vec![format!("*x{}", n - 1); 10].join(", ");
        laughs += &format!("x{n}: &x{n} [{aliases}]\n");
    }
    assert!(told(&laughs).contains("the file holds or repeats more than is read"), "{}", told(&laughs));
    let texts =
        format!("openapi: 3.1.0\na: &a '{}'\nb: [{}]\n", "x".repeat(1 << 20), vec!["*a"; 90].join(", "));
    assert!(told(&texts).contains("the file holds or repeats more than is read"), "{}", told(&texts));
    assert!(told(&("[".repeat(10_000))).starts_with("api.yaml:1: "));
    assert!(told(&("{\"a\":".repeat(10_000))).contains("recursion limit exceeded"));
}
