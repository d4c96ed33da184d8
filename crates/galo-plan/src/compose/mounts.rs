//! `volumes` of a service, in both of Compose's forms.

use std::path::{Path, PathBuf};

use super::keys;
use super::reader::{Reader, get};
use crate::contender::Bind;
use crate::error::PlanError;
use crate::paths::clean;
use crate::yaml::{Line, Node, Value};
use crate::{suggest, words};

/// One of them.
pub(super) struct Mount {
    pub(super) line: Line,
    pub(super) from: From,
    pub(super) target: String,
    pub(super) is_writable: bool,
    /// What is mounted in one place later shows in the other, out of the container too.
    pub(super) is_shared: bool,
}

/// What is mounted.
pub(super) enum From {
    /// A file or folder of the machine, absolute.
    Machine(PathBuf),
    /// A volume of the file.
    Volume(String),
    /// A volume without a name, or memory.
    Nothing,
}

impl Mount {
    /// As a bind, if it is one.
    pub(super) fn bind(&self) -> Option<Bind> {
        let From::Machine(source) = &self.from else { return None };
        Some(Bind { source: source.clone(), target: self.target.clone(), is_writable: self.is_writable })
    }
}

/// The `volumes` of a service. Of two with one target the later one counts, which is the one of the service that extends.
pub(super) fn read(reader: Reader<'_>, node: &Node) -> Result<Vec<Mount>, PlanError> {
    let mut mounts: Vec<Mount> = Vec::new();
    for mount in all(reader, node)? {
        mounts.retain(|other| other.target != mount.target);
        mounts.push(mount);
    }
    Ok(mounts)
}

/// All `volumes` of a service that are written, those too that another one takes the place of.
pub(super) fn all(reader: Reader<'_>, node: &Node) -> Result<Vec<Mount>, PlanError> {
    let Value::List(nodes) = &node.value else {
        return if node.value == Value::Null {
            Ok(Vec::new())
        } else {
            reader.error(node.line, "`volumes` of a service must be a list")
        };
    };
    let mount = |node: &Node| match &node.value {
        Value::Map(_) => long(reader, node),
        _ => short(reader, node),
    };
    nodes.iter().map(mount).collect()
}

/// `[SOURCE:]TARGET[:MODE]`.
fn short(reader: Reader<'_>, node: &Node) -> Result<Mount, PlanError> {
    let text = reader.text(node, "volumes")?;
    let parts: Vec<&str> = text.split(':').collect();
    let (source, target, mode) = match parts[..] {
        [target] if !target.is_empty() => (None, target, ""),
        [source, target] if !source.is_empty() && !target.is_empty() => (Some(source), target, ""),
        [source, target, mode] if !source.is_empty() && !target.is_empty() => (Some(source), target, mode),
        _ => {
            let hint = "hint: write `./file:/path/in/container:ro`, or `name:/path` for a volume";
            return reader.error(node.line, format!("cannot read the volume `{text}`\n{hint}"));
        }
    };
    let modes: Vec<&str> = mode.split(',').filter(|mode| !mode.is_empty()).collect();
    if let Some(unknown) = modes.iter().find(|mode| !words::has(keys::MOUNT_MODES, mode)) {
        let known: Vec<_> = keys::MOUNT_MODES.split_whitespace().collect();
        return reader.error(node.line, suggest::unknown("mode", unknown, &known));
    }
    let from = match source {
        None => From::Nothing,
        Some(source) if source.starts_with(['.', '/', '~']) => {
            From::Machine(absolute(reader, node.line, source)?)
        }
        Some(source) => From::Volume(source.to_owned()),
    };
    Ok(Mount {
        line: node.line,
        from,
        target: target.to_owned(),
        is_writable: !modes.contains(&"ro"),
        is_shared: modes.iter().any(|mode| is_shared(mode)),
    })
}

fn long(reader: Reader<'_>, node: &Node) -> Result<Mount, PlanError> {
    let entries = reader.known_map(node, "volumes", &keys::MOUNT)?;
    let text = |key: &str| get(entries, key).map(|node| reader.text(node, key)).transpose();
    let source = text("source")?.or(text("src")?);
    let kind = text("type")?.unwrap_or_else(|| "volume".to_owned());
    let from = match (kind.as_str(), source) {
        ("bind", Some(source)) => From::Machine(absolute(reader, node.line, &source)?),
        ("bind", None) => return reader.error(node.line, "a mount of the type `bind` needs a `source`"),
        ("volume", Some(source)) => From::Volume(source),
        ("volume" | "tmpfs", _) => From::Nothing,
        (other, _) => {
            return reader
                .error(node.line, suggest::unknown("type of mount", other, &["bind", "volume", "tmpfs"]));
        }
    };
    let Some(target) = text("target")?.or(text("dst")?).or(text("destination")?) else {
        return reader.error(node.line, "a mount needs a `target`");
    };
    let read_only = get(entries, "read_only").map(|node| reader.flag(node, "read_only")).transpose()?;
    let bind = get(entries, "bind").map(|node| reader.map(node, "bind")).transpose()?.unwrap_or_default();
    let propagation = get(bind, "propagation").map(|node| reader.text(node, "propagation")).transpose()?;
    Ok(Mount {
        line: node.line,
        from,
        target,
        is_writable: read_only != Some(true),
        is_shared: propagation.is_some_and(|mode| is_shared(&mode)),
    })
}

fn is_shared(mode: &str) -> bool {
    ["shared", "rshared", "slave", "rslave"].contains(&mode)
}

/// A path of the machine as Compose reads it: relative to the folder of the file that says it, `~` the caller's home.
fn absolute(reader: Reader<'_>, line: Line, written: &str) -> Result<PathBuf, PlanError> {
    let home = written.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let path = match (home, std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
        (Some(_), None) => return reader.error(line, format!("`{written}`: there is no home here")),
        (None, _) => reader.files[line.file].folder().join(Path::new(written)),
    };
    Ok(clean(&path))
}
