//! Fields whose meaning takes more than a word to tell: paths, mounts, builds, kernel settings.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use super::super::mounts::{self, From, Mount};
use super::super::reader::get;
use super::{Asker, Field, SOMEBODY_ELSES, list, map};
use crate::error::PlanError;
use crate::paths::{clean, real};
use crate::yaml::{Line, Node, Value};

/// Files and folders that are the engine, or lead to it.
const ENGINE: &[&str] = &["/", "/run", "/var/run", "/var"];
const SOCKETS: &[&str] = &["docker.sock", "podman.sock", "containerd.sock", "crio.sock"];

/// Settings of the kernel that each IPC namespace has for itself (moby, `daemon/daemon_unix.go`; runc, `validate`).
const OWN_SYSCTLS: &[&str] = &[
    "kernel.msgmax",
    "kernel.msgmnb",
    "kernel.msgmni",
    "kernel.sem",
    "kernel.shm_rmid_forced",
    "kernel.shmall",
    "kernel.shmmax",
    "kernel.shmmni",
];

/// Beginnings of labels that Docker keeps for itself ("Docker object labels").
const RESERVED_LABELS: &[&str] = &["com.docker.", "io.docker.", "org.dockerproject."];

/// Each service, whatever its profiles: Compose starts one of an empty profile, and builds the others.
pub(super) fn services(asker: &mut Asker<'_>, field: &Field<'_>) -> Result<(), PlanError> {
    for entry in map(field.node) {
        asker.service = Some(entry.key.clone());
        asker.level("", &entry.node, field.below)?;
    }
    asker.service = None;
    Ok(())
}

/// A service's `networks`: names, or a map of them.
pub(super) fn used_networks(asker: &mut Asker<'_>, field: &Field<'_>) -> Result<(), PlanError> {
    map(field.node)
        .iter()
        .try_for_each(|entry| asker.level(&format!("networks.{}", entry.key), &entry.node, field.below))
}

/// A network that is somebody else's, unless the challenge names it.
pub(super) fn external_network(asker: &mut Asker<'_>, field: &Field<'_>) -> Result<(), PlanError> {
    if !asker.is_set(field)? {
        return Ok(());
    }
    let key = field.path.strip_prefix("networks.").and_then(|rest| rest.strip_suffix(".external"));
    // `external: { name: ... }` is how files said it before version 3.5.
    let name = get(field.beside, "name").or_else(|| get(map(field.node), "name"));
    let name = name.map(|node| asker.reader.text(node, "name")).transpose()?;
    let name = name.as_deref().or(key).unwrap_or_default();
    if !asker.networks.iter().any(|network| network == name) {
        asker.ask(field.node.line, format!("`{}: true`", field.path), SOMEBODY_ELSES);
    }
    Ok(())
}

pub(super) fn security_opt(asker: &mut Asker<'_>, field: &Field<'_>) -> Result<(), PlanError> {
    for option in list(field.node) {
        let text = asker.reader.text(option, field.path)?;
        // The only one that takes rights away.
        if !["no-new-privileges", "no-new-privileges:true", "no-new-privileges=true"].contains(&text.as_str())
        {
            asker.ask(option.line, format!("`security_opt: {text}`"), "loosens what keeps it in");
        }
    }
    Ok(())
}

/// Settings of namespaces that are the container's own.
pub(super) fn sysctls(asker: &mut Asker<'_>, field: &Field<'_>) -> Result<(), PlanError> {
    let mode = get(field.beside, "network_mode").map(|node| asker.reader.text(node, "network_mode"));
    let has_own_network =
        ["", "bridge", "default", "none"].contains(&mode.transpose()?.unwrap_or_default().as_str());
    for (line, name) in names(asker, field)? {
        // The kernel takes a slash for a dot.
        let dotted = name.replace('/', ".");
        let is_own = (has_own_network && dotted.starts_with("net."))
            || dotted.starts_with("fs.mqueue.")
            || OWN_SYSCTLS.contains(&dotted.as_str());
        if !is_own {
            asker.ask(line, format!("`sysctls.{name}`"), "changes a setting that is not the container's own");
        }
    }
    Ok(())
}

pub(super) fn labels(asker: &mut Asker<'_>, field: &Field<'_>) -> Result<(), PlanError> {
    for (line, name) in names(asker, field)? {
        if RESERVED_LABELS.iter().any(|reserved| name.starts_with(reserved)) {
            asker.ask(line, format!("the label `{name}`"), "means something to the engine");
        }
    }
    Ok(())
}

/// Names of a map, or of a list of `NAME=VALUE`, each with its line.
fn names(asker: &Asker<'_>, field: &Field<'_>) -> Result<Vec<(Line, String)>, PlanError> {
    if let Value::Map(entries) = &field.node.value {
        return Ok(entries.iter().map(|entry| (entry.line, entry.key.clone())).collect());
    }
    let name = |node: &Node| {
        let text = asker.reader.text(node, field.path)?;
        Ok((node.line, text.split('=').next().unwrap_or_default().trim().to_owned()))
    };
    list(field.node).iter().map(name).collect()
}

pub(super) fn env_file(asker: &mut Asker<'_>, field: &Field<'_>) -> Result<(), PlanError> {
    for file in list(field.node) {
        if let Value::Map(_) = &file.value {
            asker.level(field.path, file, field.below)?;
        }
        let file = get(map(file), "path").unwrap_or(file);
        asker.file(file, field.path, field.path)?;
    }
    Ok(())
}

/// The file of a config or a secret.
pub(super) fn file(asker: &mut Asker<'_>, field: &Field<'_>) -> Result<(), PlanError> {
    let kind = field.path.split('.').next().unwrap_or_default();
    asker.file(field.node, kind, field.path)
}

/// Addresses of private networks alone: with others a container could stand for somebody on the internet.
pub(super) fn subnet(asker: &mut Asker<'_>, field: &Field<'_>) -> Result<(), PlanError> {
    let text = asker.reader.text(field.node, field.path)?;
    if !is_private(&text) {
        let why = "takes addresses of others on the network";
        asker.ask(field.node.line, format!("`{}: {text}`", field.path), why);
    }
    Ok(())
}

/// Whether all addresses of `ADDRESS/BITS` are for private use (RFC 1918, RFC 4193).
fn is_private(subnet: &str) -> bool {
    let Some((address, bits)) = subnet.split_once('/') else { return false };
    let (Ok(address), Ok(bits)) = (address.parse::<IpAddr>(), bits.parse::<u8>()) else { return false };
    match address {
        IpAddr::V4(address) => {
            let least = match address.octets()[0] {
                10 => 8,
                172 => 12,
                _ => 16,
            };
            address.is_private() && bits >= least
        }
        IpAddr::V6(address) => address.is_unique_local() && bits >= 7,
    }
}

pub(super) fn volumes_from(asker: &mut Asker<'_>, field: &Field<'_>) -> Result<(), PlanError> {
    for from in list(field.node) {
        let text = asker.reader.text(from, field.path)?;
        if text.starts_with("container:") {
            asker.ask(from.line, format!("`volumes_from: {text}`"), "mounts what belongs to somebody else");
        }
    }
    Ok(())
}

pub(super) fn mounts(asker: &mut Asker<'_>, field: &Field<'_>) -> Result<(), PlanError> {
    for node in list(field.node).iter().filter(|node| matches!(node.value, Value::Map(_))) {
        asker.level(field.path, node, field.below)?;
    }
    mounts::all(asker.reader, field.node)?.iter().for_each(|mount| asker.mount(mount));
    Ok(())
}

pub(super) fn build(asker: &mut Asker<'_>, field: &Field<'_>) -> Result<(), PlanError> {
    let Value::Map(entries) = &field.node.value else {
        let context = asker.reader.text(field.node, "build")?;
        asker.context(field.node.line, "build", &context);
        return Ok(());
    };
    asker.level("build", field.node, field.below)?;
    let text = |key: &str| {
        let text = |node: &Node| Ok::<_, PlanError>((node.line, asker.reader.text(node, key)?));
        get(entries, key).map(text).transpose()
    };
    let (context, dockerfile) = (text("context")?, text("dockerfile")?);
    let context = context.unwrap_or((field.node.line, ".".to_owned()));
    asker.context(context.0, "context", &context.1);
    let Some((line, dockerfile)) = dockerfile.filter(|_| !is_address(&context.1)) else { return Ok(()) };
    let folder = clean(&asker.beside(context.0, &context.1));
    let path = clean(&folder.join(&dockerfile));
    // A build of a folder may use a file in it; Compose fills in the name where the file has none.
    let is_asked = path.starts_with(&folder) && asker.repository.objection(&folder).is_some();
    if !is_asked {
        asker.path(line, "dockerfile", &format!("`dockerfile: {dockerfile}`"), &path);
    }
    Ok(())
}

pub(super) fn additional_contexts(asker: &mut Asker<'_>, field: &Field<'_>) -> Result<(), PlanError> {
    for pair in asker.reader.pairs(field.node, "additional_contexts")? {
        let Some(node) = pair.node else { continue };
        let context = asker.reader.text(&node, "additional_contexts")?;
        if !context.starts_with("service:") {
            asker.context(node.line, "additional_contexts", &context);
        }
    }
    Ok(())
}

impl Asker<'_> {
    fn mount(&mut self, mount: &Mount) {
        let From::Machine(source) = &mount.from else { return };
        let asked = format!("the mount of `{}`", source.display());
        if is_engine(source) {
            self.ask(mount.line, asked, "hands it the engine itself, and so the machine");
        } else if mount.is_shared {
            self.ask(mount.line, asked, "lets mounts out of its container");
        } else {
            self.path(mount.line, "mount", &asked, source);
        }
    }

    /// A path that the file at this line names.
    fn beside(&self, line: Line, written: &str) -> PathBuf {
        self.reader.files[line.file].folder().join(written)
    }

    /// The path of a file that stands at a key.
    fn file(&mut self, node: &Node, kind: &str, key: &str) -> Result<(), PlanError> {
        let written = self.reader.text(node, key)?;
        self.path(node.line, kind, &format!("`{key}: {written}`"), &self.beside(node.line, &written));
        Ok(())
    }

    pub(super) fn path(&mut self, line: Line, kind: &str, asked: &str, path: &Path) {
        if let Some(why) = self.repository.objection(path) {
            self.ask_meaning(line, format!("{kind} {}", clean(path).display()), asked, why);
        }
    }

    fn context(&mut self, line: Line, key: &str, context: &str) {
        let asked = format!("`{key}: {context}`");
        if is_address(context) {
            self.ask_meaning(line, format!("context {context}"), asked, "builds what is elsewhere");
        } else {
            self.path(line, "context", &asked, &self.beside(line, context));
        }
    }
}

/// Whether a path is the engine's socket, or a folder that has it.
fn is_engine(source: &Path) -> bool {
    let is = |path: &Path| {
        ENGINE.iter().any(|engine| path == Path::new(engine))
            || path.file_name().is_some_and(|name| SOCKETS.iter().any(|socket| name == *socket))
    };
    is(&clean(source)) || real(source).is_some_and(|real| is(&real))
}

/// Whether a build's context is no folder (compose-go, `isRemoteContext`; BuildKit knows more schemes).
fn is_address(context: &str) -> bool {
    context.contains("://") || context.starts_with("git@") || context.starts_with("github.com/")
}
