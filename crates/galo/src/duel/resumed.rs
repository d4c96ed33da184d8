//! A duel, or a scan of duels, that was cut off, to be gone on with on its own terms.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use clap::Parser;
use galo_plan::DuelPlan;
use galo_plan::secret::MASK;
use galo_record::run::{RunKind, open_header, open_kind};
use galo_record::{Machine, Run, RunHeader, RunWriter, Seeds};

use super::{Session, one, refused, scan};
use crate::cli::{Cli, Command, DuelArgs};
use crate::exit::{Exit, WrongUse};
use crate::watched::Watched;

/// Goes on with a run, by the command line that began it.
pub(super) fn run(
    path: &Path,
    now: &DuelArgs,
    machine: &Machine,
    stop: &Arc<AtomicBool>,
    watched: &Watched,
) -> Result<Exit> {
    let kind = open_kind(path)?;
    let header = &open_header(path)?;
    let session = Session { watched, machine, header, stop };
    let of_duel = || args_of(path, header, now);
    match kind {
        RunKind::Duel => {
            let args = of_duel()?;
            if args.param.is_some() {
                let hint = "go on with the scan: name the folder above it";
                return Err(
                    WrongUse(format!("`{}` is a part of a scan\nhint: {hint}", path.display())).into()
                );
            }
            one(&args, &session, Some(RunWriter::resume(path, &Seeds::of_user())?))
        }
        RunKind::Scan => {
            let args = of_duel()?;
            let param = args.param.clone().unwrap_or_default();
            scan::run(&args, &param, &session, Some(RunWriter::resume(path, &Seeds::of_user())?))
        }
        RunKind::Contenders => {
            let text = format!("`{}` is {}, not a duel", path.display(), kind.label());
            Err(WrongUse(format!("{text}\nhint: galo fight --resume goes on with a fight")).into())
        }
    }
}

/// The options that a run was begun with, but for how it is told.
fn args_of(path: &Path, header: &RunHeader, now: &DuelArgs) -> Result<DuelArgs> {
    if header.command.iter().any(|word| word.contains(MASK)) {
        let what = "its command line held what galo does not write down (a password, a header)";
        let hint = "begin it anew; what a command reads by itself, e.g. `--token \"$(cat FILE)\"`, can be gone on with";
        let path = path.display();
        return Err(WrongUse(format!("`{path}` cannot be resumed: {what}\nhint: {hint}")).into());
    }
    let Command::Duel(args) = Cli::try_parse_from(&header.command)?.command else {
        return Err(refused(path, "it was not begun by `galo duel`"));
    };
    let DuelArgs { output, form, metrics, progress, .. } = now.clone();
    Ok(DuelArgs { output, form, metrics, progress, ..*args })
}

/// That a duel would go on on its own terms.
///
/// # Errors
/// What has changed since it began.
pub(super) fn same(run: &Run<DuelPlan>, new: &DuelPlan, machine: &Machine) -> Result<()> {
    let (old, new) = (&run.plan, &new.without_secrets());
    let what = if run.header.machine != *machine {
        "the machine"
    } else if old.requests_sha256 != new.requests_sha256 {
        "the file of requests"
    } else if old.asked != new.asked {
        "the traffic"
    } else if old.sides != new.sides {
        "a revision, or the folder in which the commands run,"
    } else if old != new {
        "what the plan is made of"
    } else {
        return Ok(());
    };
    Err(refused(&run.path, &format!("since it began, {what} has changed")))
}
