mod bombs;
mod discriminators;
mod files;
mod words;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::challenge_text;
use crate::draft::Draft;

const SHOP: &str = include_str!("../../testdata/shop.yaml");

/// The request of options without any.
fn plain() -> Request {
    Request { method: "GET".to_owned(), target: "/".to_owned(), ..Request::default() }
}

fn read_text(text: &str, own: &Request) -> Result<DraftRequests, InitError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("api");
    std::fs::write(&file, text).unwrap();
    read(&file, own)
}

/// Of a description of these paths.
fn of_paths(paths: &Value) -> DraftRequests {
    let document = json!({ "openapi": "3.0.3", "paths": paths });
    read_text(&document.to_string(), &plain()).unwrap()
}

/// Cases in a line each: name, request, body, statuses.
fn lines(traffic: &DraftRequests) -> String {
    let case = |name: &str, request: &Request| {
        let statuses = match &request.statuses[..] {
            [first, .., last] if request.statuses.len() > 90 => format!("{first} to {last}"),
            some => format!("{some:?}"),
        };
        let body = request.body.as_deref().unwrap_or("-");
        format!("{name} | {} | {body} | {statuses}\n", request.target)
    };
    let scenarios = traffic.scenarios.iter().map(|scenario| case(&scenario.name, &scenario.request));
    scenarios.chain(traffic.cases.iter().map(|each| case(&each.name, &each.request))).collect()
}

#[test]
fn a_description_becomes_traffic_and_cases() {
    let traffic = read_text(SHOP, &plain()).unwrap();
    assert_eq!(traffic.title.as_deref(), Some("A little shop"));
    insta::assert_snapshot!(lines(&traffic));
    insta::assert_snapshot!("left_out", traffic.told.join("\n"));
    let media_types: Vec<_> = traffic.cases.iter().filter_map(|case| case.media_type.as_deref()).collect();
    assert_eq!(media_types, ["application/json"; 4]);
}

#[test]
fn what_cannot_be_created_twice_may_be_refused_and_is_new_where_it_must_be_created() {
    let post = |schema: Value, responses: &[&str]| {
        let responses: serde_json::Map<String, Value> =
            responses.iter().map(|status| ((*status).to_owned(), json!({}))).collect();
        let content = json!({ "application/json": { "schema": schema } });
        json!({ "post": { "requestBody": { "required": true, "content": content }, "responses": responses } })
    };
    let text = |more: Value| {
        let mut schema = json!({ "type": "string" });
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let of = |schema: Value| json!({ "required": ["a"], "properties": { "a": schema } });
    let whole = json!({ "required": ["name", "mail", "kind", "n"], "properties": {
        "name": text(json!({ "maxLength": 11 })), "mail": text(json!({ "format": "email" })),
        "kind": text(json!({ "enum": ["x"] })), "n": { "type": "integer" } } });
    let traffic = of_paths(&json!({
        "/both": post(whole.clone(), &["201", "400", "422"]),
        "/conflict": post(whole.clone(), &["201", "409", "422"]),
        "/default": post(whole.clone(), &["201", "default"]),
        "/none": post(whole.clone(), &["201"]),
        "/done": post(whole, &["200", "422"]),
        "/short": post(of(text(json!({ "maxLength": 10 }))), &["201", "422"]),
        "/example": post(of(text(json!({ "example": "x" }))), &["201", "422"]),
        "/bare": { "post": { "responses": { "201": {}, "422": {} } } },
    }));
    let all = lines(&traffic);
    let those = all.lines().filter(|line| !line.contains(": without") && !line.contains("another type"));
    insta::assert_snapshot!(those.collect::<Vec<_>>().join("\n"), @r#"
POST /bare | /bare | - | [201, 422]
POST /both | /both | {"kind":"x","mail":"ana@example.org","n":1,"name":"galo"} | [201, 400, 422]
POST /conflict | /conflict | {"kind":"x","mail":"ana@example.org","n":1,"name":"galo"} | [201, 409]
POST /default | /default | {"kind":"x","mail":"ana@example.org","n":1,"name":"galo"} | [201, 400, 409, 422]
POST /done | /done | {"kind":"x","mail":"ana@example.org","n":1,"name":"galo"} | [200]
POST /example | /example | {"a":"x"} | [201, 422]
POST /none | /none | {"kind":"x","mail":"ana@example.org","n":1,"name":"galo"} | [201]
POST /short | /short | {"a":"galo"} | [201, 422]
POST /both: as described | /both | {"kind":"x","mail":"{mark}@example.org","n":1,"name":"{mark}"} | [201]
POST /conflict: as described | /conflict | {"kind":"x","mail":"ana@example.org","n":1,"name":"galo"} | [201, 409]
POST /default: as described | /default | {"kind":"x","mail":"{mark}@example.org","n":1,"name":"{mark}"} | [201]
POST /done: as described | /done | {"kind":"x","mail":"ana@example.org","n":1,"name":"galo"} | [200]
POST /none: as described | /none | {"kind":"x","mail":"ana@example.org","n":1,"name":"galo"} | [201]
"#);
    insta::assert_snapshot!(traffic.told.join("\n"), @r#"
left out: the example of POST /bare, because it may be there already, and no status but a described 409 tells that from a mistake
left out: the example of POST /example, because it may be there already, and no status but a described 409 tells that from a mistake
left out: the example of POST /short, because it may be there already, and no status but a described 409 tells that from a mistake
"#);
}

#[test]
fn headers_of_the_options_go_with_everything_and_open_what_asks_for_credentials() {
    let own = Request { headers: vec![("Authorization".to_owned(), "Bearer x".to_owned())], ..plain() };
    let traffic = read_text(SHOP, &own).unwrap();
    assert!(traffic.scenarios.iter().any(|scenario| scenario.name == "GET /me"));
    let requests = traffic.cases.iter().map(|case| &case.request);
    assert!(
        requests
            .chain(traffic.scenarios.iter().map(|s| &s.request))
            .all(|r| r.headers.contains(&own.headers[0]))
    );
}

#[test]
fn paths_begin_with_that_of_the_first_server_or_of_the_options() {
    let target = |url: &str, own: &str| {
        let servers = json!([{ "url": url, "variables": { "v": { "default": "2" } } }, { "url": "/no" }]);
        let paths = json!({ "/a": { "get": {} } });
        let text = json!({ "openapi": "3.1.0", "servers": servers, "paths": paths }).to_string();
        read_text(&text, &Request { target: own.to_owned(), ..plain() }).unwrap().scenarios[0]
            .request
            .target
            .clone()
    };
    assert_eq!(target("https://a.example/api/v{v}/", "/"), "/api/v2/a");
    assert_eq!(target("/api", "/"), "/api/a");
    assert_eq!(target("https://a.example", "/"), "/a");
    assert_eq!(target("/api", "/own"), "/own/a");
}

#[test]
fn parameters_are_given_where_they_are_needed_or_have_an_example() {
    let parameters = json!([
        { "name": "q", "in": "query", "required": true, "schema": { "type": "string", "enum": ["a b", "c"] } },
        { "name": "r", "in": "query", "example": "é" },
        { "name": "s", "in": "query", "schema": { "type": "string" } },
        { "name": "X-T", "in": "header", "required": true, "schema": { "type": "boolean" } },
        { "name": "u", "in": "cookie", "required": true, "schema": { "type": "array", "items": { "type": "integer" } } },
        { "name": "Accept", "in": "header", "required": true },
    ]);
    let traffic =
        of_paths(&json!({ "/x": { "parameters": parameters, "get": { "responses": { "2XX": {} } } } }));
    let request = &traffic.scenarios[0].request;
    assert_eq!(request.target, "/x?q=a%20b&r=%C3%A9");
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(request.headers, [header("X-T", "true"), header("Cookie", "u=1")]);
    assert_eq!(request.statuses, (200..300).collect::<Vec<u16>>());
}

/// The body that is made for a schema; or why none is.
fn body(schema: &Value) -> String {
    let document = json!({ "openapi": "3.0.3", "paths": {}, "node": {
        "type": "object", "required": ["next"], "properties": { "next": { "$ref": "#/node" } } } });
    let document = Document::parse(Path::new("/nowhere/api"), "api", &document.to_string()).unwrap();
    let schema = model::schema(schema).unwrap();
    schema::allowed(&document, &schema).map_or_else(|because| because, |value| value.to_string())
}

#[test]
fn values_are_within_what_their_schema_says() {
    assert_eq!(body(&json!({ "type": "string", "minLength": 6 })), "\"galoga\"");
    assert_eq!(body(&json!({ "type": "string", "maxLength": 2 })), "\"ga\"");
    assert_eq!(
        body(&json!({ "type": "string", "format": "uuid" })),
        "\"6ba7b810-9dad-41d1-80b4-00c04fd430c8\""
    );
    assert_eq!(body(&json!({ "type": "integer" })), "1");
    assert_eq!(body(&json!({ "type": "integer", "minimum": 10 })), "10");
    assert_eq!(body(&json!({ "type": "integer", "maximum": -3 })), "-3");
    assert_eq!(body(&json!({ "type": "integer", "minimum": 4, "exclusiveMinimum": true })), "5");
    assert_eq!(body(&json!({ "type": "integer", "exclusiveMinimum": 4, "multipleOf": 5 })), "5");
    assert_eq!(body(&json!({ "type": "integer", "exclusiveMinimum": 5, "multipleOf": 5 })), "10");
    assert_eq!(body(&json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.25 })), "0.125");
    assert_eq!(body(&json!({ "type": ["null", "boolean"] })), "true");
    assert_eq!(
        body(&json!({ "type": "array", "minItems": 2, "items": { "type": "boolean" } })),
        "[true,true]"
    );
    assert_eq!(body(&json!({ "oneOf": [{ "$ref": "#/node" }, { "type": "null" }] })), "null");
    assert_eq!(body(&json!({ "allOf": [{ "type": "integer" }] })), "1");
    assert_eq!(
        body(&json!({ "properties": { "a": { "const": 7 }, "b": { "$ref": "#/none" } } })),
        r#"{"a":7}"#
    );
    assert_eq!(body(&json!({ "example": [1], "type": "string" })), "[1]");
}

#[test]
fn what_cannot_be_made_is_told() {
    insta::assert_snapshot!(body(&json!({ "type": "string", "pattern": "^a+$" })), @"a text with a pattern has no example");
    insta::assert_snapshot!(body(&json!({ "$ref": "other.yaml#/a" })), @"`other.yaml#/a` leads nowhere");
    insta::assert_snapshot!(body(&json!({ "$ref": "#/none" })), @"`#/none` leads nowhere");
    insta::assert_snapshot!(body(&json!({ "type": "integer", "minimum": 2, "maximum": 1 })), @"no number is within its bounds");
    insta::assert_snapshot!(body(&json!({ "type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2 })), @"no number is within its bounds");
    insta::assert_snapshot!(body(&json!({ "type": "array", "minItems": 100_000 })), @"it needs 100000 elements");
    insta::assert_snapshot!(body(&json!({ "type": "file" })), @"`file` is no type");
    assert!(body(&json!({ "$ref": "#/node" })).ends_with("its schema contains itself, or is too deep"));
}

#[test]
fn a_mistake_in_a_description_does_no_harm_elsewhere() {
    let property = |schema: Value| json!({ "properties": { "a": { "type": "integer" }, "b": schema } });
    assert_eq!(body(&property(json!({ "type": "string", "required": true }))), r#"{"a":1,"b":"galo"}"#);
    assert_eq!(body(&property(json!({ "type": "string", "minLength": "2" }))), r#"{"a":1,"b":"galo"}"#);
    assert_eq!(body(&property(json!({ "type": "file" }))), r#"{"a":1}"#);
    assert_eq!(body(&property(json!("none"))), r#"{"a":1,"b":"galo"}"#);
    assert_eq!(body(&property(json!({ "not": { "type": "null" } }))), r#"{"a":1}"#);
    assert_eq!(body(&property(json!({ "type": "string", "default": null }))), r#"{"a":1,"b":null}"#);
    assert_eq!(body(&property(json!({ "allOf": [] }))), r#"{"a":1}"#);
    let traffic = of_paths(&json!({ "/a": { "post": {
        "parameters": [
            { "name": "q", "in": "query", "required": "yes", "style": 1 },
            { "name": "r", "in": "query", "examples": ["x"] },
        ],
        "requestBody": { "description": 1, "content": { "application/json": {
            "examples": { "one": { "value": 7 }, "other": "x" }, "encoding": [], "schema": { "type": "integer" } } } },
        "responses": { "200": { "headers": { "X": [] }, "content": { "application/json": { "schema": 1 } } } },
    } } }));
    assert_eq!(traffic.told, Vec::<String>::new());
    let Request { target, body, .. } = &traffic.scenarios[0].request;
    assert_eq!((target.as_str(), body.as_deref()), ("/a", Some("7")));
    assert_eq!(traffic.cases[0].media_type.as_deref(), Some("application/json"));
}

#[test]
fn an_operation_may_open_what_the_description_closes() {
    let text = json!({ "openapi": "3.1.0", "security": [{ "token": [] }], "paths": {
        "/a": { "get": { "security": [] } }, "/b": { "get": {} } } });
    let traffic = read_text(&text.to_string(), &plain()).unwrap();
    let names: Vec<&str> = traffic.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    assert_eq!(names, ["GET /a"]);
}

#[test]
fn what_is_no_description_is_told() {
    let told = |text: &str| {
        let error =
            Document::parse(Path::new("/nowhere/api.yaml"), "api.yaml", text).map(|_| ()).unwrap_err();
        error.to_string()
    };
    insta::assert_snapshot!(told(""), @r#"
`api.yaml` is no OpenAPI description: it has no `openapi`
hint: name a file that says `openapi: 3.1.0`, or 3.0
"#);
    insta::assert_snapshot!(told("{"), @r"
api.yaml:1: EOF while parsing an object
hint: name an OpenAPI description, as JSON or YAML
");
    insta::assert_snapshot!(told("a: [\n"), @r"
api.yaml:1: unclosed bracket '['
hint: name an OpenAPI description, as JSON or YAML
");
    insta::assert_snapshot!(told("swagger: '2.0'"), @r#"
`api.yaml` is of OpenAPI 2.0, and galo reads 3.0 and 3.1
hint: convert it to 3.1
"#);
    insta::assert_snapshot!(told("openapi: 4.0.0"), @r#"
`api.yaml` is of OpenAPI 4.0.0, and galo reads 3.0 and 3.1
hint: convert it to 3.1
"#);
    assert!(Document::parse(Path::new("/nowhere/api.yaml"), "api.yaml", "openapi: 3.1").is_ok());
    let empty = read_text("openapi: 3.0.0\npaths: { /a: { get: { security: [{ a: [] }] } } }", &plain());
    let empty = empty.err().unwrap().to_string();
    insta::assert_snapshot!(empty.split_once("describes").unwrap().1, @r#"
 nothing that can be called
  left out: GET /a, because it asks for credentials: give them with -H
hint: give the examples that are missing, or write the challenge by `galo init --url`
"#);
}

/// Something in place of one of the values of a tree.
fn with_another(tree: &mut Value, at: &mut usize, other: &Value) {
    if *at == 0 {
        tree.clone_from(other);
    }
    *at = at.wrapping_sub(1);
    match tree {
        Value::Array(values) => values.iter_mut().for_each(|value| with_another(value, at, other)),
        Value::Object(entries) => entries.values_mut().for_each(|value| with_another(value, at, other)),
        _ => {}
    }
}

fn others() -> impl Strategy<Value = Value> {
    let reference = prop_oneof![
        Just("#"),
        Just("#/"),
        Just("#/paths"),
        Just("#/components/schemas/Item"),
        Just("x.yaml"),
        Just("#/%"),
        Just("#/%zz/é")
    ];
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[{}]])),
        reference.prop_map(|to| json!({ "$ref": to })),
    ]
}

proptest! {
    #[test]
    fn a_description_that_is_wrong_anywhere_neither_panics_nor_becomes_a_broken_challenge(
        changes in prop::collection::vec((0..200usize, others()), 1..4)
    ) {
        let mut tree: Value = crate::openapi::files::tree_of(SHOP).unwrap();
        for (mut at, other) in changes {
            with_another(&mut tree, &mut at, &other);
        }
        if let Ok(traffic) = read_text(&tree.to_string(), &plain()) {
            let mut draft = Draft {
                name: "a".to_owned(),
                title: traffic.title.unwrap_or_default(),
                port: 1,
                cpus: "1".to_owned(),
                memory: "1MB".to_owned(),
                timeout: "1s".to_owned(),
                rate_micro: 1,
                scenarios: traffic.scenarios,
                cases: traffic.cases,
            };
            draft.number();
            let text = challenge_text::text(&draft, "");
            prop_assert!(galo_plan::Challenge::parse("a", &text, &galo_plan::NoModel).is_ok(), "{}", text);
        }
    }

    #[test]
    fn whatever_a_file_holds_it_is_read_without_a_panic(text in "(?s).{0,200}") {
        let _ = Document::parse(Path::new("/nowhere/api"), "api", &text);
        let _ = Document::parse(Path::new("/nowhere/api"), "api", &format!("{{{text}"));
    }
}
