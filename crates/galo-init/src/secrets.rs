//! Which secrets stand in the files that are made: by their names, never by their values.

use std::collections::BTreeSet;

use galo_plan::secret::is_secret;
use serde_json::Value;

use crate::draft::{Entrant, Request};

/// Names of what in these requests is a secret: headers, and fields of queries and bodies.
pub(super) fn of_requests<'a>(requests: impl Iterator<Item = &'a Request>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for Request { target, headers, body, .. } in requests {
        names.extend(headers.iter().map(|(name, _)| name.clone()));
        if let Some((_, query)) = target.split_once('?') {
            names.extend(fields(query));
        }
        let body = body.as_deref().unwrap_or_default();
        match serde_json::from_str(body) {
            Ok(json) => keys(&json, &mut names),
            Err(_) if !body.contains(char::is_whitespace) => names.extend(fields(body)),
            Err(_) => {}
        }
    }
    names.retain(|name| is_secret(name));
    names
}

/// Names of variables of a contender that are of secrets.
pub(super) fn of_variables(entrant: &Entrant) -> BTreeSet<String> {
    entrant.environment.keys().filter(|name| is_secret(name)).cloned().collect()
}

/// What to tell of a file that holds them; `None`: it holds none.
pub(super) fn told(file: &str, names: &BTreeSet<String>) -> Option<String> {
    let names = names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let advice = "do not share the file as it is";
    (!names.is_empty()).then(|| format!("{file} holds secrets as they were given: {names} ({advice})"))
}

/// Names of a form, or of a query.
fn fields(text: &str) -> impl Iterator<Item = String> {
    text.split('&').filter_map(|pair| Some(pair.split_once('=')?.0.to_owned()))
}

fn keys(json: &Value, names: &mut BTreeSet<String>) {
    match json {
        Value::Object(object) => object.iter().for_each(|(name, value)| {
            if !value.is_object() && !value.is_array() {
                names.insert(name.clone());
            }
            keys(value, names);
        }),
        Value::Array(items) => items.iter().for_each(|item| keys(item, names)),
        _ => {}
    }
}
