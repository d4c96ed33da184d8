//! What is built in: the challenges with their models, and the contenders of the first fight.

use std::path::{Path, PathBuf};

use anyhow::Result;
use galo_plan::{Challenge, ChallengeModel};

use crate::exit::WrongUse;

/// The challenge whose budget contenders are held against: there is one so far.
pub(crate) const ONLY_CHALLENGE: &str = "pessoas";

/// A challenge and the Rust that it needs.
pub(crate) struct BuiltIn {
    pub(crate) challenge: Challenge,
    pub(crate) model: &'static dyn ChallengeModel,
}

/// The challenge of this name.
pub(crate) fn challenge(name: &str) -> Result<BuiltIn> {
    let (file, text, model) = match name {
        ONLY_CHALLENGE => (
            "challenges/pessoas/challenge.toml",
            galo_challenge_pessoas::CHALLENGE_TOML,
            galo_challenge_pessoas::model(),
        ),
        _ => return Err(WrongUse(format!("unknown challenge `{name}`\nhint: there is `pessoas`")).into()),
    };
    Ok(BuiltIn { challenge: Challenge::parse(file, text, model)?, model })
}

/// The model of this name, which a run folder names.
pub(crate) fn model(name: &str) -> Result<&'static dyn ChallengeModel> {
    let known = [galo_challenge_pessoas::model()];
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
