//! `galo limit CONTENDER`: options, plan, one hold after another, report.

mod follow;
mod terms;
mod view;

use anyhow::Result;
use galo_drive::schedule::Limit;
use galo_drive::{DriveError, Driven};
use galo_judge::json::pretty;
use galo_judge::limit::{Hold, JudgedLimit, LimitedBy, judge_hold};
use galo_plan::{Kind, Plan};
use galo_record::act::Unit;
use galo_record::run::Folder;
use galo_record::{RoundData, Run, RunEnd, Seeds};

use crate::cli::{FormArgs, LimitArgs, OutputArgs};
use crate::cut_off::CutOff;
use crate::exit::Exit;
use crate::hosted::{self, Hosted, Hosting};
use crate::output::{check_forms, say, tell_document};
use crate::resumed::{Resumed, judged};

use follow::Follow;
use view::Rows;

/// Runs the command.
pub(crate) fn run(args: &LimitArgs) -> Result<Exit> {
    check_forms(&args.run.output, &args.run.form)?;
    let resumed = args.resume.as_deref().map(|run| Resumed::open(run, "limit")).transpose()?;
    let (plan, model) = match &resumed {
        Some(resumed) => resumed.plan()?,
        None => {
            let kind = Kind::Limit(terms::terms(args)?);
            hosted::plan(args.contender.as_deref(), &args.runners, &args.profile, args.seed, kind)?
        }
    };
    let schedule = Limit::new(&plan)?;
    let rows = Rows::default();
    let hosted = Hosted::open(&args.run, ("limit", "hold"), None, Some(true), rows.view())?;
    let hosting = Hosting { plan: &plan, model, there: None, cases: &[], threads: args.threads, resumed };
    let mut follow = Follow::new(&plan, &hosted.live, &rows);
    let driven = hosted.drive(hosting, &schedule, judge(&plan), &mut follow);
    let (writer, Driven { interrupted, .. }) = hosted.close(driven)?;
    let report = tell(
        &Run::open(writer.path(), &Seeds::of_user())?,
        Some(writer.folder()),
        &args.run.output,
        &args.run.form,
    )?;
    if interrupted {
        CutOff::Contenders(&plan).say_interrupted(writer.path());
        return Ok(Exit::Interrupted);
    }
    if let RunEnd::Failed(error) = &report.end {
        say(&format!("error: {error}"));
    }
    Ok(exit_of(&report.end, report.at_least_met, report.limited_by))
}

/// Judges the holds of a plan.
fn judge(plan: &Plan) -> impl Fn(Unit<'_>, &RoundData) -> Result<Hold, DriveError> {
    |unit, round| judge_hold(plan, unit, round).map_err(DriveError::Bug)
}

/// Tells what a run of holds says, and writes `report.json` and `report.html` into a folder if one is given.
pub(crate) fn tell(
    run: &Run,
    into: Option<&Folder>,
    output: &OutputArgs,
    form: &FormArgs,
) -> Result<JudgedLimit> {
    let holds = judged(run, judge(&run.plan))?;
    let limit = JudgedLimit::of(run, holds).map_err(DriveError::Bug)?;
    tell_document(&galo_report::limit(&limit), &pretty(&limit), into, output, form)?;
    Ok(limit)
}

/// What was asked for and is known decides; then who was the limit.
fn exit_of(end: &RunEnd, at_least_met: Option<bool>, limited_by: LimitedBy) -> Exit {
    match (end, at_least_met, limited_by) {
        (RunEnd::Interrupted, ..) => Exit::Interrupted,
        (RunEnd::Failed(_), ..) => Exit::NotStarted,
        (_, Some(true), _) => Exit::Done,
        (_, _, LimitedBy::Galo) => Exit::Void,
        (_, Some(false), _) => Exit::CheckFailed,
        (_, None, _) => Exit::Done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_that_was_asked_for_decides_and_where_galo_was_the_limit_nothing_is_held_against_anybody() {
        let exit = |met, limited_by| exit_of(&RunEnd::Done, met, limited_by);
        assert_eq!(exit(None, LimitedBy::Contender), Exit::Done);
        assert_eq!(exit(None, LimitedBy::Galo), Exit::Void);
        assert_eq!(exit(Some(true), LimitedBy::Galo), Exit::Done);
        assert_eq!(exit(Some(false), LimitedBy::Galo), Exit::Void);
        assert_eq!(exit(Some(false), LimitedBy::Contender), Exit::CheckFailed);
        assert_eq!(exit_of(&RunEnd::Interrupted, Some(true), LimitedBy::Galo), Exit::Interrupted);
    }
}
