//! The files of a description: the one that is named, and those in its folder that its references lead to.

use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use galo_plan::paths::real;
use galo_plan::yaml::{self, Wrong};
use percent_encoding::percent_decode_str;
use serde_json::Value;

/// The largest file that is read, and all files together, in bytes.
pub(super) const MAX_BYTES: u64 = 64 << 20;
/// Files besides the one that is named, at most.
const MAX_FILES: usize = 1_000;
/// Values in all of these together, at most: aliases of YAML make many of few.
const MAX_NODES: usize = 1_000_000;
/// Places of references that are looked for in the text of their file, at most.
const MAX_PLACES: usize = 100;
/// Values that the aliases of one file may stand for, at most.
const MAX_REPLAYED: usize = 1_000_000;

/// Files as trees of JSON. Each reference in them says which file it leads to: `#/a` into the one that is named,
/// `schemas/b.yaml#/a` into the one of this path below its folder, wherever the reference stands.
pub(super) struct Files {
    /// By path below the folder; the one that is named has none. Why, where one cannot be read.
    trees: HashMap<String, Result<Value, String>>,
    /// Why references lead to nothing that is read, by reference.
    refused: HashMap<String, String>,
}

impl Files {
    /// The named file, as `shown` and with its text and tree, and all that its references lead to.
    pub(super) fn open(path: &Path, shown: &str, text: &str, root: Value) -> Self {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut opener = Opener {
            folder: folder.canonicalize().unwrap_or_default(),
            root: path.canonicalize().unwrap_or_default(),
            shown: Path::new(shown),
            files: Self { trees: HashMap::new(), refused: HashMap::new() },
            found: Vec::new(),
            known: HashSet::new(),
            places: MAX_PLACES,
            bytes: MAX_BYTES.saturating_sub(text.len() as u64),
            nodes: MAX_NODES,
        };
        let root = opener.led("", text, root);
        opener.files.trees.insert(String::new(), Ok(root));
        let mut next = 0;
        while let Some(ReferencedFile { name, place }) = opener.found.get(next).cloned() {
            let tree = opener.tree(&name, &place);
            opener.files.trees.insert(name, tree);
            next += 1;
        }
        opener.files
    }

    /// The tree of the file that is named.
    pub(super) fn root(&self) -> &Value {
        self.trees.get("").and_then(|root| root.as_ref().ok()).unwrap_or(&Value::Null)
    }

    /// All trees that could be read.
    pub(super) fn trees(&self) -> impl Iterator<Item = &Value> {
        self.trees.values().filter_map(|tree| tree.as_ref().ok())
    }

    /// What a reference leads to; or why it leads nowhere.
    pub(super) fn at(&self, reference: &str) -> Result<&Value, String> {
        if let Some(because) = self.refused.get(reference) {
            return Err(because.clone());
        }
        let nowhere = || format!("`{reference}` leads nowhere");
        let (name, pointer) = reference.split_once('#').unwrap_or((reference, ""));
        let tree = self.trees.get(name).ok_or_else(nowhere)?.as_ref().map_err(Clone::clone)?;
        tree.pointer(&percent_decode_str(pointer).decode_utf8_lossy()).ok_or_else(nowhere)
    }
}

/// A file that a reference leads to.
#[derive(Clone)]
struct ReferencedFile {
    /// Path below the folder.
    name: String,
    /// Where the first reference to it stands, for messages.
    place: String,
}

struct Opener<'a> {
    /// The folder of the named file, canonical.
    folder: PathBuf,
    /// The named file, canonical.
    root: PathBuf,
    /// As messages name it.
    shown: &'a Path,
    files: Files,
    /// In the order in which they were found.
    found: Vec<ReferencedFile>,
    /// Their names.
    known: HashSet<String>,
    /// What may still be read.
    bytes: u64,
    nodes: usize,
    /// How many places may still be looked for.
    places: usize,
}

impl Opener<'_> {
    /// Reads a file of this path below the folder.
    fn tree(&mut self, name: &str, place: &str) -> Result<Value, String> {
        let shown = self.shown.with_file_name(name).display().to_string();
        let cannot = |why: String| format!("`{shown}` cannot be read: {why} ({place})");
        let path = self.folder.join(name);
        // Anything else may never end, or never begin.
        if !path.is_file() {
            return Err(cannot("it is no file".to_owned()));
        }
        let bytes = bytes_of(&path, self.bytes).map_err(|unread| cannot(unread.to_string()))?;
        self.bytes -= bytes.len() as u64;
        let read = text_of(&bytes).and_then(|text| Ok((text, tree_of(text)?)));
        let (text, tree) = read.map_err(|wrong| {
            let message = wrong.message.lines().next().unwrap_or_default();
            format!("{shown}:{}: {message}", wrong.line)
        })?;
        let nodes = count(&tree);
        self.nodes = self.nodes.checked_sub(nodes).ok_or_else(|| cannot("it holds too much".to_owned()))?;
        Ok(self.led(name, text, tree))
    }

    /// A tree whose references say which file they lead to.
    fn led(&mut self, from: &str, text: &str, mut tree: Value) -> Value {
        each_reference(&mut tree, &mut |reference| {
            let target = self.target(from, reference).and_then(|target| {
                let name = target.split('#').next().unwrap_or_default();
                if !name.is_empty() && name != from && !self.known.contains(name) {
                    if self.found.len() == MAX_FILES {
                        return Err("is one file too many");
                    }
                    let place = self.place(from, text, reference);
                    self.known.insert(name.to_owned());
                    self.found.push(ReferencedFile { name: name.to_owned(), place });
                }
                Ok(target)
            });
            match target {
                Ok(target) => *reference = target,
                Err(_) if self.files.refused.contains_key(reference) => {}
                Err(why) => {
                    let because = format!("`{reference}` {why} ({})", self.place(from, text, reference));
                    self.files.refused.insert(reference.clone(), because);
                }
            }
        });
        tree
    }

    /// Where a reference leads that stands in the file `from`; or why it leads nowhere.
    fn target(&self, from: &str, reference: &str) -> Result<String, &'static str> {
        let (file, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        if file.is_empty() {
            return Ok(format!("{from}#{fragment}"));
        }
        if is_address(file) {
            return Err("is at an address, and only files are read");
        }
        let folder = Path::new(from).parent().unwrap_or(Path::new(""));
        let path = self.folder.join(folder).join(percent_decode_str(file).decode_utf8_lossy().as_ref());
        let Some(path) = real(&path) else { return Err("is a link that leads nowhere") };
        if path == self.root {
            return Ok(format!("#{fragment}"));
        }
        match path.strip_prefix(&self.folder).map(Path::to_str) {
            Ok(Some(name)) if !name.is_empty() && !name.contains('#') => Ok(format!("{name}#{fragment}")),
            Ok(_) => Err("is no file that can be read"),
            Err(_) => Err("lies outside of the description's folder"),
        }
    }

    /// File and line of a reference as it is written; the file alone where the text spells it otherwise.
    fn place(&mut self, from: &str, text: &str, reference: &str) -> String {
        let file = if from.is_empty() { self.shown.to_owned() } else { self.shown.with_file_name(from) };
        let left = self.places.checked_sub(1);
        self.places = left.unwrap_or(0);
        let line = |has: &str| text.lines().position(|line| line.contains(has) && line.contains(reference));
        match left.and_then(|_| line("$ref").or_else(|| line(""))) {
            Some(line) => format!("{}:{}", file.display(), line + 1),
            None => file.display().to_string(),
        }
    }
}

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unread {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("all files together are larger than {} MiB", MAX_BYTES >> 20)]
    TooLarge,
}

/// The bytes of a file that has no more than so many.
pub(super) fn bytes_of(path: &Path, most: u64) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(Unread::TooLarge) } else { Ok(bytes) }
}

/// Bytes as text.
pub(super) fn text_of(bytes: &[u8]) -> Result<&str, Wrong> {
    std::str::from_utf8(bytes).map_err(|error| Wrong {
        line: line_of(bytes, error.valid_up_to()),
        message: "the file is not UTF-8 text".to_owned(),
    })
}

/// A text of JSON or YAML as a tree. Neither is read to any depth, and aliases of YAML are followed to a bounded number of
/// values.
pub(super) fn tree_of(text: &str) -> Result<Value, Wrong> {
    let text = text.trim_start_matches('\u{feff}');
    let of_yaml = || yaml::read(text, 0, MAX_REPLAYED).map(Value::from);
    if !text.trim_start().starts_with('{') {
        return of_yaml();
    }
    serde_json::from_str(text).or_else(|error: serde_json::Error| {
        let whole = error.to_string();
        let message = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(message, _)| message);
        let wrong = Wrong { line: error.line().max(1) as u64, message: message.to_owned() };
        // YAML has braces as well, and a limit of its own to how deep they nest.
        if wrong.message.starts_with("recursion") { Err(wrong) } else { of_yaml().map_err(|_| wrong) }
    })
}

/// Line of a byte, from 1.
fn line_of(bytes: &[u8], at: usize) -> u64 {
    1 + bytes[..at.min(bytes.len())].iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Hands on every reference of a tree: texts under a `$ref`, and what values of a discriminator stand for.
fn each_reference(value: &mut Value, tell: &mut impl FnMut(&mut String)) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| each_reference(value, tell)),
        Value::Object(entries) => {
            if let Some(Value::String(reference)) = entries.get_mut("$ref") {
                tell(reference);
            }
            let mapping = entries.get_mut("discriminator").and_then(|of| of.get_mut("mapping"));
            for target in mapping.and_then(Value::as_object_mut).into_iter().flat_map(|all| all.values_mut())
            {
                match target {
                    Value::String(name) if is_schema_name(name) => *name = super::discriminator::named(name),
                    Value::String(reference) => tell(reference),
                    _ => {}
                }
            }
            entries.values_mut().for_each(|value| each_reference(value, tell));
        }
        _ => {}
    }
}

/// Hands on every reference of a tree whose references say which file they lead to.
pub(super) fn references(value: &Value, tell: &mut impl FnMut(&str)) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| references(value, tell)),
        Value::Object(entries) => {
            let mapping = entries.get("discriminator").and_then(|of| of.get("mapping")?.as_object());
            let targets = mapping.into_iter().flat_map(|all| all.values());
            targets.chain(entries.get("$ref")).filter_map(Value::as_str).for_each(&mut *tell);
            entries.values().for_each(|value| references(value, tell));
        }
        _ => {}
    }
}

/// Whether a discriminator's target is a schema's name, and no file.
fn is_schema_name(text: &str) -> bool {
    let is_file = [".yaml", ".yml", ".json"].iter().any(|end| text.ends_with(end));
    !is_file && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// Whether it begins with a scheme (RFC 3986, section 3.1), or names a host.
fn is_address(file: &str) -> bool {
    let scheme = file.split_once(':').map(|(scheme, _)| scheme);
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte))
    };
    file.starts_with("//") || scheme.is_some_and(is_scheme)
}

/// Values in a tree.
pub(super) fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(values) => values.iter().map(count).sum(),
        Value::Object(entries) => entries.values().map(count).sum(),
        _ => 0,
    }
}
