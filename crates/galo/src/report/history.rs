//! Runs of the past: how their ratios went, and the newest ones for tools that keep a history of their own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use galo_judge::Folded;
use galo_judge::json::pretty;
use galo_judge::judged::Judged;
use galo_judge::trend::{JudgedTrend, LeftOut, PastRun, WhyLeftOut};
use galo_plan::{Kind, Turn};
use galo_record::run::{Folder, open_header};
use galo_record::{AnyRun, RecordError, Seeds};
use galo_report::Export;

use super::{fold, no_style};
use crate::cli::{ExportArg, ReportArgs};
use crate::exit::WrongUse;
use crate::output::{print, say, tell_document};

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
        ExportArg::Csv => {
            let hint = "galo report LEAGUE --export csv; of others --json has all figures";
            return Err(WrongUse(format!("CSV is of one league\nhint: {hint}")).into());
        }
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

/// Tells which of the given runs are not exported.
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
        open_header(path)?;
        gathered.add(path, folder);
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
    if open_header(folder).is_ok() {
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

    /// Adds a run by the name that it is told by, or the duels of a scan in its place.
    fn add(&mut self, path: &Path, folder: String) {
        let past_run = |folder: String, setting: Vec<Turn>, Folded { run, judged, .. }| {
            let sent_sha256 = match &run {
                AnyRun::Duel(run) => run.plan.sent_sha256.clone(),
                _ => None,
            };
            PastRun { folder, header: run.header().clone(), setting, sent_sha256, judged }
        };
        match past(path) {
            Ok(Folded { judged: Judged::Scan(scan), children, .. }) => {
                for (child, scanned) in children.into_iter().zip(scan.duels) {
                    let own = format!("{folder}/{}", child.id.folder());
                    // Compared with a baseline, a side has its setting in its name.
                    let setting = if scan.baseline.is_none() { scanned.setting } else { Vec::new() };
                    self.runs.extend(child.folded.ok().map(|folded| past_run(own, setting, folded)));
                }
            }
            Ok(folded) => self.runs.push(past_run(folder, Vec::new(), folded)),
            Err(why) => self.left_out.push(LeftOut { folder, why }),
        }
    }

    /// Adds the runs below a folder, so many levels deep; whether there is one. Links are not followed, so no run is met twice.
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
            has_run |= match open_header(&path) {
                Err(RecordError::NoRun(_)) => {
                    let has_run = levels > 1 && self.add_below(&path, &folder, levels - 1)?;
                    if !has_run {
                        self.forget_below(&folder);
                        self.left_out.push(LeftOut { folder, why: WhyLeftOut::NoRun });
                    }
                    has_run
                }
                Ok(_) | Err(_) => {
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
fn past(path: &Path) -> Result<Folded, WhyLeftOut> {
    let run = AnyRun::open(path, &Seeds::of_run(path)).map_err(why)?;
    // A scan that is not over counts by those of its duels that are.
    let counts = match &run {
        AnyRun::Contenders(run) if !matches!(run.plan.kind, Kind::Fight { .. }) => {
            return Err(WhyLeftOut::ComparesNone);
        }
        AnyRun::Contenders(_) | AnyRun::Duel(_) => run.is_over(),
        AnyRun::Scan(_) => true,
        AnyRun::League(_) | AnyRun::Tune(_) => return Err(WhyLeftOut::ComparesNone),
    };
    if !counts {
        return Err(WhyLeftOut::Unfinished);
    }
    fold(run, &mut |_, _| ()).map_err(why)
}

/// Why a run that cannot be opened has no ratio.
fn why(error: RecordError) -> WhyLeftOut {
    match error {
        RecordError::SeedGone { .. } => WhyLeftOut::Unfinished,
        other => WhyLeftOut::Unreadable(other.to_string()),
    }
}
