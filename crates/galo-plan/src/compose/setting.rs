//! A setting, laid over a Compose file as an override file is: by the rules that `extends` merges by.

use serde_json::{Map, json};

use super::extends::{Document, merge, services_of};
use super::keys;
use super::reader::{Reader, get};
use crate::contender::Runner;
use crate::error::PlanError;
use crate::knob::{Key, Knob, PLACES, Place, Reach, Setting, Turn};
use crate::suggest;
use crate::yaml::{Entry, Line, Node, Value};

/// Knobs that a file declares, under `x-galo.knobs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Declared {
    pub(super) knob: Knob,
    to: Vec<Place>,
}

/// One place of one service, and what goes there.
struct Change<'a> {
    turn: &'a Turn,
    service: String,
    key: Key,
}

/// Knobs that the file declares.
pub(super) fn declared(reader: Reader<'_>, root: &Node) -> Result<Vec<Declared>, PlanError> {
    let Value::Map(top) = &root.value else { return Ok(Vec::new()) };
    let Some(galo) = get(top, "x-galo") else { return Ok(Vec::new()) };
    let Some(knobs) = get(reader.map(galo, "x-galo")?, "knobs") else { return Ok(Vec::new()) };
    reader.map(knobs, "knobs")?.iter().map(|entry| read(reader, entry)).collect()
}

fn read(reader: Reader<'_>, entry: &Entry) -> Result<Declared, PlanError> {
    let name = &entry.key;
    let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let turn = Turn { knob: name.clone(), value: String::new() };
    if !is_word || turn.is_of_traffic() {
        let hint = "hint: use letters, digits, `_` and `-`; `profile` and `scale` are of the traffic";
        return reader.error(entry.line, format!("`{name}` is not a name for a knob\n{hint}"));
    }
    let keys = reader.known_map(&entry.node, "x-galo.knobs", &keys::KNOB)?;
    let Some(to) = get(keys, "to") else {
        return reader.error(
            entry.line,
            format!("knob `{name}` goes nowhere\nhint: write `to:` with one of {PLACES}"),
        );
    };
    let place = |text: &String| Place::parse(text).or_else(|message| reader.error(to.line, message));
    let line_of_places = to.line;
    let to: Vec<Place> = reader.texts(to, "to")?.iter().map(place).collect::<Result<_, _>>()?;
    if to.is_empty() {
        let hint = format!("hint: write one of {PLACES}");
        return reader.error(line_of_places, format!("knob `{name}` goes nowhere\n{hint}"));
    }
    let (line, knob) = match (get(keys, "values"), get(keys, "range")) {
        (Some(values), None) => (values.line, Knob::of_values(name, reader.texts(values, "values")?)),
        (None, Some(range)) => (range.line, Knob::of_range(name, &reader.text(range, "range")?)),
        _ => {
            let hint = "hint: write `values: [1, 2, 4]` or `range: 0.2..1.1`";
            return reader
                .error(entry.line, format!("knob `{name}` needs either `values` or a `range`\n{hint}"));
        }
    };
    match knob {
        Ok(knob) => Ok(Declared { knob, to }),
        Err(message) => reader.error(line, format!("knob `{name}`: {message}")),
    }
}

/// Lays a setting over a document. Knobs of the traffic turn nothing of it.
pub(super) fn lay_over(document: &mut Document, turns: &[Turn]) -> Result<Setting, PlanError> {
    let changes = changes(document, turns)?;
    let mut setting = Setting { turns: turns.to_vec(), ..Setting::default() };
    let mut over = Map::new();
    for index in 0..services_of(&mut document.root).len() {
        let entry = services_of(&mut document.root)[index].clone();
        let own: Vec<&Change<'_>> = changes.iter().filter(|change| change.service == entry.key).collect();
        if own.is_empty() {
            continue;
        }
        let reader = document.reader();
        let mut laid = Node { line: entry.line, value: Value::Map(Vec::new()) };
        let (arguments, others): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|change| matches!(change.key, Key::Argument(_)));
        for change in others {
            let (node, is_seen) = change.node(reader, &entry)?;
            if !is_seen {
                setting.unseen.push(change.key.of(&change.service));
            }
            laid = merge(reader, &[], laid, node)?;
        }
        laid = merge(reader, &[], laid, with_arguments(reader, &entry, &arguments)?)?;
        let merged = merge(reader, &[], entry.node, laid.clone())?;
        over.insert(entry.key, laid.into());
        services_of(&mut document.root)[index].node = merged;
    }
    if !over.is_empty() {
        setting.over = json!({ "services": over });
    }
    Ok(setting)
}

/// What a setting changes, each place once.
fn changes<'t>(document: &mut Document, turns: &'t [Turn]) -> Result<Vec<Change<'t>>, PlanError> {
    let names: Vec<String> = services_of(&mut document.root).iter().map(|entry| entry.key.clone()).collect();
    let reader = document.reader();
    let declared = declared(reader, &document.root)?;
    let mut changes: Vec<Change<'t>> = Vec::new();
    for turn in turns.iter().filter(|turn| !turn.is_of_traffic()) {
        for place in places(reader, &declared, turn)? {
            let meant: Vec<&String> = names.iter().filter(|name| place.is_of(name)).collect();
            if meant.is_empty() {
                let unknown = suggest::unknown("service", &place.service, &names);
                return reader.file_error(format!("knob `{}`: {unknown}", turn.knob));
            }
            for service in meant {
                if let Some(other) =
                    changes.iter().find(|other| other.service == *service && other.key == place.key)
                {
                    let (place, hint) = (place.key.of(service), "hint: leave one of them out");
                    let two = match other.turn.knob == turn.knob {
                        true => format!("knob `{}` turns `{place}` twice", turn.knob),
                        false => {
                            format!("knobs `{}` and `{}` both turn `{place}`", other.turn.knob, turn.knob)
                        }
                    };
                    return reader.file_error(format!("{two}\n{hint}"));
                }
                changes.push(Change { turn, service: service.clone(), key: place.key.clone() });
            }
        }
    }
    Ok(changes)
}

/// Where a knob goes, and what the file itself says there.
pub(super) fn reach(document: &mut Document, knob: &str) -> Result<Reach, PlanError> {
    let turns = [Turn { knob: knob.to_owned(), value: String::new() }];
    let mut reach = Reach::default();
    for change in changes(document, &turns)? {
        reach.places.push(change.key.of(&change.service));
        let found = services_of(&mut document.root).iter().find(|entry| entry.key == change.service);
        let Some(entry) = found.cloned() else { continue };
        let own = change.own(document.reader(), &entry)?;
        reach.own = reach.own.or(own);
    }
    Ok(reach)
}

/// Where a knob goes in this file.
fn places(reader: Reader<'_>, declared: &[Declared], turn: &Turn) -> Result<Vec<Place>, PlanError> {
    if let Some(known) = declared.iter().find(|declared| declared.knob.name == turn.knob) {
        return Ok(known.to.clone());
    }
    if turn.knob.contains('.') {
        return Place::parse(&turn.knob)
            .map(|place| vec![place])
            .or_else(|message| reader.file_error(message));
    }
    let names: Vec<&str> = declared.iter().map(|declared| declared.knob.name.as_str()).collect();
    let hint = match suggest::nearest(&turn.knob, &names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the file declares knobs under `x-galo.knobs`; or name the place: {PLACES}"),
    };
    reader.file_error(format!("there is no knob `{}` here\nhint: {hint}", turn.knob))
}

impl Change<'_> {
    /// What is laid over the service for it, and whether the file itself says anything there.
    fn node(&self, reader: Reader<'_>, service: &Entry) -> Result<(Node, bool), PlanError> {
        let entries = reader.map(&service.node, &service.key)?;
        let line = service.line;
        Ok(match &self.key {
            Key::Cpus => (self.limit(entries, line, ["cpus", "cpus"]), true),
            Key::Memory => (self.limit(entries, line, ["memory", "mem_limit"]), true),
            Key::Variable(name) => self.variable(reader, entries, line, name)?,
            // All of a command together: [`with_arguments`].
            Key::Argument(_) => (map(line, []), true),
        })
    }

    /// What the file says there.
    fn own(&self, reader: Reader<'_>, service: &Entry) -> Result<Option<String>, PlanError> {
        let entries = reader.map(&service.node, &service.key)?;
        let galo =
            get(entries, "x-galo").map(|node| reader.map(node, "x-galo")).transpose()?.unwrap_or_default();
        let text = |node: Option<&Node>| node.map(|node| reader.text(node, &self.turn.knob)).transpose();
        let limit = |new: &str, old: &str| text(limit_of(entries, new).as_ref().or(get(entries, old)));
        match &self.key {
            Key::Cpus => limit("cpus", "cpus"),
            Key::Memory => limit("memory", "mem_limit"),
            Key::Variable(name) => {
                for entries in [galo, entries] {
                    let pairs = get(entries, "environment").map(|node| reader.pairs(node, "environment"));
                    let pairs = pairs.transpose()?.unwrap_or_default();
                    let own = pairs.iter().find(|pair| pair.key == *name);
                    if let Some(own) = own.and_then(|pair| pair.node.as_ref()) {
                        return text(Some(own));
                    }
                }
                Ok(None)
            }
            Key::Argument(name) => {
                for (entries, key) in [(galo, "command"), (entries, "command"), (entries, "entrypoint")] {
                    let words = get(entries, key).map(|node| reader.words(node, key)).transpose()?;
                    if let Some(own) = words.and_then(|words| argument(&words, name)) {
                        return Ok(Some(own));
                    }
                }
                Ok(None)
            }
        }
    }

    /// The value, of which Compose resolves nothing.
    fn value(&self, line: Line) -> Node {
        Node { line, value: Value::Text(escaped(&self.turn.value)) }
    }

    /// In the way in which the file says it: Compose refuses two that differ.
    fn limit(&self, entries: &[Entry], line: Line, [new, old]: [&str; 2]) -> Node {
        let mut laid = Vec::new();
        let is_new = limit_of(entries, new).is_some();
        if get(entries, old).is_some() {
            laid.push(entry(old, self.value(line)));
        }
        if is_new || laid.is_empty() {
            let limits = map(line, [entry(new, self.value(line))]);
            let resources = map(line, [entry("limits", limits)]);
            laid.push(entry("deploy", map(line, [entry("resources", resources)])));
        }
        map(line, laid)
    }

    /// Also where the file sets it for processes alone, which counts for these.
    fn variable(
        &self,
        reader: Reader<'_>,
        entries: &[Entry],
        line: Line,
        name: &str,
    ) -> Result<(Node, bool), PlanError> {
        let sets = |entries: &[Entry]| -> Result<bool, PlanError> {
            let pairs =
                get(entries, "environment").map(|node| reader.pairs(node, "environment")).transpose()?;
            Ok(pairs.is_some_and(|pairs| pairs.iter().any(|pair| pair.key == name)))
        };
        let galo = get(entries, "x-galo").map(|node| reader.map(node, "x-galo")).transpose()?;
        let (of_all, of_process) = (sets(entries)?, galo.map(sets).transpose()?.unwrap_or(false));
        let environment = || entry("environment", map(line, [entry(name, self.value(line))]));
        let of_process_alone = of_process.then(|| entry("x-galo", map(line, [environment()])));
        let laid = std::iter::once(environment()).chain(of_process_alone);
        Ok((map(line, laid), of_all || of_process))
    }
}

/// The whole commands of a service with other values in them.
fn with_arguments(reader: Reader<'_>, service: &Entry, changes: &[&Change<'_>]) -> Result<Node, PlanError> {
    let (entries, line) = (reader.map(&service.node, &service.key)?, service.line);
    let own = match (reader.runner, get(entries, "x-galo")) {
        (Runner::Process, Some(galo)) => get(reader.map(galo, "x-galo")?, "command"),
        _ => None,
    };
    let all =
        [("x-galo", own), ("command", get(entries, "command")), ("entrypoint", get(entries, "entrypoint"))];
    let read = |(key, node): (&'static str, Option<&Node>)| {
        let words = node.map(|node| reader.words(node, "command")).transpose()?.unwrap_or_default();
        Ok((key, words, false))
    };
    let mut commands = all.into_iter().map(read).collect::<Result<Vec<_>, PlanError>>()?;
    for change in changes {
        let Key::Argument(name) = &change.key else { continue };
        let turned = commands.iter_mut().find_map(|(_, words, is_turned)| {
            *words = with_argument(words, name, &change.turn.value)?;
            *is_turned = true;
            Some(())
        });
        if turned.is_none() {
            let place = change.key.of(&change.service);
            let hint = format!("hint: its command has to say `{name}=...`, `--{name}=...` or `--{name} ...`");
            let what =
                format!("`{place}` reaches nothing: no command of `{}` has that argument", change.service);
            return reader.error(line, format!("{what}\n{hint}"));
        }
    }
    let laid = commands.iter().filter(|(.., is_turned)| *is_turned).map(|(key, words, _)| {
        let word = |word: &String| Node { line, value: Value::Text(escaped(word)) };
        let words = Node { line, value: Value::List(words.iter().map(word).collect()) };
        match *key {
            "x-galo" => entry(key, map(line, [entry("command", words)])),
            key => entry(key, words),
        }
    });
    Ok(map(line, laid))
}

/// A limit in `deploy.resources.limits`.
fn limit_of(service: &[Entry], key: &str) -> Option<Node> {
    let below = |node: Option<&Node>, key: &str| match node.map(|node| &node.value) {
        Some(Value::Map(entries)) => get(entries, key).cloned(),
        _ => None,
    };
    let resources = below(get(service, "deploy"), "resources");
    below(below(resources.as_ref(), "limits").as_ref(), key)
}

/// Which word names an argument.
fn place_of(words: &[String], name: &str) -> Option<usize> {
    let is_named = |word: &str| word.trim_start_matches('-') == name;
    words.iter().position(|word| match word.split_once('=') {
        Some((before, _)) => is_named(before),
        None => is_named(word) && word.starts_with('-'),
    })
}

/// The value of an argument; `None`: it is not among the words.
fn argument(words: &[String], name: &str) -> Option<String> {
    let at = place_of(words, name)?;
    match words[at].split_once('=') {
        Some((_, value)) => Some(value.to_owned()),
        None => words.get(at + 1).filter(|next| is_value(next)).cloned(),
    }
}

/// Whether a word can be the value of the argument before it, and is no argument of its own.
fn is_value(word: &str) -> bool {
    !word.starts_with("--")
}

/// The words with another value of an argument; `None`: it is not among them.
fn with_argument(words: &[String], name: &str, value: &str) -> Option<Vec<String>> {
    let at = place_of(words, name)?;
    let mut turned = words.to_vec();
    match words[at].split_once('=') {
        Some((before, _)) => turned[at] = format!("{before}={value}"),
        None => *turned.get_mut(at + 1).filter(|next| is_value(next))? = value.to_owned(),
    }
    Some(turned)
}

/// Compose reads variables in every value.
fn escaped(value: &str) -> String {
    value.replace('$', "$$")
}

fn entry(key: &str, node: Node) -> Entry {
    Entry { key: key.to_owned(), line: node.line, node }
}

fn map(line: Line, entries: impl IntoIterator<Item = Entry>) -> Node {
    Node { line, value: Value::Map(entries.into_iter().collect()) }
}
