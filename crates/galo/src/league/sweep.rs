//! `--sweep`: every contender at every setting. What is driven is a league of them.

use std::path::PathBuf;

use anyhow::Result;
use galo_plan::knob;
use galo_plan::league::{FIRST_LOOK, Refused};
use galo_plan::plan::DETECT_PERCENT;
use galo_plan::{Contender, LimitTerms, Plan, contender_names};
use galo_words::Lang;
use galo_words::nouns::ENTRY;

use super::Found;
use crate::cli::{
    Few, FightArgs, LeagueArgs, LeagueTerms, LimitArgs, RunnerArgs, SeedArgs, SweepArgs, TrafficArgs,
    no_contender,
};
use crate::exit::{self, WrongUse};
use crate::limit;
use crate::registry::{self, Definition, HowRead};

/// Rounds of each contender at each setting where the caller does not say: a look after three, and one more where something is open.
const PASSES: u32 = 4;

/// The league that a fight at several settings is.
///
/// # Errors
/// A contender is not there.
pub(crate) fn of_fight(args: FightArgs) -> Result<LeagueArgs> {
    let FightArgs { contenders, runners, traffic, sweep, rounds, detect, resume, run, .. } = args;
    let folders = if contenders.is_empty() { registry::first::folders()?.to_vec() } else { contenders };
    if let Some(path) = folders.iter().find(|path| !path.exists()) {
        return Err(no_contender(path, &folders).into());
    }
    let passes = rounds.unwrap_or(PASSES);
    let terms = terms(folders, (runners, traffic, sweep), (passes, None));
    let terms = LeagueTerms { detect: detect.unwrap_or(terms.detect), ..terms };
    Ok(LeagueArgs { part: None, terms, slurm: None, for_so_long: None, resume, run })
}

/// The league that the highest scales at several settings are.
///
/// # Errors
/// What is wrong with the terms of the search.
pub(crate) fn of_limit(args: LimitArgs) -> Result<LeagueArgs> {
    let limits = Some(limit::terms(&args)?);
    let LimitArgs { contender, runners, sweep, profile, drawn, resume, run, .. } = args;
    if sweep.sweep.iter().any(|knob| knob.name == knob::SCALE) {
        let hint = "hint: the highest scale is what is searched for; leave that knob out";
        return Err(WrongUse(format!("--sweep scale says nothing to `galo limit`\n{hint}")).into());
    }
    let SeedArgs { seed, threads } = drawn;
    let traffic = TrafficArgs { profile: Some(profile), scale: None, seed, threads };
    let terms = terms(contender.into_iter().collect(), (runners, traffic, sweep), (0, limits));
    Ok(LeagueArgs { part: None, terms, slurm: None, for_so_long: None, resume, run })
}

/// Terms of a league of these contenders: so many passes, or a search for the highest scale of each.
fn terms(
    folders: Vec<PathBuf>,
    (runners, traffic, sweep): (RunnerArgs, TrafficArgs, SweepArgs),
    (passes, limits): (u32, Option<LimitTerms>),
) -> LeagueTerms {
    LeagueTerms {
        folders,
        only: Vec::new(),
        skip: Vec::new(),
        runners,
        traffic,
        sweep,
        passes,
        detect: DETECT_PERCENT,
        limit: None,
        crash: false,
        few: Some(Few { limits }),
    }
}

/// Every contender at every setting. What cannot be read at some settings is refused there.
pub(super) fn found(args: &LeagueTerms) -> Result<Found> {
    let told = |error: String| WrongUse(format!("--sweep: {error}"));
    let settings = knob::combinations(&args.sweep.sweep).map_err(told)?;
    let how = HowRead::new(&args.runners, args.folders.len())?;
    let (definition, contenders, mut refused) = contenders(args, &how)?;
    if !args.sweep.yes {
        require_few(args, &definition, settings.len() * contenders.len())?;
    }
    let mut entries = Vec::new();
    for turns in &settings {
        for contender in &contenders {
            match registry::at_setting((&definition, contender), turns, &how) {
                Ok(entry) => entries.push(entry),
                Err(error) => {
                    // The file is told beside it.
                    let why = exit::in_words(&error).replace(&format!("{}: ", contender.file.display()), "");
                    let reason = format!("at {}: {why}", knob::told(turns));
                    refused.push(Refused { file: contender.file.clone(), reason });
                }
            }
        }
    }
    // What is nowhere as it should be is the caller's mistake.
    let is_read = |contender: &Contender| {
        entries.iter().filter_map(|entry| entry.setting.as_ref()).any(|setting| setting.of == contender.name)
    };
    if let Some(contender) = contenders.iter().find(|contender| !is_read(contender)) {
        let reason = refused.iter().find(|one| one.file == contender.file).map(|one| one.reason.as_str());
        return Err(WrongUse(reason.unwrap_or_default().to_owned()).into());
    }
    Ok(Found { definition, entries, refused })
}

/// The contenders as their files say, each with a name of its own.
fn contenders(args: &LeagueTerms, how: &HowRead<'_>) -> Result<(Definition, Vec<Contender>, Vec<Refused>)> {
    if args.few.is_none() {
        let Found { definition, entries, refused } = super::found(args)?;
        return Ok((definition, entries, refused));
    }
    let (definition, mut contenders) = registry::contenders(&args.folders, how)?;
    contender_names::make_unique(&mut contenders);
    Ok((definition, contenders, Vec::new()))
}

/// A sweep is soon larger than its caller thinks.
fn require_few(args: &LeagueTerms, definition: &Definition, entries: usize) -> Result<(), WrongUse> {
    /// Contenders at settings; more take a day.
    const MOST: usize = 400;
    if entries <= MOST {
        return Ok(());
    }
    let few = args.few.as_ref();
    let profile = args.traffic.profile.as_deref().unwrap_or(super::PROFILE);
    let round_ns = match few.and_then(|few| few.limits.as_ref()) {
        Some(limits) => super::search_ns(limits),
        // What is wrong with the traffic is told by the plan.
        None => Plan::length_ns(&definition.challenge, profile, 1000).unwrap_or(0) + super::BESIDE_NS,
    };
    let rounds = entries as u64 * u64::from(args.passes.clamp(1, FIRST_LOOK));
    let (counted, about) =
        (Lang::En.counted(entries as u64, ENTRY), super::about(rounds.saturating_mul(round_ns)));
    let hint = "hint: turn fewer knobs, or through fewer values; to drive all the same: --yes";
    Err(WrongUse(format!("that is {counted}, about {about}\n{hint}")))
}
