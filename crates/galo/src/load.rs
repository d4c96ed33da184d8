//! `galo load URL...`: the engine by itself. Options, loads, report.

mod driven;
mod outputs;
mod setup;
mod sweep;

use std::path::Path;

use anyhow::Result;
use galo_judge::json;
use galo_judge::judged::Judged;
use galo_judge::load::JudgedLoad;
use galo_plan::secret;
use galo_report::Requests;

use crate::cli::{FormArgs, LoadArgs, OutputArgs, StyleArgs, TellArgs};
use crate::exit::Exit;
use crate::live::{Live, Room};
use crate::output::{check_forms, look, say, tell_pageless};
use crate::session::header;
use crate::stop::stop_flag;
use crate::watched::Watched;

use driven::drive_all;
use outputs::Outputs;
use setup::Setup;
use sweep::Sweep;

/// Runs the command.
pub(crate) fn run(args: &LoadArgs) -> Result<Exit> {
    check_forms(&args.tell.output, &args.tell.form, None)?;
    let stop = stop_flag()?;
    let sweep = Sweep::new(args)?;
    let setup = Setup::new(sweep.first())?;
    let watched = Watched::default();
    let outputs = Outputs::open(&args.tell, &watched)?;
    let live = Live::start(Room::of(&args.tell.output, &args.tell.progress), &watched);
    let told: Vec<String> = args.urls.iter().map(|url| secret::in_address(url)).collect();
    live.begin(&told.join(" "));
    let mut judged = match sweep.is_one() {
        true => drive_all(setup, &live, &stop, outputs)?.0,
        false => sweep.drive(&setup.subject, &live, &stop, &watched)?,
    };
    drop(live);

    judged.header = Some(header(galo_watch::machine(Path::new("/"))).without_secrets());
    judged.forced = args.engine.force && !judged.void.is_empty();
    let TellArgs { output, form, style, .. } = &args.tell;
    tell(&judged, output, form, style)?;
    unanswered(&judged).iter().for_each(|text| say(text));
    Ok(Exit::of_run(&Judged::Load(Box::new(judged)), false))
}

/// Tells a load in the forms that were asked for.
pub(crate) fn tell(
    judged: &JudgedLoad,
    output: &OutputArgs,
    form: &FormArgs,
    style: &StyleArgs,
) -> Result<()> {
    let requests = style.style.map(|_| Requests::of_load(judged).terminal(look())).unwrap_or_default();
    let document = galo_report::load(judged);
    tell_pageless(&document, &json::pretty(judged), &requests, output, form)
}

/// What to say of a load in which no request was answered.
fn unanswered(load: &JudgedLoad) -> Option<String> {
    let kinds: Vec<&str> = load.errors.keys().map(String::as_str).collect();
    let why = if kinds.is_empty() { "none in time".to_owned() } else { kinds.join(", ") };
    let (requests, url) = (load.answered.ledger.intended, &load.url);
    let text = format!("not one of {requests} requests was answered ({why}): is a server up at {url}?");
    load.is_unanswered().then_some(text)
}
