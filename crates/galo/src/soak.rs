//! `galo soak CONTENDER`: options, plan, one load of hours, report.

use std::time::Duration;

use anyhow::Result;
use galo_drive::schedule::Soak;
use galo_drive::{DriveError, Driven};
use galo_judge::json::pretty;
use galo_judge::soak::{JudgedSoak, Soaked, judge_soak};
use galo_plan::units::parse_duration;
use galo_plan::{Kind, SoakTerms};
use galo_record::act::Unit;
use galo_record::run::Folder;
use galo_record::{RoundData, Run, RunEnd, Seeds};

use crate::cli::{FormArgs, OutputArgs, SoakArgs};
use crate::cut_off::CutOff;
use crate::exit::{Exit, WrongUse};
use crate::follow::Quiet;
use crate::hosted::{self, Hosted, Hosting};
use crate::live::where_it_is;
use crate::output::{check_forms, say, tell_document};
use crate::resumed::{Resumed, judged};

/// A drift of less says nothing.
const SHORTEST: Duration = Duration::from_secs(10);
/// A week.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);

/// Runs the command.
pub(crate) fn run(args: &SoakArgs) -> Result<Exit> {
    check_forms(&args.run.output, &args.run.form)?;
    let resumed = args.resume.as_deref().map(|run| Resumed::open(run, "soak")).transpose()?;
    let (plan, model) = match &resumed {
        Some(resumed) => resumed.plan()?,
        None => {
            let kind = Kind::Soak(terms(args)?);
            hosted::plan(args.contender.as_deref(), &args.runners, &args.profile, args.seed, kind)?
        }
    };
    let schedule = Soak::new(&plan)?;
    let hosted =
        Hosted::open(&args.run, ("soak", "load"), Some(1), Some(true), |progress, _| where_it_is(progress))?;
    hosted.live.begin(&format!("soak of {}", plan.contenders[0].name));
    let hosting = Hosting { plan: &plan, model, there: None, cases: &[], threads: args.threads, resumed };
    let driven = hosted.drive(hosting, &schedule, judge, &mut Quiet);
    let (writer, Driven { interrupted, .. }) = hosted.close(driven)?;
    let JudgedSoak { soaked, .. } = tell(
        &Run::open(writer.path(), &Seeds::of_user())?,
        Some(writer.folder()),
        &args.run.output,
        &args.run.form,
    )?;
    if interrupted {
        CutOff::Contenders(&plan).say_interrupted(writer.path());
    }
    if let RunEnd::Failed(error) = &soaked.end {
        say(&format!("error: {error}"));
    }
    Ok(match (interrupted, &soaked.end, soaked.void.is_empty()) {
        (true, ..) => Exit::Interrupted,
        (_, RunEnd::Failed(_), _) => Exit::NotStarted,
        (_, _, false) => Exit::Void,
        _ => Exit::Done,
    })
}

/// What was asked for, validated.
fn terms(args: &SoakArgs) -> Result<SoakTerms, WrongUse> {
    let length = parse_duration(&args.length).map_err(|error| WrongUse(format!("--for: {error}")))?;
    if !(SHORTEST..=LONGEST).contains(&length) {
        let hint = "choose from 10s to 168h, e.g. `2h`";
        return Err(WrongUse(format!("--for `{}` is no length for a soak\nhint: {hint}", args.length)));
    }
    Ok(SoakTerms { scale_milli: u64::from(args.scale), length_ns: length.as_nanos() as u64 })
}

fn judge(unit: Unit<'_>, round: &RoundData) -> Result<Soaked, DriveError> {
    Ok(judge_soak(unit, round))
}

/// Tells what a soak showed, and writes `report.json` and `report.html` into a folder if one is given.
pub(crate) fn tell(
    run: &Run,
    into: Option<&Folder>,
    output: &OutputArgs,
    form: &FormArgs,
) -> Result<JudgedSoak> {
    let soaked = judged(run, judge)?.into_iter().next();
    let soak = JudgedSoak::of(run, soaked).map_err(DriveError::Bug)?;
    tell_document(&galo_report::soak(&soak), &pretty(&soak), into, output, form)?;
    Ok(soak)
}
