//! Runs of the past: how their ratios went, and the newest ones for tools that keep a history of their own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use galo_judge::duel::JudgedDuel;
use galo_judge::fight::JudgedFight;
use galo_judge::json::pretty;
use galo_judge::judged::Judged;
use galo_judge::trend::{JudgedTrend, LeftOut, PastRun, WhyLeftOut};
use galo_plan::{DuelPlan, Kind};
use galo_record::run::{Folder, RunKind, open_kind};
use galo_record::{PlainRun, RecordError, Run, Seeds};
use galo_report::Export;

use super::no_style;
use crate::cli::{ExportArg, ReportArgs};
use crate::exit::WrongUse;
use crate::output::{print, say, tell_document};
use crate::registry;

/// How far below the folder runs are looked for.
const DEEPEST: usize = 4;

/// Tells them.
///
/// # Errors
/// A folder that cannot be read, or nothing to export.
pub(super) fn tell(args: &ReportArgs) -> Result<()> {
    let ReportArgs { output, form, style, .. } = args;
    no_style(style, "a trend")?;
    let trend = match &args.history {
        Some(folder) => below(folder)?,
        None => given(&args.runs)?,
    };
    if let Some(form) = args.export {
        return export(&trend, form, args.history.is_some());
    }
    let into = args.out.as_deref().map(Folder::create).transpose()?;
    tell_document(&galo_report::trend(&trend), &pretty(&trend), into.as_ref(), output, form)
}

/// Prints the newest ratio of each pair.
fn export(trend: &JudgedTrend, form: ExportArg, of_history: bool) -> Result<()> {
    let form = match form {
        ExportArg::Bencher => Export::Bencher,
        ExportArg::BenchmarkAction => Export::SmallerIsBetter,
        ExportArg::BenchmarkActionBigger => Export::BiggerIsBetter,
    };
    if !of_history {
        tell_left_out(trend);
    }
    match form.text(trend) {
        Some(text) => print(&text),
        None => {
            let hint = "see what there is: galo report RUN, or --history DIR without --export";
            Err(WrongUse(format!("no ratio belongs into this form\nhint: {hint}")).into())
        }
    }
}

/// What of the runs that were given is not exported.
fn tell_left_out(trend: &JudgedTrend) {
    for LeftOut { folder, .. } in &trend.left_out {
        say(&format!("`{folder}` has no ratio\nhint: see why: galo report {folder}"));
    }
    match trend.pairs.iter().map(|pair| pair.points.len() - 1).sum::<usize>() {
        0 => {}
        1 => say("1 older run of a pair is left out: the form holds only the newest"),
        older => say(&format!("{older} older runs of a pair are left out: the form holds only the newest")),
    }
}

/// The runs that were given. One that cannot be read is an error.
fn given(paths: &[PathBuf]) -> Result<JudgedTrend> {
    let mut gathered = Gathered::default();
    for path in paths {
        let folder = path.display().to_string();
        match open_kind(path)? {
            RunKind::Scan => drop(gathered.add_below(path, &folder, DEEPEST)?),
            RunKind::Contenders | RunKind::Duel => gathered.add(path, folder),
        }
    }
    let unreadable = gathered.left_out.iter().find_map(|out| match &out.why {
        WhyLeftOut::Unreadable(error) => Some(anyhow!(error.clone())),
        _ => None,
    });
    unreadable.map_or_else(|| Ok(gathered.trend()), Err)
}

/// The runs below a folder.
fn below(folder: &Path) -> Result<JudgedTrend> {
    if !folder.is_dir() {
        let hint = "give a folder with run folders in it, e.g. galo-runs";
        return Err(WrongUse(format!("`{}` is no folder\nhint: {hint}", folder.display())).into());
    }
    if open_kind(folder).is_ok() {
        let folder = folder.display();
        let hint = format!("give the folder that it lies in; this run alone: galo report {folder}");
        return Err(WrongUse(format!("`{folder}` is itself a run\nhint: {hint}")).into());
    }
    let mut gathered = Gathered::default();
    gathered.add_below(folder, "", DEEPEST)?;
    Ok(gathered.trend())
}

/// Runs of the past, as far as they were looked at.
#[derive(Default)]
struct Gathered {
    runs: Vec<PastRun>,
    left_out: Vec<LeftOut>,
}

impl Gathered {
    fn trend(self) -> JudgedTrend {
        JudgedTrend::from_runs(self.runs, self.left_out)
    }

    /// Adds a run by the name that it is told by.
    fn add(&mut self, path: &Path, folder: String) {
        match past(path, &folder) {
            Ok(run) => self.runs.push(run),
            Err(why) => self.left_out.push(LeftOut { folder, why }),
        }
    }

    /// Adds the runs below a folder, so many levels deep; whether there is one. The folder of a scan is looked into as any other:
    /// its duels are runs. Links are not followed, so no run is met twice.
    fn add_below(&mut self, folder: &Path, name: &str, levels: usize) -> Result<bool> {
        let cannot_read = || format!("cannot read `{}`", folder.display());
        let entries = fs::read_dir(folder).with_context(cannot_read)?;
        let mut entries = entries.collect::<std::io::Result<Vec<_>>>().with_context(cannot_read)?;
        entries.retain(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        entries.sort_by_key(fs::DirEntry::file_name);
        let mut has_run = false;
        for entry in entries {
            let (path, own) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let folder = if name.is_empty() { own } else { format!("{name}/{own}") };
            has_run |= match open_kind(&path) {
                Ok(RunKind::Scan) => self.add_below(&path, &folder, levels)?,
                Err(RecordError::NoRun(_)) => {
                    let has_run = levels > 1 && self.add_below(&path, &folder, levels - 1)?;
                    if !has_run {
                        self.forget_below(&folder);
                        self.left_out.push(LeftOut { folder, why: WhyLeftOut::NoRun });
                    }
                    has_run
                }
                Ok(RunKind::Contenders | RunKind::Duel) | Err(_) => {
                    self.add(&path, folder);
                    true
                }
            };
        }
        Ok(has_run)
    }

    /// Where nothing below a folder is a run, the folder alone is told.
    fn forget_below(&mut self, folder: &str) {
        let is_below =
            |out: &LeftOut| out.folder.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        self.left_out.retain(|out| !is_below(out));
    }
}

/// A run of the past, or why it has no ratio. What compares no two is not judged.
fn past(path: &Path, folder: &str) -> Result<PastRun, WhyLeftOut> {
    let seeds = &Seeds::of_user();
    let (header, judged) = match open_kind(path).map_err(why)? {
        RunKind::Duel => {
            let run = PlainRun::<DuelPlan>::open(path, seeds).map_err(why)?;
            finished(run.is_over)?;
            (run.header.clone(), Judged::Duel(Box::new(JudgedDuel::of(&run).map_err(why)?)))
        }
        RunKind::Scan => return Err(WhyLeftOut::ComparesNone),
        RunKind::Contenders => {
            let run = Run::open(path, seeds).map_err(why)?;
            if !matches!(run.plan.kind, Kind::Fight { .. }) {
                return Err(WhyLeftOut::ComparesNone);
            }
            finished(run.is_over)?;
            let model = registry::model(&run.plan.challenge.model);
            let model = model.map_err(|error| WhyLeftOut::Unreadable(error.to_string()))?;
            let fight = JudgedFight::of(&run, model, |_| ()).map_err(why)?;
            (run.header, Judged::Fight(Box::new(fight)))
        }
    };
    Ok(PastRun { folder: folder.to_owned(), header, judged })
}

const fn finished(is_over: bool) -> Result<(), WhyLeftOut> {
    if is_over { Ok(()) } else { Err(WhyLeftOut::Unfinished) }
}

/// Why a run that cannot be opened has no ratio.
fn why(error: RecordError) -> WhyLeftOut {
    match error {
        RecordError::SeedGone { .. } => WhyLeftOut::Unfinished,
        other => WhyLeftOut::Unreadable(other.to_string()),
    }
}
