//! What a plan is as it is recorded, and opening a run folder: its files, and the seed that its plan committed to.

use std::io;
use std::path::Path;

use serde_json::Value;

use super::planned::{Planned, open_plan};
use super::{ACTS, PLAN, RunHeader, open_header};
use crate::act::{self, Act, Acted, Outcome};
use crate::disk::{RecordError, files};
use crate::sealed::{Sealed, commitment_in};
use crate::seeds::Seeds;

/// A plan as it is recorded, and what it commits to.
pub(super) fn sealed<P: Planned>(plan: &P) -> io::Result<(Value, Sealed)> {
    let mut open = serde_json::to_value(plan.without_secrets())?;
    let sealed = Sealed::take_from(&mut open, P::SEALED)?;
    Ok((open, sealed))
}

/// What the files of a run folder hold.
pub(super) struct Opened<P> {
    pub(super) header: RunHeader,
    pub(super) plan: P,
    /// Without the one that tells the seed.
    pub(super) acts: Vec<Acted>,
    pub(super) sealed: Sealed,
    /// Whether the seed was told.
    pub(super) is_over: bool,
}

/// Opens a run folder. The seed is the one that its last act tells, or of a run that is not over the one that is kept.
///
/// # Errors
/// What is wrong with a file; [`RecordError::SeedGone`], [`RecordError::SeedChanged`].
pub(super) fn open<P: Planned>(path: &Path, seeds: &Seeds) -> Result<Opened<P>, RecordError> {
    let header = open_header(path)?;
    let mut open = open_plan::<P>(path)?;
    let mut acts = act::read(&path.join(ACTS))?;
    let told = take_told(path, &mut acts)?;
    let Some(commitment) = commitment_in(&open) else {
        let reason = "it has no commitment".to_owned();
        return Err(RecordError::Damaged { path: path.join(PLAN), reason });
    };
    let is_over = told.is_some();
    let Some(sealed) = told.map_or_else(|| seeds.kept(commitment), |told| Ok(Some(told)))? else {
        let kept = seeds.path().unwrap_or(Path::new("")).join(commitment);
        return Err(RecordError::SeedGone { path: path.to_owned(), kept });
    };
    if sealed.commitment() != commitment {
        return Err(RecordError::SeedChanged(path.to_owned()));
    }
    sealed.put_into(&mut open);
    let plan = path.join(PLAN);
    let text = serde_json::to_vec(&open).map_err(|error| files::damaged(&plan, &error.into()))?;
    let read: P = serde_json::from_slice(&text).map_err(|error| files::damaged(&plan, &error.into()))?;
    match read.impossible() {
        None => Ok(Opened { header, plan: read, acts, sealed, is_over }),
        Some(reason) => Err(RecordError::Damaged { path: plan, reason }),
    }
}

/// What the last act tells, if it does; it is taken away.
fn take_told(run: &Path, acts: &mut Vec<Acted>) -> Result<Option<Sealed>, RecordError> {
    let told = match acts.pop_if(|last| last.act == Act::TellSeed) {
        Some(Acted { outcome: Outcome::Told(sealed), .. }) => Some(sealed),
        Some(_) => return Err(damaged(run, "its seed is told by no act that can tell it")),
        None => None,
    };
    if acts.iter().any(|acted| acted.act == Act::TellSeed) {
        return Err(damaged(run, "it goes on after its seed was told"));
    }
    Ok(told)
}

fn damaged(run: &Path, reason: &str) -> RecordError {
    RecordError::Damaged { path: run.join(ACTS), reason: reason.to_owned() }
}
