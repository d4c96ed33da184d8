//! `galo doctor`: what this machine can enforce and measure.

use anyhow::Result;
use galo_host::{Check, CheckState};

use crate::cli::DoctorArgs;
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(args: &DoctorArgs) -> Result<Exit> {
    let checks = galo_host::doctor(args.port);
    for check in &checks {
        println!("{}", line(check));
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
    format!("{mark}   {:<18} {}{mend}", check.name, check.found)
}
