//! A run as read: the files of its folder, and the seed that its plan committed to.

use std::io;
use std::path::{Path, PathBuf};

use galo_plan::Plan;
use serde_json::Value;

use super::planned::{Planned, open_plan};
use super::{
    ACTS, CONFORMANCE, DATABASE, EVIDENCE, HISTORY, LATENCIES, PLAN, RunHeader, SAMPLES, open_header, reading,
};
use crate::act::{self, Act, Acted, Outcome};
use crate::disk::{RecordError, files};
use crate::round::{RoundData, RoundRecord};
use crate::sealed::{Sealed, commitment_in};
use crate::seeds::Seeds;
use crate::{history, latencies};

/// A run as read, by its plan.
#[derive(Debug)]
pub struct Run<P = Plan> {
    /// The folder.
    pub path: PathBuf,
    /// `run.json`.
    pub header: RunHeader,
    /// `plan.json`.
    pub plan: P,
    /// `acts.jsonl`, but for the act that tells the seed.
    pub acts: Vec<Acted>,
    /// Whether the run is over: then its seed is told.
    pub is_over: bool,
    /// What its plan commits to.
    commitment: String,
    /// The folder of each unit with bulk that was closed, and its round.
    rounds: Vec<(PathBuf, RoundRecord)>,
}

impl<P: Planned> Run<P> {
    /// Opens a run folder. Units that were never closed are left out.
    ///
    /// # Errors
    /// [`RecordError::NoRun`], [`RecordError::Newer`], [`RecordError::OtherKind`], [`RecordError::SeedGone`],
    /// [`RecordError::SeedChanged`], or what is wrong with a file.
    pub fn open(path: &Path, seeds: &Seeds) -> Result<Self, RecordError> {
        open(path, seeds).map(|(run, _)| run)
    }

    /// The seed for people; of a run that is not over its commitment.
    pub fn seed_told(&self) -> String {
        if self.is_over { self.plan.seed().to_string() } else { format!("sha256:{}", self.commitment) }
    }

    /// Number of closed rounds.
    pub fn len(&self) -> usize {
        self.rounds.len()
    }

    /// Whether no round was closed.
    pub fn is_empty(&self) -> bool {
        self.rounds.is_empty()
    }

    /// Reads the whole of one closed round, from 0 in the order of their numbers. One at a time, so that memory does
    /// not grow with the number of rounds.
    ///
    /// # Errors
    /// What is wrong with one of its files, or that there is no such round.
    pub fn round(&self, index: usize) -> Result<RoundData, RecordError> {
        let Some((folder, record)) = self.rounds.get(index) else {
            return Err(self.damaged(format!("it has {} closed rounds, none with index {index}", self.len())));
        };
        let record = record.clone();
        let conformance = reading::lines_of(&folder.join(CONFORMANCE), record.cases)?;
        let database = reading::lines_of(&folder.join(DATABASE), record.beside.database_looks)?;
        let (history, seen) = history::read(&folder.join(HISTORY))?;
        Ok(RoundData {
            record,
            history,
            seen,
            latencies: latencies::read(&folder.join(LATENCIES))?,
            samples: files::read_lines(&folder.join(SAMPLES))?,
            database,
            evidence: files::read_lines(&folder.join(EVIDENCE))?,
            conformance,
        })
    }

    /// That its acts are none that such a run can have.
    pub fn damaged(&self, reason: String) -> RecordError {
        RecordError::Damaged { path: self.path.join(ACTS), reason }
    }
}

/// A plan as it is recorded, and what it commits to.
pub(super) fn sealed<P: Planned>(plan: &P) -> io::Result<(Value, Sealed)> {
    let mut open = serde_json::to_value(plan.without_secrets())?;
    let sealed = Sealed::take_from(&mut open, P::SEALED)?;
    Ok((open, sealed))
}

/// Opens a run folder. The seed is the one that its last act tells, or of a run that is not over the one that is kept.
///
/// # Errors
/// What is wrong with a file; [`RecordError::SeedGone`], [`RecordError::SeedChanged`].
pub(super) fn open<P: Planned>(path: &Path, seeds: &Seeds) -> Result<(Run<P>, Sealed), RecordError> {
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
    let damaged = |error: serde_json::Error| files::damaged(&path.join(PLAN), &error.into());
    let text = serde_json::to_vec(&open).map_err(damaged)?;
    let plan: P = serde_json::from_slice(&text).map_err(damaged)?;
    let rounds = if P::HAS_BULK { reading::closed_rounds(path, &acts)? } else { Vec::new() };
    let commitment = sealed.commitment();
    Ok((Run { path: path.to_owned(), header, plan, acts, is_over, commitment, rounds }, sealed))
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
