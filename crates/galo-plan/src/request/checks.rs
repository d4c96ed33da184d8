//! What an answer must hold beside its status.

use memchr::memmem::Finder;
use serde_json::Value;

use crate::http;
use crate::json::{Texts, same, shown};
use crate::model::Answer;
use crate::rules::Rule;

/// Rules of the checks; [`crate::model::Examination::broken`] indexes this list.
pub const RULES: &[Rule] = &[
    Rule::must("body-lacks-text", "an answer's body holds the text that was asked for"),
    Rule::must(
        "body-differs",
        "an answer's body is JSON with the value that was asked for at the pointer that was given",
    ),
    Rule::must("header-differs", "an answer has the header that was asked for"),
];

/// One thing that an answer must hold.
#[derive(Debug, Clone)]
pub(super) enum Check {
    /// A text in the body.
    Text(Finder<'static>),
    /// A value in the body, at a JSON pointer (RFC 6901).
    Json { pointer: String, expected: Value },
    /// A header of which one value is this one.
    HeaderIs { name: String, expected: Vec<u8> },
    /// A header of which one value holds a text.
    HeaderHolds { name: String, text: Finder<'static> },
}

impl Check {
    pub(super) fn text(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("every body holds the empty text\nhint: leave this check out".to_owned());
        }
        Ok(Self::Text(Finder::new(text).into_owned()))
    }

    /// `/a/b = 3`: what stands right is read as JSON, and as a string where it is none.
    pub(super) fn json(text: &str) -> Result<Self, String> {
        let sides = text.split_once(" = ").or_else(|| text.split_once('='));
        let sides = sides.map(|(pointer, expected)| (pointer.trim(), expected.trim()));
        let (pointer, expected) = sides.filter(|(pointer, _)| is_pointer(pointer)).ok_or_else(|| {
            format!("`{text}` is no check of JSON; write a JSON pointer and a value, for example `/items/0/name = Ana`")
        })?;
        let expected = serde_json::from_str(expected).unwrap_or_else(|_| Value::String(expected.to_owned()));
        Ok(Self::Json { pointer: pointer.to_owned(), expected })
    }

    /// `Name = value` or `Name ~ text`.
    pub(super) fn header(text: &str) -> Result<Self, String> {
        let unreadable = || {
            format!(
                "`{text}` is no check of a header; write `Content-Type = application/json`, or `Content-Type ~ json` for a part of the value"
            )
        };
        let sign = text.find(['=', '~']).ok_or_else(unreadable)?;
        let (name, value) = (text[..sign].trim(), text[sign + 1..].trim());
        if !http::is_token(name) {
            return Err(unreadable());
        }
        let name = name.to_owned();
        if text.as_bytes()[sign] == b'=' {
            return Ok(Self::HeaderIs { name, expected: value.as_bytes().to_vec() });
        }
        Ok(Self::HeaderHolds { name, text: Finder::new(value).into_owned() })
    }
}

fn is_pointer(text: &str) -> bool {
    let escaped = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    (text.is_empty() || text.starts_with('/')) && escaped
}

/// The first check that an answer does not pass: the index of its rule, and the difference. A check that passes
/// allocates nothing, but for those of JSON: the first of them parses the whole body.
pub(super) fn first_broken(checks: &[Check], answer: &Answer<'_>) -> Option<(usize, String)> {
    let mut parsed = None;
    checks.iter().find_map(|check| match check {
        Check::Text(finder) => {
            let missing = finder.find(answer.body).is_none();
            missing.then(|| (0, format!("the body does not hold `{}`", shown(finder.needle()))))
        }
        Check::Json { pointer, expected } => {
            let parsed = parsed.get_or_insert_with(|| serde_json::from_slice(answer.body));
            json_difference(parsed.as_ref(), pointer, expected).map(|difference| (1, difference))
        }
        Check::HeaderIs { name, expected } => {
            let is = answer.header(name).any(|value| value == expected);
            (!is).then(|| (2, header_difference(answer, name, &format!("`{}`", shown(expected)))))
        }
        Check::HeaderHolds { name, text } => {
            let holds = answer.header(name).any(|value| text.find(value).is_some());
            (!holds).then(|| {
                (2, header_difference(answer, name, &format!("one with `{}`", shown(text.needle()))))
            })
        }
    })
}

fn json_difference(
    body: Result<&Value, &serde_json::Error>,
    pointer: &str,
    expected: &Value,
) -> Option<String> {
    let place = if pointer.is_empty() { "the body" } else { pointer };
    let json = |value: &Value| shown(value.to_string().as_bytes());
    let body = match body {
        Ok(body) => body,
        Err(error) => {
            return Some(format!("the body is no JSON ({error}), expected {} at {place}", json(expected)));
        }
    };
    match body.pointer(pointer) {
        Some(found) if same(found, expected, Texts::AsWritten) => None,
        Some(found) => Some(format!("{place} is {}, expected {}", json(found), json(expected))),
        None => Some(format!("{place} is missing, expected {}", json(expected))),
    }
}

fn header_difference(answer: &Answer<'_>, name: &str, expected: &str) -> String {
    match answer.header(name).next() {
        Some(found) => format!("header `{name}` is `{}`, expected {expected}", shown(found)),
        None => format!("header `{name}` is missing, expected {expected}"),
    }
}

#[cfg(test)]
mod tests;
