//! The property by which an answer, or a body, says of which of several schemas it is.

use oas3::spec::{Discriminator, ObjectSchema};
use serde_json::{Map, Value, json};

/// The reference to a schema that a discriminator calls by its name.
pub(super) fn named(name: &str) -> String {
    format!("#/components/schemas/{name}")
}

/// Says in an object of which schema it is. `reference` leads to the schema, and `property` is what the property may be, if
/// that is described.
pub(super) fn tell(
    discriminator: &Discriminator,
    reference: Option<&str>,
    property: Option<&ObjectSchema>,
    object: &mut Map<String, Value>,
) {
    let name = &discriminator.property_name;
    let mapped = |key: &str| discriminator.mapping.as_ref().and_then(|all| all.get(key)).map(String::as_str);
    let own = object.get(name).and_then(Value::as_str);
    if own.and_then(mapped).is_some_and(|target| reference.is_none_or(|reference| target == reference)) {
        return;
    }
    if let Some(key) = key(discriminator, reference) {
        object.insert(name.clone(), json!(key));
    } else if let Some(implied) = reference.map(schema_name)
        && property.is_none_or(|property| allows(property, implied))
    {
        object.insert(name.clone(), json!(implied));
    }
}

/// The key of the mapping that stands for a schema; the first one where the schema has no reference.
fn key<'a>(discriminator: &'a Discriminator, reference: Option<&str>) -> Option<&'a str> {
    let mut all = discriminator.mapping.iter().flatten();
    let found = all.find(|(_, target)| reference.is_none_or(|reference| reference == target.as_str()));
    found.map(|(key, _)| key.as_str())
}

/// The schema that an object of this discriminator's own schema may be instead: one of the mapping.
pub(super) fn another<'a>(discriminator: &'a Discriminator, reference: Option<&str>) -> Option<&'a str> {
    if reference.is_some() && key(discriminator, reference).is_some() {
        return None;
    }
    discriminator.mapping.iter().flatten().next().map(|(_, target)| target.as_str())
}

/// Name of the schema that a reference leads to: the last word of its place, or the file's name.
fn schema_name(reference: &str) -> &str {
    let (file, place) = reference.split_once('#').unwrap_or((reference, ""));
    let last = |path: &'_ str| path.rsplit('/').next().unwrap_or_default().len();
    match place.trim_start_matches('/') {
        "" => {
            let name = &file[file.len() - last(file)..];
            name.rsplit_once('.').map_or(name, |(stem, _)| stem)
        }
        place => &place[place.len() - last(place)..],
    }
}

/// Whether a property's schema does not rule a name out.
fn allows(property: &ObjectSchema, name: &str) -> bool {
    let all = property.const_value.iter().chain(&property.enum_values);
    all.clone().next().is_none() || all.into_iter().any(|value| value == name)
}
