//! Cases of conformance that follow from a description: its examples, and what breaks it in one place.

use oas3::spec::{ObjectSchema, ParameterIn, SchemaType, SchemaTypeSet};
use serde_json::{Map, Value};

use super::LeftOut;
use super::document::Document;
use super::operation::{Body, Operation, Parameter};
use super::schema::{Properties, marked, of_another_type, properties};
use crate::draft::{Case, Request};

/// By which a request that breaks its description is refused.
const BAD_REQUEST: [u16; 2] = [400, 422];
/// By which something that is not there is told.
const NOT_FOUND: [u16; 1] = [404];

/// All cases of an operation, and those that are left out, each made when it is asked for: all together may be large.
pub(super) fn of<'a>(
    document: &'a Document,
    operation: &'a Operation,
) -> impl Iterator<Item = Result<Case, LeftOut>> + 'a {
    let cases = examples(document, operation).into_iter().chain(without_parameters(document, operation));
    cases.chain(broken_bodies(document, operation)).chain(unknown_ids(document, operation))
}

/// What is described must serve.
fn examples(document: &Document, operation: &Operation) -> Vec<Result<Case, LeftOut>> {
    let what = format!("the example of {}", operation.name);
    let left_out = |because: &str| vec![Err(LeftOut { what: what.clone(), because: because.to_owned() })];
    if operation.method == "DELETE" {
        return left_out("what it deletes is gone for the cases after it");
    }
    if operation.may_be_unknown() {
        return left_out("no example says which of them is there");
    }
    let mut statuses = operation.good.clone();
    let again = operation.again();
    let must_be_new = again.iter().any(|status| BAD_REQUEST.contains(status));
    if !must_be_new {
        statuses.extend(again);
    }
    let case = |name: String, body: Option<String>| {
        let request = Request { statuses: statuses.clone(), body, ..operation.request() };
        Ok(Case { name, request, media_type: operation.media_type.clone() })
    };
    if must_be_new {
        return match operation.body.as_ref().and_then(|body| new_each_time(document, body)) {
            Some(new) => vec![case(format!("{}: as described", operation.name), Some(new.to_string()))],
            None => left_out(
                "it may be there already, and no status but a described 409 tells that from a mistake",
            ),
        };
    }
    let Some(body) = &operation.body else {
        return vec![case(format!("{}: as described", operation.name), None)];
    };
    let each = body.values.iter().map(|(name, value)| {
        let name = name.as_ref().map_or_else(|| "as described".to_owned(), |name| format!("example {name}"));
        case(format!("{}: {name}", operation.name), Some(value.to_string()))
    });
    each.collect()
}

/// A body that was never sent before; `None` where the description names it, or no text in it is free.
fn new_each_time(document: &Document, body: &Body) -> Option<Value> {
    let schema = body.schema.as_ref().filter(|_| body.is_made)?;
    marked(document, schema)
}

/// A request that must be refused.
fn refused(operation: &Operation, name: String, request: Request) -> Case {
    let mut statuses = operation.refused(&BAD_REQUEST);
    if operation.may_be_unknown() && !statuses.contains(&404) {
        statuses.push(404);
        statuses.sort_unstable();
    }
    Case { name, request: Request { statuses, ..request }, media_type: None }
}

/// Without each parameter of the query that is required. One with a default may be left out all the same.
fn without_parameters<'a>(
    document: &'a Document,
    operation: &'a Operation,
) -> impl Iterator<Item = Result<Case, LeftOut>> + 'a {
    let is_needed = |parameter: &&Parameter| {
        let schema = document.schema(&parameter.schema);
        parameter.place == ParameterIn::Query
            && parameter.is_required
            && schema.is_ok_and(|schema| schema.default.is_none())
    };
    operation.parameters.iter().filter(is_needed).map(|left| {
        let request = operation.request_with(|parameter| {
            (parameter.name != left.name || parameter.place != ParameterIn::Query)
                .then(|| parameter.written())
        });
        Ok(refused(operation, format!("{}: without ?{}", operation.name, left.name), request))
    })
}

/// Without each property that is required, and with each property of another type.
fn broken_bodies<'a>(
    document: &'a Document,
    operation: &'a Operation,
) -> Box<dyn Iterator<Item = Result<Case, LeftOut>> + 'a> {
    let Some(body) = &operation.body else { return Box::new(std::iter::empty()) };
    let (Some(schema), Some((_, Value::Object(whole)))) = (&body.schema, body.values.first()) else {
        return Box::new(std::iter::empty());
    };
    let name = &operation.name;
    let left_out = |what: String, because: String| Err(LeftOut { what, because });
    let Properties { all, required, .. } = match properties(document, schema) {
        Ok(found) => found,
        Err(because) => {
            return Box::new(std::iter::once(left_out(format!("broken bodies of {name}"), because)));
        }
    };
    let case = move |what: String, body: &Map<String, Value>| {
        let body = serde_json::to_string(body).ok();
        Ok(refused(operation, format!("{name}: {what}"), Request { body, ..operation.request() }))
    };
    let required = required.into_iter().filter(|property| whole.contains_key(*property));
    let without = required.map(move |property| {
        let mut body = whole.clone();
        body.remove(property);
        case(format!("without {property}"), &body)
    });
    let of_other_types = all.into_iter().map(move |(property, schema)| {
        let Some(wrong) = of_another_type(document, schema) else {
            let because = "its schema does not say of which it is".to_owned();
            return left_out(format!("{property} of another type in {name}"), because);
        };
        let mut body = whole.clone();
        body.insert(property.to_owned(), wrong);
        case(format!("{property} of another type"), &body)
    });
    Box::new(without.chain(of_other_types))
}

/// With an unknown value in each place of the path.
fn unknown_ids<'a>(
    document: &'a Document,
    operation: &'a Operation,
) -> impl Iterator<Item = Result<Case, LeftOut>> + 'a {
    let places = operation.parameters.iter().filter(|parameter| parameter.place == ParameterIn::Path);
    // Whoever puts something where nothing was may create it.
    let reads = matches!(operation.method.as_str(), "GET" | "HEAD" | "DELETE" | "PATCH");
    places.filter(move |_| reads).map(|unknown| {
        let name = format!("{}: unknown {}", operation.name, unknown.name);
        let left_out = |because: &str| LeftOut { what: name.clone(), because: because.to_owned() };
        if !operation.refuses() {
            return Err(left_out("no 4xx is described"));
        }
        let value = document.schema(&unknown.schema).ok().and_then(nobodys);
        let value = value.ok_or_else(|| left_out("no value of it is sure to be unknown"))?;
        let request = operation.request_with(|parameter| {
            let is_it = parameter.place == ParameterIn::Path && parameter.name == unknown.name;
            Some(if is_it { value.clone() } else { parameter.written() })
        });
        let statuses = operation.refused(&NOT_FOUND);
        Ok(Case { name, request: Request { statuses, ..request }, media_type: None })
    })
}

/// A value that a schema allows, and that nothing has; `None` where it allows too little.
fn nobodys(schema: &ObjectSchema) -> Option<String> {
    let is_bounded = !schema.enum_values.is_empty()
        || schema.const_value.is_some()
        || schema.pattern.is_some()
        || schema.max_length.is_some()
        || schema.maximum.is_some()
        || schema.exclusive_maximum.is_some()
        || [&schema.one_of, &schema.any_of, &schema.all_of].iter().any(|parts| !parts.is_empty());
    let Some(SchemaTypeSet::Single(of)) = schema.schema_type.as_ref().filter(|_| !is_bounded) else {
        return None;
    };
    match (of, schema.format.as_deref().unwrap_or_default()) {
        (SchemaType::Integer | SchemaType::Number, "int32") => Some("2147483645".to_owned()),
        (SchemaType::Integer | SchemaType::Number, _) => Some("9007199254740881".to_owned()),
        (SchemaType::String, "uuid") => Some("00000000-0000-4000-8000-00006a10a10a".to_owned()),
        (SchemaType::String, "") => Some("{mark}".to_owned()),
        _ => None,
    }
}
