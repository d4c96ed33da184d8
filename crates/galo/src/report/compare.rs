//! Several runs side by side.

use std::path::{Path, PathBuf};

use anyhow::Result;
use galo_judge::Folded;
use galo_judge::comparison::{FightRun, JudgedComparison};
use galo_judge::json::pretty;
use galo_judge::judged::Judged;
use galo_record::AnyRun;
use galo_record::run::Folder;

use super::{fold, no_style, open};
use crate::cli::ReportArgs;
use crate::exit::WrongUse;
use crate::output::tell_document;

/// Tells them.
///
/// # Errors
/// A folder that cannot be read, or runs that are not of one kind.
pub(super) fn tell(runs: &[PathBuf], args: &ReportArgs) -> Result<()> {
    let ReportArgs { output, form, style, .. } = args;
    no_style(style, "a comparison of runs")?;
    no_run_twice(runs)?;
    let (mut fights, mut duels) = (Vec::new(), Vec::new());
    for path in runs {
        let Folded { run, judged, .. } = fold(open(path)?, &mut |_, _| ())?;
        match (run, judged) {
            (AnyRun::Contenders(run), Judged::Fight(fight)) => {
                fights.push(FightRun { run: *run, fight: *fight });
            }
            (_, Judged::Duel(duel)) => duels.push((path.display().to_string(), *duel)),
            (_, Judged::Scan(_)) => {
                let hint = "give the folders of its duels, children/001/attempt-1 and so on";
                return Err(alone(path, "a scan", hint).into());
            }
            (_, Judged::League(_)) => {
                let hint = "give the folders of its blocks, or tell it by itself";
                return Err(alone(path, "a league", hint).into());
            }
            (_, Judged::Tune(_)) => {
                return Err(alone(path, "a search by `galo tune`", "tell it by itself").into());
            }
            (_, Judged::Sweep(_)) => return Err(alone(path, "a sweep", "tell it by itself").into()),
            (_, Judged::Limit(_)) => {
                return Err(alone(path, "a search by `galo limit`", "tell it by itself").into());
            }
            _ => return Err(alone(path, "a soak", "tell it by itself").into()),
        }
    }
    let judged = match (fights.is_empty(), duels.is_empty()) {
        (false, true) => JudgedComparison::of_fights(fights),
        (true, _) => JudgedComparison::of_duels(duels),
        (false, false) => {
            let text = format!(
                "these runs are {} of contenders and {} of commands or addresses",
                fights.len(),
                duels.len()
            );
            let hint = "put fights beside fights, or duels beside duels";
            return Err(WrongUse(format!("{text}, which have no figure in common\nhint: {hint}")).into());
        }
    };
    let into = args.out.as_deref().map(Folder::create).transpose()?;
    tell_document(&galo_report::comparison(&judged), &pretty(&judged), into.as_ref(), output, form)
}

fn alone(path: &Path, what: &str, hint: &str) -> WrongUse {
    let text = format!("`{}` is {what}, which cannot be put beside another run", path.display());
    WrongUse(format!("{text}\nhint: {hint}"))
}

/// A run beside itself is equal to itself, which says nothing.
fn no_run_twice(runs: &[PathBuf]) -> Result<(), WrongUse> {
    let real: Vec<PathBuf> =
        runs.iter().map(|path| std::fs::canonicalize(path).unwrap_or_else(|_| path.clone())).collect();
    let twice = (0..real.len()).find(|&index| real[..index].contains(&real[index]));
    match twice.and_then(|index| runs.get(index)) {
        None => Ok(()),
        Some(path) => {
            let hint = "give each run once; for the noise of a machine: galo fight A A";
            Err(WrongUse(format!("`{}` is given twice\nhint: {hint}", path.display())))
        }
    }
}
