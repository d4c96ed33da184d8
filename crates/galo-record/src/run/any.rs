//! A run of whatever kind its folder holds.

use std::path::Path;

use galo_plan::{DuelPlan, LeaguePlan, ScanPlan, TunePlan};

use super::planned::{RunKind, kind};
use super::{Run, RunHeader};
use crate::disk::RecordError;
use crate::seeds::Seeds;

/// A run of any kind.
#[derive(Debug)]
pub enum AnyRun {
    /// Contenders of a challenge.
    Contenders(Box<Run>),
    /// A duel.
    Duel(Box<Run<DuelPlan>>),
    /// A scan.
    Scan(Box<Run<ScanPlan>>),
    /// A league.
    League(Box<Run<LeaguePlan>>),
    /// A search for the best setting.
    Tune(Box<Run<TunePlan>>),
}

impl AnyRun {
    /// Opens a run folder of any kind.
    ///
    /// # Errors
    /// As [`Run::open`].
    pub fn open(path: &Path, seeds: &Seeds) -> Result<Self, RecordError> {
        Ok(match kind(path)? {
            RunKind::Contenders => Self::Contenders(Box::new(Run::open(path, seeds)?)),
            RunKind::Duel => Self::Duel(Box::new(Run::open(path, seeds)?)),
            RunKind::Scan => Self::Scan(Box::new(Run::open(path, seeds)?)),
            RunKind::League => Self::League(Box::new(Run::open(path, seeds)?)),
            RunKind::Tune => Self::Tune(Box::new(Run::open(path, seeds)?)),
        })
    }

    /// `run.json`.
    pub fn header(&self) -> &RunHeader {
        match self {
            Self::Contenders(run) => &run.header,
            Self::Duel(run) => &run.header,
            Self::Scan(run) => &run.header,
            Self::League(run) => &run.header,
            Self::Tune(run) => &run.header,
        }
    }

    /// Whether the run is over: then its seed is told.
    pub fn is_over(&self) -> bool {
        match self {
            Self::Contenders(run) => run.is_over,
            Self::Duel(run) => run.is_over,
            Self::Scan(run) => run.is_over,
            Self::League(run) => run.is_over,
            Self::Tune(run) => run.is_over,
        }
    }
}

#[cfg(test)]
mod tests {
    use galo_plan::{Plan, Seed, scan};

    use super::super::RunWriter;
    use super::super::tests::seeds;
    use super::*;
    use crate::act::ChildId;

    fn scan() -> ScanPlan {
        ScanPlan {
            format: scan::FORMAT,
            baseline: None,
            seed: Seed::of_number(7),
            settings: vec![Vec::new()],
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
        RunWriter::create(&path, &header(), &scan(), &seeds(&path)).unwrap();
        let AnyRun::Scan(run) = AnyRun::open(&path, &seeds(&path)).unwrap() else { panic!("no scan") };
        assert_eq!((run.plan, run.is_over), (scan(), false));
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
    fn each_attempt_of_a_child_is_a_run_in_a_folder_of_its_own() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("scan");
        let writer = RunWriter::create(&path, &header(), &scan(), &seeds(&path)).unwrap();
        for attempt in [1, 2] {
            let child = ChildId { child: 3, attempt };
            drop(writer.create_child(child, &header(), &scan()).unwrap());
            let again = writer.create_child(child, &header(), &scan());
            assert!(matches!(again, Err(RecordError::NotEmpty(_))), "{again:?}");
        }
        let opened = AnyRun::open(&path.join("children/003/attempt-2"), &seeds(&path));
        assert!(matches!(opened, Ok(AnyRun::Scan(_))), "{opened:?}");
    }

    #[test]
    fn a_scan_of_an_older_galo_is_told_as_one() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("scan");
        RunWriter::create(&path, &header(), &ScanPlan { format: 3, ..scan() }, &seeds(&path)).unwrap();
        let error = AnyRun::open(&path, &seeds(&path)).unwrap_err();
        assert!(matches!(error, RecordError::Older { found: 3, known: 4, .. }), "{error}");
    }
}
