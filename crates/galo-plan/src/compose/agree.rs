//! Whether Compose reads a file as galo read it: by the file that Compose itself makes of it (`docker compose config`).
//!
//! galo refuses and limits by its own reading, and Compose starts by its own. Where the two differ (an override file, a
//! variable of the environment, a rule that galo does not know), neither the refusals nor the budget would hold.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use super::extends::Document;
use super::file::File;
use super::raw::RawCompose;
use super::trust::{self, Need};
use crate::contender::{Container, Contender, NeedsTrust, Runner, Service};
use crate::error::PlanError;
use crate::units::format_cpus_nano;

impl Contender {
    /// Holds what Compose made of the contender's file, as its `config` prints it, against what was read of it: services,
    /// their limits, published ports, networks of the machine, mounts and dependencies, and what its setting turns. Compose may
    /// ask for nothing that needs trust unless the file itself does.
    ///
    /// # Errors
    /// They differ, with both values; the file has changed since it was read; `config` is no Compose file.
    pub fn agrees_with_compose(&self, config: &str) -> Result<(), PlanError> {
        let shown = self.file.display().to_string();
        let own = self.read_again()?;
        let made = File {
            shown: format!("{shown} (as Compose reads it)"),
            path: self.file.clone(),
            text: config.to_owned(),
            named_at: None,
        };
        let made = Document::of_config(made)?;
        let differ = Differ { file: &shown };
        let known = needs(&own)?;
        for more in needs(&made)? {
            let is_same =
                |need: &Need| need.meaning == more.meaning && need.needs.service == more.needs.service;
            if !known.iter().any(is_same) {
                let NeedsTrust { service, asked, why } = &more.needs;
                return differ.report(service.as_deref(), &format!("{asked} ({why})"), "nothing of it");
            }
        }
        let made = Self::resolved(&made, RawCompose::read(made.reader(), &made.root)?)?;
        differ.services(&made.services, &self.services)?;
        differ.setting(&made.services, self)
    }
}

impl Contender {
    /// Whether its file still says what was read of it, `.env` and what it extends included.
    ///
    /// # Errors
    /// It does not, or cannot be read any more.
    pub fn require_unchanged(&self) -> Result<(), PlanError> {
        self.read_again().map(drop)
    }

    fn read_again(&self) -> Result<Document, PlanError> {
        let document = Document::read(File::read(&self.file)?, Some(Runner::Docker))?;
        match document.sha256() == self.file_sha256 {
            true => Ok(document),
            false => {
                let shown = self.file.display();
                Err(PlanError::Invalid(format!(
                    "{shown}: the file has changed since it was read\nhint: begin anew"
                )))
            }
        }
    }
}

/// What a document asks for that needs trust.
fn needs(document: &Document) -> Result<Vec<Need>, PlanError> {
    trust::needs(document.reader(), &document.root, &[])
}

struct Differ<'a> {
    file: &'a str,
}

impl Differ<'_> {
    fn report(&self, service: Option<&str>, compose: &str, galo: &str) -> Result<(), PlanError> {
        let place = service.map_or_else(String::new, |service| format!("service `{service}`: "));
        let hint = "hint: is there an override file, or a variable that only the environment has? galo reads the file and \
                    the `.env` beside it alone";
        Err(PlanError::Invalid(format!(
            "{}: {place}Compose reads {compose} where galo read {galo}\n{hint}",
            self.file
        )))
    }

    /// Tells two values of a field that differ.
    fn same<T: PartialEq>(
        &self,
        service: &str,
        field: &str,
        (compose, galo): (T, T),
        words: impl Fn(&T) -> String,
    ) -> Result<(), PlanError> {
        if compose == galo {
            return Ok(());
        }
        self.report(Some(service), &format!("{field} {}", words(&compose)), &words(&galo))
    }

    fn services(&self, compose: &[Service], galo: &[Service]) -> Result<(), PlanError> {
        let by_name = |services: &[Service]| -> BTreeMap<String, Service> {
            services.iter().map(|service| (service.name.clone(), service.clone())).collect()
        };
        let (compose, galo) = (by_name(compose), by_name(galo));
        let (names, own): (Vec<_>, Vec<_>) = (compose.keys().collect(), galo.keys().collect());
        if names != own {
            return self.report(None, &format!("the services {}", all(&names)), &all(&own));
        }
        compose.values().zip(galo.values()).try_for_each(|(compose, galo)| self.service(compose, galo))
    }

    /// That what a setting turns reaches the containers. Limits are compared anyway.
    fn setting(&self, compose: &[Service], galo: &Contender) -> Result<(), PlanError> {
        for service in &galo.services {
            let over = galo.setting.as_ref().map(|setting| &setting.over["services"][&service.name]);
            let Some(over) = over.filter(|over| !over.is_null()) else { continue };
            let Some(made) = compose.iter().find(|made| made.name == service.name) else { continue };
            let turned = over["environment"].as_object().into_iter().flatten();
            for (name, _) in turned {
                let values = (made.environment.get(name), service.environment.get(name));
                self.same(&service.name, &format!("variable {name}"), values, |value| format!("{value:?}"))?;
            }
            if ["command", "entrypoint"].iter().any(|key| !over[*key].is_null()) {
                let commands = (&made.command, &service.command);
                self.same(&service.name, "command", commands, |words| all(words))?;
            }
        }
        Ok(())
    }

    fn service(&self, compose: &Service, galo: &Service) -> Result<(), PlanError> {
        let name = &galo.name;
        let bytes = |bytes: &u64| format!("{bytes} bytes");
        self.same(name, "cpus", (compose.cpus_nano(), galo.cpus_nano()), |nano| {
            format_cpus_nano(u128::from(*nano))
        })?;
        self.same(name, "memory", (compose.memory_bytes, galo.memory_bytes), bytes)?;
        self.same(name, "processes", (compose.pids_max, galo.pids_max), |most| {
            most.map_or_else(|| "without a limit".to_owned(), |most| most.to_string())
        })?;
        self.same(name, "cpuset", (&compose.cpuset, &galo.cpuset), |cores| all(cores))?;
        let needed = |service: &Service| service.depends_on.iter().cloned().collect::<BTreeSet<_>>();
        self.same(name, "depends_on", (needed(compose), needed(galo)), |names| {
            all(&names.iter().collect::<Vec<_>>())
        })?;
        let (Some(compose), Some(galo)) = (&compose.container, &galo.container) else { return Ok(()) };
        self.container(name, compose, galo)
    }

    fn container(&self, name: &str, compose: &Container, galo: &Container) -> Result<(), PlanError> {
        self.same(name, "host network", (compose.has_host_network, galo.has_host_network), bool::to_string)?;
        self.same(name, "published ports", (&compose.ports, &galo.ports), |ports| all(ports))?;
        let mounts = |container: &Container| {
            let mount = |bind: &crate::contender::Bind| {
                let mode = if bind.is_writable { "rw" } else { "ro" };
                format!("{}:{}:{mode}", bind.source.display(), bind.target)
            };
            container.binds.iter().map(mount).collect::<BTreeSet<_>>()
        };
        self.same(name, "mounts", (mounts(compose), mounts(galo)), |mounts| {
            all(&mounts.iter().collect::<Vec<_>>())
        })
    }
}

/// A list for a message.
fn all<T: Debug>(items: &[T]) -> String {
    format!("{items:?}")
}
