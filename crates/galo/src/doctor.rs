//! `galo doctor`: what this machine can enforce and measure.

use anyhow::Result;
use galo_host::{Check, CheckState};

use crate::cli::DoctorArgs;
use crate::exit::Exit;
use crate::output::print;

/// Runs the command.
pub(crate) fn run(args: &DoctorArgs) -> Result<Exit> {
    let checks = galo_host::doctor(args.port);
    print(&checks.iter().map(line).collect::<String>())?;
    if args.calibrate {
        print(&crate::calibrate::run()?)?;
    }
    let broken = checks.iter().any(|c| c.state == CheckState::Broken);
    Ok(if broken { Exit::CheckFailed } else { Exit::Done })
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
