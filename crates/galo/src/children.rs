//! Runs whose acts are whole runs: a scan, a league, a search for the best setting.

use std::cell::RefCell;
use std::path::Path;

use anyhow::Result;
use galo_drive::schedule::Children;
use galo_drive::stage::ChildStage;
use galo_drive::{Before, DriveError, Driven, Watch, drive as drive_run};
use galo_judge::fight::FightKind;
use galo_judge::judged::Judged;
use galo_judge::{ChildFacts, FoldedChild, Standing};
use galo_plan::Blame;
use galo_record::act::{Acted, ChildId, Unit};
use galo_record::{AnyRun, RunEnd, RunWriter};
use galo_report::limit::scale;

use crate::exit::{self, cause_of_host};
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

/// How a child ended that could not be driven; `None`: the caller broke it off. One that cannot even be built did not start. What the
/// machine lacks, e.g. an engine that answers, and what went wrong once its run had begun, says nothing of it.
///
/// # Errors
/// That: whoever goes on with the run drives the child anew.
pub(crate) fn not_driven(folder: &Path, error: anyhow::Error) -> Result<Option<RunEnd>> {
    match cause_of_host(&error) {
        Some(host) if host.blame == Blame::Contender && !host.interrupted && !folder.exists() => {
            Ok(Some(RunEnd::Failed(exit::in_words(&error))))
        }
        _ => broken_off(error),
    }
}

/// `None`: the caller broke a child off.
///
/// # Errors
/// What else ended it.
pub(crate) fn broken_off(error: anyhow::Error) -> Result<Option<RunEnd>> {
    match cause_of_host(&error) {
        Some(host) if host.interrupted => Ok(None),
        _ => Err(error),
    }
}

/// What a check or a search came to; `None`: it is neither.
pub(crate) fn in_words(facts: &ChildFacts) -> Option<String> {
    let not_started = |why: &str| format!("did not start: {}", galo_report::not_started(why).en);
    match &facts.came_to {
        Err(reason) => Some(not_started(reason)),
        Ok(Judged::Fight(fight)) if fight.kind == FightKind::Check => {
            let standings = || fight.rounds.iter().map(|round| &round.judgement.standing);
            let out = standings().find_map(|standing| match standing {
                Standing::Disqualified { rules } => Some(format!("out: {}", rules.join(", "))),
                Standing::NotReady { reason } => Some(not_started(reason)),
                Standing::Valid | Standing::Void { .. } => None,
            });
            let is_believed = fight.rounds.iter().any(|round| round.judgement.believed);
            Some(
                out.unwrap_or_else(|| if is_believed { "right" } else { "void: it says nothing" }.to_owned()),
            )
        }
        Ok(Judged::Limit(limit)) => Some(match limit.scale_milli {
            Some(milli) => format!("holds scale {}", scale(milli)),
            None if limit.holds.iter().any(|hold| hold.outcome.valid) => "holds no scale".to_owned(),
            None => "void: it says nothing".to_owned(),
        }),
        Ok(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use galo_host::HostError;

    use super::*;

    #[test]
    fn only_a_contender_that_does_not_come_up_came_to_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let ended = |blame, folder: &Path| {
            let mut error = HostError::host("the container engine does not answer");
            error.blame = blame;
            not_driven(folder, error.into()).ok()
        };
        let none = folder.path().join("none");
        assert!(matches!(ended(Blame::Contender, &none), Some(Some(RunEnd::Failed(_)))));
        assert_eq!(ended(Blame::Contender, folder.path()), None, "its run had begun");
        assert_eq!(ended(Blame::Host, &none), None, "it is driven anew once the engine is back");
    }
}
