//! `galo load URL...`: the engine by itself. Options, loads, report.

mod address;
mod drive;
mod highest;
mod measured;
mod outputs;
mod setup;
mod steps;
mod totals;
mod view;

use std::sync::Arc;

use anyhow::Result;
use galo_judge::assertion::Figures;
use galo_plan::load::Arrivals;
use galo_record::Event;
use galo_report::LoadReport;

use crate::cli::LoadArgs;
use crate::exit::Exit;
use crate::live::{Live, Room};
use crate::output::{is_unicode, look, print, say, write_result};
use crate::session::stop_flag;

use drive::Driver;
use measured::assert_all;
use outputs::Outputs;
use setup::{Model, Setup};
use view::View;

/// Runs the command.
pub(crate) fn run(args: &LoadArgs) -> Result<Exit> {
    let stop = stop_flag()?;
    let setup = Setup::new(args)?;
    let outputs = Outputs::open(&args.tell)?;
    let mut view = View::new(is_unicode());
    let totals = outputs.totals();
    let live = Live::hearing(
        Room::of(&args.tell.output, &args.tell.progress),
        move |event| {
            if let Event::Progress(progress) = event {
                totals.set_progress(progress);
            }
        },
        move |progress, place| view.tell(progress, place),
    );
    live.begin(&args.urls.join(" "));
    let mut driver = Driver { setup, urls: args.urls.clone(), live, stop: Arc::clone(&stop) };
    let (mut report, figures) = drive(&mut driver, outputs)?;
    let Driver { setup, live, .. } = driver;
    drop(live);

    report.forced = args.engine.force && !report.void.is_empty();
    let met = assert_all(&mut report, &figures, &setup.assertions);
    let output = &args.tell.output;
    if !write_result(output.json.as_deref(), &report.to_json())? && !output.quiet {
        let requests = args.tell.style.style.map(|_| report.requests.terminal(look()));
        print(&(report.terminal(look()) + &requests.unwrap_or_default()))?;
    }
    let unanswered = unanswered(&report);
    unanswered.iter().for_each(|text| say(text));
    Ok(exit_of(&report, met, unanswered.is_some()))
}

/// What to say of a load in which nobody answered; `None`: somebody did, or nothing was asked.
fn unanswered(report: &LoadReport) -> Option<String> {
    if report.ledger.intended == 0 || !report.statuses.is_empty() || report.interrupted {
        return None;
    }
    let kinds: Vec<&str> = report.errors.keys().map(String::as_str).collect();
    let why = if kinds.is_empty() { "none in time".to_owned() } else { kinds.join(", ") };
    let (requests, url) = (report.ledger.intended, &report.url);
    Some(format!("not one of {requests} requests was answered ({why}): is a server up at {url}?"))
}

/// Drives all that was asked for. With the report come the figures that may be asserted, which it has rounded.
fn drive(driver: &mut Driver, outputs: Outputs) -> Result<(LoadReport, Figures)> {
    match driver.setup.model {
        Model::One { asked_per_s } => one(driver, outputs, asked_per_s),
        Model::Steps { .. } => steps::drive(driver, outputs),
        Model::Highest(_) => highest::drive(driver),
    }
}

fn one(driver: &Driver, outputs: Outputs, asked_per_s: Option<f64>) -> Result<(LoadReport, Figures)> {
    let setup = &driver.setup;
    let open = setup.plan.sources.iter().all(|source| matches!(source.arrivals, Arrivals::Open { .. }));
    let measured = driver.drive(Some(outputs.seconds()))?;
    let mut report = measured.report(&driver.urls);
    report.asked_per_s = asked_per_s;
    (report.void, report.notes) = (measured.void(open), measured.notes(open, setup.spin));
    outputs.close(&measured)?;
    Ok((report, measured.figures()))
}

/// The gravest of what happened. What the caller broke off is neither void nor held against an assertion.
fn exit_of(report: &LoadReport, met: bool, unanswered: bool) -> Exit {
    if report.interrupted {
        Exit::Interrupted
    } else if !report.void.is_empty() && !report.forced {
        Exit::Void
    } else if unanswered {
        Exit::NotStarted
    } else if !met {
        Exit::CheckFailed
    } else {
        Exit::Done
    }
}
