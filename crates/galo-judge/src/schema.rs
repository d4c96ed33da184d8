//! The schemas of what was judged.

use schemars::JsonSchema;

use crate::json::pretty;

/// The schema of a type's JSON, pretty.
pub fn text<T: JsonSchema>() -> String {
    pretty(&schemars::schema_for!(T))
}

/// Enters the `kind` that is the tag of a run's JSON: schemars leaves the tag of a struct out.
pub(crate) fn tell_kind(schema: &mut schemars::Schema) {
    let properties = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut);
    if let Some(properties) = properties {
        let kind = serde_json::json!({ "description": "What was run.", "type": "string" });
        properties.insert("kind".to_owned(), kind);
    }
}
