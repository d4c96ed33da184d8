//! Examples as their schema has them. What is to be text is often written as a number: `zip: 12345`.

use oas3::spec::{ObjectSchema, Schema, SchemaType as Type, SchemaTypeSet as TypeSet};
use serde_json::Value;

use super::document::Document;

/// Values of one example that are looked at, at most: the rest stays as it is written.
const MAX_VALUES: usize = 1_000;
/// Parts of parts of an `allOf` in which a property is looked for, at most.
const MAX_DEPTH: usize = 4;

/// An example in which every number and boolean is text where the schema says text and nothing else.
pub(super) fn fitted(document: &Document, schema: &Schema, value: Value) -> Value {
    let mut left = MAX_VALUES;
    fit(document, schema, value, &mut left)
}

fn fit(document: &Document, schema: &Schema, value: Value, left: &mut usize) -> Value {
    let Some(rest) = left.checked_sub(1) else { return value };
    *left = rest;
    let Ok(own) = document.schema(schema) else { return value };
    match value {
        Value::Number(_) | Value::Bool(_) if is_text(own) => Value::String(value.to_string()),
        Value::Array(values) => match &own.items {
            Some(items) => values.into_iter().map(|value| fit(document, items, value, left)).collect(),
            None => Value::Array(values),
        },
        Value::Object(entries) => {
            let entry = |(name, value): (String, Value)| match property(document, own, &name, 0) {
                Some(schema) => (name, fit(document, schema, value, left)),
                None => (name, value),
            };
            Value::Object(entries.into_iter().map(entry).collect())
        }
        value => value,
    }
}

fn is_text(schema: &ObjectSchema) -> bool {
    matches!(&schema.schema_type, Some(TypeSet::Single(Type::String)))
}

/// The schema of a property, in an object's own schema or in a part of it.
fn property<'a>(
    document: &'a Document,
    own: &'a ObjectSchema,
    name: &str,
    depth: usize,
) -> Option<&'a Schema> {
    if let Some(found) = own.properties.get(name) {
        return Some(found);
    }
    let parts = own.all_of.iter().filter(|_| depth < MAX_DEPTH);
    parts
        .filter_map(|part| document.schema(part).ok())
        .find_map(|part| property(document, part, name, depth + 1))
}
