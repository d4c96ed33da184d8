//! `galo doctor`: what this machine can enforce and measure.

use anyhow::Result;
use galo_host::{Check, CheckState};

use crate::cli::DoctorArgs;
use crate::exit::Exit;
use crate::output::print;

/// Runs the command.
pub(crate) fn run(args: &DoctorArgs) -> Result<Exit> {
    let mut checks = galo_host::doctor(args.port);
    checks.push(flushes());
    print(&checks.iter().map(line).collect::<String>())?;
    if args.calibrate {
        print(&crate::calibrate::run()?)?;
    }
    let broken = checks.iter().any(|c| c.state == CheckState::Broken);
    Ok(if broken { Exit::CheckFailed } else { Exit::Done })
}

/// Whether galo sees that a contender flushes what it acknowledges.
fn flushes() -> Check {
    let (state, found, mend) = match galo_watch::flushes_lack() {
        None => (CheckState::Good, "counted for each service".to_owned(), None),
        Some((why, mend)) => (CheckState::Lacking, format!("cannot be counted: {why}"), Some(mend)),
    };
    Check { name: "flushes to disk".to_owned(), state, found, mend }
}

fn line(check: &Check) -> String {
    let mark = match check.state {
        CheckState::Good => "ok  ",
        CheckState::Lacking => "lack",
        CheckState::Broken => "FAIL",
    };
    let mend = check.mend.as_ref().map_or(String::new(), |mend| format!("\n       mend: {mend}"));
    format!("{mark}   {:<18} {}{mend}\n", check.name, check.found)
}
