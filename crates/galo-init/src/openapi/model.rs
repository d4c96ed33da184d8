//! From JSON to the model of OpenAPI 3.1, which is that of `oas3`.
//!
//! What differs in 3.0 is put as 3.1 has it first. What the model has no place for is handed on as an extension, and a
//! keyword that is not as OpenAPI has it is no keyword: one mistake in a large description does no harm elsewhere.

use oas3::spec::{ObjectSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Extension of a schema that says what its values are not: the model has no `not`.
pub(super) const NOT: &str = "not";
/// Extension of a schema whose `const` or `default` is null, which the model takes for none.
pub(super) const NULL: &str = "null";
/// Extension of a schema that cannot be read: why.
pub(super) const FLAW: &str = "flaw";

/// Reads a part of a description, of these keys alone.
///
/// # Errors
/// It is not as OpenAPI has it.
pub(super) fn part<T: DeserializeOwned>(value: &Value, keys: &[&str]) -> Result<T, String> {
    serde_json::from_value(picked(value, keys)).map_err(|error| error.to_string())
}

/// Reads a schema. What is wrong in it is left out, or handed on as [`FLAW`].
///
/// # Errors
/// It cannot be read even so.
pub(super) fn schema(value: &Value) -> Result<Schema, String> {
    serde_json::from_value(readable(value)).map_err(|error| error.to_string())
}

/// What is read of a media type.
const MEDIA_TYPE: [&str; 3] = ["schema", "example", "examples"];

/// A part with these keys, and what is in them as the model has it.
fn picked(value: &Value, keys: &[&str]) -> Value {
    let own = value.as_object().into_iter().flatten().filter(|(key, _)| keys.contains(&key.as_str()));
    let mut part: Map<String, Value> = own.map(|(key, value)| (key.clone(), value.clone())).collect();
    part.retain(|key, value| match key.as_str() {
        "required" => value.is_boolean(),
        "examples" | "content" => value.is_object(),
        _ => true,
    });
    if part.contains_key("example") {
        part.remove("examples");
    }
    if keys.contains(&"content") {
        part.entry("content").or_insert_with(|| json!({}));
    }
    for (key, value) in &mut part {
        match (key.as_str(), value) {
            ("schema", schema) => *schema = readable(schema),
            ("content", Value::Object(types)) => {
                types.values_mut().for_each(|of| *of = picked(of, &MEDIA_TYPE));
            }
            ("examples", Value::Object(examples)) => {
                examples.values_mut().for_each(|example| *example = picked(example, &["$ref", "value"]));
            }
            _ => {}
        }
    }
    Value::Object(part)
}

fn readable(schema: &Value) -> Value {
    let mut schema = schema.clone();
    upgrade(&mut schema);
    if serde_json::from_value::<Schema>(schema.clone()).is_err() {
        prune(&mut schema);
    }
    schema
}

/// The schemas that a schema holds itself.
fn parts(keys: &mut Map<String, Value>) -> Vec<&mut Value> {
    let mut parts = Vec::new();
    for (key, value) in keys {
        match key.as_str() {
            "items" | "additionalProperties" => parts.push(value),
            "properties" => parts.extend(value.as_object_mut().into_iter().flat_map(Map::values_mut)),
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => {
                parts.extend(value.as_array_mut().into_iter().flatten());
            }
            _ => {}
        }
    }
    parts
}

/// Puts what 3.0 says otherwise as 3.1 has it, and what the model has no place for into extensions. (`nullable` only
/// allows more; values are made without it.)
fn upgrade(schema: &mut Value) {
    let Value::Object(keys) = schema else {
        if !schema.is_boolean() {
            *schema = json!({});
        }
        return;
    };
    parts(keys).into_iter().for_each(upgrade);
    for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        if let Some(Value::Bool(is_exclusive)) = keys.get(exclusive) {
            let bound = if *is_exclusive { keys.remove(bound) } else { None };
            keys.remove(exclusive);
            keys.extend(bound.map(|bound| (exclusive.to_owned(), bound)));
        }
    }
    if keys.contains_key("properties") {
        keys.entry("type").or_insert_with(|| json!("object"));
    }
    if keys.get("const").or_else(|| keys.get("default")).is_some_and(Value::is_null) {
        keys.insert(format!("x-{NULL}"), json!(true));
    }
    if let Some(not) = keys.remove("not") {
        keys.insert(format!("x-{NOT}"), not);
    }
    for of in ["allOf", "anyOf", "oneOf"] {
        if keys.get(of).and_then(Value::as_array).is_some_and(Vec::is_empty) {
            keys.insert(format!("x-{FLAW}"), json!(format!("`{of}` is empty")));
        }
    }
}

/// Takes out each keyword that cannot be read, from the innermost schemas on.
fn prune(schema: &mut Value) {
    let Value::Object(keys) = schema else { return };
    parts(keys).into_iter().for_each(prune);
    let is_read =
        |key: &str, value: &Value| serde_json::from_value::<ObjectSchema>(json!({ key: value })).is_ok();
    if let Some(of) = keys.get("type").filter(|of| !is_read("type", of)) {
        let names = of.as_array().map_or(std::slice::from_ref(of), Vec::as_slice);
        let name = names.iter().filter_map(Value::as_str).find(|name| *name != "null");
        let flaw =
            name.map_or_else(|| "its type has no name".to_owned(), |name| format!("`{name}` is no type"));
        keys.insert(format!("x-{FLAW}"), json!(flaw));
    }
    keys.retain(|key, value| is_read(key, value));
}
