//! `galo fight`: options, plan, rounds, judge, report.

mod watched;

use std::path::Path;

use anyhow::{Context, Result};
use galo_host::Host;
use galo_judge::{Judgement, Standing, judge_fight, judge_round};
use galo_plan::plan::DETECT_PERCENT;
use galo_plan::{Challenge, Contender, Options, Plan};
use galo_record::{Run, RunWriter};

use crate::cli::{FightArgs, no_contender};
use crate::exit::Exit;
use crate::live::{Live, Room, where_it_is};
use crate::noise::{self, Store, Terms};
use crate::output::{check_forms, say};
use crate::registry::{self, Definition};
use crate::report;
use crate::round::Driver;
use crate::session::{engine_threads, header, keeps, open_host, run_folder, stop_flag, stopped};

use watched::Watched;

/// The traffic where the caller does not say.
const PROFILE: &str = "quick";
const SCALE_MILLI: u32 = 1000;
/// Rounds for each contender where the caller does not say: the fewest that can make a verdict.
const ROUNDS: u32 = 6;
/// ... of which at least so many are driven, even if the outcome is clear before.
const LEAST_ROUNDS: usize = 2;

/// Runs the command.
pub(crate) fn run(args: &FightArgs) -> Result<Exit> {
    check_forms(&args.output, &args.form)?;
    let stop = stop_flag()?;
    let (Definition { challenge, model }, contenders) = load_contenders(args)?;
    let threads = engine_threads(args.traffic.threads, &challenge.policy);
    let options = options(args, &challenge)?;
    let plan = Plan::new(challenge, model, contenders, &options)?;
    let plan = Plan { detect_percent: args.detect.unwrap_or(DETECT_PERCENT), ..plan };

    let watched = Watched::open(&args.metrics, plan.order.len(), args.output.quiet)?;
    let live = Live::hearing(Room::of(&args.output, &args.progress), watched.ear(), |progress, _| {
        where_it_is(progress)
    });
    let host = open_host(plan.limited, &stop, &live)?;
    let machine = galo_watch::machine(Path::new("/"));
    let (floors, terms) = (Store::of_user(), Terms::of(&plan, host.limits_note().is_none(), &machine));
    let takes_known_floor = args.noise_floor.is_none() && !args.no_noise_floor;
    let plan = if takes_known_floor { noise::with_known_floor(plan, &floors, &terms, &live) } else { plan };
    for contender in &plan.contenders {
        host.build(contender)?;
    }

    let header = header(machine);
    let writer = RunWriter::create(&run_folder(args.out.as_deref()), &header, &plan)?;
    let driver = Driver {
        plan: &plan,
        model,
        writer: &writer,
        threads,
        stop,
        events: live.events(),
        renews: false,
        cases: &[],
    };
    let judgements = drive_rounds(&driver, &host, args.rounds.is_none(), &live, &watched);
    drop(host);
    drop(live);
    watched.finish();
    let judgements = judgements.with_context(|| keeps(&writer))?;

    if stopped(&driver.stop) {
        say(&format!("interrupted; nothing is left running\n{}", keeps(&writer)));
        return Ok(Exit::Interrupted);
    }
    if let Some(told) = noise::keep(&floors, terms, &plan, &judgements, &header, writer.path())
        && !args.output.quiet
    {
        say(&told);
    }
    report::tell(&Run::open(writer.path())?, Some(writer.folder()), &args.output, &args.form, &args.style)?;
    Ok(exit_of(&plan, &judgements))
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

/// Drives the plan's rounds in turn. A void round is driven again, with at most one repetition for every ten rounds begun. With `may_end_early`
/// the fight ends when fewer than two contenders can still be ranked, since further rounds cannot change that.
fn drive_rounds(
    driver: &Driver<'_>,
    host: &Host,
    may_end_early: bool,
    live: &Live,
    watched: &Watched,
) -> Result<Vec<Judgement>> {
    let plan = driver.plan;
    let rows = plan.prepare(driver.model);
    let mut repetitions_left = plan.order.len().div_ceil(10);
    let mut judgements = Vec::new();
    let mut number = 0;
    for slot in 0..plan.order.len() {
        loop {
            number += 1;
            live.round(number, plan, slot);
            watched.begin_round(number, &plan.contenders[plan.order[slot]].name);
            let round = driver.round(host, number, slot)?;
            let judgement = judge_round(plan, &*rows, &round);
            live.judged(plan, &judgement);
            watched.close_round(&round.record, &judgement.standing);
            let void = matches!(judgement.standing, Standing::Void { .. });
            judgements.push(judgement);
            if stopped(&driver.stop) {
                return Ok(judgements);
            }
            if !void || repetitions_left == 0 {
                break;
            }
            repetitions_left -= 1;
        }
        if may_end_early && is_decided(plan, &judgements) {
            break;
        }
    }
    Ok(judgements)
}

/// Whether every contender had its least number of rounds and fewer than two can still be ranked.
fn is_decided(plan: &Plan, judgements: &[Judgement]) -> bool {
    let rounds_of = |contender: usize| judgements.iter().filter(move |j| j.contender == contender);
    let contenders = 0..plan.contenders.len();
    let out = |contender: usize| {
        rounds_of(contender)
            .any(|j| matches!(j.standing, Standing::Disqualified { .. } | Standing::NotReady { .. }))
    };
    contenders.clone().all(|c| rounds_of(c).count() >= LEAST_ROUNDS)
        && contenders.filter(|&c| !out(c)).count() < 2.min(plan.contenders.len())
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
