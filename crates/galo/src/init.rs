//! `galo init`: a challenge and its contenders as files to keep, from the line of a duel or the description of an API.
//!
//! Everything is validated, and the challenge read again as galo reads it, before the first file is written.

mod challenge_text;
mod compose_text;
mod draft;
mod names;
mod openapi;
mod quoted;
mod setup;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use galo_plan::{Challenge, NoModel};

use crate::cli::InitArgs;
use crate::exit::{Exit, WrongUse};
use crate::output::{print, say};
use crate::written::server;

use setup::Setup;

/// Name of the challenge's file.
const CHALLENGE: &str = "challenge.toml";
/// Name of a contender's file, in a folder of its own.
const COMPOSE: &str = "compose.yaml";

/// Runs the command.
pub(crate) fn run(args: &InitArgs) -> Result<Exit> {
    let setup = Setup::new(args)?;
    let files = files(&setup, &args.out)?;
    if let Some((taken, _)) = files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        let hint = "name another folder with --out, or remove it";
        return Err(WrongUse(format!("`{}` is there already\nhint: {hint}", taken.display())).into());
    }
    setup.told.iter().for_each(|line| say(line));
    let mut told = String::new();
    for (path, text) in &files {
        write(path, text)?;
        let _ = writeln!(told, "wrote {}", path.display());
    }
    print(&(told + &next(&setup, &args.out)))?;
    Ok(Exit::Done)
}

/// Paths and texts.
fn files(setup: &Setup, out: &Path) -> Result<Vec<(PathBuf, String)>> {
    let path = out.join(CHALLENGE);
    let text = challenge_text::text(&setup.draft, &better_rate(setup, out));
    Challenge::parse(&path.display().to_string(), &text, &NoModel)
        .context("this cannot be written as a challenge")?;
    let contenders = setup
        .entrants
        .iter()
        .map(|entrant| (out.join(&entrant.name).join(COMPOSE), compose_text::text(entrant)));
    Ok([(path, text)].into_iter().chain(contenders).collect())
}

/// A new file, with the folders above it.
fn write(path: &Path, text: &str) -> Result<()> {
    let create = || {
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        std::fs::File::create_new(path)?.write_all(text.as_bytes())
    };
    create().with_context(|| format!("cannot write `{}`", path.display()))
}

/// The command that finds a better rate.
fn better_rate(setup: &Setup, out: &Path) -> String {
    match setup.entrants.first() {
        Some(first) => format!("galo limit {} --profile quick", folder(out, &first.name)),
        None => format!("galo load {} --max-under 'p99<100ms,errors==0'", word(&setup.url)),
    }
}

/// What to do with the files.
fn next(setup: &Setup, out: &Path) -> String {
    let folders: Vec<String> = setup.entrants.iter().map(|entrant| folder(out, &entrant.name)).collect();
    let file = word(&out.join(CHALLENGE).to_string_lossy());
    let check = |address: &String| format!("galo check {} --challenge {file}", word(server(address)));
    let mut lines: Vec<String> = setup.addresses.iter().map(check).collect();
    lines.extend(folders.iter().take(1).map(|folder| format!("galo check {folder}")));
    if folders.len() > 1 {
        lines.push(format!("galo fight {}", folders.join(" ")));
    }
    if lines.is_empty() {
        lines.push(format!("galo check http://127.0.0.1:{} --challenge {file}", setup.draft.port));
    }
    lines.iter().rev().enumerate().fold(String::new(), |told, (number, line)| {
        told + &format!("{} {line}\n", if number == 0 { "next:" } else { "  or:" })
    })
}

fn folder(out: &Path, name: &str) -> String {
    word(&out.join(name).to_string_lossy())
}

/// A word for a shell: in quotation marks where it needs them.
fn word(text: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-:+,@%".contains(&b);
    if !text.is_empty() && text.bytes().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests;
