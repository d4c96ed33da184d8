//! Values that a schema allows, and values that it does not.

use std::collections::{HashMap, HashSet};

use oas3::spec::{
    Discriminator, ObjectOrReference, ObjectSchema, Schema, SchemaType as Type, SchemaTypeSet as TypeSet,
};
use serde_json::{Map, Number, Value, json};

use super::discriminator;
use super::document::Document;
use super::fitted::fitted;
use super::model::{FLAW, NOT, NULL};

/// Schemas within schemas, at most.
const MAX_DEPTH: usize = 16;
/// Schemas that one value is built of, at most.
const MAX_PARTS: usize = 2_000;
/// Properties that an object may have, and parts of its `allOf` at all depths, together at most. A chain of schemas that each
/// name the next one twice is followed in 2 to the power of its length ways.
const MAX_PROPERTIES: usize = 10_000;
/// Elements and characters that a schema may ask for, at most.
const MAX_LENGTH: u64 = 1_000;
/// Texts and elements of one value, in bytes, about and at most.
const MAX_BYTES: usize = 1 << 20;
/// What a case writes for a text that is new each time, and the characters that are sent for it.
const MARK: (&str, u64) = ("{mark}", 11);
/// The end of an email address that nobody has.
const MAIL: &str = "@example.org";

/// The value that a schema names: its example, default, constant, or the first of its enumeration.
pub(super) fn named(schema: &ObjectSchema) -> Option<&Value> {
    const NOTHING: &Value = &Value::Null;
    let null = schema.extensions.contains_key(NULL).then_some(NOTHING);
    let ObjectSchema { example, examples, const_value, default, enum_values, .. } = schema;
    let own = example.as_ref().or_else(|| examples.first()).or(const_value.as_ref());
    own.or(default.as_ref()).or(null).or_else(|| enum_values.first())
}

/// A value that a schema allows; or why none can be made.
pub(super) fn allowed(document: &Document, schema: &Schema) -> Result<Value, String> {
    Builder { document, marks: false, parts: 0, bytes: 0 }.value(schema, 0)
}

/// The same with `{mark}` in each text that may be any; `None` where no text may, or no value can be made.
pub(super) fn marked(document: &Document, schema: &Schema) -> Option<Value> {
    let value = Builder { document, marks: true, parts: 0, bytes: 0 }.value(schema, 0).ok()?;
    value.to_string().contains(MARK.0).then_some(value)
}

/// A JSON value of a type that a schema's values cannot have; `None` where it does not say which they have.
pub(super) fn of_another_type(document: &Document, schema: &Schema) -> Option<Value> {
    let own = document.schema(schema).ok()?;
    let mut types = types(own);
    if types.is_empty() && properties(document, schema).is_ok_and(|properties| !properties.all.is_empty()) {
        types.push(Type::Object);
    }
    if types.is_empty() {
        return None;
    }
    // Text before a number: many take a number for text, or the other way round only if it looks like one.
    let others = [(Type::String, json!("galo")), (Type::Object, json!({}))];
    others.into_iter().find(|(other, _)| !types.contains(other)).map(|(_, value)| value)
}

/// What an object may have, and what it must.
#[derive(Default)]
pub(super) struct Properties<'a> {
    /// With their schemas, by name.
    pub(super) all: Vec<(&'a str, &'a Schema)>,
    /// Names of those that are required.
    pub(super) required: Vec<&'a str>,
    /// By which one it says of which schema it is.
    discriminator: Option<&'a Discriminator>,
}

/// The properties of an object's schema, and of all parts of its `allOf`; without those that only answers have.
pub(super) fn properties<'a>(document: &'a Document, schema: &'a Schema) -> Result<Properties<'a>, String> {
    let (mut found, mut left) = (Properties::default(), MAX_PROPERTIES);
    collect(document, schema, 0, &mut found, &mut left)?;
    // Of a name that stands there again the last one counts, and of one that is required again the first.
    let mut seen = HashSet::new();
    let mut all: Vec<_> = found.all.into_iter().rev().filter(|(name, _)| seen.insert(*name)).collect();
    all.reverse();
    let is_read_only =
        |schema| document.schema(schema).is_ok_and(|schema: &ObjectSchema| schema.read_only == Some(true));
    let (read_only, all): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, schema)| is_read_only(schema));
    let mut left: HashSet<&str> = read_only.into_iter().map(|(name, _)| name).collect();
    let required = found.required.into_iter().filter(|name| left.insert(name)).collect();
    Ok(Properties { all, required, discriminator: found.discriminator })
}

fn collect<'a>(
    document: &'a Document,
    schema: &'a Schema,
    depth: usize,
    properties: &mut Properties<'a>,
    left: &mut usize,
) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err("its schema contains itself".to_owned());
    }
    let schema = document.schema(schema)?;
    let rest = left.checked_sub(1 + schema.properties.len() + schema.required.len());
    *left = rest.ok_or("its schema is too large")?;
    properties.all.extend(schema.properties.iter().map(|(name, schema)| (name.as_str(), schema)));
    properties.required.extend(schema.required.iter().map(String::as_str));
    properties.discriminator = properties.discriminator.or(schema.discriminator.as_ref());
    schema.all_of.iter().try_for_each(|part| collect(document, part, depth + 1, properties, left))
}

/// The types that a schema's values have; empty where it does not say.
fn types(schema: &ObjectSchema) -> Vec<Type> {
    match &schema.schema_type {
        Some(TypeSet::Single(one)) => vec![*one],
        Some(TypeSet::Multiple(several)) => several.clone(),
        None => Vec::new(),
    }
}

struct Builder<'a> {
    document: &'a Document,
    /// Whether texts are new each time, where they may be any.
    marks: bool,
    /// Schemas that were looked at.
    parts: usize,
    /// What was made so far, in bytes.
    bytes: usize,
}

impl<'a> Builder<'a> {
    fn value(&mut self, schema: &'a Schema, depth: usize) -> Result<Value, String> {
        self.value_at(schema, reference(schema), depth)
    }

    /// The same of a schema that a reference leads to, if one does.
    fn value_at(
        &mut self,
        schema: &'a Schema,
        reference: Option<&'a str>,
        depth: usize,
    ) -> Result<Value, String> {
        self.parts += 1;
        if depth > MAX_DEPTH {
            return Err("its schema contains itself, or is too deep".to_owned());
        }
        if self.parts > MAX_PARTS {
            return Err("its schema is too large".to_owned());
        }
        let own = self.document.schema(schema)?;
        if let Some(named) = named(own) {
            self.make(named, 1)?;
            return Ok(fitted(self.document, schema, named.clone()));
        }
        if let Some(flaw) = own.extensions.get(FLAW).and_then(Value::as_str) {
            return Err(flaw.to_owned());
        }
        if let Some(ways) = [&own.one_of, &own.any_of].into_iter().find(|ways| !ways.is_empty()) {
            return self.any_of(own, ways, depth);
        }
        let types = types(own);
        match types.iter().find(|name| **name != Type::Null) {
            Some(Type::Object) => self.object(schema, reference, depth),
            None if !own.all_of.is_empty() => self.of_parts(schema, reference, &own.all_of, depth),
            Some(Type::Array) => self.array(own, depth),
            Some(Type::String) => {
                free(own).filter(|_| self.marks).map_or_else(|| string(own), |text| Ok(json!(text)))
            }
            Some(Type::Integer) => number(own, true),
            Some(Type::Number) => number(own, false),
            Some(Type::Boolean) => Ok(json!(true)),
            None if !types.is_empty() => Ok(Value::Null),
            _ if own.extensions.contains_key(NOT) => Err("its schema says only what it is not".to_owned()),
            _ => Ok(json!("galo")),
        }
    }

    /// Counts a value that is made a number of times.
    fn make(&mut self, value: &Value, times: usize) -> Result<(), String> {
        let mut left = (MAX_BYTES - self.bytes) / times.max(1);
        let whole = left;
        if !fits(value, &mut left) {
            return Err("what it asks for is too large".to_owned());
        }
        self.bytes += (whole - left) * times;
        Ok(())
    }

    /// The first of several ways that can be gone.
    fn any_of(&mut self, own: &'a ObjectSchema, ways: &'a [Schema], depth: usize) -> Result<Value, String> {
        let mut built = Err(String::new());
        for way in ways {
            built = self.value(way, depth + 1);
            let Ok(value) = &mut built else { continue };
            let is_named = self.document.schema(way).is_ok_and(|way| named(way).is_some());
            if let (Some(discriminator), Some(reference), Value::Object(object)) =
                (&own.discriminator, reference(way), value)
                && !is_named
            {
                let all = properties(self.document, way)?.all;
                self.tell(discriminator, Some(reference), &all, object);
            }
            break;
        }
        built
    }

    /// Says in an object of which schema it is.
    fn tell(
        &self,
        discriminator: &Discriminator,
        reference: Option<&str>,
        all: &[(&str, &'a Schema)],
        object: &mut Map<String, Value>,
    ) {
        let property = all.iter().find(|(name, _)| *name == discriminator.property_name);
        let property = property.and_then(|(_, schema)| self.document.schema(schema).ok());
        discriminator::tell(discriminator, reference, property, object);
    }

    /// What all parts of an `allOf` say: an object of all of their properties, or what the first part is.
    fn of_parts(
        &mut self,
        schema: &'a Schema,
        reference: Option<&'a str>,
        parts: &'a [Schema],
        depth: usize,
    ) -> Result<Value, String> {
        if !properties(self.document, schema)?.all.is_empty() {
            return self.object(schema, reference, depth);
        }
        parts.first().map_or_else(|| Ok(Value::Null), |first| self.value(first, depth + 1))
    }

    /// With all properties that are required; where none is, with all that can be made.
    fn object(
        &mut self,
        schema: &'a Schema,
        reference: Option<&'a str>,
        depth: usize,
    ) -> Result<Value, String> {
        if let Some(other) = self.more_than(schema, reference)? {
            return self.value_at(self.document.referred(other)?, Some(other), depth + 1);
        }
        let Properties { all, required, discriminator } = properties(self.document, schema)?;
        let mut object = Map::new();
        let by_name: HashMap<&str, &'a Schema> = all.iter().copied().collect();
        for name in &required {
            let schema = by_name.get(name);
            let value = schema.map_or_else(|| Ok(json!("galo")), |schema| self.value(schema, depth + 1));
            object.insert((*name).to_owned(), value.map_err(|why| format!("of `{name}`: {why}"))?);
        }
        if required.is_empty() {
            for (name, schema) in &all {
                if let Ok(value) = self.value(schema, depth + 1) {
                    object.insert((*name).to_owned(), value);
                }
            }
        }
        if let Some(discriminator) = discriminator {
            self.tell(discriminator, reference, &all, &mut object);
        }
        Ok(Value::Object(object))
    }

    /// The schema that stands for one which others are made of, and which says itself of which of them an object is.
    fn more_than(&self, schema: &'a Schema, reference: Option<&'a str>) -> Result<Option<&'a str>, String> {
        let Some(discriminator) = &self.document.schema(schema)?.discriminator else { return Ok(None) };
        let is_mapped = discriminator.mapping.as_ref().is_some_and(|mapping| !mapping.is_empty());
        let other = match reference {
            Some(reference) if !is_mapped => self.document.made_of(reference).first().map(String::as_str),
            _ => discriminator::another(discriminator, reference),
        };
        Ok(other.filter(|other| Some(*other) != reference))
    }

    fn array(&mut self, schema: &'a ObjectSchema, depth: usize) -> Result<Value, String> {
        let needed = schema.min_items.unwrap_or(0);
        let least = needed.max(1).min(schema.max_items.unwrap_or(u64::MAX));
        if least > MAX_LENGTH {
            return Err(format!("it needs {least} elements"));
        }
        if schema.unique_items == Some(true) && least > 1 {
            return Err("it needs elements that are all different".to_owned());
        }
        let element = match &schema.items {
            None if needed == 0 => return Ok(json!([])),
            None => json!("galo"),
            Some(items) => match self.value(items, depth + 1) {
                Ok(element) => element,
                Err(_) if needed == 0 => return Ok(json!([])),
                Err(because) => return Err(because),
            },
        };
        self.make(&element, least as usize)?;
        Ok(Value::Array(vec![element; least as usize]))
    }
}

/// What a schema is referred to by, if it is.
fn reference(schema: &Schema) -> Option<&str> {
    let Schema::Object(of) = schema else { return None };
    match &**of {
        ObjectOrReference::Ref { ref_path, .. } => Some(ref_path),
        ObjectOrReference::Object(_) => None,
    }
}

/// Whether a value is not larger than what is left, in bytes, and about; takes its size from that.
fn fits(value: &Value, left: &mut usize) -> bool {
    let own = 8 + value.as_str().map_or(0, str::len);
    let Some(rest) = left.checked_sub(own) else { return false };
    *left = rest;
    match value {
        Value::Array(values) => values.iter().all(|value| fits(value, left)),
        Value::Object(entries) => entries.iter().all(|(name, value)| {
            *left = left.saturating_sub(name.len());
            fits(value, left)
        }),
        _ => true,
    }
}

/// A text that is new each time, of a schema that lets it be any.
fn free(schema: &ObjectSchema) -> Option<String> {
    let (mark, length) = MARK;
    let end = match schema.format.as_deref().unwrap_or_default() {
        "" => "",
        "email" => MAIL,
        _ => return None,
    };
    let bounds = schema.min_length.unwrap_or(0)..=schema.max_length.unwrap_or(u64::MAX);
    let fits = schema.pattern.is_none() && bounds.contains(&(length + end.len() as u64));
    fits.then(|| format!("{mark}{end}"))
}

fn string(schema: &ObjectSchema) -> Result<Value, String> {
    let formatted = match schema.format.as_deref().unwrap_or_default() {
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
    if schema.pattern.is_some() {
        return Err("a text with a pattern has no example".to_owned());
    }
    let least = schema.min_length.unwrap_or(0);
    if least > MAX_LENGTH {
        return Err(format!("it needs a text of {least} characters"));
    }
    let length = least.max(4).min(schema.max_length.unwrap_or(u64::MAX));
    Ok(json!("galo".chars().cycle().take(length as usize).collect::<String>()))
}

/// The number nearest to 1 within the bounds that is a multiple where that is asked for.
fn number(schema: &ObjectSchema, is_integer: bool) -> Result<Value, String> {
    let number = |number: &Option<Number>| number.as_ref().and_then(Number::as_f64);
    let multiple_of = number(&schema.multiple_of);
    let step = multiple_of.filter(|step| *step > 0.0).unwrap_or(if is_integer { 1.0 } else { 0.5 });
    let (above, below) = (number(&schema.exclusive_minimum), number(&schema.exclusive_maximum));
    let least = number(&schema.minimum).unwrap_or(f64::MIN).max(above.unwrap_or(f64::MIN));
    let most = number(&schema.maximum).unwrap_or(f64::MAX).min(below.unwrap_or(f64::MAX));
    let wanted = 1.0_f64.clamp(least.min(most), most);
    let fits = |value: &f64| {
        (least..=most).contains(value)
            && above.is_none_or(|above| *value > above)
            && below.is_none_or(|below| *value < below)
    };
    let multiples = [(wanted / step).floor() * step, (wanted / step).ceil() * step];
    let beside = [multiples[0] - step, multiples[1] + step, (least + most) / 2.0, wanted];
    let is_whole = |value: &f64| !is_integer || value.fract() == 0.0;
    let is_multiple =
        |value: &f64| multiple_of.is_none() || multiples.contains(value) || beside[..2].contains(value);
    let all = [multiples[1], multiples[0]].into_iter().chain(beside);
    let found = all.into_iter().find(|value| fits(value) && is_whole(value) && is_multiple(value));
    match found {
        Some(value) if value.fract() == 0.0 && value.abs() < 9e15 => Ok(json!(value as i64)),
        Some(value) => Ok(json!(value)),
        None => Err("no number is within its bounds".to_owned()),
    }
}
