//! A YAML document as a tree in which every key and value knows its line. Compose needs one: a value may be written in
//! several ways, any `x-` key is allowed, and which other keys are is for each place to say, with the line.

use crate::error::PlanError;
use crate::source::Source;
use crate::yaml;

/// Bytes that all that aliases repeat may come to, were each of it as long as the file.
const MOST_REPEATED: usize = 256 << 20;

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
        // A few lines of anchors can stand for more than any memory holds.
        let replayed = (MOST_REPEATED / source.text.len().max(1)).min(MOST_REPLAYED);
        let read = yaml::read(source.text, replayed);
        let root = read.map_err(|wrong| source.error_on(wrong.line, wrong.message))?;
        Ok(Self::of(root, file))
    }

    fn of(node: yaml::Node, file: usize) -> Self {
        let value = match node.value {
            yaml::Value::Null => Value::Null,
            yaml::Value::Bool(flag) => Value::Plain(flag.to_string()),
            // Rust writes the shortest decimal that reads back as the same number, and none where it is whole.
            yaml::Value::Number(number) => Value::Plain(match number.as_f64().filter(|_| number.is_f64()) {
                Some(number) => number.to_string(),
                None => number.to_string(),
            }),
            yaml::Value::Text(text) => Value::Text(text),
            yaml::Value::List(nodes) => {
                Value::List(nodes.into_iter().map(|node| Self::of(node, file)).collect())
            }
            yaml::Value::Map(entries) => Value::Map(
                entries
                    .into_iter()
                    .map(|entry| Entry {
                        key: entry.key,
                        line: Line { file, number: entry.line },
                        node: Self::of(entry.node, file),
                    })
                    .collect(),
            ),
        };
        Self { line: Line { file, number: node.line }, value }
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
    fn what_yaml_1_2_calls_text_is_text() {
        let Value::Map(entries) = read("on: off\n0123: 1_000\n").unwrap().value else { panic!("a map") };
        let entry = |entry: Entry| (entry.key, entry.node.value);
        let text = |key: &str, text: &str| (key.to_owned(), Value::Text(text.to_owned()));
        let entries: Vec<_> = entries.into_iter().map(entry).collect();
        assert_eq!(entries, [text("on", "off"), text("0123", "1_000")]);
    }

    #[test]
    fn broken_yaml_is_told_with_its_line() {
        insta::assert_snapshot!(read("a: [\n").unwrap_err(), @"compose.yaml:1: unclosed bracket '['");
        insta::assert_snapshot!(read("a: 1\na: 2\n").unwrap_err(), @"compose.yaml:2: duplicate mapping key: a not allowed here");
        insta::assert_snapshot!(read("a:\n  b: *c\n").unwrap_err(), @"compose.yaml:2: reference to unknown value");
        insta::assert_snapshot!(read("a:\n - b\n c: 1\n").unwrap_err(), @"compose.yaml:3: while parsing a block collection, did not find expected '-' indicator");
        insta::assert_snapshot!(read("a: 1\n---\nb: 1\n").unwrap_err(), @"compose.yaml:3: only single YAML document expected but multiple found");
        insta::assert_snapshot!(read("a: &x [*x]\n").unwrap_err(), @"compose.yaml:1: recursive reference not allowed here");
        insta::assert_snapshot!(read("a: 1\n? [a]\n: 5\n").unwrap_err(), @"compose.yaml:2: a key must be text");
    }
}
