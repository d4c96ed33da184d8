//! `galo doctor`: what this machine can enforce and measure.

use std::collections::BTreeSet;

use anyhow::Result;
use galo_host::{Check, CheckState};
use galo_init::{Need, needs};

use crate::cli::DoctorArgs;
use crate::exit::Exit;
use crate::output::print;

/// Runs the command.
pub(crate) fn run(args: &DoctorArgs) -> Result<Exit> {
    let mut checks = galo_host::doctor(args.port);
    checks.push(flushes());
    checks.push(contenders());
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

/// Which of galo's own contenders this machine can build and run, by the programs that they name.
fn contenders() -> Check {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |program: &str| std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    let missing: Vec<Need> = needs().into_iter().filter(|need| !is_there(&need.program)).collect();
    let without: BTreeSet<&str> =
        missing.iter().flat_map(|need| &need.contenders).map(String::as_str).collect();
    let name = "our contenders".to_owned();
    if missing.is_empty() {
        return Check {
            name,
            state: CheckState::Good,
            found: "all that they name is there".to_owned(),
            mend: None,
        };
    }
    let packages: BTreeSet<&str> = missing.iter().flat_map(|need| need.packages.split(' ')).collect();
    let found = format!("cannot be built here: {}", Vec::from_iter(without).join(", "));
    let mend = format!("apt-get install {}", Vec::from_iter(packages).join(" "));
    Check { name, state: CheckState::Lacking, found, mend: Some(mend) }
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
