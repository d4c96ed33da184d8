//! The two sides that the options name: commands that galo starts, or servers that run.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, TcpListener};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Result;
use galo_host::{Revision, WORK_TREE, check_out};
use galo_plan::address::Url;
use galo_plan::contender::Ready;
use galo_plan::duel::{DuelCommand, DuelSide};
use galo_plan::{Contender, DuelPlan, Service};

use super::limits::Limits;

use crate::cli::DuelArgs;
use crate::exit::WrongUse;
use crate::output::say;
use crate::stop::{stop_flag, stopped};
use crate::written::{apart, folder, is_address, variables};

/// How long a command may take until it listens.
const READY_NS: u64 = 30_000_000_000;
/// Where free ports are looked for: below those that the kernel gives to outgoing connections, which galo makes many of.
const PORTS: Range<u16> = 11_000..31_000;
/// The only service of a command.
const SERVICE: &str = "command";

/// The two sides that the options name, with the revision that each is of. `known`: the duel that is gone on with, whose ports
/// are taken again.
///
/// # Errors
/// What is wrong, with what to do.
pub(super) fn sides(
    duel: &DuelArgs,
    limits: &Limits,
    known: Option<&DuelPlan>,
) -> Result<([DuelSide; 2], [Option<Revision>; 2])> {
    let texts = two_texts(duel)?;
    if texts.iter().all(|text| is_address(text)) {
        refuse_options_of_commands(duel)?;
    } else if let Some(option) = duel.reach.given() {
        let text = format!("{option} is for addresses, and galo starts a command");
        return Err(WrongUse(format!("{text}\nhint: leave it out; --url says where commands listen")).into());
    }
    let here = folder(duel.cwd.as_deref().unwrap_or(Path::new(".")))?;
    let revisions = match duel.git.as_slice() {
        [first, second] => {
            let (stop, mut is_told) = (stop_flag()?, false);
            let mut waits = |tree: &Path| {
                if !std::mem::replace(&mut is_told, true) {
                    say(&format!("waiting for another galo, which makes or builds `{}`", tree.display()));
                }
                !stopped(&stop)
            };
            check_out(&here, [first, second], duel.build.as_deref(), &mut waits)?
        }
        _ => [None, None],
    };
    let [name_a, name_b] = names(duel, &texts)?;
    let ports = match known {
        None => ports(duel)?,
        Some(known) => known.sides.each_ref().map(|side| side.command.as_ref().map_or(0, |it| it.port)),
    };
    let side = |number: usize, name| {
        side(name, &texts[number], ports[number], (&here, revisions[number].as_ref()), duel, limits)
    };
    let both = [side(0, name_a)?, side(1, name_b)?];
    Ok((both, revisions))
}

/// What was written for each side; of two revisions the only command is that of both.
fn two_texts(duel: &DuelArgs) -> Result<[String; 2], WrongUse> {
    let mut texts = duel.sides.clone();
    match (duel.git.len(), texts.as_slice()) {
        (0, _) => {}
        (2, [command]) => texts = vec![command.clone(), command.clone()],
        (2, texts) => {
            let hint = "give one, which is run in each of them";
            return Err(WrongUse(format!("{} commands for two revisions\nhint: {hint}", texts.len())));
        }
        _ => {
            let hint = "name two revisions: --git main --git my-branch";
            return Err(WrongUse(format!("--git is given once, or more than twice\nhint: {hint}")));
        }
    }
    <[String; 2]>::try_from(texts).map_err(|texts| {
        let given = match texts.len() {
            0 => "nothing is".to_owned(),
            1 => "only one side is".to_owned(),
            n => format!("{n} sides are"),
        };
        let hint = "give two commands with --url, or two addresses; for more, fight two at a time";
        WrongUse(format!("{given} given to fight\nhint: {hint}"))
    })
}

/// What would have no effect where galo starts nothing.
fn refuse_options_of_commands(duel: &DuelArgs) -> Result<(), WrongUse> {
    let given = [
        ("--url", duel.url.is_some()),
        ("--build", duel.build.is_some()),
        ("--cwd", duel.cwd.is_some()),
        ("--env", !duel.env.is_empty()),
        ("--before", duel.before.is_some()),
        ("--after", duel.after.is_some()),
        ("--cpus", duel.cpus.is_some()),
        ("--memory", duel.memory.is_some()),
        ("--unlimited", duel.unlimited),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(WrongUse(format!(
            "{option} is for commands, and both sides are addresses\nhint: leave it out"
        ))),
    }
}

fn names(duel: &DuelArgs, texts: &[String; 2]) -> Result<[String; 2], WrongUse> {
    let names = match (duel.name.as_slice(), duel.git.as_slice()) {
        ([first, second], _) => [first.clone(), second.clone()],
        ([], [first, second]) => [first, second].map(|name| match name.as_str() {
            WORK_TREE => "work tree".to_owned(),
            name => name.to_owned(),
        }),
        ([], _) => told_apart(texts),
        (names, _) => {
            let given = match names.len() {
                1 => "once".to_owned(),
                n => format!("{n} times"),
            };
            let hint = "give --name twice: for the first side and for the second";
            return Err(WrongUse(format!("--name is given {given} for two sides\nhint: {hint}")));
        }
    };
    if names[0] == names[1] {
        return Err(WrongUse(format!("both sides are called `{}`\nhint: give two names", names[0])));
    }
    Ok(names)
}

/// Names without being asked: the words in which the two differ, e.g. `a.js` of `node a.js` and `node b.js`.
pub(super) fn told_apart(texts: &[String; 2]) -> [String; 2] {
    let [first, second] = texts;
    if first == second {
        return ["first".to_owned(), "second".to_owned()];
    }
    let words = texts.each_ref().map(|text| text.split_whitespace().collect::<Vec<_>>());
    let own: Vec<String> = apart(&words).iter().map(|words| words.join(" ")).collect();
    match <[String; 2]>::try_from(own) {
        Ok(own) if own.iter().all(|name| !name.is_empty()) => own,
        _ => texts.clone(),
    }
}

/// The port of each command: one that both share, or two on which nobody listens now.
fn ports(duel: &DuelArgs) -> Result<[u16; 2], WrongUse> {
    match &duel.url {
        Some(url) if url.contains("{port}") => {
            let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
            // Each process begins at two of its own, so that two that look at once do not take the same one.
            let start = (2 * u64::from(std::process::id()) % u64::from(PORTS.end - PORTS.start)) as u16;
            let mut free = (PORTS.start + start..PORTS.end).chain(PORTS).filter(is_free);
            match (free.next(), free.next()) {
                (Some(first), Some(second)) => Ok([first, second]),
                _ => {
                    let hint = "give one in place of {port}";
                    Err(WrongUse(format!("no port is free from {} on\nhint: {hint}", PORTS.start)))
                }
            }
        }
        Some(url) => Ok([Url::parse(url).map_err(WrongUse)?.port; 2]),
        None => Ok([0; 2]),
    }
}

/// One side, which runs in the folder `here` unless it is of a revision.
fn side(
    name: String,
    text: &str,
    port: u16,
    (here, revision): (&Path, Option<&Revision>),
    duel: &DuelArgs,
    limits: &Limits,
) -> Result<DuelSide, WrongUse> {
    if is_address(text) {
        Url::parse(text).map_err(WrongUse)?;
        return Ok(DuelSide { name, url: text.to_owned(), command: None });
    }
    let is_file = |extension| Path::new(text).extension().is_some_and(|own| own == extension);
    if Path::new(text).is_dir() || is_file("yaml") || is_file("yml") {
        let hint = "contenders fight contenders: galo fight DIR DIR";
        return Err(WrongUse(format!("`{text}` is a contender, not a command\nhint: {hint}")));
    }
    let Some(url) = &duel.url else {
        let hint = "say where it listens: --url 'http://127.0.0.1:{port}/'";
        return Err(WrongUse(format!("`{text}` is a command\nhint: {hint}")));
    };
    let filled = |text: &str| text.replace("{port}", &port.to_string());
    let (line, url) = (filled(text), filled(url));
    let parsed = Url::parse(&url).map_err(WrongUse)?;
    let folder = revision.map_or(here, |revision| &revision.folder).to_path_buf();
    let service = service(&line, &parsed, folder, duel, limits)?;
    let contender = Contender {
        name: name.clone(),
        title: line,
        language: None,
        challenge: String::new(),
        file: PathBuf::new(),
        file_sha256: String::new(),
        services: vec![service],
        runner: galo_plan::Runner::Process,
        own_names: galo_plan::OwnNames::default(),
        connects: false,
        setting: None,
        null_of: None,
    };
    let commit = revision.map(|revision| revision.commit.clone());
    let command = DuelCommand { contender, port, commit, after: duel.after.clone() };
    Ok(DuelSide { name, url, command: Some(Box::new(command)) })
}

/// A command as a service, which is ready when it listens where the address says.
fn service(
    line: &str,
    url: &Url,
    folder: PathBuf,
    duel: &DuelArgs,
    limits: &Limits,
) -> Result<Service, WrongUse> {
    let mut environment = variables(&duel.env)?;
    environment.entry("PORT".to_owned()).or_insert_with(|| url.port.to_string());
    Ok(Service {
        name: SERVICE.to_owned(),
        build: duel.build.clone(),
        setup: duel.before.clone(),
        command: vec!["/bin/sh".to_owned(), "-c".to_owned(), line.to_owned()],
        environment,
        workdir: folder,
        user: None,
        ready: Ready::Tcp(url.place()),
        ready_timeout_ns: READY_NS,
        depends_on: Vec::new(),
        cpus_milli: limits.cpus_milli,
        cpuset: Vec::new(),
        memory_bytes: limits.memory_bytes,
        ulimits: BTreeMap::new(),
        pids_max: Some(galo_plan::contender::PIDS_MAX),
        volumes: Vec::new(),
        stop: None,
        container: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_called_by_the_words_that_tell_them_apart() {
        let told = |first: &str, second: &str| told_apart(&[first.to_owned(), second.to_owned()]);
        assert_eq!(told("node a.js", "node b.js"), ["a.js", "b.js"]);
        assert_eq!(told("node a.js {port}", "bun b.ts {port}"), ["node a.js", "bun b.ts"]);
        assert_eq!(told("app", "app --fast"), ["app", "app --fast"]);
        assert_eq!(told("app", "app"), ["first", "second"]);
        assert_eq!(told("http://a/", "http://b/"), ["http://a/", "http://b/"]);
    }
}
