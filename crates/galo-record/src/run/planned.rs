//! What kind of run a folder holds, as its `plan.json` tells.

use std::io::ErrorKind;
use std::path::Path;

use galo_plan::{DuelPlan, Plan, ScanPlan, Seed, duel};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{PLAN, open_header};
use crate::disk::folder::is_plain_name;
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
}

/// The plan of one kind of run, as `plan.json` holds it.
pub trait Planned: Serialize + DeserializeOwned {
    /// Which kind.
    const KIND: RunKind;
    /// Version of its written form.
    const FORMAT: u32;
    /// Whether each of its units leaves bulk in a folder of its own.
    const HAS_BULK: bool;

    /// The keys that are told only once the run is over: the seed, and what is drawn by it.
    const SEALED: &[&str];

    /// The plan as it is recorded.
    #[must_use]
    fn without_secrets(&self) -> Self;

    /// Seed of all that is drawn; `None`: nothing is, or its parts draw their own.
    fn seed(&self) -> Option<Seed>;

    /// What cannot be in it, if anything: galo never wrote it so.
    fn impossible(&self) -> Option<String> {
        None
    }
}

impl Planned for Plan {
    const KIND: RunKind = RunKind::Contenders;
    const FORMAT: u32 = galo_plan::plan::FORMAT;
    const HAS_BULK: bool = true;
    const SEALED: &[&str] = &["seed", "order", "ceiling", "data_sha256"];

    fn without_secrets(&self) -> Self {
        self.without_secrets()
    }

    fn seed(&self) -> Option<Seed> {
        Some(self.seed)
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

    fn seed(&self) -> Option<Seed> {
        Some(self.seed)
    }
}

impl Planned for ScanPlan {
    const KIND: RunKind = RunKind::Scan;
    const FORMAT: u32 = duel::FORMAT;
    const HAS_BULK: bool = false;
    const SEALED: &[&str] = &["seed"];

    fn without_secrets(&self) -> Self {
        self.clone()
    }

    fn seed(&self) -> Option<Seed> {
        self.seed
    }

    fn impossible(&self) -> Option<String> {
        let elsewhere = self.duels.iter().find(|duel| !is_plain_name(&duel.folder))?;
        Some(format!("it tells of a duel in `{}`, which is not below it", elsewhere.folder))
    }
}

impl RunKind {
    /// For people, with its article.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Contenders => "a run of contenders",
            Self::Duel => "a duel",
            Self::Scan => "a scan",
        }
    }
}

/// What kind of run a folder holds.
///
/// # Errors
/// As [`super::Run::open`], for `run.json` and `plan.json`.
pub fn open_kind(path: &Path) -> Result<RunKind, RecordError> {
    open_header(path)?;
    kind_of(&path.join(PLAN))
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
    let plan = files::read_versioned(&path, P::FORMAT)?;
    plan.ok_or_else(|| files::damaged(&path, &ErrorKind::NotFound.into()))
}

#[cfg(test)]
mod tests {
    use galo_plan::duel::ScanDuel;

    use super::super::tests::seeds;
    use super::super::{Run, RunHeader, RunWriter};
    use super::*;

    fn scan(folder: &str) -> ScanPlan {
        let duel = ScanDuel { value: "2".to_owned(), folder: folder.to_owned() };
        ScanPlan {
            format: duel::FORMAT,
            parameter: "n".to_owned(),
            baseline: None,
            seed: None,
            duels: vec![duel],
        }
    }

    fn header() -> RunHeader {
        RunHeader {
            format: super::super::FORMAT,
            galo: super::super::VERSION.to_owned(),
            command: Vec::new(),
            started: String::new(),
            machine: Default::default(),
        }
    }

    #[test]
    fn a_run_is_of_the_kind_that_its_plan_tells_and_opened_as_no_other() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("scan");
        RunWriter::create(&path, &header(), &scan("01"), &seeds(&path)).unwrap();
        assert_eq!(open_kind(&path).unwrap(), RunKind::Scan);
        assert_eq!(Run::<ScanPlan>::open(&path, &seeds(&path)).unwrap().plan, scan("01"));
        assert_eq!(RunWriter::resume::<ScanPlan>(&path, &seeds(&path)).unwrap().1.acts, []);
        for error in [
            Run::<DuelPlan>::open(&path, &seeds(&path)).map(drop),
            Run::<Plan>::open(&path, &seeds(&path)).map(drop),
        ] {
            let error = error.unwrap_err();
            let RecordError::OtherKind { found: "a scan", .. } = error else { panic!("{error}") };
        }
    }

    #[test]
    fn a_child_that_never_came_to_be_a_run_is_made_anew_and_one_that_is_a_run_is_not() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("scan");
        let writer = RunWriter::create(&path, &header(), &scan("01"), &seeds(&path)).unwrap();
        drop(writer.create_child("01", &header(), &scan("01")).unwrap());
        assert!(matches!(writer.create_child("01", &header(), &scan("01")), Err(RecordError::NotEmpty(_))));
        std::fs::remove_file(path.join("01/run.json")).unwrap();
        writer.create_child("01", &header(), &scan("01")).unwrap();
        assert_eq!(open_kind(&path.join("01")).unwrap(), RunKind::Scan);
    }

    #[test]
    fn a_duel_elsewhere_is_none_of_the_scan() {
        let root = tempfile::tempdir().unwrap();
        for (number, elsewhere) in ["../other", "/tmp/other", "..", "", "a/b"].into_iter().enumerate() {
            let path = root.path().join(number.to_string());
            RunWriter::create(&path, &header(), &scan(elsewhere), &seeds(&path)).unwrap();
            let error = Run::<ScanPlan>::open(&path, &seeds(&path)).unwrap_err();
            assert!(matches!(error, RecordError::Damaged { .. }), "{elsewhere}");
        }
    }
}
