//! Runs whose acts are whole runs: a scan, a league.

use std::cell::RefCell;

use anyhow::Result;
use galo_drive::schedule::Children;
use galo_drive::stage::ChildStage;
use galo_drive::{Before, DriveError, Driven, Watch, drive as drive_run};
use galo_judge::{ChildFacts, FoldedChild};
use galo_record::act::{Acted, ChildId, Unit};
use galo_record::{AnyRun, RunEnd, RunWriter};

use crate::report;

/// Drives the children of a run, or what is left of them: what was heard of all, and whether the caller broke it off.
///
/// `next` says which is next, by what those before it came to; `child` drives one, `None`: the caller broke it off. One that could not be
/// driven at all may have left no folder.
///
/// # Errors
/// What ended a child that is neither the contender's doing nor the caller's.
pub(crate) fn drive(
    writer: &RunWriter,
    known: Option<(Vec<Acted>, AnyRun)>,
    next: impl Fn(&[ChildFacts]) -> Option<u32>,
    mut child: impl FnMut(ChildId, &[ChildFacts]) -> Result<Option<RunEnd>>,
    watch: &mut impl Watch<ChildFacts>,
) -> Result<Driven<ChildFacts>> {
    let before = match known {
        None => Before::default(),
        Some((acts, run)) => {
            let children = report::fold(run, &mut |_, _| ())?.children;
            Before { facts: children.into_iter().map(FoldedChild::facts).collect(), acts }
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
        let child = unit.child().ok_or_else(|| DriveError::Bug("a child did not end".to_owned()))?;
        let facts = report::fold_child(writer.path(), child)?.facts();
        heard.borrow_mut().push(facts.clone());
        Ok(facts)
    };
    let schedule = Children { next };
    let driven = drive_run(&schedule, &mut ChildStage::new(perform), writer, judge, watch, before)?;
    failed.map_or(Ok(driven), Err)
}
