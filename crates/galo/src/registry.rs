//! Which challenges there are, with their models: those that are built in, and those that a file holds; and the
//! contenders of the first fight.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use galo_plan::{Challenge, ChallengeModel, Contender, NoModel};

use crate::exit::WrongUse;

/// The challenge that is built in.
pub(crate) const BUILT_IN: &str = "pessoas";

/// A challenge and the Rust that it needs.
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

fn built_in(name: &str) -> Result<Definition> {
    let (file, text, model) = match name {
        BUILT_IN => (
            "challenges/pessoas/challenge.toml",
            galo_challenge_pessoas::CHALLENGE_TOML,
            galo_challenge_pessoas::model(),
        ),
        _ => {
            let hint = format!("there is `{BUILT_IN}`; a file is named by its path, e.g. ./challenge.toml");
            return Err(WrongUse(format!("unknown challenge `{name}`\nhint: {hint}")).into());
        }
    };
    Ok(Definition { challenge: Challenge::parse(file, text, model)?, model })
}

fn in_file(path: &Path) -> Result<Definition> {
    let text = galo_plan::read_text(path).map_err(|error| {
        let hint = "hint: in a Compose file its path is relative to that file, after --challenge to here";
        WrongUse(format!("cannot read the challenge `{}`: {error}\n{hint}", path.display()))
    })?;
    let challenge = Challenge::parse(&path.display().to_string(), &text, &NoModel)?;
    Ok(Definition { challenge, model: &NoModel })
}

/// A contender with the challenge that its Compose file names.
pub(crate) fn contender(path: &Path) -> Result<(Definition, Contender)> {
    let (name, file) = Contender::challenge_of(path)?;
    let definition = if is_file(&name) {
        let path = file.parent().unwrap_or(Path::new("/")).join(name);
        in_file(&path.canonicalize().unwrap_or(path))?
    } else {
        built_in(&name).with_context(|| format!("{}", file.display()))?
    };
    let contender = Contender::load(path, &definition.challenge.policy)?;
    let challenge = definition.challenge.name.clone();
    Ok((definition, Contender { challenge, ..contender }))
}

/// Contenders with the challenge that all of their Compose files name.
///
/// # Errors
/// One of them cannot be read, there is none, or they are for different challenges.
pub(crate) fn contenders(paths: &[PathBuf]) -> Result<(Definition, Vec<Contender>)> {
    let each = paths.iter().map(|path| contender(path)).collect::<Result<Vec<_>>>()?;
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
pub(crate) fn model(name: &str) -> Result<&'static dyn ChallengeModel> {
    let known: [&'static dyn ChallengeModel; 2] = [galo_challenge_pessoas::model(), &NoModel];
    let found = known.into_iter().find(|model| model.name() == name);
    found.ok_or_else(|| {
        WrongUse(format!("the run is of a challenge whose model `{name}` this galo does not have\nhint: use the galo that made it"))
            .into()
    })
}

/// The contenders that fight when none is named.
const DEFAULT_CONTENDERS: [&str; 2] = ["contenders/pessoas/rust-sqlite", "fixtures/faulty/queued"];

/// The folders of [`DEFAULT_CONTENDERS`], in the source tree around the working directory, or in the one that this
/// galo was built from.
pub(crate) fn default_contenders() -> Result<Vec<PathBuf>> {
    let built_from = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("/"));
    let here = std::env::current_dir()?;
    let root = here
        .ancestors()
        .chain([built_from])
        .find(|root| DEFAULT_CONTENDERS.iter().all(|c| root.join(c).is_dir()))
        .ok_or_else(|| {
            WrongUse(
                "the built-in contenders are not here\nhint: run galo in a clone of its repository, or name \
                 contenders: galo fight DIR DIR"
                    .to_owned(),
            )
        })?;
    Ok(DEFAULT_CONTENDERS.iter().map(|c| root.join(c)).collect())
}
