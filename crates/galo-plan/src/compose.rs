//! Compose files: as written, with what their services extend (`extends`), as understood (`raw`), and resolved into
//! services for the process runner (`resolve`).
//! [`crate::Contender::load`] is the way in.
//!
//! A contest's own file may say much that has no meaning where services are plain processes on loopback (images,
//! networks, labels): keys that Compose knows and that are meaningless here are left alone. A key that Compose does not
//! know, or galo does not know inside of `x-galo`, is an error. What would change the fight if it were left alone is
//! refused with a hint: the keys of `keys::REFUSED` (`env_file`, and limits other than CPU, memory and processes), `include`, and more than one replica. Swap is never given, so the keys that speak of
//! it (`memswap_limit`, `mem_swappiness`) are among the meaningless.

mod extends;
mod file;
mod interpolate;
mod keys;
mod node;
mod order;
mod raw;
mod reader;
mod ready;
mod resolve;
mod stop;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::challenge::Policy;
use crate::contender::Contender;
use crate::error::PlanError;
use extends::Document;
use file::File;
use raw::RawCompose;

/// Names that a Compose file has by default, in the order in which they are looked for.
const DEFAULT_NAMES: [&str; 4] = ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];

impl Contender {
    /// Reads a Compose file (or the `compose.yaml` of a folder), resolves it for the process runner, and holds it
    /// against the budget.
    ///
    /// # Errors
    /// Broken YAML, an unknown key (with file, line and the nearest right word), a missing limit, limits above the
    /// budget, a dependency that is unknown or in a circle, a service without a command.
    pub fn load(path: &Path, policy: &Policy) -> Result<Self, PlanError> {
        let path = find(path)?;
        let document = Document::read(File::read(&path)?)?;
        let reader = document.reader();

        let raw = RawCompose::read(reader, &document.root)?;
        let (challenge, title, language) = (raw.challenge.clone(), raw.title.clone(), raw.language.clone());
        let written_name = raw.name.clone();
        let services = resolve::services(reader, raw)?;
        resolve::check_budget(reader, &services, policy)?;
        let file = document.files[0].path.clone();
        let name = written_name.unwrap_or_else(|| name(&file));
        Ok(Self {
            title: title.unwrap_or_else(|| name.clone()),
            name,
            language,
            challenge,
            file_sha256: file::sha256(&document.files),
            services,
            file,
        })
    }

    /// The challenge that a Compose file (or the one of a folder) names, with the path of that file, absolute.
    ///
    /// # Errors
    /// It cannot be read, is no Compose file, or names none.
    pub fn challenge_of(path: &Path) -> Result<(String, PathBuf), PlanError> {
        let document = Document::read(File::read(&find(path)?)?)?;
        let named = RawCompose::read(document.reader(), &document.root)?.challenge;
        Ok((named, document.files[0].path.clone()))
    }
}

fn find(path: &Path) -> Result<PathBuf, PlanError> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let found = DEFAULT_NAMES.iter().map(|name| path.join(name)).find(|file| file.is_file());
    found.ok_or_else(|| {
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
