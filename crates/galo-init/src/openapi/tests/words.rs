//! Text that YAML 1.1 takes for something else stays text.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{lines, plain, read_text};
use crate::draft::DraftRequests;

/// A lamp, in the words of a description that was published.
const LAMPS: &str = r#"openapi: 3.0.3
info: { title: lamps, version: "1" }
paths:
  /lamps:
    post:
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [state, country, n, since, at]
              properties:
                state: { type: string, enum: [on, off] }
                country: { type: string, enum: [NO, SE] }
                n: { type: string, default: 0123 }
                since: { type: string, example: 2024-01-31 }
                at: { type: string, example: 12:30 }
                y: { type: string, enum: [y, n] }
      responses: { 201: { description: made }, 400: { description: bad } }
    get:
      parameters:
        - { name: on, in: query, required: true, schema: { type: string, enum: [off] } }
        - { name: size, in: query, example: 1_000 }
      responses: { 2XX: { description: some } }
"#;

#[test]
fn what_is_sent_is_text_where_the_description_says_text() {
    let traffic = read_text(LAMPS, &plain()).unwrap();
    insta::assert_snapshot!(lines(&traffic), @r#"
GET /lamps | /lamps?on=off&size=1_000 | - | 200 to 299
POST /lamps | /lamps | {"at":"12:30","country":"NO","n":"0123","since":"2024-01-31","state":"on"} | [201, 400]
GET /lamps: as described | /lamps?on=off&size=1_000 | - | 200 to 299
GET /lamps: without ?on | /lamps?size=1_000 | - | 400 to 499
POST /lamps: without state | /lamps | {"at":"12:30","country":"NO","n":"0123","since":"2024-01-31"} | [400]
POST /lamps: without country | /lamps | {"at":"12:30","n":"0123","since":"2024-01-31","state":"on"} | [400]
POST /lamps: without n | /lamps | {"at":"12:30","country":"NO","since":"2024-01-31","state":"on"} | [400]
POST /lamps: without since | /lamps | {"at":"12:30","country":"NO","n":"0123","state":"on"} | [400]
POST /lamps: without at | /lamps | {"country":"NO","n":"0123","since":"2024-01-31","state":"on"} | [400]
POST /lamps: at of another type | /lamps | {"at":{},"country":"NO","n":"0123","since":"2024-01-31","state":"on"} | [400]
POST /lamps: country of another type | /lamps | {"at":"12:30","country":{},"n":"0123","since":"2024-01-31","state":"on"} | [400]
POST /lamps: n of another type | /lamps | {"at":"12:30","country":"NO","n":{},"since":"2024-01-31","state":"on"} | [400]
POST /lamps: since of another type | /lamps | {"at":"12:30","country":"NO","n":"0123","since":{},"state":"on"} | [400]
POST /lamps: state of another type | /lamps | {"at":"12:30","country":"NO","n":"0123","since":"2024-01-31","state":{}} | [400]
POST /lamps: y of another type | /lamps | {"at":"12:30","country":"NO","n":"0123","since":"2024-01-31","state":"on","y":{}} | [400]
"#);
    insta::assert_snapshot!(traffic.told.join("\n"), @"left out: the example of POST /lamps, because it may be there already, and no status but a described 409 tells that from a mistake");
}

#[test]
fn a_number_in_place_of_a_text_is_sent_as_text() {
    let text =
        LAMPS.replace("0123", "1234").replace("[off]", "[7]").replace("enum: [NO, SE]", "default: true");
    let traffic = read_text(&text, &plain()).unwrap();
    assert_eq!(traffic.scenarios[0].request.target, "/lamps?on=7&size=1_000");
    let body: Value = serde_json::from_str(traffic.scenarios[1].request.body.as_deref().unwrap()).unwrap();
    assert_eq!((&body["n"], &body["country"]), (&json!("1234"), &json!("true")));
}

#[test]
fn a_number_within_an_example_is_text_where_its_schema_says_text() {
    let text = "openapi: 3.1.0\npaths:\n  /a:\n    post:\n      requestBody:\n        required: true\n        content:\n          \
        application/json:\n            schema: { allOf: [{ $ref: '#/A' }] }\n            \
        example: { zip: 12345, on: true, tags: [1, x], n: 7, other: 8 }\nA:\n  properties: { zip: { type: string }, \
        on: { type: [string, boolean] }, tags: { type: array, items: { type: string } }, n: { type: integer } }\n";
    let traffic = read_text(text, &plain()).unwrap();
    let sent = traffic.scenarios[0].request.body.as_deref().unwrap();
    assert_eq!(sent, r#"{"n":7,"on":true,"other":8,"tags":["1","x"],"zip":"12345"}"#);
}

#[test]
fn braces_at_the_beginning_may_be_yaml_too() {
    let text = "{openapi: 3.1.0, paths: {/a: {get: {responses: {200: {}}}}}}";
    assert_eq!(read_text(text, &plain()).unwrap().scenarios[0].request.statuses, [200]);
}

fn words() -> impl Strategy<Value = String> {
    let known =
        "on off yes no NO No y n Y N ON OFF 0123 007 1_000 12:30 1:30:00 2024-01-31 0b101 0X1 tRUE nULL";
    let known: Vec<&str> = known.split_whitespace().collect();
    prop_oneof![prop::sample::select(known).prop_map(str::to_owned), "[a-z]{2,8}", "0[0-9]{1,4}"]
        .prop_filter("it is not text", |word| !["null", "true", "false"].contains(&word.as_str()))
}

fn of_words(keys: &[String], values: &[String]) -> DraftRequests {
    let property = |(key, value): (&String, &String)| {
        format!("                {key}: {{ type: string, enum: [{value}] }}\n")
    };
    let text = format!(
        "openapi: 3.0.3\npaths:\n  /a:\n    post:\n      requestBody:\n        required: true\n        content:\n          \
         application/json:\n            schema:\n              type: object\n              required: [{}]\n              \
         properties:\n{}",
        keys.join(", "),
        keys.iter().zip(values).map(property).collect::<String>()
    );
    read_text(&text, &plain()).unwrap()
}

proptest! {
    #[test]
    fn words_come_back_as_text_as_values_and_as_keys(
        keys in prop::collection::hash_set(words(), 1..6), values in prop::collection::vec(words(), 6)
    ) {
        let keys: Vec<String> = keys.into_iter().collect();
        let traffic = of_words(&keys, &values);
        let sent: Value = serde_json::from_str(traffic.scenarios[0].request.body.as_deref().unwrap()).unwrap();
        let expected: serde_json::Map<String, Value> =
            keys.iter().zip(&values).map(|(key, value)| (key.clone(), json!(value))).collect();
        prop_assert_eq!(sent, Value::Object(expected));
    }
}
