//! What only a trusted file may ask an engine for: all that is not on the list of what any file may say (`allowed`).
//!
//! An engine runs as root. Whoever may say `privileged: true` or mount `/` in a file that galo starts owns the machine.

mod allowed;
mod looks;

use super::keys::Keys;
use super::reader::Reader;
use super::repository::Repository;
use crate::contender::NeedsTrust;
use crate::error::PlanError;
use crate::words;
use crate::yaml::{Entry, Line, Node, Value};

/// Why a key that is not allowed is too much, where nothing else is known of it.
const NOT_ON_THE_LIST: &str = "is not on the list of what any file may say";

/// Why what is `external` is too much.
const SOMEBODY_ELSES: &str = "belongs to somebody else";

/// Something that a document asks for.
pub(super) struct Need {
    pub(super) line: Line,
    pub(super) needs: NeedsTrust,
    /// The same whichever Compose wrote it, and in which form: with whole paths.
    pub(super) meaning: String,
}

/// All that a document asks for, in its order. Networks of these names are the challenge's, and may be `external`.
pub(super) fn needs(reader: Reader<'_>, root: &Node, networks: &[String]) -> Result<Vec<Need>, PlanError> {
    let repository = Repository::around(reader.files[0].folder());
    let mut asker = Asker { reader, repository, networks, service: None, found: Vec::new() };
    for file in reader.files {
        if let Some(line) = file.named_at {
            let asked = format!("`extends` of `{}`", file.path.display());
            asker.path(line, "extends", &asked, &file.path);
        }
    }
    asker.level("", root, &allowed::TOP)?;
    Ok(asker.found)
}

/// The entries of a map; nothing where there is none. What must be a map is told by who reads it.
fn map(node: &Node) -> &[Entry] {
    match &node.value {
        Value::Map(entries) => entries,
        _ => &[],
    }
}

/// What a list holds, or the one thing that stands for it.
fn list(node: &Node) -> &[Node] {
    match &node.value {
        Value::List(nodes) => nodes,
        _ => std::slice::from_ref(node),
    }
}

/// What may stand at a key.
#[derive(Clone, Copy)]
enum May {
    /// One of these words; one that ends in `:` stands for all that begin so.
    Be(&'static [&'static str]),
    /// A flag that is not set.
    BeUnset,
    /// A map of this level, or a list of such maps; a text that stands for one is short for nothing else.
    Have(&'static Level),
    /// A map of names, each with a map of this level.
    Name(&'static Level),
    /// What this function asks for.
    Pass(Look),
    /// The same, of maps of this level.
    PassWith(Look, &'static Level),
}

/// Asks for what needs trust at a field.
type Look = fn(&mut Asker<'_>, &Field<'_>) -> Result<(), PlanError>;

/// One map of a file.
struct Level {
    /// All keys that Compose knows there: any other is a mistake. `None`: any other needs trust.
    known: Option<&'static Keys>,
    /// Keys that may say anything: it stays inside of the container, or [`super::raw`] refuses it.
    free: &'static str,
    /// Keys that may say something.
    may: &'static [(&'static str, May)],
    /// Why some keys, or what they may not say, are too much.
    why: &'static [(&'static str, &'static str)],
}

impl Level {
    /// A map with nothing in it.
    const NONE: Self = Self::of("");

    const fn of(free: &'static str) -> Self {
        Self { known: None, free, may: &[], why: &[] }
    }

    const fn strict(keys: &'static Keys) -> Self {
        Self { known: Some(keys), ..Self::of(keys.free) }
    }
}

/// A value with its place.
struct Field<'a> {
    /// Its keys, from its service or from the top.
    path: &'a str,
    node: &'a Node,
    /// All entries of the map that it stands in.
    beside: &'a [Entry],
    /// What the maps below it may have.
    below: &'static Level,
}

struct Asker<'a> {
    reader: Reader<'a>,
    repository: Repository,
    /// Networks that are there before the contender.
    networks: &'a [String],
    service: Option<String>,
    found: Vec<Need>,
}

impl Asker<'_> {
    fn ask(&mut self, line: Line, asked: impl Into<String>, why: impl Into<String>) {
        let asked = asked.into();
        self.ask_meaning(line, asked.clone(), asked, why);
    }

    fn ask_meaning(&mut self, line: Line, meaning: String, asked: impl Into<String>, why: impl Into<String>) {
        let service = self.service.clone();
        let needs = NeedsTrust { service, asked: asked.into(), why: why.into() };
        self.found.push(Need { line, needs, meaning });
    }

    /// Asks for all of a map that its level does not allow.
    fn level(&mut self, path: &str, node: &Node, level: &Level) -> Result<(), PlanError> {
        if let (Some(known), Value::Map(_)) = (level.known, &node.value) {
            self.reader.known_map(node, path, known)?;
        }
        let beside = map(node);
        let is_free = |entry: &Entry| {
            entry.key.starts_with("x-") || is_nothing(&entry.node) || words::has(level.free, &entry.key)
        };
        for entry in beside.iter().filter(|entry| !is_free(entry)) {
            let path = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
            let why =
                level.why.iter().find(|(key, _)| *key == entry.key).map_or(NOT_ON_THE_LIST, |(_, why)| why);
            let field = Field { path: &path, node: &entry.node, beside, below: &Level::NONE };
            match level.may.iter().find(|(key, _)| *key == entry.key) {
                Some((_, may)) => self.field(&field, *may, why)?,
                None => self.ask(entry.node.line, format!("`{path}`"), why),
            }
        }
        Ok(())
    }

    fn field(&mut self, field: &Field<'_>, may: May, why: &str) -> Result<(), PlanError> {
        let Field { path, node, .. } = *field;
        match may {
            May::Be(words) => {
                let text = self.reader.text(node, path)?;
                let is_one = |word: &str| text == word || (word.ends_with(':') && text.starts_with(word));
                if !words.iter().any(|word| is_one(word)) {
                    self.ask(node.line, format!("`{path}: {text}`"), why);
                }
                Ok(())
            }
            May::BeUnset => {
                if self.is_set(field)? {
                    self.ask(node.line, format!("`{path}: true`"), why);
                }
                Ok(())
            }
            May::Have(level) => list(node).iter().try_for_each(|node| self.level(path, node, level)),
            May::Name(level) => {
                let mut each = map(node).iter();
                each.try_for_each(|entry| self.level(&format!("{path}.{}", entry.key), &entry.node, level))
            }
            May::Pass(look) => look(self, field),
            May::PassWith(look, below) => look(self, &Field { below, ..*field }),
        }
    }

    /// Whether a flag is set, in any of the ways in which any Compose lets it be written.
    fn is_set(&self, field: &Field<'_>) -> Result<bool, PlanError> {
        let unset = ["", "0", "f", "false", "n", "no", "off"];
        match &field.node.value {
            Value::Map(_) | Value::List(_) => Ok(true),
            _ => {
                let text = self.reader.text(field.node, field.path)?;
                Ok(!unset.contains(&text.to_ascii_lowercase().as_str()))
            }
        }
    }
}

/// Whether a value says nothing.
pub(super) fn is_nothing(node: &Node) -> bool {
    match &node.value {
        Value::Null => true,
        Value::List(nodes) => nodes.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Text(_) => false,
    }
}
