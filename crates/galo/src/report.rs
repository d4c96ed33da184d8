//! `galo report`, and the telling at the end of every run: everything comes from the run folder.

use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result};
use galo_record::Run;
use galo_report::{Look, Report};

use crate::cli::{OutputArgs, ReportArgs};
use crate::exit::Exit;

/// Widest line of a summary.
const WIDTH: usize = 80;

/// Runs the command.
pub(crate) fn run(args: &ReportArgs) -> Result<Exit> {
    tell(&Run::open(&args.run)?, &args.output)?;
    Ok(Exit::Done)
}

/// Rebuilds `report.json` and `report.html` in the run folder, and prints the summary or the JSON.
pub(crate) fn tell(run: &Run, output: &OutputArgs) -> Result<Report> {
    let (report, series) = galo_report::build(run)?;
    let json = report.to_json();
    run.write_derived("report.json", json.as_bytes())?;
    let page = run.write_derived("report.html", galo_report::html(&report, &series)?.as_bytes())?;
    let to_stdout = write_json(output.json.as_deref(), &json)?;
    if !output.quiet && !to_stdout {
        let look = Look { width: WIDTH, colour: colour() };
        let mut out = std::io::stdout().lock();
        write!(out, "{}", galo_report::terminal(&report, look))?;
        writeln!(out, "\nreport: {}", page.display())?;
    }
    Ok(report)
}

/// Writes the JSON where the caller wants it, and says whether that was standard output.
pub(crate) fn write_json(target: Option<&Path>, json: &str) -> Result<bool> {
    match target {
        None => Ok(false),
        Some(path) if path == Path::new("-") => {
            std::io::stdout().lock().write_all(json.as_bytes())?;
            Ok(true)
        }
        Some(path) => {
            std::fs::write(path, json).with_context(|| format!("cannot write `{}`", path.display()))?;
            Ok(false)
        }
    }
}

/// Whether standard output takes colour: a terminal, without `NO_COLOR` (no-color.org).
pub(crate) fn colour() -> bool {
    std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}
