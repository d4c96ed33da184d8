//! `galo report`, and the telling at the end of every run: everything comes from the run folder.

mod compare;

use std::path::Path;

use anyhow::Result;
use galo_record::run::{open_duel, open_header, open_scan, write_derived};
use galo_record::{DuelRecord, LimitRecord, Run, RunHeader, ScanRecord};
use galo_report::{GatlingReport, Report, RequestsReport};

use crate::cli::{FormArgs, OutputArgs, ReportArgs};
use crate::duel;
use crate::exit::{Exit, WrongUse};
use crate::limit;
use crate::output::{Forms, check_forms, look, print, tell as tell_forms, write_result};
use crate::registry;

/// A run folder by what was run.
enum Opened {
    Fight(Box<Run>),
    Duel(RunHeader, Box<DuelRecord>),
    Scan(ScanRecord),
    Limit(Box<Run>, Box<LimitRecord>),
}

/// Runs the command.
pub(crate) fn run(args: &ReportArgs) -> Result<Exit> {
    check_forms(&args.output, &args.form)?;
    if let Some(log) = &args.gatling {
        gatling(log, args)?;
        return Ok(Exit::Done);
    }
    match args.runs.as_slice() {
        [run] => one(run, &args.output, &args.form)?,
        runs => compare::tell(runs, &args.output, &args.form)?,
    }
    Ok(Exit::Done)
}

fn one(path: &Path, output: &OutputArgs, form: &FormArgs) -> Result<()> {
    match open(path)? {
        Opened::Fight(run) => tell(&run, output, form).map(drop),
        Opened::Duel(_, record) => {
            no_style(form, "a duel")?;
            duel::tell(path, &record, output, form).map(drop)
        }
        Opened::Scan(record) => {
            no_style(form, "a scan")?;
            duel::scan::tell(path, &record, output, form).map(drop)
        }
        Opened::Limit(run, record) => {
            no_style(form, "a limit")?;
            no_markdown(form, "a limit")?;
            limit::tell(&run, &record, output).map(drop)
        }
    }
}

/// Opens a run folder of any kind.
fn open(path: &Path) -> Result<Opened> {
    let header = open_header(path)?;
    if let Some(record) = open_duel(path)? {
        return Ok(Opened::Duel(header, Box::new(record)));
    }
    if let Some(record) = open_scan(path)? {
        return Ok(Opened::Scan(record));
    }
    let run = Run::open(path)?;
    Ok(match run.limit()? {
        Some(record) => Opened::Limit(Box::new(run), Box::new(record)),
        None => Opened::Fight(Box::new(run)),
    })
}

/// Rebuilds `report.json` and `report.html` in the run folder, and tells the run in the forms that were asked for.
pub(crate) fn tell(run: &Run, output: &OutputArgs, form: &FormArgs) -> Result<Report> {
    let rows = run.plan.prepare(registry::model(&run.plan.challenge.model)?);
    let (report, series) = galo_report::build(run, &*rows)?;
    let json = report.to_json();
    let html = galo_report::html(&report, &series, form.language())?;
    let place = write_forms(&run.path, &[("report.json", &json), ("report.html", &html)])?;
    let requests = match form.style.style {
        Some(_) => RequestsReport::of_run(run, &report)?,
        None => Vec::new(),
    };
    let summary = || {
        let requests: String = requests.iter().map(|requests| requests.terminal(look())).collect();
        format!("{}\n{requests}{place}", galo_report::terminal(&report, look()))
    };
    let markdown = || galo_report::markdown(&report);
    tell_forms(output, form, &Forms { json: &json, markdown: &markdown, summary: &summary })?;
    Ok(report)
}

/// Writes forms of a report into its run folder, by their names. The line that ends the summary: where the last of them is,
/// or that there is none, since the folder may only be read.
pub(crate) fn write_forms(folder: &Path, forms: &[(&str, &str)]) -> Result<String> {
    let mut place = String::new();
    for (name, text) in forms {
        place = match write_derived(folder, name, text.as_bytes())? {
            Some(path) => format!("report: {}\n", path.display()),
            None => {
                return Ok(format!("report: not written, since `{}` may only be read\n", folder.display()));
            }
        };
    }
    Ok(place)
}

fn gatling(log: &Path, args: &ReportArgs) -> Result<()> {
    no_markdown(&args.form, "a log of Gatling's")?;
    let report = GatlingReport::read(log)?;
    if !write_result(args.output.json.as_deref(), &report.to_json())? && !args.output.quiet {
        print(&report.terminal(look()))?;
    }
    Ok(())
}

/// Refuses `--style` where there are no histograms to tell by it.
pub(crate) fn no_style(form: &FormArgs, what: &str) -> Result<(), WrongUse> {
    match form.style.style {
        None => Ok(()),
        Some(_) => Err(WrongUse(format!(
            "{what} cannot be told in another tool's style\n\
             hint: leave --style out; it is for one fight of contenders, and for `galo load`"
        ))),
    }
}

fn no_markdown(form: &FormArgs, what: &str) -> Result<(), WrongUse> {
    match form.markdown {
        None => Ok(()),
        Some(_) => Err(WrongUse(format!(
            "there is no Markdown of {what}\nhint: leave --markdown out; --json has all of it"
        ))),
    }
}
