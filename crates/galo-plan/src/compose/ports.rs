//! `ports` of a service, in both of Compose's forms: which ports of the machine they take.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::keys;
use super::reader::{Reader, get};
use crate::error::PlanError;
use crate::yaml::{Line, Node, Value};

/// One mapping: the ports of the machine, if it names some, and those that the service listens at.
struct Mapping {
    published: Option<RangeInclusive<u16>>,
    target: RangeInclusive<u16>,
    is_tcp: bool,
}

/// The ports of the machine at which a service can be reached over TCP, ascending: those that it publishes, or with the
/// machine's own network those that it says it listens at.
pub(super) fn read(reader: Reader<'_>, node: &Node, has_host_network: bool) -> Result<Vec<u16>, PlanError> {
    let Value::List(nodes) = &node.value else {
        return if node.value == Value::Null {
            Ok(Vec::new())
        } else {
            reader.error(node.line, "`ports` must be a list")
        };
    };
    let mut ports = BTreeSet::new();
    for node in nodes {
        let mapping = match &node.value {
            Value::Map(_) => long(reader, node)?,
            _ => short(reader, node)?,
        };
        let taken = if has_host_network { Some(mapping.target) } else { mapping.published };
        ports.extend(taken.filter(|_| mapping.is_tcp).into_iter().flatten());
    }
    Ok(ports.into_iter().collect())
}

/// `[[ADDRESS:]PUBLISHED:]TARGET[/PROTOCOL]`, each of them one port or a range.
fn short(reader: Reader<'_>, node: &Node) -> Result<Mapping, PlanError> {
    let text = reader.text(node, "ports")?;
    let (ports, protocol) = text.split_once('/').unwrap_or((&text, "tcp"));
    let (rest, target) = ports.rsplit_once(':').map_or((None, ports), |(rest, target)| (Some(rest), target));
    // An address may hold colons itself; it ends at the last one.
    let published = rest.map(|rest| rest.rsplit_once(':').map_or(rest, |(_, published)| published));
    let published = published.filter(|published| !published.is_empty());
    mapping(reader, node.line, &text, (published, target, protocol))
}

fn long(reader: Reader<'_>, node: &Node) -> Result<Mapping, PlanError> {
    let entries = reader.known_map(node, "ports", &keys::PORT)?;
    let text = |key: &str| get(entries, key).map(|node| reader.text(node, key)).transpose();
    let Some(target) = text("target")? else { return reader.error(node.line, "a port needs a `target`") };
    let published = text("published")?.filter(|published| !published.is_empty());
    let protocol = text("protocol")?.unwrap_or_else(|| "tcp".to_owned());
    let written = published.clone().unwrap_or_else(|| target.clone());
    mapping(reader, node.line, &written, (published.as_deref(), &target, &protocol))
}

fn mapping(
    reader: Reader<'_>,
    line: Line,
    written: &str,
    (published, target, protocol): (Option<&str>, &str, &str),
) -> Result<Mapping, PlanError> {
    let published = published.map(range);
    match (published, range(target)) {
        (None, Some(target)) => Ok(Mapping { published: None, target, is_tcp: protocol == "tcp" }),
        // 0 is any port that is free.
        (Some(Some(published)), Some(target)) => {
            let published = Some(published).filter(|ports| *ports.start() > 0);
            Ok(Mapping { published, target, is_tcp: protocol == "tcp" })
        }
        _ => {
            let hint = "hint: write `\"9999:80\"`: the machine's port, and the one in the container";
            reader.error(line, format!("cannot read the port `{written}`\n{hint}"))
        }
    }
}

/// `80` or `80-82`.
fn range(text: &str) -> Option<RangeInclusive<u16>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first <= last).then_some(first..=last)
}
