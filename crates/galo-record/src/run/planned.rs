//! What kind of run a folder holds, as its `plan.json` tells.

use std::io::ErrorKind;
use std::path::Path;

use galo_plan::{DuelPlan, LeaguePlan, Plan, ScanPlan, Seed, TunePlan, duel, league, scan, tune};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{PLAN, RunHeader, open_header};
use crate::disk::{RecordError, files};

/// What a run folder holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunKind {
    /// Contenders of a challenge: a [`super::Run`].
    Contenders,
    /// A duel.
    Duel,
    /// Duels, each in a run folder of its own below this one.
    Scan,
    /// Checks of entries and blocks of rounds, in run folders below this one.
    League,
    /// Tries of settings, in run folders below this one.
    Tune,
}

/// The plan of one kind of run, as `plan.json` holds it.
pub trait Planned: Serialize + DeserializeOwned {
    /// Which kind.
    const KIND: RunKind;
    /// Version of its written form.
    const FORMAT: u32;
    /// The oldest that is still read.
    const OLDEST: u32 = 1;
    /// Whether each of its units leaves bulk in a folder of its own.
    const HAS_BULK: bool;

    /// The keys that are told only once the run is over: the seed, and what is drawn by it.
    const SEALED: &[&str];

    /// The plan as it is recorded.
    #[must_use]
    fn without_secrets(&self) -> Self;

    /// Seed of all that is drawn.
    fn seed(&self) -> Seed;
}

impl Planned for Plan {
    const KIND: RunKind = RunKind::Contenders;
    const FORMAT: u32 = galo_plan::plan::FORMAT;
    const HAS_BULK: bool = true;
    const SEALED: &[&str] = &["seed", "order", "ceiling", "data_sha256"];

    fn without_secrets(&self) -> Self {
        self.without_secrets()
    }

    fn seed(&self) -> Seed {
        self.seed
    }
}

impl Planned for DuelPlan {
    const KIND: RunKind = RunKind::Duel;
    const FORMAT: u32 = duel::FORMAT;
    const HAS_BULK: bool = false;
    const SEALED: &[&str] = &["seed", "requests_sha256"];

    fn without_secrets(&self) -> Self {
        self.without_secrets()
    }

    fn seed(&self) -> Seed {
        self.seed
    }
}

impl Planned for ScanPlan {
    const KIND: RunKind = RunKind::Scan;
    const FORMAT: u32 = scan::FORMAT;
    const OLDEST: u32 = scan::FORMAT;
    const HAS_BULK: bool = false;
    const SEALED: &[&str] = &["seed"];

    fn without_secrets(&self) -> Self {
        self.clone()
    }

    fn seed(&self) -> Seed {
        self.seed
    }
}

impl Planned for LeaguePlan {
    const KIND: RunKind = RunKind::League;
    const FORMAT: u32 = league::FORMAT;
    const HAS_BULK: bool = false;
    const SEALED: &[&str] = &["seed"];

    fn without_secrets(&self) -> Self {
        self.without_secrets()
    }

    fn seed(&self) -> Seed {
        self.seed
    }
}

impl Planned for TunePlan {
    const KIND: RunKind = RunKind::Tune;
    const FORMAT: u32 = tune::FORMAT;
    // Which setting came next is found again by the search that drove it.
    const OLDEST: u32 = tune::FORMAT;
    const HAS_BULK: bool = false;
    const SEALED: &[&str] = &["seed"];

    fn without_secrets(&self) -> Self {
        self.without_secrets()
    }

    fn seed(&self) -> Seed {
        self.seed
    }
}

impl RunKind {
    /// For people, with its article.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Contenders => "a run of contenders",
            Self::Duel => "a duel",
            Self::Scan => "a scan",
            Self::League => "a league",
            Self::Tune => "a search for the best setting",
        }
    }
}

/// What kind of run a folder holds.
pub(super) fn kind(run: &Path) -> Result<RunKind, RecordError> {
    open_header(run)?;
    kind_of(&run.join(PLAN))
}

fn kind_of(plan: &Path) -> Result<RunKind, RecordError> {
    #[derive(Deserialize)]
    struct Head {
        /// A word, or a table of terms under that word.
        kind: Option<serde_json::Value>,
    }
    if !plan.is_file() {
        return Err(files::damaged(plan, &ErrorKind::NotFound.into()));
    }
    let Head { kind } = files::read_json(plan)?;
    Ok(match kind.as_ref().and_then(serde_json::Value::as_str) {
        Some("duel") => RunKind::Duel,
        Some("scan") => RunKind::Scan,
        Some("league") => RunKind::League,
        Some("tune") => RunKind::Tune,
        _ => RunKind::Contenders,
    })
}

/// What `plan.json` of a run folder holds.
pub(super) fn open_plan<P: Planned>(run: &Path) -> Result<serde_json::Value, RecordError> {
    let path = run.join(PLAN);
    let found = kind_of(&path)?;
    if found != P::KIND {
        return Err(RecordError::OtherKind {
            path: run.to_owned(),
            found: found.label(),
            wanted: P::KIND.label(),
        });
    }
    let format = files::read_format(&path)?;
    if format < P::OLDEST {
        let RunHeader { galo, .. } = open_header(run)?;
        return Err(RecordError::Older { path: run.to_owned(), found: format, known: P::FORMAT, galo });
    }
    let plan = files::read_versioned(&path, P::FORMAT)?;
    plan.ok_or_else(|| files::damaged(&path, &ErrorKind::NotFound.into()))
}
