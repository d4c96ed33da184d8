//! From a Compose file as written to services that can be started.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::interpolate;
use super::node::{Entry, Node, Value};
use super::raw::{RawCompose, RawService};
use super::reader::{Pair, Reader, get};
use super::{keys, order, ready, stop};
use crate::challenge::Policy;
use crate::contender::{PIDS_MAX, Ready, Service, Ulimit};
use crate::error::PlanError;
use crate::{suggest, units};

/// How long a service may take to become ready where the file does not say.
const READY_TIMEOUT_NS: u64 = 60_000_000_000;

/// Resolves all services, in starting order.
pub(super) fn services(reader: Reader<'_>, raw: RawCompose) -> Result<Vec<Service>, PlanError> {
    if raw.services.is_empty() {
        return reader.file_error("there is no service\nhint: write at least one below `services:`");
    }
    let volumes = raw.volumes;
    order::sort(reader, raw.services, &raw.left_out)?
        .iter()
        .map(|raw| Resolver { reader, raw }.service(&volumes))
        .collect()
}

/// Holds the sums of the limits against the budget.
pub(super) fn check_budget(
    reader: Reader<'_>,
    services: &[Service],
    policy: &Policy,
) -> Result<(), PlanError> {
    let cpus: u64 = services.iter().map(|service| u64::from(service.cpus_milli)).sum();
    if cpus > u64::from(policy.cpus_milli) {
        // A sum that no longer fits is far beyond any budget; its exact value does not matter.
        let (taken, budget) = (u32::try_from(cpus).unwrap_or(u32::MAX), policy.cpus_milli);
        let (taken, budget) = (units::format_cpus(taken), units::format_cpus(budget));
        let hint = "hint: lower `deploy.resources.limits.cpus` of its services";
        return reader.file_error(format!("services take {taken} CPU of {budget}\n{hint}"));
    }
    let memory: u128 = services.iter().map(|service| u128::from(service.memory_bytes)).sum();
    if memory > u128::from(policy.memory_bytes) {
        let taken = u64::try_from(memory).unwrap_or(u64::MAX);
        let (mut written, mut budget) =
            (units::format_bytes(taken), units::format_bytes(policy.memory_bytes));
        if written == budget {
            (written, budget) = (format!("{taken} bytes"), format!("{} bytes", policy.memory_bytes));
        }
        let hint = "hint: lower `deploy.resources.limits.memory` of its services";
        return reader.file_error(format!("services take {written} memory of {budget}\n{hint}"));
    }
    Ok(())
}

struct Resolver<'a> {
    reader: Reader<'a>,
    raw: &'a RawService,
}

impl Resolver<'_> {
    fn service(&self, declared: &[String]) -> Result<Service, PlanError> {
        let (raw, galo) = (self.raw, &self.raw.galo);
        let text =
            |node: &Option<Node>, name| node.as_ref().map(|node| self.reader.text(node, name)).transpose();
        let timeout =
            galo.ready_timeout.as_ref().map(|node| ready::duration_ns(self.reader, node, "ready_timeout"));
        let service = Service {
            name: raw.name.clone(),
            build: text(&galo.build, "build")?,
            setup: text(&galo.setup, "setup")?,
            command: self.command()?,
            environment: self.environment()?,
            workdir: self.workdir()?,
            user: text(&galo.user, "user")?,
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
        };
        let volumes = self.volumes(&service, declared)?;
        Ok(Service { volumes, ..service })
    }

    fn command(&self) -> Result<Vec<String>, PlanError> {
        let raw = self.raw;
        let parts: &[&Option<Node>] =
            if raw.galo.command.is_some() { &[&raw.galo.command] } else { &[&raw.entrypoint, &raw.command] };
        let mut command = Vec::new();
        for node in parts.iter().copied().flatten() {
            command.extend(self.reader.words(node, "command")?);
        }
        if command.first().is_none_or(String::is_empty) {
            let hint = "hint: write `x-galo: { command: ... }` in it, since an image's own command is not known here";
            return self.reader.error(raw.line, format!("service `{}` has no command\n{hint}", raw.name));
        }
        Ok(command)
    }

    fn environment(&self) -> Result<BTreeMap<String, String>, PlanError> {
        let mut pairs: BTreeMap<&str, &Pair> = BTreeMap::new();
        for pair in self.raw.environment.iter().chain(&self.raw.galo.environment) {
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
        let Some(node) = &self.raw.cpuset else { return Ok(Vec::new()) };
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
        let Some(node) = &self.raw.galo.workdir else { return Ok(folder(0).to_owned()) };
        let written = self.reader.text(node, "workdir")?;
        let path = folder(node.line.file).join(&written);
        match path.canonicalize() {
            Ok(path) if path.is_dir() => Ok(path),
            Ok(_) => self.reader.error(node.line, format!("`workdir`: `{written}` is not a folder")),
            Err(error) => {
                let hint = "hint: it is relative to the folder of the file that says it";
                self.reader
                    .error(node.line, format!("`workdir`: cannot use `{}`: {error}\n{hint}", path.display()))
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
                let entries = self.reader.known_map(&entry.node, &entry.key, keys::ULIMIT)?;
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
