//! `galo limit CONTENDER`: options, plan, one hold after another, report.

mod follow;
mod terms;
mod view;

use std::path::Path;

use anyhow::{Context, Result};
use galo_drive::schedule::Limit;
use galo_drive::stage::{ContenderStage, Means, Server};
use galo_drive::{Before, DriveError, Driven, drive, round};
use galo_judge::limit::{Hold, Searched, judge_hold};
use galo_plan::{ChallengeModel, Kind, Options, Plan};
use galo_record::act::Unit;
use galo_record::run::Folder;
use galo_record::{RoundData, Run, RunWriter};
use galo_report::limit::LimitedBy;
use galo_report::{End, LimitReport};

use crate::cli::{FormArgs, LimitArgs, OutputArgs};
use crate::exit::Exit;
use crate::live::{Live, Room};
use crate::output::{Forms, check_forms, look, say, tell as tell_forms};
use crate::registry::{self, Definition};
use crate::report::write_forms;
use crate::resumed::{Resumed, judged};
use crate::session::{engine_threads, header, open_host, run_folder, stop_flag};

use follow::Follow;
use view::Rows;

/// Runs the command.
pub(crate) fn run(args: &LimitArgs) -> Result<Exit> {
    check_forms(&args.output, &args.form)?;
    let stop = stop_flag()?;
    let resumed = args.resume.as_deref().map(|run| Resumed::open(run, "limit")).transpose()?;
    let (plan, model) = match &resumed {
        Some(resumed) => resumed.plan()?,
        None => new_plan(args)?,
    };
    let schedule = Limit::new(&plan)?;
    let threads = engine_threads(args.threads, &plan.challenge.policy);

    let rows = Rows::default();
    let live = Live::with(Room::of(&args.output, &args.progress), rows.view());
    let host = open_host(plan.limited, &stop, &live)?;
    host.build(&plan.contenders[0])?;
    let machine = galo_watch::machine(Path::new("/"));
    let judge = judge(&plan);
    let (writer, before) = match resumed {
        Some(resumed) => {
            let (writer, _, before) = resumed.before(&machine, &judge)?;
            (writer, before)
        }
        None => {
            let writer = RunWriter::create(&run_folder(args.out.as_deref()), &header(machine), &plan)?;
            (writer, Before::default())
        }
    };
    let events = live.events();
    let mut stage = ContenderStage::new(Means {
        plan: &plan,
        model,
        writer: &writer,
        server: Server::Hosted(&host),
        threads,
        stop: &stop,
        events: &events,
        cases: &[],
    });
    let mut follow = Follow::new(&plan, &live, &rows);
    let judge_unit = |unit: Unit<'_>, bulk| judge(unit, &round(unit, bulk)?);
    let driven = drive(&schedule, &mut stage, &writer, judge_unit, &mut follow, before);
    drop(host);
    drop(live);
    let Driven { interrupted, .. } = driven.with_context(|| keeps(&writer))?;
    let report = tell(&Run::open(writer.path())?, Some(writer.folder()), &args.output, &args.form)?;
    if interrupted {
        return Ok(Exit::Interrupted);
    }
    if let Some(error) = &report.error {
        say(&format!("error: {error}"));
    }
    Ok(exit_of(report.end, report.at_least_met, report.limited_by))
}

/// A plan of what was asked for. Its scale is 1, holds multiply it.
fn new_plan(args: &LimitArgs) -> Result<(Plan, &'static dyn ChallengeModel)> {
    let terms = terms::terms(args)?;
    let contender = args.contender.as_deref().unwrap_or(Path::new("."));
    let (Definition { challenge, model }, contender) = registry::contender(contender)?;
    let options = Options {
        profile: args.profile.clone(),
        scale_milli: 1000,
        rounds: 1,
        seed: args.seed,
        limited: true,
        noise_floor: None,
    };
    let plan = Plan::new(challenge, model, vec![contender], &options)?;
    Ok((Plan { kind: Kind::Limit(terms), ..plan }, model))
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
) -> Result<LimitReport> {
    let holds = judged(run, judge(&run.plan))?;
    let searched = Searched::of(&run.plan, &run.acts, holds).map_err(DriveError::Bug)?;
    let report = LimitReport::of(&run.plan, &searched);
    let (document, json) = (report.document(&run.header), report.to_json());
    let html = || Ok(document.html(form.language())?);
    let place = write_forms(into, &[("report.json", &|| Ok(json.clone())), ("report.html", &html)])?;
    let markdown = || document.markdown(form.words());
    let summary = || format!("{}{place}", document.terminal(look(), form.words()));
    tell_forms(output, form, &Forms { json: &json, markdown: &markdown, summary: &summary })?;
    Ok(report)
}

/// What is left of a search that ends early.
fn keeps(writer: &RunWriter) -> String {
    let path = writer.path().display();
    format!("the holds that were over are kept: galo limit --resume {path} goes on")
}

/// What was asked for and is known decides; then who was the limit.
fn exit_of(end: End, at_least_met: Option<bool>, limited_by: LimitedBy) -> Exit {
    match (end, at_least_met, limited_by) {
        (End::Interrupted, ..) => Exit::Interrupted,
        (End::Failed, ..) => Exit::NotStarted,
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
        let exit = |met, limited_by| exit_of(End::Done, met, limited_by);
        assert_eq!(exit(None, LimitedBy::Contender), Exit::Done);
        assert_eq!(exit(None, LimitedBy::Galo), Exit::Void);
        assert_eq!(exit(Some(true), LimitedBy::Galo), Exit::Done);
        assert_eq!(exit(Some(false), LimitedBy::Galo), Exit::Void);
        assert_eq!(exit(Some(false), LimitedBy::Contender), Exit::CheckFailed);
        assert_eq!(exit_of(End::Interrupted, Some(true), LimitedBy::Galo), Exit::Interrupted);
    }
}
