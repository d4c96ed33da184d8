//! Compose files: as written, with what their services extend (`extends`), as understood (`raw`), and resolved into
//! services (`resolve`), for processes or for containers ([`Reading::runner`]).
//! [`crate::Contender::load`] is the way in.
//!
//! A key that Compose does not know, or galo does not know inside of `x-galo`, is an error. What would change the fight if
//! it were left alone is refused with a hint: the keys of `keys::REFUSED`, `include`, and (where it is started) more than one replica.
//!
//! **Processes.** A file may say much that has no meaning where services are plain processes on loopback (images,
//! networks, labels): such keys are left alone, those that speak of swap (`memswap_limit`, `mem_swappiness`) too, since no
//! process gets any.
//!
//! **Containers.** Compose itself does what the file says; here it is read to know limits and ports beforehand, and to
//! refuse what only a trusted file may ask for (`trust`). What `x-galo` says of a service is for processes. That Compose
//! reads the file as it was read here is checked with its own words (`agree`).

mod agree;
mod checked;
mod container;
mod extends;
mod file;
mod interpolate;
mod mounts;
mod order;
mod ports;
mod raw;
mod reader;
mod ready;
mod repository;
mod resolve;
mod setting;
mod stop;
mod trust;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::challenge::Policy;
use crate::compose_keys as keys;
use crate::contender::{Contender, Runner, Service};
use crate::error::PlanError;
use crate::knob::{self, Knob, Reach, Setting, Turn};
pub(crate) use checked::{Checked, CheckedService};
use extends::Document;
use file::File;
use raw::RawCompose;
use reader::Reader;

/// Names that a Compose file has by default, in the order in which they are looked for.
const DEFAULT_NAMES: [&str; 4] = ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];

/// How a Compose file is read.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'a> {
    /// What every contender of its challenge shares.
    pub policy: &'a Policy,
    /// How its services are to be started; `None`: as processes where the file says how (it has `x-galo`), else in containers.
    pub runner: Option<Runner>,
    /// What only a trusted file may ask an engine for is not refused.
    pub is_trusted: bool,
    /// That it takes more than the budget is known, and not refused.
    pub is_over_budget_known: bool,
    /// The setting that is laid over the file; empty: none.
    pub setting: &'a [Turn],
}

impl<'a> Reading<'a> {
    /// A file that is not trusted and keeps within the budget, started as it says itself.
    pub fn untrusted(policy: &'a Policy) -> Self {
        Self { policy, runner: None, is_trusted: false, is_over_budget_known: false, setting: &[] }
    }
}

impl Contender {
    /// Reads a Compose file (or the `compose.yaml` of a folder), resolves it for its runner, and holds it against the
    /// budget. The challenge is the one that it names, or nothing.
    ///
    /// # Errors
    /// Broken YAML, an unknown key (with file, line and the nearest right word), a missing limit, limits above the
    /// budget, a dependency that is unknown or in a circle; of a process no command; of containers nobody at the
    /// challenge's port, or what only a trusted file may ask for.
    pub fn load(path: &Path, reading: &Reading<'_>) -> Result<Self, PlanError> {
        let mut document = Document::read(File::read(&find(path)?)?, reading.runner)?;
        let setting = Self::laid_over(&mut document, reading.setting)?;
        let reader = document.reader();
        // A mistake is told before what needs trust.
        let raw = RawCompose::read(reader, &document.root)?;
        if document.runner == Runner::Docker && !reading.is_trusted {
            check_trust(&document, reading.policy)?;
        }
        let contender = Self::resolved(&document, raw)?.at(setting);
        if document.runner == Runner::Docker {
            check_port(reader, &contender.services, reading.policy.port)?;
        }
        if !reading.is_over_budget_known {
            resolve::check_budget(reader, &contender.services, reading.policy)?;
        }
        Ok(contender)
    }

    /// What a document says, whoever may ask for it.
    fn resolved(document: &Document, raw: RawCompose) -> Result<Self, PlanError> {
        let reader = document.reader();
        let (challenge, title, language) = (raw.challenge.clone(), raw.title.clone(), raw.language.clone());
        let (written_name, own_names, connects) = (raw.name.clone(), raw.own_names.clone(), raw.connects);
        let services = resolve::services(reader, raw)?;
        let file = document.files[0].path.clone();
        let name = written_name.unwrap_or_else(|| name(&file));
        Ok(Self {
            title: title.unwrap_or_else(|| name.clone()),
            name,
            language,
            challenge: challenge.unwrap_or_default(),
            file_sha256: document.sha256(),
            services,
            file,
            runner: document.runner,
            own_names,
            connects,
            setting: None,
            null_of: None,
        })
    }

    /// Lays what is turned over a document; `None`: nothing is.
    fn laid_over(document: &mut Document, turns: &[Turn]) -> Result<Option<Setting>, PlanError> {
        if turns.is_empty() {
            // What is declared wrongly is told before anybody turns it.
            setting::declared(document.reader(), &document.root)?;
            return Ok(None);
        }
        setting::lay_over(document, turns).map(Some)
    }

    /// The same at a setting, by which it is called.
    fn at(self, setting: Option<Setting>) -> Self {
        let of = self.name.clone();
        Self { setting, ..self }.called(&of)
    }

    /// The same under another name, before that of its setting if it has one.
    #[must_use]
    pub fn called(self, of: &str) -> Self {
        let Some(setting) = self.setting else { return Self { name: of.to_owned(), ..self } };
        let name = format!("{of} {}", knob::told(&setting.turns));
        Self { name, setting: Some(Setting { of: of.to_owned(), ..setting }), ..self }
    }

    /// Where a knob of a Compose file (or the one of a folder) goes.
    ///
    /// # Errors
    /// It cannot be read, or there is no such knob, with what to do.
    pub fn reach_of(path: &Path, runner: Option<Runner>, knob: &str) -> Result<Reach, PlanError> {
        let mut document = Document::read(File::read(&find(path)?)?, runner)?;
        setting::reach(&mut document, knob)
    }

    /// The knobs that a Compose file (or the one of a folder) declares.
    ///
    /// # Errors
    /// It cannot be read, or is no Compose file.
    pub fn knobs_of(path: &Path, runner: Option<Runner>) -> Result<Vec<Knob>, PlanError> {
        let document = Document::read(File::read(&find(path)?)?, runner)?;
        let declared = setting::declared(document.reader(), &document.root)?;
        Ok(declared.into_iter().map(|declared| declared.knob).collect())
    }

    /// The challenge that a Compose file (or the one of a folder) names, if it names one, with the path of that file,
    /// absolute.
    ///
    /// # Errors
    /// It cannot be read, or is no Compose file.
    pub fn challenge_of(path: &Path) -> Result<(Option<String>, PathBuf), PlanError> {
        let document = Document::read(File::read(&find(path)?)?, None)?;
        let named = RawCompose::read(document.reader(), &document.root)?.challenge;
        Ok((named, document.files[0].path.clone()))
    }
}

/// Refuses what only a trusted file may ask for.
fn check_trust(document: &Document, policy: &Policy) -> Result<(), PlanError> {
    let reader = document.reader();
    match trust::needs(reader, &document.root, &policy.networks)?.first() {
        Some(need) => {
            let hint = "hint: leave it out, or say that the file is trusted: --trust";
            reader.error(need.line, format!("{}\n{hint}", need.needs))
        }
        None => Ok(()),
    }
}

/// Somebody is at the port where the traffic goes. Who has the machine's own network may be, whatever the file says.
fn check_port(reader: Reader<'_>, services: &[Service], port: u16) -> Result<(), PlanError> {
    let containers = || services.iter().filter_map(|service| service.container.as_ref());
    if containers().any(|container| container.has_host_network || container.ports.contains(&port)) {
        return Ok(());
    }
    let hint = format!(
        "hint: write `ports: [\"{port}:80\"]` at the load balancer, with the port that it listens at"
    );
    let published: BTreeSet<u16> = containers().flat_map(|container| container.ports.clone()).collect();
    let published: Vec<String> = published.iter().map(|port| format!("`{port}`")).collect();
    let others = if published.is_empty() {
        String::new()
    } else {
        format!(" (it publishes {})", published.join(", "))
    };
    reader.file_error(format!("no service publishes port {port}, where the traffic goes{others}\n{hint}"))
}

/// The Compose file of a folder, as Compose looks for it.
pub(crate) fn file_of(folder: &Path) -> Option<PathBuf> {
    DEFAULT_NAMES.iter().map(|name| folder.join(name)).find(|file| file.is_file())
}

fn find(path: &Path) -> Result<PathBuf, PlanError> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    file_of(path).ok_or_else(|| {
        let names = DEFAULT_NAMES.map(|name| format!("`{name}`")).join(", ");
        PlanError::Invalid(format!(
            "there is no Compose file in `{}`\nhint: it may be named {names}",
            path.display()
        ))
    })
}

/// The folder's name; of a file that has not one of the default names its own comes after that, since a folder may hold
/// several: `fast-tuned` of `fast/tuned.yaml`.
fn name(file: &Path) -> String {
    let text = |part: Option<&OsStr>| part.map(|part| part.to_string_lossy().into_owned());
    let by_default =
        file.file_name().is_some_and(|name| DEFAULT_NAMES.iter().any(|default| name == *default));
    let own = text(file.file_stem()).filter(|_| !by_default);
    match (text(file.parent().and_then(Path::file_name)), own) {
        (Some(folder), Some(own)) if own != folder => format!("{folder}-{own}"),
        (Some(folder), _) => folder,
        (None, own) => own.unwrap_or_else(|| file.to_string_lossy().into_owned()),
    }
}

#[cfg(test)]
mod tests;
