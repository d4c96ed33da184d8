//! Samples of all variants of a type, made of the type itself, so that none can be forgotten: the schema names them, and whoever
//! adds one must give it words before it compiles.

use galo_words::Both;
use serde_json::{Map, Value, json};

/// How a sample is filled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fill {
    /// With all that may be there, several of each, in numbers of four digits.
    Rich,
    /// With nothing that need not be there, and one of each.
    Poor,
}

/// Makes a value of a schema; numbers differ from one another, so that a figure that is left out is noticed.
struct Maker<'a> {
    definitions: &'a Map<String, Value>,
    fill: Fill,
    next: u64,
}

impl Maker<'_> {
    fn number(&mut self) -> u64 {
        self.next += 1;
        if self.fill == Fill::Rich { 1000 + 37 * self.next } else { 1 }
    }

    /// All alternatives of a schema, each as one value.
    fn all(&mut self, schema: &Value) -> Vec<Value> {
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.rsplit('/').next().unwrap_or_default();
            let inner = self.definitions[name].clone();
            return self.merged(schema, &inner);
        }
        let options = ["oneOf", "anyOf"].iter().find_map(|key| schema[key].as_array());
        if let Some(options) = options {
            return options.clone().iter().flat_map(|option| self.merged(schema, option)).collect();
        }
        if let Some(values) = schema["enum"].as_array() {
            return values.clone();
        }
        if !schema["const"].is_null() {
            return vec![schema["const"].clone()];
        }
        self.of_type(schema)
    }

    /// What `inner` makes, with the properties that stand beside it.
    fn merged(&mut self, outer: &Value, inner: &Value) -> Vec<Value> {
        let inner = self.all(inner);
        if outer["properties"].is_null() {
            return inner;
        }
        let own = self.of_type(&json!({ "type": "object", "properties": outer["properties"] }));
        let mut merged = Vec::new();
        for own in &own {
            for inner in &inner {
                let mut value = own.as_object().cloned().unwrap_or_default();
                value.extend(inner.as_object().cloned().unwrap_or_default());
                merged.push(Value::Object(value));
            }
        }
        merged
    }

    fn of_type(&mut self, schema: &Value) -> Vec<Value> {
        let kind = match &schema["type"] {
            // What may be null.
            Value::Array(kinds) if self.fill == Fill::Poor && kinds.contains(&json!("null")) => "null",
            Value::Array(kinds) => kinds[0].as_str().unwrap_or_default(),
            kind => kind.as_str().unwrap_or_default(),
        };
        match kind {
            "null" => vec![Value::Null],
            "integer" => {
                let most = schema["maximum"].as_u64().unwrap_or(u64::MAX);
                let number = self.number();
                vec![json!(if number > most { number % most } else { number })]
            }
            "number" => vec![json!(self.number() as f64)],
            "string" => vec![json!(format!("name{}", ["a", "b", "c", "d"][self.next as usize % 4]))],
            "boolean" => vec![json!(true)],
            "array" => {
                let least =
                    schema["minItems"].as_u64().unwrap_or(if self.fill == Fill::Rich { 2 } else { 1 });
                let mut all = Vec::new();
                for _ in 0..least.max(1) {
                    all.extend(self.all(&schema["items"]));
                }
                vec![Value::Array(all.into_iter().take(6).collect())]
            }
            "object" => self.object(schema),
            other => panic!("no sample of {other}: {schema}"),
        }
    }

    fn object(&mut self, schema: &Value) -> Vec<Value> {
        let Some(properties) = schema["properties"].as_object() else {
            let value = match schema["additionalProperties"].as_object() {
                Some(of) => self.all(&Value::Object(of.clone())).swap_remove(0),
                None => json!("value"),
            };
            return vec![json!({ "name": value })];
        };
        let mut objects = vec![Map::new()];
        for (name, property) in properties {
            let values: Vec<Value> =
                self.all(property).into_iter().filter(|v| self.is_wanted(property, v)).collect();
            objects = values
                .iter()
                .flat_map(|value| {
                    objects.iter().cloned().map(move |mut object| {
                        object.insert(name.clone(), value.clone());
                        object
                    })
                })
                .collect();
        }
        objects.into_iter().map(Value::Object).collect()
    }

    /// Of what may be null, the one that the fill asks for.
    fn is_wanted(&self, property: &Value, value: &Value) -> bool {
        let may_be_null =
            property["anyOf"].as_array().is_some_and(|of| of.iter().any(|o| o["type"] == "null"));
        !may_be_null || value.is_null() == (self.fill == Fill::Poor)
    }
}

pub(super) fn samples<T: schemars::JsonSchema + serde::de::DeserializeOwned>() -> Vec<T> {
    let schema = serde_json::to_value(schemars::schema_for!(T)).unwrap();
    let definitions = schema["$defs"].as_object().cloned().unwrap_or_default();
    let mut samples = Vec::new();
    for fill in [Fill::Rich, Fill::Poor] {
        let mut maker = Maker { definitions: &definitions, fill, next: 0 };
        let values = maker.all(&schema);
        samples.extend(values.into_iter().map(|value| {
            serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
        }));
    }
    samples
}

/// The figures of a text, whatever signs its language writes in them, in ascending order.
fn digits(text: &str) -> Vec<String> {
    let plain: String = text.chars().map(|c| if c == ',' { '.' } else { c }).collect();
    let figures = plain.split(|c: char| !c.is_ascii_digit() && c != '.');
    let mut figures: Vec<String> = figures
        .map(|figure| figure.trim_matches('.').to_owned())
        .filter(|figure| figure.contains(|c: char| c.is_ascii_digit()))
        .collect();
    figures.sort_unstable();
    figures
}

/// Both are there, and have the same figures.
pub(super) fn assert_both(both: &Both, of: &str) {
    let Both { en, pt } = both;
    assert!(!en.is_empty() && !pt.is_empty(), "{of}: {both:?}");
    assert_eq!(digits(en), digits(pt), "{of}: the same figures");
    for text in [en, pt] {
        assert!(!text.contains("  ") && !text.contains('{') && !text.ends_with(' '), "{of}: {text:?}");
    }
}
