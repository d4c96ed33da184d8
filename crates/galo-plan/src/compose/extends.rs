//! `extends`: a service takes over what another one says, of the same file or of another, and says the rest itself
//! (compose-spec, "Extend services" and "Merge and override").
//!
//! Maps are merged, the extending service's own entries winning; lists are joined, the extended service's items first;
//! anything else is replaced, and so are `command`, `entrypoint` and a health check's `test`. `environment` and
//! `depends_on` are maps however they are written. Of the other file nothing but the service counts: its volumes have to
//! be declared again.

use std::path::Path;

use super::file::{self, File};
use super::interpolate::Variables;
use super::keys;
use super::reader::{Reader, get};
use crate::contender::Runner;
use crate::error::PlanError;
use crate::suggest;
use crate::yaml::{Entry, Line, Node, Value};

/// Services that extend one another in a row.
const DEEPEST: usize = 32;
/// Bytes of what services take over, all together: a few lines can stand for more than any memory holds.
const MOST_TAKEN_OVER: usize = 256 << 20;

/// A Compose file without `extends`.
pub(super) struct Document {
    /// The Compose file, and then those that its services extend, in the order in which they are read.
    pub(super) files: Vec<File>,
    /// What the Compose file says, with what it extends.
    pub(super) root: Node,
    variables: Variables,
    pub(super) runner: Runner,
}

impl Document {
    /// Reads a Compose file, and every file that its services extend, for services that are started so; without a word on
    /// that, as processes if the file says how.
    ///
    /// # Errors
    /// Broken YAML, a file or service that is not there, services that extend one another in a circle.
    pub(super) fn read(file: File, runner: Option<Runner>) -> Result<Self, PlanError> {
        let root = file.tree(0)?;
        let runner =
            runner.unwrap_or(if speaks_of_processes(&root) { Runner::Process } else { Runner::Docker });
        let variables = match runner {
            Runner::Process => Variables::default(),
            Runner::Docker => Variables::beside(file.folder())?,
        };
        Self::extended(file, root, variables, runner)
    }

    /// Reads what Compose made of a file: it has resolved all variables.
    ///
    /// # Errors
    /// It is no Compose file.
    pub(super) fn of_config(file: File) -> Result<Self, PlanError> {
        let root = file.tree(0)?;
        Self::extended(file, root, Variables::blank(), Runner::Docker)
    }

    fn extended(file: File, mut root: Node, variables: Variables, runner: Runner) -> Result<Self, PlanError> {
        let mut library =
            Library { roots: vec![root.clone()], files: vec![file], taken_over: 0, variables, runner };
        for entry in services_of(&mut root) {
            entry.node = library.service(0, &entry.key, entry.node.clone(), &mut Vec::new())?;
        }
        Ok(Self { files: library.files, root, variables: library.variables, runner })
    }

    pub(super) fn reader(&self) -> Reader<'_> {
        Reader { files: &self.files, variables: &self.variables, runner: self.runner }
    }

    /// See [`crate::Contender::file_sha256`].
    pub(super) fn sha256(&self) -> String {
        file::sha256(self.files.iter().map(|file| file.text.as_str()).chain(self.variables.text()))
    }
}

/// Whether a document, or one of its services, says something under `x-galo`.
pub(super) fn speaks_of_processes(root: &Node) -> bool {
    let has_galo =
        |node: &Node| matches!(&node.value, Value::Map(entries) if get(entries, "x-galo").is_some());
    let Value::Map(top) = &root.value else { return false };
    let services = get(top, "services").map(|node| &node.value);
    let any_service =
        matches!(services, Some(Value::Map(services)) if services.iter().any(|entry| has_galo(&entry.node)));
    has_galo(root) || any_service
}

/// The services of a document that has some; what is no map is told when the document is understood.
pub(super) fn services_of(root: &mut Node) -> &mut [Entry] {
    let Value::Map(top) = &mut root.value else { return &mut [] };
    match top.iter_mut().find(|entry| entry.key == "services").map(|entry| &mut entry.node.value) {
        Some(Value::Map(services)) => services,
        _ => &mut [],
    }
}

/// Bytes that a node takes in memory.
fn size(node: &Node) -> usize {
    let below = match &node.value {
        Value::Text(text) => text.len(),
        Value::List(nodes) => nodes.iter().map(size).sum(),
        Value::Map(entries) => entries.iter().map(|entry| entry.key.len() + size(&entry.node)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Entry>() + below
}

/// All files read so far, each with what it says.
struct Library {
    files: Vec<File>,
    roots: Vec<Node>,
    /// Bytes that services took over so far.
    taken_over: usize,
    variables: Variables,
    runner: Runner,
}

/// What an `extends` names.
struct Base {
    line: Line,
    file: usize,
    service: String,
}

impl Library {
    fn reader(&self) -> Reader<'_> {
        Reader { files: &self.files, variables: &self.variables, runner: self.runner }
    }

    /// What a service of a file says, with what it extends. `trail` are the services that extend it.
    fn service(
        &mut self,
        file: usize,
        name: &str,
        written: Node,
        trail: &mut Vec<(usize, String)>,
    ) -> Result<Node, PlanError> {
        let Node { line, value: Value::Map(mut entries) } = written else { return Ok(written) };
        let Some(at) = entries.iter().position(|entry| entry.key == "extends") else {
            return Ok(Node { line, value: Value::Map(entries) });
        };
        let extends = entries.remove(at).node;
        trail.push((file, name.to_owned()));
        let base = self.base(file, &extends)?;
        let place = (base.file, base.service);
        if let Some(start) = trail.iter().position(|passed| *passed == place) {
            let names = trail[start..].iter().chain([&place]).map(|(_, name)| format!("`{name}`"));
            let circle = names.collect::<Vec<_>>().join(" -> ");
            let hint = "hint: write one of them out";
            return self
                .reader()
                .error(base.line, format!("services extend one another in a circle: {circle}\n{hint}"));
        }
        let (file, name) = place;
        let found = services_of(&mut self.roots[file]).iter().find(|entry| entry.key == name);
        let Some(written) = found.map(|entry| entry.node.clone()) else {
            let names: Vec<String> =
                services_of(&mut self.roots[file]).iter().map(|entry| entry.key.clone()).collect();
            let (what, shown) = (suggest::unknown("service", &name, &names), &self.files[file].shown);
            return self.reader().error(base.line, format!("`extends`: {what} (in `{shown}`)"));
        };
        self.taken_over += size(&written);
        let too_much = if trail.len() > DEEPEST {
            Some(format!("more than {DEEPEST} services extend one another in a row"))
        } else {
            (self.taken_over > MOST_TAKEN_OVER).then(|| {
                format!("what services extend has more than {} MiB, all together", MOST_TAKEN_OVER >> 20)
            })
        };
        if let Some(too_much) = too_much {
            return self.reader().error(base.line, format!("{too_much}\nhint: write some of them out"));
        }
        let base = self.service(file, &name, written, trail)?;
        merge(self.reader(), &[], base, Node { line, value: Value::Map(entries) })
    }

    /// Reads an `extends` and the file that it names.
    fn base(&mut self, file: usize, extends: &Node) -> Result<Base, PlanError> {
        let reader = self.reader();
        let (service, other) = match &extends.value {
            Value::Map(_) => {
                let entries = reader.known_map(extends, "extends", &keys::EXTENDS)?;
                let Some(service) = get(entries, "service") else {
                    return reader.error(extends.line, "`extends` names no `service`");
                };
                (reader.text(service, "service")?, get(entries, "file"))
            }
            _ => (reader.text(extends, "extends")?, None),
        };
        let Some(other) = other else { return Ok(Base { line: extends.line, file, service }) };
        let written = reader.text(other, "file")?;
        Ok(Base { line: extends.line, file: self.open(file, other.line, &written)?, service })
    }

    /// The index of the file that another one names by `written`.
    fn open(&mut self, from: usize, line: Line, written: &str) -> Result<usize, PlanError> {
        let path = self.files[from].folder().join(written);
        let path = match path.canonicalize() {
            Ok(path) => path,
            Err(error) => {
                let hint = "hint: it is relative to the folder of the file that says it";
                return self
                    .reader()
                    .error(line, format!("cannot read `{written}`, which `extends` names: {error}\n{hint}"));
            }
        };
        if let Some(open) = self.files.iter().position(|file| file.path == path) {
            return Ok(open);
        }
        if !path.is_file() {
            let hint = "hint: name a file";
            return self.reader().error(line, format!("`extends`: `{written}` is no file\n{hint}"));
        }
        let shown = Path::new(&self.files[from].shown).with_file_name(written);
        let shown = shown.display().to_string();
        let file = File { shown, named_at: Some(line), ..File::read(&path)? };
        self.roots.push(file.tree(self.files.len())?);
        self.files.push(file);
        Ok(self.files.len() - 1)
    }
}

/// What stands at `path` of a service: what `base` says, and over it what the extending service says itself.
pub(super) fn merge(reader: Reader<'_>, path: &[&str], base: Node, own: Node) -> Result<Node, PlanError> {
    let (base, own) = match path {
        ["environment"] | ["x-galo", "environment"] => (variables(reader, &base)?, variables(reader, &own)?),
        // A variable without a value is one that is not set.
        ["environment", _] | ["x-galo", "environment", _] => return Ok(own),
        ["depends_on"] => (dependencies(reader, base)?, dependencies(reader, own)?),
        _ => (base, own),
    };
    let whole =
        matches!(path, ["command"] | ["entrypoint"] | ["healthcheck", "test"] | ["x-galo", "command"]);
    let line = own.line;
    let value = match (base.value, own.value) {
        (value, Value::Null) => return Ok(Node { line: base.line, value }),
        (Value::Map(mut entries), Value::Map(own)) => {
            for entry in own {
                put(reader, path, &mut entries, entry)?;
            }
            Value::Map(entries)
        }
        (Value::List(mut nodes), Value::List(own)) if !whole => {
            nodes.extend(own);
            Value::List(nodes)
        }
        (_, own) => own,
    };
    Ok(Node { line, value })
}

/// Merges an entry into those of the map at `path`.
fn put(reader: Reader<'_>, path: &[&str], entries: &mut Vec<Entry>, own: Entry) -> Result<(), PlanError> {
    let Some(at) = entries.iter().position(|entry| entry.key == own.key) else {
        entries.push(own);
        return Ok(());
    };
    let base = entries[at].node.clone();
    let node = merge(reader, &[path, &[own.key.as_str()]].concat(), base, own.node)?;
    entries[at] = Entry { key: own.key, line: own.line, node };
    Ok(())
}

/// An `environment` as a map.
fn variables(reader: Reader<'_>, node: &Node) -> Result<Node, PlanError> {
    let mut entries: Vec<Entry> = Vec::new();
    for pair in reader.pairs(node, "environment")? {
        entries.retain(|entry| entry.key != pair.key);
        let value = pair.node.unwrap_or(Node { line: node.line, value: Value::Null });
        entries.push(Entry { key: pair.key, line: value.line, node: value });
    }
    Ok(Node { line: node.line, value: Value::Map(entries) })
}

/// A `depends_on` as a map.
fn dependencies(reader: Reader<'_>, node: Node) -> Result<Node, PlanError> {
    let Value::List(names) = &node.value else { return Ok(node) };
    let entry = |name: &Node| {
        let nothing = Node { line: name.line, value: Value::Null };
        Ok(Entry { key: reader.text(name, "depends_on")?, line: name.line, node: nothing })
    };
    let entries = names.iter().map(entry).collect::<Result<_, _>>()?;
    Ok(Node { line: node.line, value: Value::Map(entries) })
}
