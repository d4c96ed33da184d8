//! YAML as its version 1.2 has it: one reader for Compose files and for descriptions of APIs.
//!
//! A plain scalar is null, a boolean or a number only where the core schema says so (YAML 1.2.2, section 10.3.2). `on`,
//! `NO`, `y`, `0123`, `1_000`, `12:30` and `2024-01-31` are text, as values and as keys.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_saphyr::options::NonFiniteFloatPolicy;
use serde_saphyr::{MessageFormatter, Spanned, UserMessageFormatter};

use crate::suggest;

/// What is told of a file that stands for more than any memory holds.
const TOO_MUCH: &str =
    "from here on the file holds or repeats more than is read\nhint: write fewer anchors and aliases";

/// A value and its line.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// From 1.
    pub line: u64,
    /// What stands there.
    pub value: Value,
}

/// What YAML can say.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as far as 64 bits hold it.
    Number(Number),
    /// Anything else that is written in one piece.
    Text(String),
    /// In the order of the file.
    List(Vec<Node>),
    /// In the order of the file, merge keys resolved, each key once.
    Map(Vec<Entry>),
}

/// One entry of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// As it is written: keys are always text.
    pub key: String,
    /// Line of the key, from 1.
    pub line: u64,
    /// Its value.
    pub node: Node,
}

/// Why a text is no YAML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// From 1.
    pub line: u64,
    /// What is wrong there.
    pub message: String,
}

/// Reads a document. Aliases may stand for `most_replayed` values at most, all together.
///
/// # Errors
/// It is broken, holds several documents, or stands for more than is read.
pub fn read(text: &str, most_replayed: usize) -> Result<Node, Wrong> {
    // No snippet: the message is one line, and the caller has the file.
    let mut options = serde_saphyr::options! {
        with_snippet: false,
        strict_booleans: true,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
    };
    options.alias_limits.max_total_replayed_events = most_replayed;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let read: Result<Inferred, _> = serde_saphyr::from_str_with_options(text, options);
    let read = read.map_err(|error| {
        let line = error.location().map_or(1, |location| location.line());
        let message = UserMessageFormatter.format_message(&error);
        let is_too_much =
            message.starts_with("YAML document too large") || message.starts_with("YAML budget breached");
        let message = if is_too_much { TOO_MUCH.to_owned() } else { suggest::explain(&message) };
        Wrong { line: line.max(1), message }
    })?;
    read.node(text)
}

impl From<Node> for serde_json::Value {
    fn from(node: Node) -> Self {
        match node.value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(flag),
            Value::Number(number) => Self::Number(number),
            Value::Text(text) => Self::String(text),
            Value::List(nodes) => Self::Array(nodes.into_iter().map(Self::from).collect()),
            Value::Map(entries) => {
                Self::Object(entries.into_iter().map(|entry| (entry.key, entry.node.into())).collect())
            }
        }
    }
}

/// What the parser takes a value for. It knows more forms of numbers than the core schema does.
struct Inferred {
    line: u64,
    /// First byte and length.
    place: Option<(usize, usize)>,
    value: Tree,
}

enum Tree {
    Scalar(Value),
    List(Vec<Inferred>),
    Map(Vec<(Inferred, Inferred)>),
}

impl Inferred {
    /// The same by the core schema.
    fn node(self, text: &str) -> Result<Node, Wrong> {
        let written = self.written(text);
        let value = match self.value {
            Tree::Scalar(value @ Value::Text(_)) => value,
            Tree::Scalar(value) => match written.filter(|written| !is_in_core_schema(written)) {
                Some(written) => Value::Text(written.to_owned()),
                None => value,
            },
            Tree::List(all) => {
                Value::List(all.into_iter().map(|each| each.node(text)).collect::<Result<_, _>>()?)
            }
            Tree::Map(entries) => {
                let entry = |(key, value): (Self, Self)| {
                    Ok(Entry { line: key.line, key: key.key(text)?, node: value.node(text)? })
                };
                Value::Map(entries.into_iter().map(entry).collect::<Result<_, _>>()?)
            }
        };
        Ok(Node { line: self.line, value })
    }

    /// A key, which is text whatever it looks like.
    fn key(self, text: &str) -> Result<String, Wrong> {
        let written = self.written(text).map(str::to_owned);
        match self.value {
            Tree::Scalar(Value::Text(key)) => Ok(key),
            Tree::Scalar(_) => Ok(written.unwrap_or_default()),
            Tree::List(_) | Tree::Map(_) => {
                Err(Wrong { line: self.line, message: "a key must be text".to_owned() })
            }
        }
    }

    /// A plain scalar as it stands in the file.
    fn written<'t>(&self, text: &'t str) -> Option<&'t str> {
        let (at, length) = self.place?;
        text.get(at..at + length).map(str::trim).filter(|written| is_plain(written))
    }
}

/// Whether a scalar has neither quotation marks nor a tag.
fn is_plain(written: &str) -> bool {
    !written.is_empty() && !written.starts_with(['"', '\'', '|', '>', '!', '&', '*'])
}

/// Whether a plain scalar is more than text (YAML 1.2.2, section 10.3.2).
fn is_in_core_schema(written: &str) -> bool {
    const WORDS: [&str; 10] =
        ["~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE"];
    WORDS.contains(&written) || is_number(written)
}

fn is_number(written: &str) -> bool {
    let all = |digits: &str, is_one: fn(u8) -> bool| !digits.is_empty() && digits.bytes().all(is_one);
    if let Some(digits) = written.strip_prefix("0x") {
        return all(digits, |digit| digit.is_ascii_hexdigit());
    }
    if let Some(digits) = written.strip_prefix("0o") {
        return all(digits, |digit| (b'0'..=b'7').contains(&digit));
    }
    let unsigned = written.strip_prefix(['+', '-']).unwrap_or(written);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.strip_prefix(['+', '-']).unwrap_or(exponent)),
        None => (unsigned, "0"),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_digits = !(whole.is_empty() && fraction.is_empty());
    // A zero in front is no digit of any value: codes and telephone numbers are written so.
    let is_code = whole.len() > 1 && whole.starts_with('0');
    has_digits
        && !is_code
        && are_digits(whole)
        && are_digits(fraction)
        && all(exponent, |b| b.is_ascii_digit())
}

impl<'de> Deserialize<'de> for Inferred {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Tree>::deserialize(deserializer)?;
        let span = spanned.defined.span();
        let place = span.byte_offset().zip(span.byte_len());
        let place = place.and_then(|(at, length)| Some((at.try_into().ok()?, length.try_into().ok()?)));
        Ok(Self { line: spanned.defined.line(), place, value: spanned.value })
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E: Error>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Null))
    }
    fn visit_none<E: Error>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Null))
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        Tree::deserialize(deserializer)
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Bool(value)))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Number(value.into())))
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Number(value.into())))
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Tree, E> {
        let number = Number::from_f64(value).map_or_else(|| Value::Text(value.to_string()), Value::Number);
        Ok(Tree::Scalar(number))
    }
    fn visit_str<E: Error>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Text(value.to_owned())))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Tree, A::Error> {
        let mut all = Vec::new();
        while let Some(each) = seq.next_element()? {
            all.push(each);
        }
        Ok(Tree::List(all))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = map.next_entry::<Inferred, Inferred>()? {
            entries.push((key, value));
        }
        Ok(Tree::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn json(text: &str) -> serde_json::Value {
        read(text, 100).unwrap().into()
    }

    #[test]
    fn words_of_yaml_1_1_are_text() {
        let words = "on off On OFF yes no Yes NO y n Y N 0123 -0123 00 0123.5 1_000 0b1 0X1F 0O7 12:30 190:20:30 2001-12-14 tRuE nUll 0x 0o8 1e 1e+ + - .  =";
        for word in words.split_whitespace().filter(|word| *word != "-") {
            assert_eq!(json(&format!("- {word}\n- [{word}]\n")), json!([word, [word]]), "{word}");
            assert_eq!(json(&format!("{word}: {word}\n")), json!({ word: word }), "{word}");
        }
    }

    #[test]
    fn the_core_schema_has_null_booleans_and_numbers() {
        let text = "[~, null, NULL, ~, true, True, FALSE, 0, -1, +12, 0x1F, 0o17, 1.5, .5, 5., -2e3, 1E-2, 0.0, 18446744073709551615]";
        assert_eq!(
            json(text),
            json!([
                null,
                null,
                null,
                null,
                true,
                true,
                false,
                0,
                -1,
                12,
                31,
                15,
                1.5,
                0.5,
                5.0,
                -2000.0,
                0.01,
                0.0,
                18_446_744_073_709_551_615_u64
            ])
        );
        assert_eq!(
            json("a:\nb: ''\nc: \"12\"\nd: !!str 12\n"),
            json!({ "a": null, "b": "", "c": "12", "d": "12" })
        );
    }

    #[test]
    fn keys_are_text_whatever_they_look_like() {
        assert_eq!(
            json("200: a\n1.0: b\ntrue: c\nnull: d\n~: e\n0x1F: f\n"),
            json!({ "200": "a", "1.0": "b", "true": "c", "null": "d", "~": "e", "0x1F": "f" })
        );
    }

    #[test]
    fn an_alias_stands_for_what_was_written_at_its_anchor() {
        assert_eq!(
            json("a: &a 0123\nb: *a\nc: &c é 1_000\nd: [&d 1_000, *d, *c]\n"),
            json!({
                "a": "0123", "b": "0123", "c": "é 1_000", "d": ["1_000", "1_000", "é 1_000"]
            })
        );
    }

    #[test]
    fn what_is_not_finite_is_text() {
        assert_eq!(json("[.inf, -.inf, .nan]"), json!([".inf", "-.inf", ".nan"]));
    }

    proptest! {
        #[test]
        fn what_the_core_schema_does_not_name_comes_back_as_it_was_written(
            words in prop::collection::vec("[a-zA-Z0-9_+.]{1,6}|[0-9]{1,4}(:[0-9]{2}){1,2}|0[0-9_]{1,5}", 1..8)
        ) {
            let words: Vec<String> = words.into_iter().filter(|word| !is_in_core_schema(word)).collect();
            let lower = |word: &String| word.to_ascii_lowercase();
            let words: Vec<String> =
                words.into_iter().filter(|word| ![".inf", "+.inf", ".nan", "+.nan"].contains(&lower(word).as_str())).collect();
            let text: String = words.iter().map(|word| format!("- {word}\n")).collect();
            prop_assert_eq!(if words.is_empty() { json!(words) } else { json(&text) }, json!(words));
        }

        #[test]
        fn whatever_a_text_holds_it_is_read_without_a_panic(text in "(?s).{0,120}") {
            let _ = read(&text, 100);
        }
    }
}
