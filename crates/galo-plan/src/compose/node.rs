//! A YAML document as a tree in which every key and value knows its line. Compose needs one: a value may be written in
//! several ways, any `x-` key is allowed, and which other keys are is for each place to say, with the line.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{MessageFormatter, Spanned, UserMessageFormatter};

use crate::error::PlanError;
use crate::source::Source;
use crate::suggest;

/// Bytes that all that aliases repeat may come to, were each of it as long as the file.
const MOST_REPEATED: usize = 256 << 20;

const TOO_MUCH: &str =
    "from here on the file holds or repeats more than is read\nhint: write fewer anchors and aliases";

/// Values that aliases may repeat.
const MOST_REPLAYED: usize = 100_000;

/// A line of one of the files that a contender is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    /// Index into [`super::extends::Document::files`].
    pub(super) file: usize,
    /// From 1.
    pub(super) number: u64,
}

/// A value and its line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) line: Line,
    pub(super) value: Value,
}

/// What YAML can say.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    /// A number or a boolean, as text.
    Plain(String),
    Text(String),
    List(Vec<Node>),
    /// In the order of the file, merge keys resolved.
    Map(Vec<Entry>),
}

/// One entry of a map.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) line: Line,
    pub(super) node: Node,
}

impl Node {
    /// Reads the document of the file with this index.
    pub(super) fn read(source: Source<'_>, file: usize) -> Result<Self, PlanError> {
        // No snippet: the message is one line, and the caller has the file. Strict booleans: only `true` and `false`
        // are, and `yes` or `on` in an environment stay the text that they are for Compose.
        let mut options = serde_saphyr::options! { with_snippet: false, strict_booleans: true };
        // A few lines of anchors can stand for more than any memory holds.
        let replayed = (MOST_REPEATED / source.text.len().max(1)).min(MOST_REPLAYED);
        options.alias_limits.max_total_replayed_events = replayed;
        let text = source.text.strip_prefix('\u{feff}').unwrap_or(source.text);
        let read: Result<Self, _> = serde_saphyr::from_str_with_options(text, options);
        let mut root = read.map_err(|error| {
            let line = error.location().map_or(1, |location| location.line());
            let message = UserMessageFormatter.format_message(&error);
            let is_too_much = message.starts_with("YAML document too large");
            let told = if is_too_much { TOO_MUCH.to_owned() } else { suggest::explain(&message) };
            source.error_on(line.max(1), told)
        })?;
        root.place_in(file);
        Ok(root)
    }

    fn place_in(&mut self, file: usize) {
        self.line.file = file;
        match &mut self.value {
            Value::List(nodes) => nodes.iter_mut().for_each(|node| node.place_in(file)),
            Value::Map(entries) => entries.iter_mut().for_each(|entry| {
                entry.line.file = file;
                entry.node.place_in(file);
            }),
            Value::Null | Value::Plain(_) | Value::Text(_) => {}
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Value>::deserialize(deserializer)?;
        // A deserializer does not know its file: [`Node::read`] fills it in.
        Ok(Self { line: Line { file: 0, number: spanned.defined.line() }, value: spanned.value })
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_none<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Plain(value.to_string()))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Plain(value.to_string()))
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Plain(value.to_string()))
    }
    // Rust writes the shortest decimal that reads back as the same number: what was in the file.
    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Plain(value.to_string()))
    }
    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = seq.next_element()? {
            nodes.push(node);
        }
        Ok(Value::List(nodes))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, node)) = map.next_entry::<Spanned<String>, Node>()? {
            let line = Line { file: 0, number: key.defined.line() };
            entries.push(Entry { key: key.value, line, node });
        }
        Ok(Value::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Node, String> {
        Node::read(Source { file: "compose.yaml", text }, 0).map_err(|error| error.to_string())
    }

    fn entries(node: &Node) -> Vec<(String, u64)> {
        let Value::Map(entries) = &node.value else { panic!("a map") };
        entries.iter().map(|entry| (entry.key.clone(), entry.line.number)).collect()
    }

    #[test]
    fn every_key_knows_its_line_also_through_an_alias() {
        let node = read("x-api: &api\n  image: a\nservices:\n  one: *api\n").unwrap();
        assert_eq!(entries(&node), [("x-api".to_owned(), 1), ("services".to_owned(), 3)]);
        let Value::Map(top) = &node.value else { panic!("a map") };
        let Value::Map(services) = &top[1].node.value else { panic!("a map") };
        assert_eq!(entries(&services[0].node), [("image".to_owned(), 2)]);
    }

    #[test]
    fn merge_keys_are_resolved_and_a_services_own_keys_win() {
        let text = "a: &a { cpus: 1, memory: 2 }\nb: { <<: *a, memory: 3 }\nc:\n  <<: [*a, { user: x }]\n";
        let Value::Map(top) = read(text).unwrap().value else { panic!("a map") };
        let Value::Map(b) = &top[1].node.value else { panic!("a map") };
        let value = |key: &str| &b.iter().find(|entry| entry.key == key).unwrap().node.value;
        assert_eq!(b.len(), 2);
        assert_eq!(value("cpus"), &Value::Plain("1".to_owned()));
        assert_eq!(value("memory"), &Value::Plain("3".to_owned()));
        assert_eq!(entries(&top[2].node).len(), 3);
    }

    #[test]
    fn numbers_and_booleans_are_kept_as_text() {
        let Value::List(nodes) = read("[8081, 0.45, true, yes, '007', ~, -1]").unwrap().value else {
            panic!("a list")
        };
        let values: Vec<Value> = nodes.into_iter().map(|node| node.value).collect();
        let (plain, text) = (|t: &str| Value::Plain(t.to_owned()), |t: &str| Value::Text(t.to_owned()));
        assert_eq!(
            values,
            [plain("8081"), plain("0.45"), plain("true"), text("yes"), text("007"), Value::Null, plain("-1")]
        );
    }

    #[test]
    fn broken_yaml_is_told_with_its_line() {
        insta::assert_snapshot!(read("a: [\n").unwrap_err(), @"compose.yaml:1: unclosed bracket '['");
        insta::assert_snapshot!(read("a: 1\na: 2\n").unwrap_err(), @"compose.yaml:2: duplicate mapping key: a not allowed here");
        insta::assert_snapshot!(read("a:\n  b: *c\n").unwrap_err(), @"compose.yaml:2: reference to unknown value");
        insta::assert_snapshot!(read("a:\n - b\n c: 1\n").unwrap_err(), @"compose.yaml:3: while parsing a block collection, did not find expected '-' indicator");
        insta::assert_snapshot!(read("a: 1\n---\nb: 1\n").unwrap_err(), @"compose.yaml:3: only single YAML document expected but multiple found");
        insta::assert_snapshot!(read("a: &x [*x]\n").unwrap_err(), @"compose.yaml:1: recursive reference not allowed here");
        insta::assert_snapshot!(read("? [a]\n: 5\n").unwrap_err(), @"compose.yaml:1: expected string scalar");
    }
}
