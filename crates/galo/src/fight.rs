//! `galo fight`: options, plan, rounds, judge, report.

use anyhow::Result;
use galo_drive::Driven;
use galo_drive::schedule::Fight;
use galo_judge::{Judgement, Standing, Verdict, judge_fight};
use galo_plan::plan::DETECT_PERCENT;
use galo_plan::{Challenge, ChallengeModel, Contender, Kind, Options, Plan};
use galo_record::act::Unit;
use galo_record::{RoundData, Run, Seeds};

use crate::cli::{FightArgs, no_contender};
use crate::cut_off::CutOff;
use crate::exit::Exit;
use crate::follow::Follow;
use crate::hosted::{self, Hosted, Hosting, cases};
use crate::live::where_it_is;
use crate::noise::{self, Store, Terms};
use crate::output::{check_forms, say};
use crate::registry::{self, Asked, Definition};
use crate::report;
use crate::resumed::Resumed;

/// The traffic where the caller does not say.
const PROFILE: &str = "quick";
const SCALE_MILLI: u32 = 1000;
/// Rounds for each contender where the caller does not say: the fewest with which right answers and CPU time can decide as well.
const ROUNDS: u32 = 9;

/// Runs the command.
pub(crate) fn run(args: &FightArgs) -> Result<Exit> {
    check_forms(&args.run.output, &args.run.form)?;
    let resumed = args.resume.as_deref().map(|run| Resumed::open(run, "fight")).transpose()?;
    let (plan, model) = match &resumed {
        Some(resumed) => resumed.plan()?,
        None => new_plan(args)?,
    };
    let (names, rounds) = (("fight", "round"), Some(plan.order.len()));
    let hosted =
        Hosted::open(&args.run, names, rounds, Some(plan.limited), |progress, _| where_it_is(progress))?;
    let Hosted { host, machine, live, .. } = &hosted;
    let are_enforced = host.as_ref().is_some_and(|host| host.limits_note().is_none());
    let (floors, terms) = (Store::of_user(), Terms::of(&plan, are_enforced, machine));
    let takes_known_floor = resumed.is_none() && args.noise_floor.is_none() && !args.no_noise_floor;
    let plan = if takes_known_floor { noise::with_known_floor(plan, &floors, &terms, live) } else { plan };

    let threads = args.traffic.threads;
    let cases = cases(&plan, model);
    let hosting = Hosting { plan: &plan, model, there: None, cases: &cases, threads, resumed };
    let judge = |_: Unit<'_>, data: &RoundData| Ok(hosted::judged(&plan, model, data));
    let mut follow = Follow { plan: &plan, live, tells_rounds: true };
    let driven = hosted.drive(hosting, &Fight::new(&plan, !cases.is_empty()), judge, &mut follow);
    let (writer, Driven { facts: judgements, interrupted }) = hosted.close(driven)?;

    if interrupted {
        CutOff::Contenders(&plan).say_interrupted(writer.path());
        return Ok(Exit::Interrupted);
    }
    let run = Run::open(writer.path(), &Seeds::of_user())?;
    if let Some(told) = noise::keep(&floors, terms, &plan, &judgements, &run.header, writer.path())
        && !args.run.output.quiet
    {
        say(&told);
    }
    report::tell(&run, Some(writer.folder()), &args.run.output, &args.run.form, &args.style)?;
    Ok(exit_of(&plan, &judgements))
}

/// A plan of what was asked for.
fn new_plan(args: &FightArgs) -> Result<(Plan, &'static dyn ChallengeModel)> {
    let (Definition { challenge, model }, contenders) = load_contenders(args)?;
    let options = options(args, &challenge)?;
    let plan = Plan::new(challenge, model, contenders, &options)?;
    let detect_percent = args.detect.unwrap_or(DETECT_PERCENT);
    let kind = Kind::Fight { ends_early: args.rounds.is_none(), restarts: !args.no_restart };
    Ok((Plan { kind, detect_percent, ..plan }, model))
}

fn load_contenders(args: &FightArgs) -> Result<(Definition, Vec<Contender>)> {
    let built_in;
    let paths = if args.contenders.is_empty() {
        built_in = registry::first::folders()?;
        &built_in
    } else {
        &args.contenders
    };
    let missing = paths.iter().find(|path| !path.exists());
    if let Some(path) = missing {
        return Err(no_contender(path, paths).into());
    }
    registry::contenders(paths, &Asked::of(&args.runners, paths.len())?)
}

fn options(args: &FightArgs, challenge: &Challenge) -> Result<Options> {
    let mut options = Options {
        profile: args.traffic.profile.clone().unwrap_or_else(|| PROFILE.to_owned()),
        scale_milli: args.traffic.scale.unwrap_or(SCALE_MILLI),
        rounds: args.rounds.unwrap_or(ROUNDS),
        seed: hosted::seed(args.traffic.seed)?,
        limited: !args.unlimited,
        noise_floor: None,
    };
    if let Some(run) = &args.noise_floor {
        options.noise_floor = Some(noise::of_run(run, &options, challenge)?);
    }
    Ok(options)
}

fn exit_of(plan: &Plan, judgements: &[Judgement]) -> Exit {
    let (verdict, _) = judge_fight(plan, judgements);
    if judgements.iter().any(|j| matches!(j.standing, Standing::NotReady { .. })) {
        Exit::NotStarted
    } else if matches!(verdict, Verdict::Void { .. } | Verdict::VoidTooOften { .. }) {
        Exit::Void
    } else {
        Exit::Done
    }
}
