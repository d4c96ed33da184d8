//! Which challenges there are, with their models: those that are built in, and those that a file holds; and the
//! contenders of the first fight.

pub(crate) mod first;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result};
use galo_plan::{Challenge, ChallengeModel, Contender, NoModel, Reading, Runner, Turn};

use crate::cli::RunnerArgs;
use crate::exit::WrongUse;

/// The challenge that is built in.
pub(crate) const BUILT_IN: &str = "pessoas";

/// A challenge and the Rust that it needs.
#[derive(Clone)]
pub(crate) struct Definition {
    pub(crate) challenge: Challenge,
    pub(crate) model: &'static dyn ChallengeModel,
}

/// The challenge of this name, or in this file.
pub(crate) fn challenge(name: &str) -> Result<Definition> {
    if is_file(name) { in_file(Path::new(name)) } else { built_in(name) }
}

/// Whether what names a challenge is the path of a file.
fn is_file(name: &str) -> bool {
    name.contains('/') || name.ends_with(".toml")
}

/// A challenge that is built in.
struct BuiltIn {
    name: &'static str,
    file: &'static str,
    text: &'static str,
    model: fn() -> &'static dyn ChallengeModel,
    /// Parsed once: a policy is asked for once for each of a contest's files.
    parsed: OnceLock<Challenge>,
}

/// All that are built in.
static ALL_BUILT_IN: [BuiltIn; 2] = [
    BuiltIn {
        name: BUILT_IN,
        file: "challenges/pessoas/challenge.toml",
        text: galo_challenge_pessoas::CHALLENGE_TOML,
        model: galo_challenge_pessoas::model,
        parsed: OnceLock::new(),
    },
    BuiltIn {
        name: "crebitos",
        file: "challenges/crebitos/challenge.toml",
        text: galo_challenge_crebitos::CHALLENGE_TOML,
        model: galo_challenge_crebitos::model,
        parsed: OnceLock::new(),
    },
];

fn built_in(name: &str) -> Result<Definition> {
    built_in_of(&ALL_BUILT_IN, name)
}

/// The one of these that has this name.
fn built_in_of(all: &'static [BuiltIn], name: &str) -> Result<Definition> {
    let Some(found) = all.iter().find(|challenge| challenge.name == name) else {
        let names: Vec<String> = all.iter().map(|challenge| format!("`{}`", challenge.name)).collect();
        let names = names.join(" and ");
        let hint = format!("there are {names}; a file is named by its path, e.g. ./challenge.toml");
        return Err(WrongUse(format!("unknown challenge `{name}`\nhint: {hint}")).into());
    };
    let model = (found.model)();
    let challenge = match found.parsed.get() {
        Some(challenge) => challenge.clone(),
        None => {
            let challenge = Challenge::parse(found.file, found.text, model)?;
            found.parsed.get_or_init(|| challenge).clone()
        }
    };
    Ok(Definition { challenge, model })
}

fn in_file(path: &Path) -> Result<Definition> {
    let text = galo_plan::read_text(path).map_err(|error| {
        let hint = "hint: in a Compose file its path is relative to that file, after --challenge to here";
        WrongUse(format!("cannot read the challenge `{}`: {error}\n{hint}", path.display()))
    })?;
    let challenge = Challenge::parse(&path.display().to_string(), &text, &NoModel)?;
    Ok(Definition { challenge, model: &NoModel })
}

/// How contenders are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct HowRead<'a> {
    /// The challenge that all of them are for, by name or file; a file that names one names this one.
    challenge: Option<&'a str>,
    /// How each is started (`None`: as its file says); one for all; or nothing, which is `None` for all.
    runners: Vec<Option<Runner>>,
    is_trusted: bool,
    is_over_budget_known: bool,
    /// The setting that is laid over each file.
    setting: Vec<Turn>,
}

impl<'a> HowRead<'a> {
    /// As asked for, for so many contenders.
    ///
    /// # Errors
    /// There are more or fewer runners than contenders.
    pub(crate) fn new(args: &'a RunnerArgs, contenders: usize) -> Result<Self, WrongUse> {
        let runners: Vec<_> = args.runner.iter().map(|runner| runner.runner()).collect();
        if runners.len() > 1 && runners.len() != contenders {
            let contenders =
                if contenders == 1 { "1 contender".to_owned() } else { format!("{contenders} contenders") };
            let hint = "hint: name one for all, or one for each, in their order";
            return Err(WrongUse(format!("--runner names {} for {contenders}\n{hint}", runners.len())));
        }
        Ok(Self {
            challenge: args.challenge.as_deref(),
            runners,
            is_trusted: args.trust,
            is_over_budget_known: args.over_budget,
            setting: Vec::new(),
        })
    }

    /// The same at a setting.
    fn at(&self, turns: &[Turn]) -> Self {
        Self { setting: turns.to_vec(), ..self.clone() }
    }

    fn runner(&self, index: usize) -> Option<Runner> {
        self.runners.get(index).or(self.runners.first()).copied().flatten()
    }
}

/// A contender with its challenge: the one that its Compose file names, or that is asked for, or the built-in one where its
/// containers may be at that one's port.
pub(crate) fn contender(path: &Path, asked: &HowRead<'_>) -> Result<(Definition, Contender)> {
    nth_contender(path, 0, asked)
}

/// A contender with its challenge, by the runner that is asked for at this place.
fn nth_contender(path: &Path, index: usize, asked: &HowRead<'_>) -> Result<(Definition, Contender)> {
    if !path.exists() {
        let hint = "name a folder that holds a compose.yaml, or such a file";
        let text = format!("`{}` is no Compose file and no folder with one", path.display());
        return Err(WrongUse(format!("{text}\nhint: {hint}")).into());
    }
    let (named, file) = Contender::challenge_of(path)?;
    let is_of_a_file = named.as_deref().is_some_and(is_file);
    let own = named.map(|named| named_in(&named, &file)).transpose()?;
    let definition = match (own, asked.challenge) {
        (Some(own), None) => own,
        (None, None) => built_in(BUILT_IN)?,
        (None, Some(given)) => challenge(given)?,
        (Some(own), Some(given)) => {
            if own.challenge != challenge(given)?.challenge {
                return Err(another_challenge(path, given).into());
            }
            own
        }
    };
    let contender = read(path, &definition.challenge, asked.runner(index), asked)?;
    // Containers that may be at its port have been read by now.
    let is_guessed = contender.challenge.is_empty() && asked.challenge.is_none();
    if is_guessed && contender.runner == Runner::Process {
        return Err(nameless(&file).into());
    }
    let is_vouched_for = asked.is_trusted || asked.challenge.is_some() || !is_of_a_file;
    let requests = || definition.challenge.cases.iter().flat_map(|case| &case.requests);
    let runs_lines = || requests().any(|request| request.before.is_some());
    if contender.runner == Runner::Docker && !is_vouched_for && runs_lines() {
        return Err(untrusted_lines(&file).into());
    }
    let challenge = definition.challenge.name.clone();
    Ok((definition, Contender { challenge, ..contender }))
}

/// A contender that was read already, at another setting: its challenge is not read again.
///
/// # Errors
/// It cannot be at that setting.
pub(crate) fn at_setting(
    known: (&Definition, &Contender),
    turns: &[Turn],
    asked: &HowRead<'_>,
) -> Result<Contender> {
    let (Definition { challenge, .. }, contender) = known;
    let turned = read(&contender.file, challenge, Some(contender.runner), &asked.at(turns))?;
    Ok(Contender { challenge: challenge.name.clone(), ..turned }.called(&contender.name))
}

fn read(
    path: &Path,
    challenge: &Challenge,
    runner: Option<Runner>,
    asked: &HowRead<'_>,
) -> Result<Contender> {
    let reading = Reading {
        policy: &challenge.policy,
        runner,
        is_trusted: asked.is_trusted,
        is_over_budget_known: asked.is_over_budget_known,
        setting: &asked.setting,
    };
    Ok(Contender::load(path, &reading)?)
}

/// The challenge whose policy a file is held against: the one that is given, or that it names, or the built-in one.
pub(crate) fn challenge_to_hold(path: &Path, given: Option<&str>) -> Result<Challenge> {
    let (named, file) = match given {
        Some(given) => return Ok(challenge(given)?.challenge),
        None => Contender::challenge_of(path)?,
    };
    let definition = named.map_or_else(|| built_in(BUILT_IN), |named| named_in(&named, &file))?;
    Ok(definition.challenge)
}

/// The challenge that a Compose file names.
fn named_in(name: &str, file: &Path) -> Result<Definition> {
    if !is_file(name) {
        let named_there = |error| WrongUse(format!("{}: {error}", file.display()));
        return built_in(name).map_err(|error| named_there(error).into());
    }
    let path = file.parent().unwrap_or(Path::new("/")).join(name);
    in_file(&path.canonicalize().unwrap_or(path))
}

fn another_challenge(path: &Path, given: &str) -> WrongUse {
    let text = format!("`{}` names another challenge than --challenge {given}", path.display());
    let hint = "leave --challenge out: it is for addresses, and for files that name none";
    WrongUse(format!("{text}\nhint: {hint}"))
}

/// Containers keep in what a file starts that nobody trusts; nothing keeps in what its challenge runs.
fn untrusted_lines(file: &Path) -> WrongUse {
    let text = "the challenge that it names runs lines on this machine (`before` in its cases)";
    let hint = "read it, and name it: --challenge FILE; or trust the file: --trust";
    WrongUse(format!("{}: {text}\nhint: {hint}", file.display()))
}

fn nameless(file: &Path) -> WrongUse {
    let hint = "name it: --challenge pessoas, or a file: --challenge ./challenge.toml; or write `x-galo: { challenge: pessoas }` \
                at the top";
    WrongUse(format!("{}: the file does not say which challenge it is for\nhint: {hint}", file.display()))
}

/// Contenders with the challenge that all of them are for.
///
/// # Errors
/// One of them cannot be read, there is none, or they are for different challenges.
pub(crate) fn contenders(paths: &[PathBuf], asked: &HowRead<'_>) -> Result<(Definition, Vec<Contender>)> {
    let each = paths.iter().enumerate();
    let each = each.map(|(index, path)| nth_contender(path, index, asked)).collect::<Result<Vec<_>>>()?;
    let mut each = each.into_iter();
    let (definition, first) = each.next().context("there is no contender")?;
    let mut contenders = vec![first];
    for (own, contender) in each {
        if own.challenge != definition.challenge {
            let (one, other) = (contenders[0].file.display(), contender.file.display());
            let hint = "let both name one file, or files that say the same";
            return Err(WrongUse(format!(
                "contenders for different challenges cannot fight:\n  {one} names `{}`\n  {other} names {}`{}`\nhint: {hint}",
                definition.challenge.name,
                if own.challenge.name == definition.challenge.name { "another " } else { "" },
                own.challenge.name,
            ))
            .into());
        }
        contenders.push(contender);
    }
    Ok((definition, contenders))
}

/// The model of this name, which a run folder names.
pub(crate) fn model(name: &str) -> Option<&'static dyn ChallengeModel> {
    let none: &'static dyn ChallengeModel = &NoModel;
    ALL_BUILT_IN.iter().map(|built_in| (built_in.model)()).chain([none]).find(|model| model.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of a contest: it names no challenge, and has the machine's own network.
    fn nameless() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let text =
            "services: { api: { image: a, network_mode: host, privileged: true, cpus: 2, mem_limit: 1g } }\n";
        std::fs::write(folder.path().join("docker-compose.yml"), text).unwrap();
        folder
    }

    #[test]
    fn each_built_in_challenge_is_parsed_for_itself() {
        static TWO: [BuiltIn; 2] = [
            BuiltIn {
                name: "pessoas",
                file: "pessoas.toml",
                text: galo_challenge_pessoas::CHALLENGE_TOML,
                model: galo_challenge_pessoas::model,
                parsed: OnceLock::new(),
            },
            BuiltIn {
                name: "tunnel",
                file: concat!(env!("CARGO_MANIFEST_DIR"), "/../../challenges/tunnel/challenge.toml"),
                text: include_str!("../../../challenges/tunnel/challenge.toml"),
                model: || &NoModel,
                parsed: OnceLock::new(),
            },
        ];
        for name in ["pessoas", "tunnel", "pessoas"] {
            let Definition { challenge, model } = built_in_of(&TWO, name).unwrap();
            assert_eq!((challenge.name.as_str(), challenge.model.as_str()), (name, model.name()));
        }
        assert!(built_in_of(&TWO, "posts").is_err());
    }

    #[test]
    fn each_of_trust_and_budget_is_asked_for() {
        let folder = nameless();
        let refused = |trust, over_budget| {
            let args =
                RunnerArgs { runner: Vec::new(), challenge: Some(BUILT_IN.to_owned()), trust, over_budget };
            contender(folder.path(), &HowRead::new(&args, 1).unwrap()).err().map(|error| error.to_string())
        };
        assert!(refused(false, true).unwrap().contains("--trust"));
        assert!(refused(true, false).unwrap().contains("--over-budget"));
        assert_eq!(refused(true, true), None);
    }

    #[test]
    fn lines_of_a_challenge_that_an_untrusted_file_names_are_not_run() {
        let posts = concat!(env!("CARGO_MANIFEST_DIR"), "/../../challenges/posts/challenge.toml");
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "x-galo: {{ challenge: {posts} }}\nservices: {{ api: {{ image: a, ports: ['9999:80'], cpus: 1, mem_limit: 1g }} }}\n"
        );
        std::fs::write(folder.path().join("compose.yaml"), text).unwrap();
        let refused = |challenge: Option<&str>, trust| {
            let challenge = challenge.map(str::to_owned);
            let args = RunnerArgs { runner: Vec::new(), challenge, trust, over_budget: true };
            let asked = HowRead { runners: vec![Some(Runner::Docker)], ..HowRead::new(&args, 1).unwrap() };
            contender(folder.path(), &asked).err().map(|error| error.to_string())
        };
        let told = refused(None, false).unwrap();
        assert!(told.contains("`before` in its cases"), "{told}");
        assert_eq!(refused(Some(posts), false), None);
        assert_eq!(refused(None, true), None);
    }
}
