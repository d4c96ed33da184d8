//! The one fold: from a run folder of any kind to what it came to.

use std::path::Path;

use galo_plan::{ChallengeModel, Kind, LeaguePlan, Plan, ScanPlan, TunePlan};
use galo_record::act::{ChildId, Unit, units};
use galo_record::run::{Planned, open_header};
use galo_record::{AnyRun, RecordError, RoundData, Run, RunEnd, Seeds};

use crate::child::{CameTo, Child};
use crate::duel::JudgedDuel;
use crate::fight::JudgedFight;
use crate::judged::Judged;
use crate::league::{JudgedLeague, JudgedSweep};
use crate::limit::{JudgedLimit, judge_hold};
use crate::scan::{JudgedScan, ScannedDuel};
use crate::soak::{JudgedSoak, judge_soak};
use crate::tune::JudgedTune;

/// A run, and what it came to.
#[derive(Debug)]
pub struct Folded {
    /// The run as it was read.
    pub run: AnyRun,
    /// What it came to.
    pub judged: Judged,
    /// Its children that count, in the order in which they were driven.
    pub children: Vec<FoldedChild>,
}

/// What the judge says of a child.
#[derive(Debug, Clone, PartialEq)]
pub struct ChildFacts {
    /// Its number, from 1.
    pub child: u32,
    /// What it came to; or why it could not be driven at all.
    pub came_to: Result<Judged, String>,
}

/// A child of a run.
#[derive(Debug)]
pub struct FoldedChild {
    /// Which, and the attempt that counts.
    pub id: ChildId,
    /// The child, folded; or why it could not be driven at all, so that there is no such run.
    pub folded: Result<Folded, String>,
}

/// What a fold needs beside the run folder.
pub struct Folding<'a> {
    /// Seeds of runs that are not over.
    pub seeds: &'a Seeds,
    /// The model of a challenge, by its name.
    pub model: &'a dyn Fn(&str) -> Option<&'static dyn ChallengeModel>,
    /// Is shown each round of a fight, for what is drawn of it.
    pub see: &'a mut dyn FnMut(&Plan, &RoundData),
}

impl Folded {
    /// Folds the run in a folder, one round in memory at a time.
    ///
    /// # Errors
    /// What is wrong with the run, or with a child of it.
    pub fn open(path: &Path, folding: &mut Folding<'_>) -> Result<Self, RecordError> {
        Self::fold(AnyRun::open(path, folding.seeds)?, folding)
    }

    /// Folds a run. Errors as [`Self::open`].
    pub fn fold(run: AnyRun, folding: &mut Folding<'_>) -> Result<Self, RecordError> {
        let mut children = Vec::new();
        let judged = match &run {
            AnyRun::Contenders(run) => contenders(run, folding)?,
            AnyRun::Duel(run) => Judged::Duel(Box::new(JudgedDuel::judge(run)?)),
            AnyRun::Scan(run) => {
                children = Self::children_of(run, folding)?;
                Judged::Scan(Box::new(scan(run, &children)?))
            }
            AnyRun::League(run) => {
                children = Self::children_of(run, folding)?;
                league(run, &children)?
            }
            AnyRun::Tune(run) => {
                children = Self::children_of(run, folding)?;
                Judged::Tune(Box::new(best_setting(run, &children)?))
            }
        };
        Ok(Self { run, judged, children })
    }

    /// Folds the children of a run that were driven to their end, each once.
    ///
    /// # Errors
    /// What is wrong with the run, or with one of them.
    fn children_of<P: Planned>(
        run: &Run<P>,
        folding: &mut Folding<'_>,
    ) -> Result<Vec<FoldedChild>, RecordError> {
        let units = units(&run.acts).map_err(|reason| run.damaged(reason))?;
        let mut children: Vec<FoldedChild> = Vec::new();
        for unit in units.iter().filter(|unit| unit.is_closed()) {
            let new = |(id, _): &(ChildId, _)| !children.iter().any(|known| known.id.child == id.child);
            let child = unit.child().filter(new);
            let number = unit.terms.number;
            let child =
                child.ok_or_else(|| run.damaged(format!("unit {number} is no child that counts once")))?;
            children.push(FoldedChild::open(&run.path, child, folding)?);
        }
        Ok(children)
    }
}

fn contenders(run: &Run, folding: &mut Folding<'_>) -> Result<Judged, RecordError> {
    let plan = &run.plan;
    let damaged = |reason| run.damaged(reason);
    Ok(match plan.kind {
        Kind::Fight { .. } | Kind::Check { .. } => {
            let name = &plan.challenge.model;
            let unknown = || RecordError::UnknownModel(name.clone());
            let model = (folding.model)(name).ok_or_else(unknown)?;
            Judged::Fight(Box::new(JudgedFight::judge(run, model, |round| (folding.see)(plan, round))?))
        }
        Kind::Limit(_) => {
            let holds = each_closed(run, |unit, round| judge_hold(plan, unit, round))?;
            Judged::Limit(Box::new(JudgedLimit::judge(run, holds).map_err(damaged)?))
        }
        Kind::Soak(_) => {
            let soaked = each_closed(run, |unit, round| Ok(judge_soak(unit, round)))?;
            Judged::Soak(Box::new(JudgedSoak::judge(run, soaked.into_iter().next()).map_err(damaged)?))
        }
    })
}

fn scan(run: &Run<ScanPlan>, children: &[FoldedChild]) -> Result<JudgedScan, RecordError> {
    let setting = |child: &FoldedChild| run.plan.settings.get(child.id.child.checked_sub(1)? as usize);
    let duels = children.iter().map(|child| match (child.judged(), setting(child)) {
        (Ok(Judged::Duel(duel)), Some(setting)) => {
            Ok(ScannedDuel { setting: setting.clone(), duel: (**duel).clone() })
        }
        _ => Err(run.damaged("it has a child that is none of its duels".to_owned())),
    });
    Ok(JudgedScan::new(run.header.clone(), &run.plan, duels.collect::<Result<_, _>>()?))
}

/// A league, or a sweep, which is one of contenders at settings.
fn league(run: &Run<LeaguePlan>, children: &[FoldedChild]) -> Result<Judged, RecordError> {
    let children = heard(run, children)?;
    let (header, plan, seed) = (run.header.clone(), &run.plan, run.seed_told());
    Ok(match plan.knobs.is_empty() {
        true => Judged::League(Box::new(JudgedLeague::judge(header, plan, seed, &children))),
        false => Judged::Sweep(Box::new(JudgedSweep::judge(header, plan, seed, &children))),
    })
}

fn best_setting(run: &Run<TunePlan>, children: &[FoldedChild]) -> Result<JudgedTune, RecordError> {
    Ok(JudgedTune::judge(run.header.clone(), &run.plan, run.seed_told(), &heard(run, children)?))
}

fn heard<'a, P: Planned>(run: &Run<P>, children: &'a [FoldedChild]) -> Result<Vec<Child<'a>>, RecordError> {
    let heard = children_of(children.iter().map(|child| (child.id.child, child.judged())));
    heard.ok_or_else(|| run.damaged("it has a child of a kind that it cannot have".to_owned()))
}

/// Children as the judge of a league or a search hears them; `None`: one of them belongs to neither.
pub fn children_of<'a>(
    children: impl Iterator<Item = (u32, Result<&'a Judged, &'a str>)>,
) -> Option<Vec<Child<'a>>> {
    let child = |(number, came_to): (u32, Result<&'a Judged, &'a str>)| {
        let came_to = match came_to {
            Ok(Judged::Fight(fight)) => CameTo::Fight(fight),
            Ok(Judged::Limit(limit)) => CameTo::Limit(limit),
            Ok(_) => return None,
            Err(reason) => CameTo::Nothing(reason),
        };
        Some(Child { number, came_to })
    };
    children.map(child).collect()
}

impl ChildFacts {
    /// As [`FoldedChild::judged`].
    ///
    /// # Errors
    /// Why it could not be driven at all.
    pub fn judged(&self) -> Result<&Judged, &str> {
        self.came_to.as_ref().map_err(String::as_str)
    }
}

fn is_no_run(path: &Path) -> bool {
    matches!(open_header(path), Err(RecordError::NoRun(_)))
}

impl FoldedChild {
    /// Folds a child of the run in a folder, which ended so.
    ///
    /// # Errors
    /// What is wrong with the child's folder.
    pub fn open(
        run: &Path,
        (child, end): (ChildId, &RunEnd),
        folding: &mut Folding<'_>,
    ) -> Result<Self, RecordError> {
        let path = run.join(child.folder());
        let folded = match end {
            RunEnd::Failed(reason) if is_no_run(&path) => Err(reason.clone()),
            _ => Ok(Folded::open(&path, folding)?),
        };
        Ok(Self { id: child, folded })
    }

    /// What is said of it, without its rounds.
    pub fn facts(self) -> ChildFacts {
        ChildFacts { child: self.id.child, came_to: self.folded.map(|folded| folded.judged) }
    }

    /// What it came to; or why it could not be driven at all.
    ///
    /// # Errors
    /// That reason.
    pub fn judged(&self) -> Result<&Judged, &str> {
        self.folded.as_ref().map(|folded| &folded.judged).map_err(String::as_str)
    }
}

/// What the judge says of each unit of a run that was closed.
///
/// # Errors
/// What cannot be read, or is none of this kind of run.
pub fn each_closed<F>(
    run: &Run,
    judge: impl Fn(Unit<'_>, &RoundData) -> Result<F, String>,
) -> Result<Vec<F>, RecordError> {
    let units = units(&run.acts).map_err(|reason| run.damaged(reason))?;
    let closed = units.into_iter().filter(Unit::is_closed).enumerate();
    let judged =
        closed.map(|(index, unit)| judge(unit, &run.round(index)?).map_err(|reason| run.damaged(reason)));
    judged.collect()
}
