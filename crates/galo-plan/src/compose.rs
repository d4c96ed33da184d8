//! Compose files: as written (`raw`), and resolved into services for the process runner (`resolve`).
//! [`crate::Contender::load`] is the way in.
//!
//! A contest's own file may say much that has no meaning where services are plain processes on loopback (images,
//! networks, labels): keys that Compose knows and that are meaningless here are left alone. A key that Compose does not
//! know, or galo does not know inside of `x-galo`, is an error. What would change the fight if it were left alone is
//! refused with a hint: the keys of `keys::REFUSED` (text from other files, and limits other than CPU and memory),
//! `include`, `deploy.resources.limits.pids`, and more than one replica. Swap is never given, so the keys that speak of
//! it (`memswap_limit`, `mem_swappiness`) are among the meaningless.

mod interpolate;
mod keys;
mod node;
mod order;
mod raw;
mod reader;
mod ready;
mod resolve;

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::challenge::Policy;
use crate::contender::Contender;
use crate::error::PlanError;
use crate::plan::hex;
use crate::source::Source;
use raw::RawCompose;
use reader::Reader;

/// Names that a Compose file has by default, in the order in which they are looked for.
const DEFAULT_NAMES: [&str; 4] = ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];

/// Reads a contender from a Compose file, or from the one of a folder.
pub(crate) fn load(path: &Path, policy: &Policy) -> Result<Contender, PlanError> {
    let path = find(path)?;
    let read_error = |source| PlanError::Read { path: path.clone(), source };
    let bytes = std::fs::read(&path).map_err(read_error)?;
    let file = path.canonicalize().map_err(read_error)?;
    let shown = path.display().to_string();
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| PlanError::Invalid(format!("{shown}: the file is not UTF-8 text")))?;
    let reader = Reader { source: Source { file: &shown, text } };

    let raw = RawCompose::read(reader)?;
    let (challenge, title, language) = (raw.challenge.clone(), raw.title.clone(), raw.language.clone());
    let folder = file.parent().unwrap_or(Path::new("/"));
    let services = resolve::services(reader, raw, folder)?;
    resolve::check_budget(reader, &services, policy)?;
    let name = name(&file);
    Ok(Contender {
        title: title.unwrap_or_else(|| name.clone()),
        name,
        language,
        challenge,
        file_sha256: hex(&Sha256::digest(&bytes)),
        services,
        file,
    })
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

/// The folder's name, or the file's own where the file has not one of the default names.
fn name(file: &Path) -> String {
    let by_default =
        file.file_name().is_some_and(|name| DEFAULT_NAMES.iter().any(|default| name == *default));
    let folder = file.parent().and_then(Path::file_name);
    let name = if by_default { folder } else { file.file_stem() };
    name.unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
