//! JSON compared by meaning: keys in any order, further keys allowed, text by what it says.

use serde_json::{Map, Value};

use super::text::{line, quoted};
use crate::evidence::Came;

/// How what is missing is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Null {
    /// Null, `[]` and no value are one.
    AsNothing,
    /// They are told apart.
    Itself,
}

/// The first way in which an object does not show all keys and values of `expected`, for a person.
pub(super) fn difference(expected: &Value, got: &Value, null: Null) -> Option<Came> {
    let (Some(expected), Some(got)) = (expected.as_object(), got.as_object()) else {
        return Some(Came::NoObject { value: shown(got) });
    };
    expected.iter().find_map(|(key, value)| field_difference(key, value, got, null))
}

fn field_difference(key: &str, expected: &Value, got: &Map<String, Value>, null: Null) -> Option<Came> {
    let value = got.get(key);
    if null == Null::AsNothing && is_nothing(Some(expected)) && is_nothing(value) {
        return None;
    }
    match value {
        Some(value) if same(key, expected, value) => None,
        Some(value) => Some(Came::Other { key: key.to_owned(), value: shown(value) }),
        None => Some(Came::LeftOut { key: key.to_owned() }),
    }
}

fn is_nothing(value: Option<&Value>) -> bool {
    value.is_none_or(|value| value.is_null() || value.as_array().is_some_and(Vec::is_empty))
}

fn same(key: &str, expected: &Value, got: &Value) -> bool {
    match (expected.as_str(), got.as_str()) {
        // A UUID is the same in any letter case.
        (Some(expected), Some(got)) if key == "id" => expected.eq_ignore_ascii_case(got),
        _ => expected == got,
    }
}

/// A value in a few words.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        other => line(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn differs(expected: &Value, got: &Value) -> [Option<Came>; 2] {
        [Null::AsNothing, Null::Itself].map(|null| difference(expected, got, null))
    }

    #[test]
    fn further_keys_and_the_case_of_an_id_make_no_difference() {
        let expected = json!({"id": "ab-1", "stack": ["a", "a"]});
        assert_eq!(differs(&expected, &json!({"more": 1, "stack": ["a", "a"], "id": "AB-1"})), [None, None]);
    }

    #[test]
    fn null_an_empty_list_and_nothing_are_told_apart_only_where_asked() {
        let null = json!({"stack": null});
        let stack = |value: &str| Some(Came::Other { key: "stack".to_owned(), value: value.to_owned() });
        assert_eq!(differs(&null, &json!({"stack": []})), [None, stack("[]")]);
        assert_eq!(differs(&null, &json!({})), [None, Some(Came::LeftOut { key: "stack".to_owned() })]);
        assert_eq!(differs(&json!({"stack": []}), &json!({"stack": null}))[1], stack("null"));
        assert_eq!(differs(&null, &json!({"stack": [null]}))[0], stack("[null]"));
    }

    #[test]
    fn order_case_and_type_make_a_difference() {
        for (expected, got) in [
            (json!({"a": ["x", "y"]}), json!({"a": ["y", "x"]})),
            (json!({"a": "x"}), json!({"a": "X"})),
            (json!({"a": "1"}), json!({"a": 1})),
            (json!({"a": ["x"]}), json!({"a": "x"})),
            (json!({"a": 1}), json!([{"a": 1}])),
        ] {
            assert!(differs(&expected, &got).iter().all(Option::is_some), "{expected} {got}");
        }
    }
}
