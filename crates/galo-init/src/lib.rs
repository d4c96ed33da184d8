//! `galo init`: a challenge and its contenders as texts to keep, from the line of a duel, a recording or the description of an
//! API; or one of galo's own contenders, to begin with. The files that galo brings along are here, also those of the first fight.
//!
//! This crate reads files and looks where folders are. It runs nothing, prints nothing and writes nothing: the command line
//! does.
//!
//! Its one key decision: everything is validated, and the challenge's text read again as galo reads it, before whoever
//! asked gets the first text. [`Options`] is what was written; inside, a `Draft` is what it means; [`Files`] has the
//! texts.

mod brought;
mod challenge_text;
mod compose_text;
mod contender;
mod draft;
mod error;
mod names;
mod openapi;
mod options;
mod quoted;
mod resolved;
mod secrets;

use std::path::{Path, PathBuf};

use galo_plan::operands::{server, shell_word as word};
use galo_plan::{Challenge, NoModel};

pub use brought::{FIRST_CONTENDERS, first_contenders};
pub use contender::{Need, needs};
pub use error::InitError;
pub use options::Options;

use draft::{Draft, Entrant};
use resolved::Resolved;

/// Name of the challenge's file.
const CHALLENGE: &str = "challenge.toml";
/// Name of a contender's file, in a folder of its own.
const COMPOSE: &str = "compose.yaml";

/// What is to be written, and what to say of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// Paths below [`Options::out`], and texts: the challenge first, then each contender in the order of the commands. Of a contender
    /// that is copied its own files come first.
    pub files: Vec<(PathBuf, String)>,
    /// What was left out, and why, and which file holds secrets: a line each.
    pub told: Vec<String>,
    /// Commands to go on with, for a shell, the best one first. One at least.
    pub next: Vec<String>,
}

impl Files {
    /// Validates the options, reads the files that they name, and writes the texts.
    ///
    /// # Errors
    /// What is wrong with them, with what to do.
    pub fn new(options: &Options) -> Result<Self, InitError> {
        let resolved = Resolved::new(options)?;
        let files = files(&resolved, &options.out)?;
        let next = next(&resolved, &options.out);
        let mut told = resolved.told;
        told.extend(secrets_told(&resolved.draft, &resolved.entrants, &options.out));
        Ok(Self { files, told, next })
    }
}

/// A line for each file that holds secrets.
fn secrets_told(draft: &Draft, entrants: &[Entrant], out: &Path) -> Vec<String> {
    let of_traffic = draft.scenarios.iter().map(|scenario| &scenario.request);
    let requests = of_traffic.chain(draft.cases.iter().map(|case| &case.request));
    let file = |path: PathBuf| path.display().to_string();
    let challenge = secrets::told(&file(out.join(CHALLENGE)), &secrets::of_requests(requests));
    let contender = |entrant: &Entrant| {
        secrets::told(&file(out.join(&entrant.name).join(COMPOSE)), &secrets::of_entrant(entrant))
    };
    challenge.into_iter().chain(entrants.iter().filter_map(contender)).collect()
}

/// Paths and texts.
fn files(resolved: &Resolved, out: &Path) -> Result<Vec<(PathBuf, String)>, InitError> {
    let path = out.join(CHALLENGE);
    let text = challenge_text::text(&resolved.draft, &better_rate(resolved, out));
    Challenge::parse(&path.display().to_string(), &text, &NoModel).map_err(InitError::Challenge)?;
    let contenders = resolved
        .entrants
        .iter()
        .map(|entrant| (out.join(&entrant.name).join(COMPOSE), compose_text::text(entrant)));
    Ok([(path, text)].into_iter().chain(contenders).collect())
}

/// The command that finds a better rate.
fn better_rate(resolved: &Resolved, out: &Path) -> String {
    match resolved.entrants.first() {
        Some(first) => format!("galo limit {} --profile quick", folder(out, &first.name)),
        None => format!("galo load {} --max-under 'p99<100ms,errors==0'", word(&resolved.url)),
    }
}

/// What to do with the files, the best first: a fight, else a check of what is started, else of an address.
fn next(resolved: &Resolved, out: &Path) -> Vec<String> {
    let folders: Vec<String> = resolved.entrants.iter().map(|entrant| folder(out, &entrant.name)).collect();
    let file = word(&out.join(CHALLENGE).to_string_lossy());
    let mut lines = Vec::new();
    if folders.len() > 1 {
        lines.push(format!("galo fight {}", folders.join(" ")));
    }
    lines.extend(folders.iter().take(1).map(|folder| format!("galo check {folder}")));
    let check = |address: &String| format!("galo check {} --challenge {file}", word(server(address)));
    lines.extend(resolved.addresses.iter().rev().map(check));
    if lines.is_empty() {
        lines.push(format!("galo check http://127.0.0.1:{} --challenge {file}", resolved.draft.port));
    }
    lines
}

fn folder(out: &Path, name: &str) -> String {
    word(&out.join(name).to_string_lossy())
}

#[cfg(test)]
mod tests;
