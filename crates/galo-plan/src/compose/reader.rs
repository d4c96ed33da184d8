//! Reading nodes in the ways in which Compose lets them be written.

use super::file::File;
use super::interpolate::{Variables, interpolate};
use super::keys::Keys;
use crate::contender::Runner;
use crate::error::PlanError;
use crate::suggest;
use crate::yaml::{Entry, Line, Node, Value};

/// Files being read. Every method's error has the file and the line.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    /// The Compose file, and then those that its services extend.
    pub(super) files: &'a [File],
    pub(super) variables: &'a Variables,
    /// How services are to be started: it decides what they need to say.
    pub(super) runner: Runner,
}

/// One entry of an `environment` and the like; without a value it is unset.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) key: String,
    pub(super) node: Option<Node>,
}

impl Reader<'_> {
    pub(super) fn error<T>(&self, line: Line, message: impl std::fmt::Display) -> Result<T, PlanError> {
        Err(self.files[line.file].source().error_on(line.number, message))
    }

    /// An error about the Compose file as a whole.
    pub(super) fn file_error<T>(&self, message: impl std::fmt::Display) -> Result<T, PlanError> {
        Err(self.files[0].source().error(message))
    }

    /// A map's entries; nothing is an empty map. `name` is for messages.
    pub(super) fn map<'n>(&self, node: &'n Node, name: &str) -> Result<&'n [Entry], PlanError> {
        match &node.value {
            Value::Map(entries) => Ok(entries),
            Value::Null => Ok(&[]),
            other => self.error(node.line, format!("`{name}` must be a map, not {}", describe(other))),
        }
    }

    /// A map whose keys are all known. Where Compose allows extensions, `x-` keys are left alone.
    pub(super) fn known_map<'n>(
        &self,
        node: &'n Node,
        name: &str,
        known: &Keys,
    ) -> Result<&'n [Entry], PlanError> {
        let entries = self.map(node, name)?;
        let known = known.all();
        for entry in entries {
            let extension = entry.key.starts_with("x-") && !name.starts_with("x-");
            if !extension && !known.contains(&entry.key.as_str()) {
                // The whole list of Compose's keys would help nobody.
                let what = match suggest::nearest(&entry.key, &known) {
                    None if known.len() > 20 => format!("unknown key `{}`", entry.key),
                    _ => suggest::unknown("key", &entry.key, &known),
                };
                return self.error(entry.line, what);
            }
        }
        Ok(entries)
    }

    /// Text, a number or a boolean, with its variables resolved.
    pub(super) fn text(&self, node: &Node, name: &str) -> Result<String, PlanError> {
        let Some(text) = node.value.text() else {
            return self.error(node.line, format!("`{name}` must be text, not {}", describe(&node.value)));
        };
        match interpolate(&text, self.variables) {
            Err(message) => self.error(node.line, format!("`{name}`: {message}")),
            // Neither a path, an argument nor a variable can hold one.
            Ok(text) if text.contains('\0') => self.error(node.line, format!("`{name}` holds a zero byte")),
            Ok(text) => Ok(text),
        }
    }

    /// A program and its arguments, as a list or as one text that is split as a shell would.
    pub(super) fn words(&self, node: &Node, name: &str) -> Result<Vec<String>, PlanError> {
        match &node.value {
            Value::List(nodes) => nodes.iter().map(|node| self.text(node, name)).collect(),
            Value::Null => Ok(Vec::new()),
            _ => {
                let text = self.text(node, name)?;
                shell_words::split(&text).or_else(|_| {
                    self.error(node.line, format!("`{name}`: a quotation mark is never closed in `{text}`"))
                })
            }
        }
    }

    /// Texts, as a list or one alone; nothing is none.
    pub(super) fn texts(&self, node: &Node, name: &str) -> Result<Vec<String>, PlanError> {
        match &node.value {
            Value::List(nodes) => nodes.iter().map(|node| self.text(node, name)).collect(),
            Value::Null => Ok(Vec::new()),
            _ => Ok(vec![self.text(node, name)?]),
        }
    }

    /// `true` or `false`.
    pub(super) fn flag(&self, node: &Node, name: &str) -> Result<bool, PlanError> {
        match self.text(node, name)?.as_str() {
            "true" => Ok(true),
            "false" => Ok(false),
            other => self.error(node.line, format!("`{name}` must be `true` or `false`, not `{other}`")),
        }
    }

    /// A map, or a list of `KEY=VALUE`. Values are not read yet: what is overridden need not make sense.
    pub(super) fn pairs(&self, node: &Node, name: &str) -> Result<Vec<Pair>, PlanError> {
        let pairs: Vec<(Line, Pair)> = match &node.value {
            Value::List(nodes) => {
                nodes.iter().map(|node| self.listed_pair(node, name)).collect::<Result<_, _>>()?
            }
            _ => self.map(node, name)?.iter().map(mapped_pair).collect(),
        };
        for (line, pair) in &pairs {
            if pair.key.is_empty() || pair.key.contains(['=', '\0']) {
                return self.error(
                    *line,
                    format!("`{}` in `{name}` is not the name of a variable", pair.key.escape_debug()),
                );
            }
        }
        Ok(pairs.into_iter().map(|(_, pair)| pair).collect())
    }

    fn listed_pair(&self, node: &Node, name: &str) -> Result<(Line, Pair), PlanError> {
        let Some(text) = node.value.text() else {
            return self
                .error(node.line, format!("`{name}` must hold `KEY=VALUE`, not {}", describe(&node.value)));
        };
        let pair = match text.split_once('=') {
            Some((key, value)) => {
                let node = Node { line: node.line, value: Value::Text(value.to_owned()) };
                Pair { key: key.to_owned(), node: Some(node) }
            }
            None => Pair { key: text.into_owned(), node: None },
        };
        Ok((node.line, pair))
    }
}

fn mapped_pair(entry: &Entry) -> (Line, Pair) {
    let node = (entry.node.value != Value::Null).then(|| entry.node.clone());
    (entry.line, Pair { key: entry.key.clone(), node })
}

/// The node of a key, unless it says nothing.
pub(super) fn get<'n>(entries: &'n [Entry], key: &str) -> Option<&'n Node> {
    entries
        .iter()
        .find(|entry| entry.key == key)
        .map(|entry| &entry.node)
        .filter(|node| node.value != Value::Null)
}

/// A value's kind, for messages.
pub(super) fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) | Value::Number(_) => "a number or a boolean",
        Value::Text(_) => "text",
        Value::List(_) => "a list",
        Value::Map(_) => "a map",
    }
}
