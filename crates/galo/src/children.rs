//! Runs whose acts are whole runs: a scan, a league.

use std::cell::RefCell;
use std::path::Path;

use anyhow::Result;
use galo_drive::schedule::Children;
use galo_drive::stage::ChildStage;
use galo_drive::{Before, DriveError, drive as drive_run};
use galo_judge::{ChildFacts, Folded};
use galo_record::act::{Acted, ChildId, Unit};
use galo_record::{AnyRun, RecordError, RunEnd, RunWriter, Seeds};

use crate::follow::Quiet;
use crate::report;

/// Drives the children of a run, or what is left of them. Whether the caller broke it off.
///
/// `has_more` says whether there is one more, by what those before it came to; `child` drives one, `None`: the caller broke it off. One
/// that could not be driven at all may have left no folder.
///
/// # Errors
/// What ended a child that is neither the contender's doing nor the caller's.
pub(crate) fn drive(
    writer: &RunWriter,
    known: Option<(Vec<Acted>, AnyRun)>,
    has_more: impl Fn(&[ChildFacts]) -> bool,
    mut child: impl FnMut(ChildId, &[ChildFacts]) -> Result<Option<RunEnd>>,
) -> Result<bool> {
    let before = match known {
        None => Before::default(),
        Some((acts, run)) => {
            let children = report::fold(run, &mut |_, _| ())?.children;
            let facts = children.into_iter().map(|child| child.folded.map(|folded| folded.judged));
            Before { facts: facts.collect(), acts }
        }
    };
    let heard = RefCell::new(before.facts.clone());
    let mut failed = None;
    let perform = |id| {
        let ended = child(id, &heard.borrow());
        Ok(ended.unwrap_or_else(|error| {
            failed = Some(error);
            None
        }))
    };
    let judge = |unit: Unit<'_>, ()| {
        let (child, end) = unit.child().ok_or_else(|| DriveError::Bug("a child did not end".to_owned()))?;
        let path = writer.path().join(child.folder());
        let facts = match end {
            RunEnd::Failed(reason) if !path.exists() => Err(reason.clone()),
            _ => Ok(folded(&path)?.judged),
        };
        heard.borrow_mut().push(facts.clone());
        Ok(facts)
    };
    let schedule = Children { has_more };
    let driven = drive_run(&schedule, &mut ChildStage::new(perform), writer, judge, &mut Quiet, before)?;
    failed.map_or(Ok(driven.interrupted), Err)
}

/// The run in a folder, folded.
pub(crate) fn folded(path: &Path) -> Result<Folded, RecordError> {
    report::fold(AnyRun::open(path, &Seeds::of_user())?, &mut |_, _| ())
}
