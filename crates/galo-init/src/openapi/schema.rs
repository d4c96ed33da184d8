//! Values that a schema allows, and values that it does not.

use serde_json::{Map, Value, json};

use super::document::Document;

/// Schemas within schemas, at most.
const MAX_DEPTH: usize = 16;
/// Schemas that one value is built of, at most.
const MAX_PARTS: usize = 2_000;
/// Elements and characters that a schema may ask for, at most.
const MAX_LENGTH: u64 = 1_000;

/// The value that a schema names: its example, default, constant, or the first of its enumeration.
pub(super) fn named(schema: &Value) -> Option<Value> {
    let first = |key: &str| schema.get(key).and_then(Value::as_array).and_then(|values| values.first());
    schema
        .get("example")
        .or_else(|| first("examples"))
        .or_else(|| schema.get("const"))
        .or_else(|| schema.get("default"))
        .or_else(|| first("enum"))
        .cloned()
}

/// A value that a schema allows; or why none can be made.
pub(super) fn allowed(document: &Document, schema: &Value) -> Result<Value, String> {
    Builder { document, parts: 0 }.value(schema, 0)
}

/// A JSON value of a type that a schema's values cannot have; `None` where it does not say which they have.
pub(super) fn of_another_type(document: &Document, schema: &Value) -> Option<Value> {
    let schema = document.target(schema).ok()?;
    let mut types = types(schema);
    if types.is_empty() && properties(document, schema).is_ok_and(|properties| !properties.all.is_empty()) {
        types.push("object");
    }
    let has = |name: &str| types.contains(&name);
    match () {
        () if types.is_empty() => None,
        // Text before a number: many take a number for text, or the other way round only if it looks like one.
        () if !has("string") => Some(json!("galo")),
        () if !has("object") => Some(json!({})),
        () => None,
    }
}

/// What an object may have, and what it must.
#[derive(Default)]
pub(super) struct Properties<'a> {
    /// With their schemas, by name.
    pub(super) all: Vec<(&'a str, &'a Value)>,
    /// Names of those that are required.
    pub(super) required: Vec<&'a str>,
}

/// The properties of an object's schema, and of all parts of its `allOf`; without those that only answers have.
pub(super) fn properties<'a>(document: &'a Document, schema: &'a Value) -> Result<Properties<'a>, String> {
    let mut properties = Properties::default();
    collect(document, schema, 0, &mut properties)?;
    let Properties { all, required } = &mut properties;
    all.retain(|(name, schema)| {
        let read_only =
            document.target(schema).is_ok_and(|schema| schema.get("readOnly") == Some(&json!(true)));
        if read_only {
            required.retain(|required| required != name);
        }
        !read_only
    });
    Ok(properties)
}

fn collect<'a>(
    document: &'a Document,
    schema: &'a Value,
    depth: usize,
    properties: &mut Properties<'a>,
) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err("its schema contains itself".to_owned());
    }
    let schema = document.target(schema)?;
    for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        properties.all.retain(|(earlier, _)| earlier != name);
        properties.all.push((name, schema));
    }
    let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in names.filter_map(Value::as_str) {
        if !properties.required.contains(&name) {
            properties.required.push(name);
        }
    }
    for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        collect(document, part, depth + 1, properties)?;
    }
    Ok(())
}

/// The names of the types that a schema's values have; empty where it does not say. `nullable` is another, `null`.
fn types(schema: &Value) -> Vec<&str> {
    let mut types: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ if schema.get("properties").is_some() => vec!["object"],
        _ => Vec::new(),
    };
    if !types.is_empty() && schema.get("nullable") == Some(&json!(true)) {
        types.push("null");
    }
    types
}

struct Builder<'a> {
    document: &'a Document,
    /// Schemas that were looked at.
    parts: usize,
}

impl<'a> Builder<'a> {
    fn value(&mut self, schema: &'a Value, depth: usize) -> Result<Value, String> {
        self.parts += 1;
        if depth > MAX_DEPTH {
            return Err("its schema contains itself, or is too deep".to_owned());
        }
        if self.parts > MAX_PARTS {
            return Err("its schema is too large".to_owned());
        }
        let schema = self.document.target(schema)?;
        if let Some(named) = named(schema) {
            return Ok(named);
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(ways) = schema.get(key).and_then(Value::as_array) {
                let mut built = Err(format!("`{key}` is empty"));
                for way in ways {
                    built = self.value(way, depth + 1);
                    if built.is_ok() {
                        break;
                    }
                }
                return built;
            }
        }
        let is_of_parts = schema.get("allOf").is_some();
        match types(schema).into_iter().find(|name| *name != "null") {
            Some("object") => self.object(schema, depth),
            None if is_of_parts => self.of_parts(schema, depth),
            Some("array") => self.array(schema, depth),
            Some("string") => string(schema),
            Some("integer") => number(schema, true),
            Some("number") => number(schema, false),
            Some("boolean") => Ok(json!(true)),
            Some(other) => Err(format!("`{other}` is no type")),
            None if schema.get("type").is_some() => Ok(Value::Null),
            None if schema.get("not").is_some() => Err("its schema says only what it is not".to_owned()),
            None => Ok(json!("galo")),
        }
    }

    /// What all parts of an `allOf` say: an object of all of their properties, or what the first part with a type is.
    fn of_parts(&mut self, schema: &'a Value, depth: usize) -> Result<Value, String> {
        if !properties(self.document, schema)?.all.is_empty() {
            return self.object(schema, depth);
        }
        let parts = schema.get("allOf").and_then(Value::as_array);
        match parts.map(Vec::as_slice) {
            Some([first, ..]) => self.value(first, depth + 1),
            _ => Err("`allOf` is empty".to_owned()),
        }
    }

    /// With all properties that are required; where none is, with all that can be made.
    fn object(&mut self, schema: &'a Value, depth: usize) -> Result<Value, String> {
        let Properties { all, required } = properties(self.document, schema)?;
        let mut object = Map::new();
        for name in &required {
            let schema = all.iter().find(|(own, _)| own == name).map(|(_, schema)| *schema);
            let value = schema.map_or_else(|| Ok(json!("galo")), |schema| self.value(schema, depth + 1));
            object.insert((*name).to_owned(), value.map_err(|why| format!("of `{name}`: {why}"))?);
        }
        if required.is_empty() {
            for (name, schema) in all {
                if let Ok(value) = self.value(schema, depth + 1) {
                    object.insert(name.to_owned(), value);
                }
            }
        }
        Ok(Value::Object(object))
    }

    fn array(&mut self, schema: &'a Value, depth: usize) -> Result<Value, String> {
        let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
        let least = bound("minItems").unwrap_or(1).max(1).min(bound("maxItems").unwrap_or(u64::MAX));
        if least > MAX_LENGTH {
            return Err(format!("it needs {least} elements"));
        }
        let is_set = schema.get("uniqueItems") == Some(&json!(true));
        if is_set && least > 1 {
            return Err("it needs elements that are all different".to_owned());
        }
        match (schema.get("items"), bound("minItems").unwrap_or(0)) {
            (None, 0) => Ok(json!([])),
            (None, _) => Ok(Value::Array(vec![json!("galo"); least as usize])),
            (Some(items), needed) => match self.value(items, depth + 1) {
                Ok(element) => Ok(Value::Array(vec![element; least as usize])),
                Err(_) if needed == 0 => Ok(json!([])),
                Err(because) => Err(because),
            },
        }
    }
}

fn string(schema: &Value) -> Result<Value, String> {
    let formatted = match schema.get("format").and_then(Value::as_str).unwrap_or_default() {
        "date" => "2024-02-29",
        "date-time" => "2024-02-29T12:00:00Z",
        "time" => "12:00:00Z",
        "duration" => "PT1S",
        "uuid" => "6ba7b810-9dad-41d1-80b4-00c04fd430c8",
        "email" => "ana@example.org",
        "hostname" => "example.org",
        "uri" | "url" => "https://example.org/",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "byte" => "Z2Fsbw==",
        _ => "",
    };
    if !formatted.is_empty() {
        return Ok(json!(formatted));
    }
    if schema.get("pattern").is_some() {
        return Err("a text with a pattern has no example".to_owned());
    }
    let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
    let least = bound("minLength").unwrap_or(0);
    if least > MAX_LENGTH {
        return Err(format!("it needs a text of {least} characters"));
    }
    let length = least.max(4).min(bound("maxLength").unwrap_or(u64::MAX));
    Ok(json!("galo".chars().cycle().take(length as usize).collect::<String>()))
}

/// The number nearest to 1 within the bounds that is a multiple where that is asked for.
fn number(schema: &Value, is_integer: bool) -> Result<Value, String> {
    let number = |key: &str| schema.get(key).and_then(Value::as_f64);
    // In 3.0 `exclusiveMinimum` is a boolean beside `minimum`, in 3.1 it is the bound itself.
    let is_exclusive = |key: &str| schema.get(key) == Some(&json!(true));
    let step = number("multipleOf").filter(|step| *step > 0.0).unwrap_or(if is_integer { 1.0 } else { 0.5 });
    let above = number("exclusiveMinimum").or(number("minimum").filter(|_| is_exclusive("exclusiveMinimum")));
    let below = number("exclusiveMaximum").or(number("maximum").filter(|_| is_exclusive("exclusiveMaximum")));
    let least = number("minimum").unwrap_or(f64::MIN).max(above.unwrap_or(f64::MIN));
    let most = number("maximum").unwrap_or(f64::MAX).min(below.unwrap_or(f64::MAX));
    let wanted = 1.0_f64.clamp(least.min(most), most);
    let fits = |value: &f64| {
        (least..=most).contains(value)
            && above.is_none_or(|above| *value > above)
            && below.is_none_or(|below| *value < below)
    };
    let multiples = [(wanted / step).floor() * step, (wanted / step).ceil() * step];
    let beside = [multiples[0] - step, multiples[1] + step, (least + most) / 2.0, wanted];
    let is_whole = |value: &f64| !is_integer || value.fract() == 0.0;
    let is_multiple = |value: &f64| {
        number("multipleOf").is_none() || multiples.contains(value) || beside[..2].contains(value)
    };
    let all = [multiples[1], multiples[0]].into_iter().chain(beside);
    let found = all.into_iter().find(|value| fits(value) && is_whole(value) && is_multiple(value));
    match found {
        Some(value) if value.fract() == 0.0 && value.abs() < 9e15 => Ok(json!(value as i64)),
        Some(value) => Ok(json!(value)),
        None => Err("no number is within its bounds".to_owned()),
    }
}
