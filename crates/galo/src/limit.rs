//! `galo limit CONTENDER`: options, contender, one hold after another, report.
//!
//! [`galo_judge::capacity`] says which scale to hold next, with scales in thousandths where it speaks of rates.

mod ground;
mod hold;
mod preload;
mod setup;
mod view;

use std::path::Path;

use anyhow::{Context, Result};
use galo_drive::stage::{Means, Server};
use galo_judge::capacity::Length;
use galo_judge::limit::search;
use galo_plan::{Options, Plan};
use galo_record::limit::LimitRecord;
use galo_record::run::Folder;
use galo_record::{Run, RunEnd, RunWriter};
use galo_report::End;
use galo_report::limit::{HoldReport, LimitedBy};
use galo_report::{Lang, LimitReport};

use crate::cli::{LimitArgs, OutputArgs};
use crate::exit::Exit;
use crate::live::{Live, Room};
use crate::output::{look, print, write_result};
use crate::registry::{self, Definition};
use crate::report::write_forms;
use crate::session::{engine_threads, header, open_host, run_folder, stop_flag, stopped};

use ground::Ground;
use setup::Setup;
use view::Rows;

/// Runs the command.
pub(crate) fn run(args: &LimitArgs) -> Result<Exit> {
    let stop = stop_flag()?;
    let setup = Setup::new(args)?;
    let (Definition { challenge, model }, contender) = registry::contender(&args.contender)?;
    let threads = engine_threads(args.threads, &challenge.policy);
    let plan = Plan::new(challenge, model, vec![contender], &options(args))?;

    let rows = Rows::default();
    let live = Live::with(Room::of(&args.output, &args.progress), rows.view());
    let host = open_host(plan.limited, &stop, &live)?;
    let mut record = setup.record();
    record.limits_note = host.limits_note();
    record.limits_enforced = record.limits_note.is_none();
    host.build(&plan.contenders[0])?;
    let header = header(galo_watch::machine(Path::new("/")));
    let writer = RunWriter::create(&run_folder(args.out.as_deref()), &header, &plan)?;
    writer.write_limit(&record)?;
    let events = live.events();
    let means = Means {
        plan: &plan,
        model,
        writer: &writer,
        server: Server::Hosted(&host),
        threads,
        stop: &stop,
        events: &events,
        cases: &[],
    };
    let mut ground = Ground::new(means, &host, &live, &rows);
    let searched = drive(&mut ground, &setup, &mut record);
    // However the search ended, nothing is left of the contender before anything is told.
    let searched = searched.and(ground.end());
    drop(host);
    drop(live);

    record.end = match &searched {
        _ if stopped(&stop) => RunEnd::Interrupted,
        Ok(()) => RunEnd::Done,
        Err(error) => RunEnd::Failed(format!("{error:#}")),
    };
    writer.write_limit(&record)?;
    if record.end != RunEnd::Interrupted {
        searched.with_context(|| known(&writer, &record))?;
    }
    let report = tell(&Run::open(writer.path())?, &record, Some(writer.folder()), &args.output)?;
    Ok(exit_of(report.end, report.at_least_met, report.limited_by))
}

/// Tells what a run of holds says, and writes it into a folder if one is given.
pub(crate) fn tell(
    run: &Run,
    record: &LimitRecord,
    into: Option<&Folder>,
    output: &OutputArgs,
) -> Result<LimitReport> {
    let report = LimitReport::of(&run.plan, record);
    let json = report.to_json();
    let place = write_forms(into, &[("report.json", &|| Ok(json.clone()))])?;
    if !write_result(output.json.as_deref(), &json)? && !output.quiet {
        print(&format!("{}{place}", report.document(&run.header).terminal(look(), Lang::En)))?;
    }
    Ok(report)
}

/// The plan's part of what was asked: its scale is 1, holds multiply it.
fn options(args: &LimitArgs) -> Options {
    Options {
        profile: args.profile.clone(),
        scale_milli: 1000,
        rounds: 1,
        seed: args.seed,
        limited: true,
        noise_floor: None,
    }
}

/// Drives the search until it is over or the caller stops. Every hold is on disk before the next begins.
fn drive(ground: &mut Ground<'_>, setup: &Setup, record: &mut LimitRecord) -> Result<()> {
    while let Some(asked) = search(record).next() {
        let driven = ground.hold(setup, asked.rate_milli, asked.length == Length::Hold);
        record.starts = ground.starts();
        let Some(hold) = driven? else { break };
        ground.say(&HoldReport::from(&hold).line());
        hold.outcome.reasons.iter().for_each(|reason| ground.say(&format!("  {reason}")));
        if let Some(cause) = galo_judge::limit::recorded_causes(&hold).first() {
            ground.say(&format!("  what held it back: {}", cause.name()));
        }
        record.holds.push(hold);
        ground.keep(record)?;
    }
    Ok(())
}

/// What is left of a search that ends early.
fn known(writer: &RunWriter, record: &LimitRecord) -> String {
    let path = writer.path().display();
    format!("the search ended after {} holds, which are kept: galo report {path}", record.holds.len())
}

/// What was asked for and is known decides; then who was the limit.
fn exit_of(end: End, at_least_met: Option<bool>, limited_by: LimitedBy) -> Exit {
    match (end, at_least_met, limited_by) {
        (End::Interrupted, ..) => Exit::Interrupted,
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
