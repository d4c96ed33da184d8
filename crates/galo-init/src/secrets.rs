//! Which secrets stand in the files that are made: by their names, never by their values.

use std::collections::BTreeSet;

use galo_plan::secret::{MASK, in_text, is_secret};
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

/// Names of variables of a contender that are of secrets, and of what in its lines for a shell is one.
pub(super) fn of_entrant(entrant: &Entrant) -> BTreeSet<String> {
    let variables = entrant.environment.keys().filter(|name| is_secret(name)).cloned();
    let lines = [Some(&entrant.command), entrant.build.as_ref()];
    variables.chain(lines.into_iter().flatten().flat_map(|line| of_line(line))).collect()
}

/// What stands before each secret of a line: `--token` of `--token=a` and of `--token a`, `http://` of an address with a user.
fn of_line(line: &str) -> Vec<String> {
    let masked = in_text(line);
    if masked == line {
        return Vec::new();
    }
    let (mut names, mut before) = (Vec::new(), "");
    for word in masked.split_whitespace() {
        for (at, _) in word.match_indices(MASK) {
            names.push([name(&word[..at]), before].into_iter().find(|name| !name.is_empty()));
        }
        before = name(word);
    }
    names.into_iter().flatten().map(str::to_owned).collect()
}

/// The last name in a text, without what parts it from its value.
fn name(text: &str) -> &str {
    let text = text.trim_end_matches(['=', ':', '\'', '"']);
    text.rsplit(['?', '&', ';', '\'', '"']).next().unwrap_or_default()
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
            names.insert(name.clone());
            keys(value, names);
        }),
        Value::Array(items) => items.iter().for_each(|item| keys(item, names)),
        _ => {}
    }
}
