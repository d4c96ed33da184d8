//! Runs whose acts are all that there is of them.

use std::path::{Path, PathBuf};

use galo_plan::DuelPlan;

use super::opened::{self, Opened};
use super::planned::Planned;
use super::{ACTS, RunHeader};
use crate::act::Acted;
use crate::disk::RecordError;
use crate::seeds::Seeds;

/// A run whose acts are all that there is of it.
#[derive(Debug)]
pub struct PlainRun<P> {
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
}

impl<P: Planned> PlainRun<P> {
    /// Opens a run folder.
    ///
    /// # Errors
    /// [`RecordError::NoRun`], [`RecordError::Newer`], [`RecordError::OtherKind`], or what is wrong with one of the files.
    pub fn open(path: &Path, seeds: &Seeds) -> Result<Self, RecordError> {
        Ok(Self::of(path, opened::open(path, seeds)?))
    }

    pub(super) fn of(path: &Path, opened: Opened<P>) -> Self {
        let Opened { header, plan, acts, is_over, sealed } = opened;
        Self { path: path.to_owned(), header, plan, acts, is_over, commitment: sealed.commitment() }
    }

    /// That its acts are none that such a run can have.
    pub fn damaged(&self, reason: String) -> RecordError {
        RecordError::Damaged { path: self.path.join(ACTS), reason }
    }
}

impl PlainRun<DuelPlan> {
    /// As [`super::Run::seed_told`].
    pub fn seed_told(&self) -> String {
        super::seed_told(self.is_over, self.plan.seed, &self.commitment)
    }
}
