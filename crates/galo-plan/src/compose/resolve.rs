//! From a Compose file as written to services that can be started.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::interpolate;
use super::raw::{RawCompose, RawService};
use super::reader::{Pair, Reader, get};
use super::{container, keys, order, ready, stop};
use crate::challenge::Policy;
use crate::contender::{PIDS_MAX, Ready, Runner, Service, Ulimit};
use crate::error::PlanError;
use crate::yaml::{Entry, Node, Value};
use crate::{suggest, units};

/// How long a service may take to become ready where the file does not say.
const READY_TIMEOUT_NS: u64 = 60_000_000_000;

/// The least that an engine gives a container (moby, `verifyPlatformContainerResources`).
const LEAST_CPUS_NANO: u64 = 10_000_000;
const LEAST_MEMORY_BYTES: u64 = 6 << 20;

/// Resolves all services, in starting order.
pub(super) fn services(reader: Reader<'_>, raw: RawCompose) -> Result<Vec<Service>, PlanError> {
    if raw.services.is_empty() {
        return reader.file_error("there is no service\nhint: write at least one below `services:`");
    }
    let (mut top, mut raw) = (raw, Vec::new());
    std::mem::swap(&mut top.services, &mut raw);
    raw.iter().try_for_each(|raw| check_runs_once(reader, raw))?;
    let sorted = order::sort(reader, raw, &top.left_out)?;
    sorted.iter().map(|raw| Resolver { reader, raw, top: &top }.service()).collect()
}

/// What is started has one control group, which lives as long as the round.
fn check_runs_once(reader: Reader<'_>, raw: &RawService) -> Result<(), PlanError> {
    if raw.copies.number != 1 {
        let hint = "hint: write each copy as a service with its own port and limits";
        return reader.error(raw.copies.line, format!("a service runs once here\n{hint}"));
    }
    let Some(line) = raw.depends_on.iter().find_map(|dependency| dependency.ended) else { return Ok(()) };
    let message = "no service of a contender may end before the round does";
    let instead = match reader.runner {
        Runner::Process => "run it as `x-galo: { setup: ... }` of the service that needs it",
        Runner::Docker => "let the service that needs it do that first, or its image",
    };
    reader.error(line, format!("{message}\nhint: {instead}"))
}

/// Holds the sums of the limits against the budget.
pub(super) fn check_budget(
    reader: Reader<'_>,
    services: &[Service],
    policy: &Policy,
) -> Result<(), PlanError> {
    let cpus: u128 = services.iter().map(|service| u128::from(service.cpus_nano())).sum();
    if cpus > policy.cpus_nano() {
        let (taken, budget) = (units::format_cpus_nano(cpus), units::format_cpus_nano(policy.cpus_nano()));
        let hint = "hint: lower `deploy.resources.limits.cpus` of its services, or say that it is known: --over-budget";
        return reader.file_error(format!("services take {taken} CPU of {budget}\n{hint}"));
    }
    let memory: u128 = services.iter().map(|service| u128::from(service.memory_bytes)).sum();
    if memory > u128::from(policy.memory_bytes) {
        let (written, budget) = units::format_bytes_apart(memory, policy.memory_bytes);
        let hint = "hint: lower `deploy.resources.limits.memory` of its services, or say that it is known: --over-budget";
        return reader.file_error(format!("services take {written} memory of {budget}\n{hint}"));
    }
    Ok(())
}

struct Resolver<'a> {
    reader: Reader<'a>,
    raw: &'a RawService,
    /// The rest of the file.
    top: &'a RawCompose,
}

impl Resolver<'_> {
    fn service(&self) -> Result<Service, PlanError> {
        match self.reader.runner {
            Runner::Process => self.process(),
            Runner::Docker => self.container(),
        }
    }

    fn container(&self) -> Result<Service, PlanError> {
        let raw = self.raw;
        let cpus_nano = self.limit(&raw.cpus, "cpus", "CPU", units::parse_cpus_nano)?;
        let memory_bytes = self.limit(&raw.memory, "memory", "memory", units::parse_bytes)?;
        self.check_least(cpus_nano, memory_bytes)?;
        Ok(Service {
            name: raw.name.clone(),
            build: None,
            setup: None,
            command: self.words(&[raw.node("entrypoint"), raw.node("command")])?,
            environment: self.environment(&raw.environment, &[])?,
            workdir: self.reader.files[0].folder().to_owned(),
            user: None,
            ready: ready::of_container(self.reader, raw)?,
            ready_timeout_ns: READY_TIMEOUT_NS,
            depends_on: raw.depends_on.iter().map(|dependency| dependency.name.clone()).collect(),
            cpus_milli: units::rounded_milli(cpus_nano),
            cpuset: self.cpuset()?,
            memory_bytes,
            pids_max: raw.pids.is_some().then(|| self.pids_max()).transpose()?.flatten(),
            ulimits: self.ulimits()?,
            volumes: Vec::new(),
            stop: stop::resolve(self.reader, raw)?,
            container: Some(container::resolve(self.reader, raw, self.top, cpus_nano)?),
        })
    }

    /// An engine refuses less.
    fn check_least(&self, cpus_nano: u64, memory_bytes: u64) -> Result<(), PlanError> {
        let (raw, name) = (self.raw, &self.raw.name);
        let line = |node: &Option<Node>| node.as_ref().map_or(raw.line, |node| node.line);
        if cpus_nano < LEAST_CPUS_NANO {
            let message =
                format!("service `{name}` has less CPU than an engine gives\nhint: write 0.01 or more");
            return self.reader.error(line(&raw.cpus), message);
        }
        if memory_bytes < LEAST_MEMORY_BYTES {
            let message =
                format!("service `{name}` has less memory than an engine gives\nhint: write 6MB or more");
            return self.reader.error(line(&raw.memory), message);
        }
        Ok(())
    }

    fn process(&self) -> Result<Service, PlanError> {
        let raw = self.raw;
        let text = |key: &str| raw.galo(key).map(|node| self.reader.text(node, key)).transpose();
        let timeout = raw.galo("ready_timeout");
        let timeout = timeout.map(|node| ready::duration_ns(self.reader, node, "ready_timeout"));
        let service = Service {
            name: raw.name.clone(),
            build: text("build")?,
            setup: text("setup")?,
            command: self.command()?,
            environment: self.environment(&raw.environment, &raw.galo_environment)?,
            workdir: self.workdir()?,
            user: text("user")?,
            ready: ready::resolve(self.reader, raw)?,
            ready_timeout_ns: timeout.transpose()?.unwrap_or(READY_TIMEOUT_NS),
            depends_on: raw.depends_on.iter().map(|dependency| dependency.name.clone()).collect(),
            cpus_milli: self.limit(&raw.cpus, "cpus", "CPU", units::parse_cpus_milli)?,
            cpuset: self.cpuset()?,
            memory_bytes: self.limit(&raw.memory, "memory", "memory", units::parse_bytes)?,
            pids_max: self.pids_max()?,
            ulimits: self.ulimits()?,
            volumes: Vec::new(),
            stop: stop::resolve(self.reader, raw)?,
            container: None,
        };
        let volumes = self.volumes(&service, &self.top.volumes)?;
        Ok(Service { volumes, ..service })
    }

    fn command(&self) -> Result<Vec<String>, PlanError> {
        let raw = self.raw;
        let command = match raw.galo("command") {
            Some(command) => self.words(&[Some(command)])?,
            None => self.words(&[raw.node("entrypoint"), raw.node("command")])?,
        };
        if command.first().is_none_or(String::is_empty) {
            let hint = "hint: write `x-galo: { command: ... }` in it, since an image's own command is not known here";
            return self.reader.error(raw.line, format!("service `{}` has no command\n{hint}", raw.name));
        }
        Ok(command)
    }

    fn words(&self, parts: &[Option<&Node>]) -> Result<Vec<String>, PlanError> {
        let mut command = Vec::new();
        for node in parts.iter().copied().flatten() {
            command.extend(self.reader.words(node, "command")?);
        }
        Ok(command)
    }

    /// Variables, of which later ones override.
    fn environment(&self, pairs: &[Pair], over: &[Pair]) -> Result<BTreeMap<String, String>, PlanError> {
        let all = pairs.iter().chain(over);
        let mut pairs: BTreeMap<&str, &Pair> = BTreeMap::new();
        for pair in all {
            pairs.insert(&pair.key, pair);
        }
        let mut environment = BTreeMap::new();
        for (key, pair) in pairs {
            if let Some(node) = &pair.node {
                environment.insert(key.to_owned(), self.reader.text(node, key)?);
            }
        }
        Ok(environment)
    }

    fn cpuset(&self) -> Result<Vec<u16>, PlanError> {
        let Some(node) = self.raw.node("cpuset") else { return Ok(Vec::new()) };
        match units::parse_cpuset(&self.reader.text(node, "cpuset")?) {
            Ok(cores) => Ok(cores),
            Err(message) => self.reader.error(node.line, format!("`cpuset`: {message}")),
        }
    }

    fn pids_max(&self) -> Result<Option<u32>, PlanError> {
        let Some(node) = &self.raw.pids else { return Ok(Some(PIDS_MAX)) };
        let text = self.reader.text(node, "pids_limit")?;
        match text.parse::<u32>() {
            _ if text == "-1" => Ok(None),
            Ok(most) if most > 0 => Ok(Some(most)),
            _ => {
                let hint = "write how many processes and threads there may be, or -1 for no limit";
                self.reader.error(node.line, format!("`{text}` is no limit of processes\nhint: {hint}"))
            }
        }
    }

    fn workdir(&self) -> Result<PathBuf, PlanError> {
        let folder = |file: usize| self.reader.files[file].folder();
        let Some(node) = self.raw.galo("workdir") else { return Ok(folder(0).to_owned()) };
        let written = self.reader.text(node, "workdir")?;
        let path = folder(node.line.file).join(&written);
        match path.canonicalize() {
            Ok(path) if path.is_dir() => Ok(path),
            Ok(_) => self.reader.error(node.line, format!("`workdir`: `{written}` is not a folder")),
            Err(error) => {
                let hint = "hint: it is relative to the folder of the file that says it";
                self.reader.error(
                    node.line,
                    format!("cannot use the `workdir` `{}`: {error}\n{hint}", path.display()),
                )
            }
        }
    }

    /// A limit that must be there and may not be 0.
    fn limit<T: Default + PartialEq>(
        &self,
        node: &Option<Node>,
        key: &str,
        name: &str,
        parse: fn(&str) -> Result<T, String>,
    ) -> Result<T, PlanError> {
        let service = &self.raw.name;
        let Some(node) = node else {
            let hint =
                "hint: write `deploy: { resources: { limits: { cpus: \"0.5\", memory: 512MB } } }` in it";
            return self
                .reader
                .error(self.raw.line, format!("service `{service}` has no {name} limit\n{hint}"));
        };
        match parse(&self.reader.text(node, key)?) {
            Ok(limit) if limit == T::default() => {
                self.reader.error(node.line, format!("the {name} limit of service `{service}` may not be 0"))
            }
            parsed => parsed.or_else(|message| self.reader.error(node.line, format!("`{key}`: {message}"))),
        }
    }

    fn ulimits(&self) -> Result<BTreeMap<String, Ulimit>, PlanError> {
        let each = self.raw.ulimits.iter().map(|entry| Ok((entry.key.clone(), self.ulimit(entry)?)));
        each.collect()
    }

    fn ulimit(&self, entry: &Entry) -> Result<Ulimit, PlanError> {
        let (soft, hard) = match &entry.node.value {
            Value::Map(_) => {
                let entries = self.reader.known_map(&entry.node, &entry.key, &keys::ULIMIT)?;
                match (get(entries, "soft"), get(entries, "hard")) {
                    (Some(soft), Some(hard)) => (soft, hard),
                    _ => {
                        return self
                            .reader
                            .error(entry.line, format!("`{}` needs both `soft` and `hard`", entry.key));
                    }
                }
            }
            _ => (&entry.node, &entry.node),
        };
        let number = |node: &Node| -> Result<Option<u64>, PlanError> {
            let text = self.reader.text(node, &entry.key)?;
            if text == "-1" {
                return Ok(None);
            }
            let message =
                || format!("`{}`: `{text}` is not a limit; write a number, or -1 for none", entry.key);
            text.parse().map(Some).or_else(|_| self.reader.error(node.line, message()))
        };
        let (soft, hard) = (number(soft)?, number(hard)?);
        if soft.unwrap_or(u64::MAX) > hard.unwrap_or(u64::MAX) {
            return self
                .reader
                .error(entry.line, format!("`{}`: the soft limit is above the hard one", entry.key));
        }
        Ok(Ulimit { soft, hard })
    }

    /// The volumes that the service's texts name, each once, in the order in which they come.
    fn volumes(&self, service: &Service, declared: &[String]) -> Result<Vec<String>, PlanError> {
        let ready: &[String] =
            if let Ready::Command { command, .. } = &service.ready { command } else { &[] };
        let texts =
            service.command.iter().chain(service.environment.values()).chain(&service.setup).chain(ready);
        let mut volumes: Vec<String> = Vec::new();
        for text in texts {
            let names =
                interpolate::volumes(text).or_else(|message| self.reader.error(self.raw.line, message))?;
            for name in names {
                if !declared.iter().any(|volume| volume == name) {
                    let what = suggest::unknown("volume", name, declared);
                    let hint = "hint: declare it at the top, `volumes:`";
                    return self
                        .reader
                        .error(self.raw.line, format!("service `{}`: {what}\n{hint}", self.raw.name));
                }
                if !volumes.iter().any(|volume| volume == name) {
                    volumes.push(name.to_owned());
                }
            }
        }
        Ok(volumes)
    }
}
