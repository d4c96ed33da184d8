//! A Compose file as a policy needs it: what a limit is missing for, and all that is asked for, told and not refused.

use std::path::Path;

use super::extends::{Document, speaks_of_processes};
use super::file::File;
use super::raw::{RawCompose, RawService};
use super::reader::{Reader, get};
use super::trust::{self, is_nothing};
use super::{container, find, keys, name};
use crate::challenge::Policy;
use crate::contender::{Container, NeedsTrust, Runner};
use crate::error::PlanError;
use crate::instances::{self, Origin};
use crate::units;
use crate::yaml::{Entry, Node, Value};

/// What a file says of all that a policy speaks of.
pub(crate) struct Checked {
    pub(crate) name: String,
    /// In the order of the file.
    pub(crate) services: Vec<CheckedService>,
    /// What needs trust, of services that are containers.
    pub(crate) needs_trust: Vec<NeedsTrust>,
}

pub(crate) struct CheckedService {
    pub(crate) name: String,
    pub(crate) cpus_nano: Option<u64>,
    pub(crate) memory_bytes: Option<u64>,
    pub(crate) platform: Option<String>,
    /// How often it is started.
    pub(crate) copies: u64,
    /// Keys that the policy forbids and this service has, in the policy's order and words.
    pub(crate) forbidden: Vec<String>,
    origin: Origin,
    /// `None`: it can only be a process, with neither image nor build.
    pub(crate) container: Option<Container>,
}

impl Checked {
    /// Reads a Compose file, or the one of a folder. A file that is for both, processes and containers, is read as containers.
    ///
    /// # Errors
    /// It is no Compose file, or says what a contender may not say.
    pub(crate) fn read(path: &Path, policy: &Policy) -> Result<Self, PlanError> {
        let document = Document::read(File::read(&find(path)?)?, Some(Runner::Docker))?;
        let reader = document.reader();
        let mut top = RawCompose::read(reader, &document.root)?;
        if top.services.is_empty() {
            return reader.file_error("there is no service\nhint: write at least one below `services:`");
        }
        let raw = std::mem::take(&mut top.services);
        let for_processes = speaks_of_processes(&document.root);
        let services = raw.iter().map(|raw| service(reader, raw, &top, for_processes, policy));
        let services = services.collect::<Result<Vec<_>, PlanError>>()?;
        super::order::sort(reader, raw, &top.left_out)?;
        let are_processes = services.iter().all(|service| service.container.is_none());
        let needs =
            if are_processes { Vec::new() } else { trust::needs(reader, &document.root, &policy.networks)? };
        Ok(Self {
            name: top.name.unwrap_or_else(|| name(&document.files[0].path)),
            services,
            needs_trust: needs.into_iter().map(|need| need.needs).collect(),
        })
    }

    /// The most instances of one thing.
    pub(crate) fn instances(&self) -> u128 {
        instances::most_alike(self.services.iter().map(|service| (&service.origin, service.copies)))
    }
}

fn service(
    reader: Reader<'_>,
    raw: &RawService,
    top: &RawCompose,
    speaks_of_processes: bool,
    policy: &Policy,
) -> Result<CheckedService, PlanError> {
    let is_container = ["image", "build"].iter().any(|key| raw.node(key).is_some());
    let cpus_nano = limit(reader, &raw.cpus, "cpus", units::parse_cpus_nano)?;
    let container = (is_container || !speaks_of_processes)
        .then(|| container::resolve(reader, raw, top, cpus_nano.unwrap_or(0)))
        .transpose()?;
    let origin = match &container {
        Some(container) => Origin::of_container(container),
        None => Origin::of_process(&raw.name, &command(reader, raw)),
    };
    let mut forbidden = Vec::new();
    for key in &policy.forbidden_keys {
        if says(reader, &raw.entries, key)? {
            forbidden.push(key.clone());
        }
    }
    Ok(CheckedService {
        name: raw.name.clone(),
        cpus_nano,
        memory_bytes: limit(reader, &raw.memory, "memory", units::parse_bytes)?,
        platform: raw.node("platform").map(|node| reader.text(node, "platform")).transpose()?,
        copies: raw.copies.number,
        forbidden,
        origin,
        container,
    })
}

/// Only to see who is alike: a process' command may hold what no container's may.
fn command(reader: Reader<'_>, raw: &RawService) -> String {
    let command = raw.galo("command").or(raw.node("command"));
    command.and_then(|node| reader.words(node, "command").ok()).unwrap_or_default().join(" ")
}

/// Whether a service has what a policy forbids. What is said to be `false`, and what is empty, is not there.
fn says(reader: Reader<'_>, entries: &[Entry], forbidden: &str) -> Result<bool, PlanError> {
    let (path, value) = keys::forbidden_parts(forbidden);
    let (mut entries, mut found) = (entries, None);
    for key in path {
        found = get(entries, key);
        entries = match found.map(|node| &node.value) {
            Some(Value::Map(below)) => below,
            _ => &[],
        };
    }
    let Some(node) = found.filter(|node| !is_nothing(node)) else { return Ok(false) };
    let texts = match &node.value {
        Value::Map(below) => below.iter().map(|entry| entry.key.clone()).collect(),
        Value::List(nodes) if nodes.iter().any(|node| matches!(node.value, Value::Map(_))) => Vec::new(),
        _ => reader.texts(node, forbidden)?,
    };
    Ok(match value {
        Some(value) => texts.iter().any(|text| text == value),
        None => texts != ["false"],
    })
}

/// A limit; 0 is none, as for an engine.
fn limit(
    reader: Reader<'_>,
    node: &Option<Node>,
    key: &str,
    parse: fn(&str) -> Result<u64, String>,
) -> Result<Option<u64>, PlanError> {
    let Some(node) = node else { return Ok(None) };
    match parse(&reader.text(node, key)?) {
        Ok(limit) => Ok(Some(limit).filter(|limit| *limit > 0)),
        Err(message) => reader.error(node.line, format!("`{key}`: {message}")),
    }
}
