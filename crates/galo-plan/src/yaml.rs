//! YAML as its version 1.2 has it: one reader and one tree for Compose files and for descriptions of APIs.
//!
//! A plain scalar is null, a boolean or a number only where the core schema says so (YAML 1.2.2, section 10.3.2). `on`,
//! `NO`, `y`, `0123`, `1_000`, `12:30` and `2024-01-31` are text, as values and as keys.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_saphyr::options::NonFiniteFloatPolicy;
use serde_saphyr::{MessageFormatter, Spanned, UserMessageFormatter};

use crate::suggest;

/// What is told of a file that stands for more than any memory holds.
const TOO_MUCH: &str =
    "from here on the file holds or repeats more than is read\nhint: write fewer anchors and aliases";

/// A line of one of several files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// The file's number, as the reader was told.
    pub file: usize,
    /// From 1.
    pub number: u64,
}

/// A value and its line.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub line: Line,
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
    /// Line of the key.
    pub line: Line,
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

/// Reads the document of file number `file`. Aliases may stand for `most_replayed` values at most, all together.
///
/// # Errors
/// It is broken, holds several documents, or stands for more than is read.
pub fn read(text: &str, file: usize, most_replayed: usize) -> Result<Node, Wrong> {
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
    read.node(&Document { text, file })
}

impl Value {
    /// A text, a number or a boolean as text; `None`: it is written in several pieces, or says nothing.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Bool(flag) => Some(Cow::Owned(flag.to_string())),
            // Rust writes the shortest decimal that reads back as the same number, and none where it is whole.
            Self::Number(number) => Some(Cow::Owned(match number.as_f64().filter(|_| number.is_f64()) {
                Some(number) => number.to_string(),
                None => number.to_string(),
            })),
            Self::Null | Self::List(_) | Self::Map(_) => None,
        }
    }
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

/// The text that a tree is read from.
struct Document<'t> {
    text: &'t str,
    file: usize,
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

impl Document<'_> {
    fn line(&self, number: u64) -> Line {
        Line { file: self.file, number }
    }
}

impl Inferred {
    /// The same by the core schema.
    fn node(self, document: &Document<'_>) -> Result<Node, Wrong> {
        let written = self.written(document.text);
        let value = match self.value {
            Tree::Scalar(value @ Value::Text(_)) => value,
            Tree::Scalar(value) => match written.filter(|written| !is_in_core_schema(written)) {
                Some(written) => Value::Text(written.to_owned()),
                None => value,
            },
            Tree::List(all) => {
                Value::List(all.into_iter().map(|each| each.node(document)).collect::<Result<_, _>>()?)
            }
            Tree::Map(entries) => {
                let entry = |(key, value): (Self, Self)| {
                    let line = document.line(key.line);
                    Ok(Entry { line, key: key.key(document.text)?, node: value.node(document)? })
                };
                Value::Map(entries.into_iter().map(entry).collect::<Result<_, _>>()?)
            }
        };
        Ok(Node { line: document.line(self.line), value })
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
mod tests;
