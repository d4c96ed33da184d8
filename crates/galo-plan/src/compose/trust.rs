//! What only a trusted file may ask an engine for: what gets it out of its container, at files outside of its repository,
//! or at what belongs to somebody else.
//!
//! An engine runs as root. Whoever may say `privileged: true` or mount `/` in a file that galo starts owns the machine.

use std::path::Path;

use super::mounts::{self, From, Mount};
use super::node::{Entry, Line, Node, Value};
use super::reader::{Reader, get};
use super::repository::{Repository, clean, real};
use crate::contender::NeedsTrust;
use crate::error::PlanError;

/// Keys of a service that are too much whatever they say.
const KEYS: &[(&str, &str)] = &[
    ("cap_add", "gives it rights that a container does not have"),
    ("cgroup_parent", "puts it under limits of somebody else"),
    ("credential_spec", "hands it credentials of the machine"),
    ("device_cgroup_rules", "lets it at devices of the machine"),
    ("devices", "hands it a device of the machine"),
    ("external_links", "reaches containers of somebody else"),
    ("gpus", "hands it a device of the machine"),
    ("provider", "runs a program of the machine"),
    ("runtime", "chooses what keeps it in"),
    ("use_api_socket", "hands it the engine itself"),
];

/// Namespaces of a service that may be the machine's or another container's.
const NAMESPACES: &[(&str, &str)] = &[
    ("cgroup", "shows it the machine's control groups"),
    ("ipc", "shares memory with what is outside of it"),
    ("userns_mode", "makes its root the machine's"),
    ("uts", "lets it rename the machine"),
];

/// Files and folders that are the engine, or lead to it.
const ENGINE: &[&str] = &["/", "/run", "/var/run", "/var"];
const SOCKETS: &[&str] = &["docker.sock", "podman.sock", "containerd.sock", "crio.sock"];

/// What keeps a log on the machine, within bounds, or none.
const LOG_DRIVERS: &[&str] = &["", "json-file", "local", "none"];

/// Something that a document asks for.
pub(super) struct Asked {
    pub(super) line: Line,
    pub(super) needs: NeedsTrust,
    /// The same whichever Compose wrote it, and in which form: with whole paths.
    pub(super) meaning: String,
}

/// All that a document asks for, in its order.
pub(super) fn asked(reader: Reader<'_>, root: &Node) -> Result<Vec<Asked>, PlanError> {
    let repository = Repository::of(reader.files[0].folder());
    let mut asker = Asker { reader, repository, service: None, asked: Vec::new() };
    let Value::Map(top) = &root.value else { return Ok(Vec::new()) };
    for entry in map(get(top, "services")) {
        asker.service = Some(entry.key.clone());
        asker.service(map(Some(&entry.node)))?;
    }
    asker.service = None;
    for entry in map(get(top, "volumes")) {
        asker.volume(entry)?;
    }
    for entry in map(get(top, "networks")) {
        asker.network(entry)?;
    }
    for key in ["configs", "secrets"] {
        for entry in map(get(top, key)) {
            asker.file_of(key, entry)?;
        }
    }
    Ok(asker.asked)
}

/// The entries of a map; nothing where there is none. What must be a map is told by who reads it.
fn map(node: Option<&Node>) -> &[Entry] {
    match node.map(|node| &node.value) {
        Some(Value::Map(entries)) => entries,
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

struct Asker<'a> {
    reader: Reader<'a>,
    repository: Repository,
    service: Option<String>,
    asked: Vec<Asked>,
}

impl Asker<'_> {
    fn ask(&mut self, line: Line, asked: impl Into<String>, why: impl Into<String>) {
        let asked = asked.into();
        self.ask_meaning(line, asked.clone(), asked, why);
    }

    fn ask_meaning(&mut self, line: Line, meaning: String, asked: impl Into<String>, why: impl Into<String>) {
        let service = self.service.clone();
        let needs = NeedsTrust { service, asked: asked.into(), why: why.into() };
        self.asked.push(Asked { line, needs, meaning });
    }

    fn text(&self, entries: &[Entry], key: &str) -> Result<Option<(Line, String)>, PlanError> {
        let text = |node: &Node| Ok((node.line, self.reader.text(node, key)?));
        get(entries, key).map(text).transpose()
    }

    /// Whether a flag is set, in any of the ways in which any Compose lets it be written.
    fn is_set(&self, entries: &[Entry], key: &str) -> Result<Option<Line>, PlanError> {
        let unset = ["", "0", "f", "false", "n", "no", "off"];
        match get(entries, key) {
            Some(Node { line, value: Value::Map(_) | Value::List(_) }) => Ok(Some(*line)),
            _ => Ok(self
                .text(entries, key)?
                .filter(|(_, text)| !unset.contains(&text.to_ascii_lowercase().as_str()))
                .map(|(line, _)| line)),
        }
    }

    fn service(&mut self, entries: &[Entry]) -> Result<(), PlanError> {
        if matches!(get(entries, "profiles"), Some(Node { value: Value::List(names), .. }) if !names.is_empty())
        {
            return Ok(());
        }
        self.rights(entries)?;
        self.namespaces(entries)?;
        for key in ["post_start", "pre_stop"] {
            for hook in get(entries, key).map(list).unwrap_or_default() {
                if let Some(line) = self.is_set(map(Some(hook)), "privileged")? {
                    self.ask(line, format!("`privileged: true` in `{key}`"), "lifts all that keeps it in");
                }
            }
        }
        for mount in get(entries, "volumes")
            .map(|node| mounts::read(self.reader, node))
            .transpose()?
            .unwrap_or_default()
        {
            self.mount(&mount);
        }
        if let Some((line, driver)) = self.text(map(get(entries, "logging")), "driver")?
            && !LOG_DRIVERS.contains(&driver.as_str())
        {
            self.ask(line, format!("the log driver `{driver}`"), "lets the engine write to somewhere else");
        }
        for key in ["env_file", "label_file"] {
            for file in get(entries, key).map(list).unwrap_or_default() {
                let file = get(map(Some(file)), "path").unwrap_or(file);
                let written = self.reader.text(file, key)?;
                self.path(file.line, key, &format!("`{key}: {written}`"), &self.beside(file.line, &written));
            }
        }
        get(entries, "build").map_or(Ok(()), |build| self.build(build))
    }

    fn rights(&mut self, entries: &[Entry]) -> Result<(), PlanError> {
        if let Some(line) = self.is_set(entries, "privileged")? {
            self.ask(line, "`privileged: true`", "lifts all that keeps it in");
        }
        for (key, why) in KEYS {
            match get(entries, key) {
                Some(Node { value: Value::List(nodes), .. }) if nodes.is_empty() => {}
                Some(Node { value: Value::Plain(text), .. }) if text == "false" => {}
                Some(node) => self.ask(node.line, format!("`{key}`"), *why),
                None => {}
            }
        }
        for option in get(entries, "security_opt").map(list).unwrap_or_default() {
            let option_text = self.reader.text(option, "security_opt")?;
            // The only one that takes rights away.
            if !["no-new-privileges", "no-new-privileges:true", "no-new-privileges=true"]
                .contains(&option_text.as_str())
            {
                self.ask(option.line, format!("`security_opt: {option_text}`"), "loosens what keeps it in");
            }
        }
        let resources = map(get(map(get(entries, "deploy")), "resources"));
        if let Some(devices) = get(map(get(resources, "reservations")), "devices") {
            self.ask(devices.line, "`devices`", "hands it a device of the machine");
        }
        Ok(())
    }

    fn namespaces(&mut self, entries: &[Entry]) -> Result<(), PlanError> {
        for (key, why) in NAMESPACES {
            if let Some((line, text)) = self.text(entries, key)?
                && (text == "host" || text.starts_with("container:"))
            {
                self.ask(line, format!("`{key}: {text}`"), *why);
            }
        }
        if let Some((line, text)) = self.text(entries, "pid")?.filter(|(_, text)| !text.is_empty()) {
            self.ask(line, format!("`pid: {text}`"), "shows it the processes of others");
        }
        if let Some((line, text)) = self.text(entries, "network_mode")?
            && !["", "bridge", "default", "host", "none"].contains(&text.as_str())
            && !text.starts_with("service:")
        {
            self.ask(line, format!("`network_mode: {text}`"), "joins a network that is not the file's own");
        }
        for from in get(entries, "volumes_from").map(list).unwrap_or_default() {
            let text = self.reader.text(from, "volumes_from")?;
            if text.starts_with("container:") {
                self.ask(
                    from.line,
                    format!("`volumes_from: {text}`"),
                    "mounts what belongs to somebody else",
                );
            }
        }
        Ok(())
    }

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
    fn beside(&self, line: Line, written: &str) -> std::path::PathBuf {
        self.reader.files[line.file].folder().join(written)
    }

    fn path(&mut self, line: Line, kind: &str, asked: &str, path: &Path) {
        if let Some(why) = self.repository.objection(path) {
            self.ask_meaning(line, format!("{kind} {}", clean(path).display()), asked, why);
        }
    }

    fn build(&mut self, build: &Node) -> Result<(), PlanError> {
        let Value::Map(entries) = &build.value else {
            let context = self.reader.text(build, "build")?;
            self.context(build.line, "build", &context);
            return Ok(());
        };
        let context = self.text(entries, "context")?.unwrap_or((build.line, ".".to_owned()));
        self.context(context.0, "context", &context.1);
        if let Some((line, dockerfile)) = self.text(entries, "dockerfile")?
            && !is_address(&context.1)
        {
            let folder = clean(&self.beside(context.0, &context.1));
            let path = clean(&folder.join(&dockerfile));
            // Whoever may build all of a folder may build by a file in it, which Compose names where nobody does.
            let is_asked = path.starts_with(&folder) && self.repository.objection(&folder).is_some();
            if !is_asked {
                self.path(line, "dockerfile", &format!("`dockerfile: {dockerfile}`"), &path);
            }
        }
        if let Some(more) = get(entries, "additional_contexts") {
            for pair in self.reader.pairs(more, "additional_contexts")? {
                let Some(node) = pair.node else { continue };
                let context = self.reader.text(&node, "additional_contexts")?;
                if !context.starts_with("service:") {
                    self.context(node.line, "additional_contexts", &context);
                }
            }
        }
        for (key, why) in [
            ("cache_from", "lets the build read what is elsewhere"),
            ("cache_to", "lets the build write to somewhere else"),
            ("tags", "replaces images of these names"),
            ("entitlements", "gives the build rights that it does not have"),
            ("secrets", "hands the build secrets of the machine"),
            ("ssh", "hands the build keys of the machine"),
        ] {
            if let Some(node) = get(entries, key) {
                self.ask(node.line, format!("`build.{key}`"), why);
            }
        }
        if let Some(line) = self.is_set(entries, "privileged")? {
            self.ask(line, "`build.privileged`", "lifts all that keeps the build in");
        }
        if let Some((line, text)) = self.text(entries, "network")?
            && (text == "host" || text.starts_with("container:"))
        {
            self.ask(line, format!("`build.network: {text}`"), "lets the build at the machine's own network");
        }
        Ok(())
    }

    fn context(&mut self, line: Line, key: &str, context: &str) {
        let asked = format!("`{key}: {context}`");
        if is_address(context) {
            self.ask_meaning(line, format!("context {context}"), asked, "builds what is elsewhere");
        } else {
            self.path(line, "context", &asked, &self.beside(line, context));
        }
    }

    fn volume(&mut self, volume: &Entry) -> Result<(), PlanError> {
        let (name, entries) = (&volume.key, map(Some(&volume.node)));
        if let Some(line) = self.is_set(entries, "external")? {
            self.ask(line, format!("the external volume `{name}`"), "belongs to somebody else");
        }
        if let Some((line, driver)) = self.text(entries, "driver")?.filter(|(_, driver)| driver != "local") {
            self.ask(
                line,
                format!("the driver `{driver}` of volume `{name}`"),
                "is a program of the machine",
            );
        }
        if let Some(options) = get(entries, "driver_opts").filter(|node| !map(Some(node)).is_empty()) {
            self.ask(
                options.line,
                format!("`driver_opts` of volume `{name}`"),
                "can mount anything of the machine",
            );
        }
        Ok(())
    }

    fn network(&mut self, network: &Entry) -> Result<(), PlanError> {
        let (name, entries) = (&network.key, map(Some(&network.node)));
        if let Some(line) = self.is_set(entries, "external")? {
            self.ask(line, format!("the external network `{name}`"), "belongs to somebody else");
        }
        if let Some((line, driver)) = self.text(entries, "driver")?
            && !["", "bridge", "default"].contains(&driver.as_str())
        {
            let why = "is not a network of the file's own on this machine";
            self.ask(line, format!("the driver `{driver}` of network `{name}`"), why);
        }
        if let Some(options) = get(entries, "driver_opts").filter(|node| !map(Some(node)).is_empty()) {
            self.ask(
                options.line,
                format!("`driver_opts` of network `{name}`"),
                "can join a bridge of the machine",
            );
        }
        Ok(())
    }

    /// The file of a config or a secret.
    fn file_of(&mut self, key: &str, entry: &Entry) -> Result<(), PlanError> {
        let entries = map(Some(&entry.node));
        if let Some(line) = self.is_set(entries, "external")? {
            self.ask(line, format!("`{}`, external, of `{key}`", entry.key), "belongs to somebody else");
        }
        if let Some((line, variable)) = self.text(entries, "environment")? {
            self.ask(line, format!("`environment: {variable}` of `{key}`"), "is of whoever runs galo");
        }
        if let Some((line, file)) = self.text(entries, "file")? {
            self.path(line, key, &format!("`file: {file}` of `{key}`"), &self.beside(line, &file));
        }
        Ok(())
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
