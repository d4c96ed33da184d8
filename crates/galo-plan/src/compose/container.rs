//! What of a service only an engine needs.

use std::collections::BTreeMap;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::raw::{RawCompose, RawService};
use super::reader::{Reader, get};
use super::{keys, mounts, ports};
use crate::contender::Container;
use crate::digest::hex;
use crate::error::PlanError;
use crate::paths::clean;
use crate::suggest;
use crate::yaml::{Entry, Line, Node, Value};

/// Resolves it, with what the file declares at its top.
pub(super) fn resolve(
    reader: Reader<'_>,
    raw: &RawService,
    top: &RawCompose,
    cpus_nano: u64,
) -> Result<Container, PlanError> {
    let entries = &raw.entries;
    let text = |key: &str| get(entries, key).map(|node| reader.text(node, key)).transpose();
    let has_host_network = text("network_mode")?.as_deref() == Some("host");
    let build = get(entries, "build");
    if let Some(Node { value: Value::Map(_), .. }) = build {
        build.map(|build| reader.known_map(build, "build", &keys::BUILD)).transpose()?;
    }
    let image = text("image")?;
    if image.is_none() && build.is_none() {
        let hint = "hint: write `image:` or `build:` in it";
        return reader
            .error(raw.line, format!("service `{}` has neither an image nor a build\n{hint}", raw.name));
    }
    check_networks(reader, raw, &top.networks)?;
    swap(reader, raw)?;
    let mut binds = Vec::new();
    for mount in
        get(entries, "volumes").map(|node| mounts::read(reader, node)).transpose()?.unwrap_or_default()
    {
        if let mounts::From::Volume(name) = &mount.from
            && !top.volumes.contains(name)
        {
            return undeclared(reader, mount.line, "volume", name, &top.volumes);
        }
        binds.extend(mount.bind());
    }
    let ports = get(entries, "ports").map(|node| ports::read(reader, node, has_host_network)).transpose()?;
    Ok(Container {
        image,
        is_built: build.is_some(),
        build_sha256: build.map(|node| build_sha256(reader, node)).transpose()?.unwrap_or_default(),
        has_host_network,
        container_name: text("container_name")?,
        ports: ports.unwrap_or_default(),
        binds,
        has_logging: bounds_its_log(reader, entries)?,
        cpus_nano,
    })
}

/// See [`Container::build_sha256`].
fn build_sha256(reader: Reader<'_>, build: &Node) -> Result<String, PlanError> {
    let entries = if let Value::Map(entries) = &build.value { entries.as_slice() } else { &[] };
    let text = |key: &str| get(entries, key).map(|node| reader.text(node, key)).transpose();
    let context = match &build.value {
        Value::Map(_) => text("context")?.unwrap_or_else(|| ".".to_owned()),
        _ => reader.text(build, "build")?,
    };
    let dockerfile = text("dockerfile")?.unwrap_or_else(|| "Dockerfile".to_owned());
    let pairs = get(entries, "args").map(|node| reader.pairs(node, "args")).transpose()?;
    let mut arguments = BTreeMap::new();
    for pair in pairs.unwrap_or_default() {
        let value = pair.node.map(|node| reader.text(&node, &pair.key)).transpose()?;
        arguments.insert(pair.key, value);
    }
    let whole = (
        place(reader, build.line, &context),
        clean(Path::new(&dockerfile)),
        (text("dockerfile_inline")?, text("target")?),
        arguments,
    );
    Ok(hex(&Sha256::digest(format!("{whole:?}"))))
}

/// The folder of a build; an address stays as it is.
fn place(reader: Reader<'_>, line: Line, context: &str) -> String {
    let is_address = context.contains("://") || context.starts_with("git@");
    match is_address {
        true => context.to_owned(),
        false => clean(&reader.files[line.file].folder().join(context)).display().to_string(),
    }
}

/// Whether the engine keeps no log of it without end: another driver than its usual one, or a size.
fn bounds_its_log(reader: Reader<'_>, entries: &[Entry]) -> Result<bool, PlanError> {
    let Some(node) = get(entries, "logging") else { return Ok(false) };
    let entries = reader.map(node, "logging")?;
    let driver = get(entries, "driver").map(|node| reader.text(node, "driver")).transpose()?;
    if driver.is_some_and(|driver| !["", "json-file"].contains(&driver.as_str())) {
        return Ok(true);
    }
    let options = get(entries, "options").map(|node| reader.map(node, "options")).transpose()?;
    Ok(options.is_some_and(|options| get(options, "max-size").is_some()))
}

/// Each network of a service is declared; `default` always is.
fn check_networks(reader: Reader<'_>, raw: &RawService, declared: &[String]) -> Result<(), PlanError> {
    let Some(node) = get(&raw.entries, "networks") else { return Ok(()) };
    let names: Vec<(Line, String)> = match &node.value {
        Value::List(nodes) => {
            let name = |node: &Node| Ok((node.line, reader.text(node, "networks")?));
            nodes.iter().map(name).collect::<Result<_, PlanError>>()?
        }
        _ => reader.map(node, "networks")?.iter().map(|entry| (entry.line, entry.key.clone())).collect(),
    };
    match names.iter().find(|(_, name)| name != "default" && !declared.contains(name)) {
        Some((line, name)) => undeclared(reader, *line, "network", name, declared),
        None => Ok(()),
    }
}

fn undeclared<T>(
    reader: Reader<'_>,
    line: Line,
    kind: &str,
    name: &str,
    declared: &[String],
) -> Result<T, PlanError> {
    let what = suggest::unknown(kind, name, declared);
    reader.error(line, format!("{what}\nhint: declare it at the top, `{kind}s:`"))
}

/// Memory and swap together may be no more than memory alone: else its limit is not what is compared.
fn swap(reader: Reader<'_>, raw: &RawService) -> Result<(), PlanError> {
    let Some(node) = get(&raw.entries, "memswap_limit") else { return Ok(()) };
    let written = reader.text(node, "memswap_limit")?;
    let bytes = crate::units::parse_bytes(&written);
    let memory = raw.memory.as_ref().map(|node| reader.text(node, "memory")).transpose()?;
    let memory = memory.and_then(|memory| crate::units::parse_bytes(&memory).ok());
    if bytes == Ok(0) || (bytes.is_ok() && bytes.ok() == memory) {
        return Ok(());
    }
    let hint = "hint: leave it out, or write the memory limit there: no service gets swap";
    reader.error(node.line, format!("`memswap_limit: {written}` gives service `{}` swap\n{hint}", raw.name))
}
