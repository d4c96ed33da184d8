//! `galo fight`: options, plan, rounds, judge, report.

use std::path::Path;

use anyhow::Result;
use galo_drive::Driven;
use galo_drive::schedule::Fight;
use galo_drive::stage::Server;
use galo_judge::{Judgement, Standing, judge_fight, judge_round};
use galo_plan::plan::DETECT_PERCENT;
use galo_plan::{Challenge, ChallengeModel, Contender, Kind, Options, Plan};
use galo_record::act::Unit;
use galo_record::{RoundData, Run};

use crate::cli::{FightArgs, no_contender};
use crate::exit::Exit;
use crate::follow::Follow;
use crate::hosted::Hosted;
use crate::live::{Live, Room, where_it_is};
use crate::noise::{self, Store, Terms};
use crate::output::{check_forms, say};
use crate::registry::{self, Definition};
use crate::report;
use crate::resumed::Resumed;
use crate::session::{open_host, stop_flag};
use crate::watched::Watched;

/// The traffic where the caller does not say.
const PROFILE: &str = "quick";
const SCALE_MILLI: u32 = 1000;
/// Rounds for each contender where the caller does not say: the fewest that can make a verdict.
const ROUNDS: u32 = 6;

/// Runs the command.
pub(crate) fn run(args: &FightArgs) -> Result<Exit> {
    check_forms(&args.output, &args.form)?;
    let stop = stop_flag()?;
    let resumed = args.resume.as_deref().map(|run| Resumed::open(run, "fight")).transpose()?;
    let (plan, model) = match &resumed {
        Some(resumed) => resumed.plan()?,
        None => new_plan(args)?,
    };
    let watched =
        Watched::open(&args.metrics, ("fight", "round"), Some(plan.order.len()), args.output.quiet)?;
    let live = Live::hearing(Room::of(&args.output, &args.progress), watched.ear(), |progress, _| {
        where_it_is(progress)
    });
    let host = open_host(plan.limited, &stop, &live)?;
    let machine = galo_watch::machine(Path::new("/"));
    let (floors, terms) = (Store::of_user(), Terms::of(&plan, host.limits_note().is_none(), &machine));
    let takes_known_floor = resumed.is_none() && args.noise_floor.is_none() && !args.no_noise_floor;
    let plan = if takes_known_floor { noise::with_known_floor(plan, &floors, &terms, &live) } else { plan };

    let rows = plan.prepare(model);
    let hosted = Hosted {
        plan: &plan,
        model,
        server: Server::Hosted(&host),
        cases: &[],
        machine: &machine,
        threads: args.traffic.threads,
        out: args.out.as_deref(),
        resumed,
        stop: &stop,
        live: &live,
        watched: &watched,
    };
    let judge = |_: Unit<'_>, data: &RoundData| Ok(judge_round(&plan, &*rows, data));
    let mut follow = Follow { plan: &plan, live: &live, tells_rounds: true };
    let driven = hosted.drive(&Fight::new(&plan), judge, &mut follow);
    drop(host);
    drop(live);
    watched.finish();
    let (writer, Driven { facts: judgements, interrupted }) = driven?;

    if interrupted {
        let run = writer.path().display();
        say(&format!(
            "interrupted; nothing is left running\nthe rounds that were closed are kept: galo report {run}"
        ));
        return Ok(Exit::Interrupted);
    }
    let run = Run::open(writer.path())?;
    if let Some(told) = noise::keep(&floors, terms, &plan, &judgements, &run.header, writer.path())
        && !args.output.quiet
    {
        say(&told);
    }
    report::tell(&run, Some(writer.folder()), &args.output, &args.form, &args.style)?;
    Ok(exit_of(&plan, &judgements))
}

/// A plan of what was asked for.
fn new_plan(args: &FightArgs) -> Result<(Plan, &'static dyn ChallengeModel)> {
    let (Definition { challenge, model }, contenders) = load_contenders(args)?;
    let options = options(args, &challenge)?;
    let plan = Plan::new(challenge, model, contenders, &options)?;
    let detect_percent = args.detect.unwrap_or(DETECT_PERCENT);
    let kind = Kind::Fight { ends_early: args.rounds.is_none() };
    Ok((Plan { kind, detect_percent, ..plan }, model))
}

fn load_contenders(args: &FightArgs) -> Result<(Definition, Vec<Contender>)> {
    let built_in;
    let paths = if args.contenders.is_empty() {
        built_in = registry::default_contenders()?;
        &built_in
    } else {
        &args.contenders
    };
    let missing = paths.iter().find(|path| !path.exists());
    if let Some(path) = missing {
        return Err(no_contender(path, paths).into());
    }
    registry::contenders(paths)
}

fn options(args: &FightArgs, challenge: &Challenge) -> Result<Options> {
    let mut options = Options {
        profile: args.traffic.profile.clone().unwrap_or_else(|| PROFILE.to_owned()),
        scale_milli: args.traffic.scale.unwrap_or(SCALE_MILLI),
        rounds: args.rounds.unwrap_or(ROUNDS),
        seed: args.traffic.seed,
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
    } else if matches!(verdict, galo_judge::Verdict::Void { .. }) {
        Exit::Void
    } else {
        Exit::Done
    }
}
