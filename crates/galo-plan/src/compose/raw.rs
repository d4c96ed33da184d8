//! A Compose file as written: which keys stand where. Values are read later, since one that `x-galo` overrides need
//! not make sense outside of a container.

use super::keys::{self, Keys};
use super::reader::{Pair, Reader, describe, get};
use crate::contender::OwnNames;
use crate::contender::Runner;
use crate::error::PlanError;
use crate::yaml::{Entry, Line, Node, Value};
use crate::{suggest, units};

/// The parts of a file that mean something here.
pub(super) struct RawCompose {
    pub(super) challenge: Option<String>,
    pub(super) name: Option<String>,
    pub(super) title: Option<String>,
    pub(super) language: Option<String>,
    pub(super) connects: bool,
    /// Names declared at the top.
    pub(super) volumes: Vec<String>,
    pub(super) networks: Vec<String>,
    /// What the file itself calls volumes and networks on the engine.
    pub(super) own_names: OwnNames,
    /// In the order of the file.
    pub(super) services: Vec<RawService>,
    /// Names of services that are not started, because they belong to a profile.
    pub(super) left_out: Vec<String>,
}

/// One service. `None` and empty where the file says nothing.
pub(super) struct RawService {
    pub(super) name: String,
    pub(super) line: Line,
    pub(super) environment: Vec<Pair>,
    pub(super) depends_on: Vec<Dependency>,
    pub(super) cpus: Option<Node>,
    pub(super) memory: Option<Node>,
    pub(super) pids: Option<Node>,
    /// How often it is started.
    pub(super) copies: Copies,
    pub(super) ulimits: Vec<Entry>,
    /// All that it says.
    pub(super) entries: Vec<Entry>,
    /// All that it says as a process, under `x-galo`.
    pub(super) galo: Vec<Entry>,
    /// Variables of the process alone.
    pub(super) galo_environment: Vec<Pair>,
}

/// How often a service is started, and where the file says so.
#[derive(Clone, Copy)]
pub(super) struct Copies {
    pub(super) number: u64,
    pub(super) line: Line,
}

/// A service that another needs.
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) line: Line,
    /// Whether it must be there; else the dependency counts only where it is.
    pub(super) required: bool,
    /// Where the file says that it must have ended (`service_completed_successfully`).
    pub(super) ended: Option<Line>,
}

impl RawCompose {
    pub(super) fn read(reader: Reader<'_>, root: &Node) -> Result<Self, PlanError> {
        let top = match &root.value {
            Value::Map(_) => reader.known_map(root, "the Compose file", &keys::TOP)?,
            other => {
                return reader
                    .error(root.line, format!("a Compose file must be a map, not {}", describe(other)));
            }
        };
        if let Some(include) = get(top, "include") {
            return reader
                .error(include.line, "`include` is not supported\nhint: write the services into one file");
        }
        let galo =
            get(top, "x-galo").map(|node| reader.known_map(node, "x-galo", &keys::GALO_TOP)).transpose()?;
        let galo_entries = galo.unwrap_or_default();
        let text = |key: &str| get(galo_entries, key).map(|node| reader.text(node, key)).transpose();
        let challenge = text("challenge")?;
        let name = text("name")?;
        if let (Some(name), Some(node)) = (&name, get(galo_entries, "name")) {
            check_name(reader, node.line, name, "contender")?;
        }
        let connects = get(galo_entries, "connect").map(|node| reader.flag(node, "connect")).transpose()?;
        let connects = connects.unwrap_or(false);
        let entries = |key: &str| {
            let entries = get(top, key).map(|node| reader.map(node, key)).transpose();
            entries.map(Option::unwrap_or_default)
        };
        let names = |key: &str| Ok(entries(key)?.iter().map(|entry| entry.key.clone()).collect());
        let own = |key: &str| -> Result<Vec<String>, PlanError> {
            let name = |entry: &Entry| match &entry.node.value {
                // What is somebody else's needs trust, and is there by then.
                Value::Map(below) if get(below, "external").is_none() => {
                    get(below, "name").map(|node| reader.text(node, "name")).transpose()
                }
                _ => Ok(None),
            };
            entries(key)?.iter().filter_map(|entry| name(entry).transpose()).collect()
        };
        let (mut started, mut left_out) = (Vec::new(), Vec::new());
        for entry in entries("services")? {
            match RawService::read(reader, entry)? {
                Some(service) => started.push(service),
                None => left_out.push(entry.key.clone()),
            }
        }
        Ok(Self {
            challenge,
            name,
            title: text("title")?,
            language: text("language")?,
            connects,
            volumes: names("volumes")?,
            networks: names("networks")?,
            own_names: OwnNames { volumes: own("volumes")?, networks: own("networks")? },
            services: started,
            left_out,
        })
    }
}

/// A name becomes part of paths: of a log, a control group, a round's folder.
fn check_name(reader: Reader<'_>, line: Line, name: &str, of: &str) -> Result<(), PlanError> {
    let good = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    if name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(good) {
        return Ok(());
    }
    let message = format!("`{name}` is not a name for a {of}; use letters, digits, `_`, `.` and `-`");
    reader.error(line, message)
}

impl RawService {
    /// `None` for a service that Compose does not start by itself, because it belongs to a profile.
    fn read(reader: Reader<'_>, entry: &Entry) -> Result<Option<Self>, PlanError> {
        let name = entry.key.clone();
        check_name(reader, entry.line, &name, "service")?;
        let place = format!("services.{name}");
        let entries = reader.known_map(&entry.node, &place, &keys::SERVICE)?;
        if is_of_a_profile(reader, entries)? {
            return Ok(None);
        }
        let refused = match reader.runner {
            Runner::Process => keys::REFUSED,
            Runner::Docker => keys::REFUSED_OF_CONTAINERS,
        };
        for (key, hint) in refused {
            refuse(reader, entries, key, &place, hint)?;
        }
        let environment = |entries: &[Entry]| {
            let pairs = get(entries, "environment").map(|node| reader.pairs(node, "environment"));
            pairs.transpose().map(Option::unwrap_or_default)
        };
        let [cpus, memory, pids] = limits(reader, entries)?;
        let copies = copies(reader, entries)?.unwrap_or(Copies { number: 1, line: entry.line });
        let galo = child(reader, entries, "x-galo", &keys::GALO_SERVICE)?;
        Ok(Some(Self {
            line: entry.line,
            ulimits: child(reader, entries, "ulimits", &keys::ULIMITS)?.to_vec(),
            environment: environment(entries)?,
            depends_on: dependencies(reader, entries)?,
            cpus,
            memory,
            pids,
            copies,
            entries: entries.to_vec(),
            galo: galo.to_vec(),
            galo_environment: environment(galo)?,
            name,
        }))
    }

    /// What it says at a key.
    pub(super) fn node(&self, key: &str) -> Option<&Node> {
        get(&self.entries, key)
    }

    /// What it says at a key under `x-galo`.
    pub(super) fn galo(&self, key: &str) -> Option<&Node> {
        get(&self.galo, key)
    }
}

/// Whether a service belongs to profiles. Compose takes an empty name for a profile that is always on, so each must have one.
fn is_of_a_profile(reader: Reader<'_>, entries: &[Entry]) -> Result<bool, PlanError> {
    let Some(Node { value: Value::List(names), .. }) = get(entries, "profiles") else { return Ok(false) };
    for name in names {
        check_name(reader, name.line, &reader.text(name, "profiles")?, "profile")?;
    }
    Ok(!names.is_empty())
}

/// CPU, memory and processes from `deploy.resources.limits`, else from the older keys of the service itself. An engine's file
/// may not say both, unless they are the same: Compose refuses it.
fn limits(reader: Reader<'_>, service: &[Entry]) -> Result<[Option<Node>; 3], PlanError> {
    let deploy = child(reader, service, "deploy", &keys::DEPLOY)?;
    let resources = child(reader, deploy, "resources", &keys::RESOURCES)?;
    let limits = child(reader, resources, "limits", &keys::LIMITS)?;
    let limit = |new: &str, old: &str, parse: fn(&str) -> Result<u64, String>| {
        let (new_node, old_node) = (get(limits, new), get(service, old));
        if let (Some(newer), Some(older), Runner::Docker) = (new_node, old_node, reader.runner) {
            let place = format!("deploy.resources.limits.{new}");
            require_same(reader, (&place, newer), (old, older), parse)?;
        }
        Ok(new_node.or(old_node).cloned())
    };
    let number = |text: &str| text.parse().map_err(|_| String::new());
    Ok([
        limit("cpus", "cpus", units::parse_cpus_nano)?,
        limit("memory", "mem_limit", units::parse_bytes)?,
        limit("pids", "pids_limit", number)?,
    ])
}

/// How often it is started: `deploy.replicas`, or the older `scale`.
fn copies(reader: Reader<'_>, service: &[Entry]) -> Result<Option<Copies>, PlanError> {
    let deploy = child(reader, service, "deploy", &keys::DEPLOY)?;
    let (replicas, scale) = (get(deploy, "replicas"), get(service, "scale"));
    let number = |text: &str| text.parse::<u64>().map_err(|_| String::new());
    if let (Some(replicas), Some(scale)) = (replicas, scale) {
        require_same(reader, ("deploy.replicas", replicas), ("scale", scale), number)?;
    }
    let Some(node) = replicas.or(scale) else { return Ok(None) };
    let text = reader.text(node, "replicas")?;
    match number(&text) {
        Ok(number) => Ok(Some(Copies { number, line: node.line })),
        Err(_) => reader
            .error(node.line, format!("`replicas`: `{text}` is no number of copies; write for example 2")),
    }
}

/// The entries of a map in a map; none where it is not there.
fn child<'n>(
    reader: Reader<'_>,
    entries: &'n [Entry],
    key: &str,
    known: &Keys,
) -> Result<&'n [Entry], PlanError> {
    let child = get(entries, key).map(|node| reader.known_map(node, key, known)).transpose()?;
    Ok(child.unwrap_or_default())
}

/// An error where two keys that mean the same have different values. What cannot be read is told by who reads it.
fn require_same(
    reader: Reader<'_>,
    (new, newer): (&str, &Node),
    (old, older): (&str, &Node),
    parse: fn(&str) -> Result<u64, String>,
) -> Result<(), PlanError> {
    let (newer_text, older_text) = (reader.text(newer, new)?, reader.text(older, old)?);
    match (parse(&newer_text), parse(&older_text)) {
        (Ok(one), Ok(other)) if one != other => {
            let what =
                format!("`{old}: {older_text}` and `{new}: {newer_text}` differ, and Compose refuses that");
            reader.error(older.line, format!("{what}\nhint: write one of them"))
        }
        _ => Ok(()),
    }
}

/// An error where there is such a key.
fn refuse(
    reader: Reader<'_>,
    entries: &[Entry],
    key: &str,
    place: &str,
    hint: &str,
) -> Result<(), PlanError> {
    let Some(node) = get(entries, key) else { return Ok(()) };
    reader.error(node.line, format!("`{key}` is not supported (in `{place}`)\nhint: {hint}"))
}

fn dependencies(reader: Reader<'_>, service: &[Entry]) -> Result<Vec<Dependency>, PlanError> {
    let written = get(service, "depends_on").map(|node| written_dependencies(reader, node));
    let mut dependencies = written.transpose()?.unwrap_or_default();
    if reader.runner == Runner::Docker {
        for implied in implied_dependencies(reader, service)? {
            if !dependencies.iter().any(|dependency| dependency.name == implied.name) {
                dependencies.push(implied);
            }
        }
    }
    Ok(dependencies)
}

/// Services that an engine needs before this one, though it does not say so under `depends_on` (compose-go,
/// `inferImplicitDependencies`).
fn implied_dependencies(reader: Reader<'_>, service: &[Entry]) -> Result<Vec<Dependency>, PlanError> {
    let mut implied = Vec::new();
    let mut add = |name: &str, line: Line| {
        implied.push(Dependency { name: name.to_owned(), line, required: true, ended: None });
    };
    for (key, is_list) in
        [("links", true), ("volumes_from", true), ("network_mode", false), ("ipc", false), ("pid", false)]
    {
        let Some(node) = get(service, key) else { continue };
        for text in reader.texts(node, key)? {
            match text.strip_prefix("service:") {
                Some(name) => add(name, node.line),
                // `SERVICE:ALIAS`, `SERVICE:ro`
                None if is_list && !text.starts_with("container:") => {
                    add(text.split(':').next().unwrap_or_default(), node.line);
                }
                None => {}
            }
        }
    }
    Ok(implied)
}

fn written_dependencies(reader: Reader<'_>, node: &Node) -> Result<Vec<Dependency>, PlanError> {
    if let Value::List(names) = &node.value {
        let name = |node: &Node| {
            let name = reader.text(node, "depends_on")?;
            Ok(Dependency { name, line: node.line, required: true, ended: None })
        };
        return names.iter().map(name).collect();
    }
    let mut dependencies = Vec::new();
    for entry in reader.map(node, "depends_on")? {
        let details = reader.known_map(&entry.node, "depends_on", &keys::DEPENDENCY)?;
        let ended =
            get(details, "condition").map(|node| must_have_ended(reader, node)).transpose()?.flatten();
        let required = get(details, "required").map(|node| reader.flag(node, "required")).transpose()?;
        let required = required.unwrap_or(true);
        dependencies.push(Dependency { name: entry.key.clone(), line: entry.line, required, ended });
    }
    Ok(dependencies)
}

/// Where a condition is that a service has ended. The others mean the same here: a service that has a health check or
/// `x-galo.ready` is waited for.
fn must_have_ended(reader: Reader<'_>, node: &Node) -> Result<Option<Line>, PlanError> {
    match reader.text(node, "condition")?.as_str() {
        "service_started" | "service_healthy" => Ok(None),
        "service_completed_successfully" => Ok(Some(node.line)),
        other => reader
            .error(node.line, suggest::unknown("condition", other, &["service_started", "service_healthy"])),
    }
}
