//! `galo report`, and the telling at the end of every run: everything comes from the run folder.

mod compare;
mod history;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use galo_judge::json::pretty;
use galo_judge::judged::Judged;
use galo_judge::load::JudgedLoad;
use galo_judge::{Folded, FoldedChild, Folding};
use galo_plan::Plan;
use galo_plan::operands::shell_line;
use galo_record::act::ChildId;
use galo_record::gatling::GatlingLog;
use galo_record::run::Folder;
use galo_record::{AnyRun, RecordError, RoundData, RunEnd, Seeds};
use galo_report::{Document, EntryPage, Requests, RoundSeries};

use crate::cli::{ExportArg, FormArgs, OutputArgs, ReportArgs, StyleArgs};
use crate::exit::{Exit, WrongUse};
use crate::load;
use crate::output::{check_forms, look, print, say, tell_document, tell_document_and};
use crate::registry;
use crate::resume;

/// Runs the command.
pub(crate) fn run(args: &ReportArgs) -> Result<Exit> {
    check_forms(&args.output, &args.form, args.out.as_deref())?;
    if let Some(log) = &args.gatling {
        let judged = JudgedLoad::of_log(GatlingLog::read(log)?);
        load::tell(&judged, &args.output, &args.form, &args.style)?;
        return Ok(Exit::Done);
    }
    match args.runs.as_slice() {
        [run] if args.export == Some(ExportArg::Csv) => csv(run)?,
        _ if args.history.is_some() || args.export.is_some() => history::tell(args)?,
        [run] => one(run, args)?,
        runs => compare::tell(runs, args)?,
    }
    Ok(Exit::Done)
}

fn one(path: &Path, args: &ReportArgs) -> Result<()> {
    let run = open(path)?;
    if let Some(what) = kind_without_style(&run) {
        no_style(&args.style, what)?;
    }
    // The run folder may be anybody's: it is read, and nothing is written into it.
    let into = args.out.as_deref().map(Folder::create).transpose()?;
    tell(&Seen::of(run)?, into.as_ref(), &args.output, &args.form, &args.style)
}

/// Prints a league as CSV.
fn csv(path: &Path) -> Result<()> {
    let Judged::League(league) = fold(open(path)?, &mut |_, _| ())?.judged else {
        let text = format!("`{}` is no league, which alone is told as CSV", path.display());
        return Err(WrongUse(format!("{text}\nhint: --json has all figures of any run")).into());
    };
    print(&galo_report::league_csv(&league))
}

/// A run as it is told: folded, with what is drawn of its rounds.
pub(crate) struct Seen {
    pub(crate) folded: Folded,
    series: Vec<RoundSeries>,
}

impl Seen {
    /// Folds a run.
    ///
    /// # Errors
    /// What is wrong with the run.
    pub(crate) fn of(run: AnyRun) -> Result<Self, RecordError> {
        let mut series = Vec::new();
        let mut see = |plan: &Plan, round: &RoundData| series.push(RoundSeries::from_round(plan, round));
        let folded = fold(run, &mut see)?;
        Ok(Self { folded, series })
    }
}

/// Folds a run. `see` is shown each round of a fight.
///
/// # Errors
/// What is wrong with the run.
pub(crate) fn fold(run: AnyRun, see: &mut dyn FnMut(&Plan, &RoundData)) -> Result<Folded, RecordError> {
    Folded::fold(run, &mut Folding { seeds: &Seeds::of_user(), model: &registry::model, see })
}

/// Folds a child of the run in a folder, which ended so.
///
/// # Errors
/// What is wrong with the child.
pub(crate) fn fold_child(run: &Path, child: (ChildId, &RunEnd)) -> Result<FoldedChild, RecordError> {
    let (seeds, see) = (&Seeds::of_user(), &mut |_: &Plan, _: &RoundData| ());
    FoldedChild::open(run, child, &mut Folding { seeds, model: &registry::model, see })
}

/// Opens a run folder of any kind, and says so if its run is not over: its report tells a commitment in place of the seed.
fn open(path: &Path) -> Result<AnyRun, RecordError> {
    let run = AnyRun::open(path, &Seeds::of_run(path))?;
    if !run.is_over() {
        let told = format!("`{}` is unfinished: its seed is not told yet", path.display());
        say(&format!("{told}\n{}", resume::hint(path)));
    }
    Ok(run)
}

/// Tells a run in the forms that were asked for, and writes `report.json` and `report.html` into a folder if one is given, with the
/// pages of its children, and of the entries of a league, below it.
pub(crate) fn tell(
    seen: &Seen,
    into: Option<&Folder>,
    output: &OutputArgs,
    form: &FormArgs,
    style: &StyleArgs,
) -> Result<()> {
    let Seen { folded, series } = seen;
    for FoldedChild { id, folded } in &folded.children {
        let Ok(folded) = folded else { continue };
        let below = into.map(|into| into.make_below(&id.folder())).transpose()?;
        // Its own page is what this one links to.
        let quiet = OutputArgs { json: None, quiet: true };
        let (document, json) = (document(folded, &[]), pretty(&folded.judged));
        tell_document(&document, &json, below.as_ref(), &quiet, &form.page_alone())?;
    }
    if let (Judged::League(league), Some(into)) = (&folded.judged, into) {
        for EntryPage { folder, document, badge } in galo_report::league_entries(league, &pages(folded)) {
            let below = into.make_below(&folder)?;
            below.write("badge.svg", badge.as_bytes())?;
            below.write("report.html", document.html(form.language())?.as_bytes())?;
        }
    }
    let requests = match (&folded.run, &folded.judged, style.style) {
        (AnyRun::Contenders(run), Judged::Fight(fight), Some(_)) => Requests::of_run(run, fight)?,
        _ => Vec::new(),
    };
    let requests: String = requests.iter().map(|requests| requests.terminal(look())).collect();
    tell_document_and(&document(folded, series), &requests, &pretty(&folded.judged), into, output, form)
}

/// A view of what a run came to.
fn document(folded: &Folded, series: &[RoundSeries]) -> Document {
    match &folded.judged {
        Judged::Fight(fight) => galo_report::fight(fight, series),
        Judged::Duel(duel) => galo_report::duel(duel),
        Judged::Scan(scan) => {
            let folders: Vec<String> = folded.children.iter().map(|child| child.id.folder()).collect();
            galo_report::scan(scan, &folders)
        }
        Judged::Load(load) => galo_report::load(load),
        Judged::Limit(limit) => galo_report::limit(limit),
        Judged::Soak(soak) => galo_report::soak(soak),
        Judged::League(league) => galo_report::league(league, &pages(folded)),
        Judged::Sweep(sweep) => galo_report::sweep(sweep),
        Judged::Tune(tune) => galo_report::tune(tune, &pages(folded)),
    }
}

/// The folders of a run's children that have a page, by number.
fn pages(folded: &Folded) -> BTreeMap<u32, String> {
    let children = folded.children.iter().filter(|child| child.folded.is_ok());
    children.map(|child| (child.id.child, child.id.folder())).collect()
}

/// Whether a run that ended, or was broken off, has anything to tell: rounds of a fight say nothing until all were driven, and a
/// duel in which no pair was says only why.
pub(crate) fn is_worth_telling(judged: &Judged, interrupted: bool) -> bool {
    match judged {
        Judged::Fight(_) => !interrupted,
        Judged::Duel(duel) => {
            !(duel.turns.is_empty() && matches!(duel.end, RunEnd::Failed(_) | RunEnd::Refused(_)))
        }
        _ => true,
    }
}

/// Says why a run ended that could not be driven to its end, and where what was over is told.
pub(crate) fn say_failure(judged: &Judged, run: &Path) {
    let (RunEnd::Failed(why) | RunEnd::Refused(why)) = judged.end() else { return };
    say(&format!("error: {why}"));
    if matches!(judged, Judged::Duel(duel) if !duel.turns.is_empty()) {
        let report = shell_line(&["galo", "report", &run.to_string_lossy()].map(str::to_owned));
        say(&format!("what was over is kept: {report}"));
    }
}

/// What a run is that has no histograms to tell in another tool's style.
const fn kind_without_style(run: &AnyRun) -> Option<&'static str> {
    use galo_plan::Kind;
    match run {
        AnyRun::Duel(_) => Some("a duel"),
        AnyRun::Scan(_) => Some("a scan"),
        AnyRun::League(_) => Some("a league"),
        AnyRun::Tune(_) => Some("a search for the best setting"),
        AnyRun::Contenders(run) => match run.plan.kind {
            Kind::Limit(_) => Some("a limit"),
            Kind::Soak(_) => Some("a soak"),
            Kind::Fight { .. } | Kind::Check { .. } => None,
        },
    }
}

fn no_style(style: &StyleArgs, what: &str) -> Result<(), WrongUse> {
    match style.style {
        None => Ok(()),
        Some(_) => Err(WrongUse(format!(
            "{what} cannot be told in another tool's style\n\
             hint: leave --style out; it is for one fight of contenders, and for `galo load`"
        ))),
    }
}
