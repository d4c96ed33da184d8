//! An object says by the value of its discriminator of which schema it is.

use serde_json::{Value, json};

use super::bombs::of_body;

/// The body that is sent where a schema, among these, is asked for.
fn sent(schema: &Value, schemas: &Value) -> Value {
    let traffic = of_body(schema, schemas);
    let request = traffic.scenarios.iter().find(|scenario| scenario.name == "POST /a");
    let body = request.unwrap_or_else(|| panic!("{:?}", traffic.told)).request.body.clone();
    serde_json::from_str(&body.unwrap()).unwrap()
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// An animal that is one of two, each an object of its own, or made of what both have in common.
fn animals(mapping: &Value, kind: &Value) -> Value {
    let mut discriminator = json!({ "propertyName": "kind" });
    if !mapping.is_null() {
        discriminator["mapping"] = mapping.clone();
    }
    let own = |more: &str| {
        json!({
            "type": "object", "required": ["kind", more],
            "properties": { "kind": kind, (more): { "type": "boolean" } },
        })
    };
    let made = |more: &str| {
        json!({ "allOf": [
        reference("Base"), { "type": "object", "required": [more], "properties": { (more): { "type": "boolean" } } }
    ] })
    };
    json!({
        "Animal": { "oneOf": [reference("Dog"), reference("Cat")], "discriminator": discriminator },
        "Dog": own("barks"), "Cat": own("purrs"),
        "Base": {
            "type": "object", "required": ["kind"], "properties": { "kind": kind }, "discriminator": discriminator
        },
        "MadeDog": made("barks"), "MadeCat": made("purrs"),
    })
}

#[test]
fn its_value_is_the_key_of_the_schema_in_the_mapping() {
    let text = json!({ "type": "string" });
    let mapping = json!({ "a cat": "Cat", "dog": "#/components/schemas/Dog" });
    assert_eq!(
        sent(&reference("Animal"), &animals(&mapping, &text)),
        json!({ "kind": "dog", "barks": true })
    );
    let either = json!({ "type": "string", "enum": ["a cat", "dog"] });
    assert_eq!(
        sent(&reference("Animal"), &animals(&mapping, &either)),
        json!({ "kind": "dog", "barks": true })
    );
}

#[test]
fn without_a_mapping_its_value_is_the_schemas_name() {
    let text = json!({ "type": "string" });
    let schemas = animals(&Value::Null, &text);
    assert_eq!(sent(&reference("Animal"), &schemas), json!({ "kind": "Dog", "barks": true }));
    assert_eq!(sent(&reference("MadeCat"), &schemas), json!({ "kind": "MadeCat", "purrs": true }));
    let constant = animals(&Value::Null, &json!({ "const": "pup" }));
    assert_eq!(sent(&reference("Animal"), &constant), json!({ "kind": "pup", "barks": true }));
}

#[test]
fn a_schema_that_others_are_made_of_is_one_of_them() {
    let text = json!({ "type": "string" });
    let mapping = json!({ "mine": "#/components/schemas/MadeCat" });
    let schemas = animals(&mapping, &text);
    assert_eq!(sent(&reference("Base"), &schemas), json!({ "kind": "mine", "purrs": true }));
    assert_eq!(sent(&reference("MadeCat"), &schemas), json!({ "kind": "mine", "purrs": true }));
    let unmapped = animals(&Value::Null, &text);
    assert_eq!(sent(&reference("Base"), &unmapped), json!({ "kind": "MadeCat", "purrs": true }));
}

#[test]
fn an_example_keeps_its_value() {
    let mut schemas = animals(&json!({ "dog": "Dog", "cat": "Cat" }), &json!({ "type": "string" }));
    schemas["Dog"]["example"] = json!({ "kind": "dog", "barks": false });
    assert_eq!(sent(&reference("Animal"), &schemas), json!({ "kind": "dog", "barks": false }));
}

#[test]
fn a_mapping_that_leads_round_in_a_circle_ends() {
    let one = json!({ "propertyName": "kind", "mapping": { "two": "Two" } });
    let two = json!({ "propertyName": "kind", "mapping": { "one": "One" } });
    let of =
        |discriminator: Value| json!({ "type": "object", "properties": {}, "discriminator": discriminator });
    let traffic = of_body(&reference("One"), &json!({ "One": of(one), "Two": of(two) }));
    assert_eq!(
        traffic.told,
        ["left out: POST /a, because its body cannot be made: its schema contains itself, or is too deep"]
    );
}
