//! `galo load URL...`: the engine by itself. Options, loads, report.

mod driven;
mod outputs;
mod setup;

use std::path::Path;

use anyhow::Result;
use galo_plan::secret;
use galo_record::Event;
use galo_report::LoadReport;
use galo_report::live::LoadLine;

use crate::cli::{LoadArgs, TellArgs};
use crate::exit::Exit;
use crate::live::{Live, Room};
use crate::output::{check_forms, is_unicode, look, say, tell_pageless};
use crate::session::{header, stop_flag};

use driven::drive_all;
use outputs::Outputs;
use setup::Setup;

/// Runs the command.
pub(crate) fn run(args: &LoadArgs) -> Result<Exit> {
    check_forms(&args.tell.output, &args.tell.form)?;
    let stop = stop_flag()?;
    let mut setup = Setup::new(args)?;
    let assertions = std::mem::take(&mut setup.assertions);
    let outputs = Outputs::open(&args.tell)?;
    let mut view = LoadLine::new(is_unicode());
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
    let told: Vec<String> = args.urls.iter().map(|url| secret::in_address(url)).collect();
    live.begin(&told.join(" "));
    let (mut report, figures) = drive_all(setup, &told, &live, &stop, outputs)?;
    drop(live);

    report.forced = args.engine.force && !report.void.is_empty();
    let met = report.assert(&figures, &assertions);
    let TellArgs { output, form, style, .. } = &args.tell;
    let requests = style.style.map(|_| report.requests.terminal(look())).unwrap_or_default();
    let document = report.document(&header(galo_watch::machine(Path::new("/"))));
    tell_pageless(&document, &report.to_json(), &requests, output, form)?;
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
