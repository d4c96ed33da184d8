//! `galo report`, and the telling at the end of every run: everything comes from the run folder.

use anyhow::Result;
use galo_record::Run;
use galo_record::run::{open_duel, open_scan};
use galo_report::Report;

use crate::cli::{OutputArgs, PageArgs, ReportArgs};
use crate::duel;
use crate::exit::Exit;
use crate::limit;
use crate::output::{look, print, write_json};
use crate::registry;

/// Runs the command.
pub(crate) fn run(args: &ReportArgs) -> Result<Exit> {
    if let Some(record) = open_duel(&args.run)? {
        duel::tell(&args.run, &record, &args.output, &args.page)?;
        return Ok(Exit::Done);
    }
    if let Some(record) = open_scan(&args.run)? {
        duel::scan::tell(&args.run, &record, &args.output)?;
        return Ok(Exit::Done);
    }
    let run = Run::open(&args.run)?;
    match run.limit()? {
        Some(record) => limit::tell(&run, &record, &args.output).map(drop)?,
        None => tell(&run, &args.output, &args.page).map(drop)?,
    }
    Ok(Exit::Done)
}

/// Rebuilds `report.json` and `report.html` in the run folder, and prints the summary or the JSON.
pub(crate) fn tell(run: &Run, output: &OutputArgs, page: &PageArgs) -> Result<Report> {
    let rows = run.plan.prepare(registry::model(&run.plan.challenge.model)?);
    let (report, series) = galo_report::build(run, &*rows)?;
    let json = report.to_json();
    run.write_derived("report.json", json.as_bytes())?;
    let html = galo_report::html(&report, &series, page.language())?;
    let page = run.write_derived("report.html", html.as_bytes())?;
    let to_stdout = write_json(output.json.as_deref(), &json)?;
    if !output.quiet && !to_stdout {
        print(&format!("{}\nreport: {}\n", galo_report::terminal(&report, look()), page.display()))?;
    }
    Ok(report)
}
