//! `galo report`, and the telling at the end of every run: everything comes from the run folder.

mod compare;
mod history;

use std::path::Path;

use anyhow::Result;
use galo_judge::fight::JudgedFight;
use galo_judge::json::pretty;
use galo_judge::load::JudgedLoad;
use galo_plan::{DuelPlan, Kind, ScanPlan};
use galo_record::gatling::GatlingLog;
use galo_record::run::{Folder, RunKind, open_kind};
use galo_record::{Run, Seeds};
use galo_report::{Requests, RoundSeries};

use crate::cli::{FormArgs, OutputArgs, ReportArgs, StyleArgs};
use crate::cut_off::CutOff;
use crate::duel;
use crate::exit::{Exit, WrongUse};
use crate::limit;
use crate::load;
use crate::output::{check_forms, look, say, tell_document_and};
use crate::registry;
use crate::soak;

/// A run folder by what was run.
enum Opened {
    Fight(Box<Run>),
    Duel(Box<Run<DuelPlan>>),
    Scan(ScanPlan),
    Limit(Box<Run>),
    Soak(Box<Run>),
}

/// Runs the command.
pub(crate) fn run(args: &ReportArgs) -> Result<Exit> {
    check_forms(&args.output, &args.form)?;
    if let Some(log) = &args.gatling {
        gatling(log, args)?;
        return Ok(Exit::Done);
    }
    match args.runs.as_slice() {
        _ if args.history.is_some() || args.export.is_some() => history::tell(args)?,
        [run] => one(run, args)?,
        runs => compare::tell(runs, args)?,
    }
    Ok(Exit::Done)
}

fn one(path: &Path, args: &ReportArgs) -> Result<()> {
    let ReportArgs { output, form, style, .. } = args;
    let opened = open(path)?;
    // The run folder may be anybody's: it is read, and nothing is written into it.
    let into = args.out.as_deref().map(Folder::create).transpose()?;
    let into = into.as_ref();
    match opened {
        Opened::Fight(run) => tell(&run, into, output, form, style).map(drop),
        Opened::Duel(run) => {
            no_style(style, "a duel")?;
            duel::tell(&run, into, output, form).map(drop)
        }
        Opened::Scan(record) => {
            no_style(style, "a scan")?;
            duel::scan::tell(path, &record, into, output, form).map(drop)
        }
        Opened::Limit(run) => {
            no_style(style, "a limit")?;
            limit::tell(&run, into, output, form).map(drop)
        }
        Opened::Soak(run) => {
            no_style(style, "a soak")?;
            soak::tell(&run, into, output, form).map(drop)
        }
    }
}

/// Opens a run folder of any kind.
fn open(path: &Path) -> Result<Opened> {
    let seeds = &Seeds::of_user();
    match open_kind(path)? {
        RunKind::Duel => {
            let run = Run::open(path, seeds)?;
            say_if_unfinished(path, run.is_over, CutOff::Duel);
            return Ok(Opened::Duel(Box::new(run)));
        }
        RunKind::Scan => {
            let run = Run::open(path, seeds)?;
            say_if_unfinished(path, run.is_over, CutOff::Duel);
            return Ok(Opened::Scan(run.plan));
        }
        RunKind::Contenders => {}
    }
    let run = Run::open(path, seeds)?;
    say_if_unfinished(path, run.is_over, CutOff::Contenders(&run.plan));
    Ok(match run.plan.kind {
        Kind::Fight { .. } | Kind::Check { .. } => Opened::Fight(Box::new(run)),
        Kind::Limit(_) => Opened::Limit(Box::new(run)),
        Kind::Soak(_) => Opened::Soak(Box::new(run)),
    })
}

/// Its report tells a commitment in place of the seed.
fn say_if_unfinished(path: &Path, is_over: bool, what: CutOff<'_>) {
    if !is_over {
        let told = format!("`{}` is unfinished: its seed is not told yet", path.display());
        say(&format!("{told}\n{}", what.hint(path)));
    }
}

/// Makes the report of a run, writes `report.json` and `report.html` into a folder if one is given, and tells the run in the forms that were
/// asked for.
pub(crate) fn tell(
    run: &Run,
    into: Option<&Folder>,
    output: &OutputArgs,
    form: &FormArgs,
    style: &StyleArgs,
) -> Result<JudgedFight> {
    let model = registry::model(&run.plan.challenge.model)?;
    let mut series = Vec::new();
    let fight = JudgedFight::of(run, model, |data| series.push(RoundSeries::of(&run.plan, data)))?;
    let document = galo_report::fight(&fight, &series);
    let requests = match style.style {
        Some(_) => Requests::of_run(run, &fight)?,
        None => Vec::new(),
    };
    let requests: String = requests.iter().map(|requests| requests.terminal(look())).collect();
    tell_document_and(&document, &requests, &pretty(&fight), into, output, form)?;
    Ok(fight)
}

fn gatling(log: &Path, args: &ReportArgs) -> Result<()> {
    let judged = JudgedLoad::of_log(GatlingLog::read(log)?);
    load::tell(&judged, None, &args.output, &args.form, &args.style)
}

/// Refuses `--style` where there are no histograms to tell by it.
fn no_style(style: &StyleArgs, what: &str) -> Result<(), WrongUse> {
    match style.style {
        None => Ok(()),
        Some(_) => Err(WrongUse(format!(
            "{what} cannot be told in another tool's style\n\
             hint: leave --style out; it is for one fight of contenders, and for `galo load`"
        ))),
    }
}
