//! JSON by what it means, and pieces of answers as they are told.

use serde_json::{Number, Value};

/// The longest piece of an answer that a difference shows, in characters.
const SHOWN: usize = 60;

/// Whether it is a JSON pointer (RFC 6901).
pub(crate) fn is_pointer(text: &str) -> bool {
    let escaped = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    (text.is_empty() || text.starts_with('/')) && escaped
}

/// How texts are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Texts {
    /// Character by character.
    AsWritten,
    /// The same, but two that are both times (RFC 3339) are equal if they are one moment: `2023-01-01T00:00:00Z` and
    /// `2023-01-01T01:00:00.000+01:00`.
    OrMoments,
}

/// Whether two values mean the same: `3` and `3.0` do.
pub(crate) fn same(one: &Value, other: &Value, texts: Texts) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => same_number(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other, texts))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|other| same(value, other, texts)))
        }
        (Value::String(one), Value::String(other)) => {
            one == other || (texts == Texts::OrMoments && same_moment(one, other))
        }
        _ => one == other,
    }
}

fn same_moment(one: &str, other: &str) -> bool {
    let moment = |text: &str| text.parse::<jiff::Timestamp>().ok();
    moment(one).is_some_and(|one| moment(other) == Some(one))
}

fn same_number(one: &Number, other: &Number) -> bool {
    // Two integers are compared as such: as floating-point numbers, large ones would be alike too soon.
    one == other || ((one.is_f64() || other.is_f64()) && one.as_f64() == other.as_f64())
}

/// A piece of an answer for a line of text: bounded, and without what would move a cursor.
pub(crate) fn shown(bytes: &[u8]) -> String {
    // A character has four bytes at most.
    let head = &bytes[..bytes.len().min(4 * (SHOWN + 1))];
    let text = String::from_utf8_lossy(head);
    let cut = text.chars().count() > SHOWN;
    let visible = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let mut line: String = text.chars().take(SHOWN).map(visible).collect();
    if cut {
        line.push_str("...");
    }
    line
}

/// A value for a line of text, as [`shown`].
pub(crate) fn shown_value(value: &Value) -> String {
    shown(value.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_notations_of_one_moment_are_the_same_where_moments_count() {
        let same = |one: &str, other: &str, texts| same(&Value::from(one), &Value::from(other), texts);
        let moment = "2023-01-01T00:00:00Z";
        for other in ["2023-01-01T00:00:00.000Z", "2023-01-01T00:00:00+00:00", "2023-01-01T01:00:00+01:00"] {
            assert!(same(moment, other, Texts::OrMoments), "{other}");
            assert!(!same(moment, other, Texts::AsWritten), "{other}");
        }
        for other in ["2023-01-01T00:00:00.001Z", "2023-01-01T00:00:00", "2023-01-01", ""] {
            assert!(!same(moment, other, Texts::OrMoments), "{other}");
        }
    }
}
