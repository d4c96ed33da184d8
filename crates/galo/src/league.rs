//! `galo league DIR`: from a folder of entries to one ranking. Its children are checks of one entry, and fights of a block of them.

use anyhow::{Context, Result};
use galo_judge::fight::JudgedFight;
use galo_judge::judged::Judged;
use galo_judge::league::next;
use galo_judge::{ChildFacts, Standing, children_of_league};
use galo_plan::league::{Block, ChildTerms, FORMAT, LeaguePlan, Refused};
use galo_plan::{Contender, Options, Plan, contender_names, policy, suggest};
use galo_record::act::ChildId;
use galo_record::{AnyRun, Machine, Run, RunEnd, RunWriter};
use galo_words::Lang;
use galo_words::nouns::{BLOCK, ENTRY};

use crate::check::Check;
use crate::children::{self, folded};
use crate::cli::{LeagueArgs, StyleArgs};
use crate::contenders::drawn_unless;
use crate::exit::{WrongUse, cause_of_host, in_words};
use crate::fight::Fight;
use crate::frame::{Desk, Driven, Kind, Place, Shared, drive_one};
use crate::output::say;
use crate::registry::{self, Definition, HowRead};

/// The traffic where the caller does not say.
const PROFILE: &str = "quick";
const SCALE_MILLI: u32 = 1000;

/// A league.
pub(crate) struct League {
    plan: LeaguePlan,
    definition: Definition,
    threads: Option<u16>,
    is_quiet: bool,
}

impl Kind for League {
    type Args = LeagueArgs;
    type Plan = LeaguePlan;
    const NAMES: [&'static str; 2] = ["league", "child"];
    const IS_SHOWN: bool = false;

    fn shared(args: &LeagueArgs) -> Shared<'_> {
        let LeagueArgs { run, resume, .. } = args;
        Shared { run: run.clone(), resume: resume.as_deref(), style: StyleArgs::default(), is_strict: false }
    }

    fn new(args: &LeagueArgs, known: Option<&LeaguePlan>, _: &Machine) -> Result<Self> {
        let Found { definition, entries, refused } = found(args)?;
        let traffic = &args.traffic;
        let plan = LeaguePlan {
            format: FORMAT,
            challenge: definition.challenge.name.clone(),
            profile: traffic.profile.clone().unwrap_or_else(|| PROFILE.to_owned()),
            scale_milli: traffic.scale.unwrap_or(SCALE_MILLI),
            seed: drawn_unless(known.map(|plan| plan.seed).or(traffic.seed))?,
            passes: args.passes,
            crashes: args.crash,
            detect_percent: args.detect,
            entries,
            refused,
        };
        let league = Self { plan, definition, threads: traffic.threads, is_quiet: args.run.output.quiet };
        // What is wrong with the traffic is told before anything is started.
        let first = Block { entries: vec![0], control: 0 };
        league.block(&first, 1)?;
        league.check(0, 1, args.crash)?;
        if known.is_none() {
            league.say(&league.outlook(&league.block(&first, 1)?.plan().clone()));
        }
        Ok(league)
    }

    fn plan(&self) -> &LeaguePlan {
        &self.plan
    }

    fn changed(old: &LeaguePlan, new: &LeaguePlan) -> Option<String> {
        let entries = old.entries.iter().zip(&new.entries).find(|(old, new)| old != new);
        match entries {
            Some((entry, _)) => Some(format!("entry `{}` ({})", entry.name, entry.file.display())),
            None => (old != new).then(|| "which entries there are".to_owned()),
        }
    }

    fn limited(&self) -> Option<bool> {
        None
    }

    fn prepare(&mut self, _: &Desk<'_>) -> Result<()> {
        Ok(())
    }

    fn drive(&mut self, desk: &Desk<'_>, writer: &RunWriter, known: Option<Run<LeaguePlan>>) -> Result<bool> {
        let known = known.map(|run| (run.acts.clone(), AnyRun::League(Box::new(run))));
        let has_more = |facts: &[ChildFacts]| next(&self.plan, &children_of_league(facts)).is_some();
        children::drive(writer, known, has_more, |id, facts| self.child(desk, writer, id, facts))
    }
}

impl League {
    /// Drives a child; `None`: the caller broke it off.
    fn child(
        &self,
        desk: &Desk<'_>,
        writer: &RunWriter,
        id: ChildId,
        facts: &[ChildFacts],
    ) -> Result<Option<RunEnd>> {
        let terms =
            next(&self.plan, &children_of_league(facts)).context("the league is over (a bug in galo)")?;
        let place = Place::Child(writer, id);
        self.say(&self.heading(&terms));
        let driven = match &terms {
            ChildTerms::Block { block, .. } => {
                drive_one(self.block(block, id.child)?, desk.session, desk.args, place)?.told()
            }
            ChildTerms::Check { entry } | ChildTerms::Crash { entry } => {
                let crashes = matches!(terms, ChildTerms::Crash { .. });
                match drive_one(self.check(*entry, id.child, crashes)?, desk.session, desk.args, place) {
                    Ok(driven) => driven.told(),
                    Err(error) => return self.not_driven(writer, id, error),
                }
            }
        };
        let (writer, interrupted) = driven;
        if interrupted {
            return Ok(None);
        }
        if let (Judged::Fight(fight), false) =
            (&folded(writer.path())?.judged, matches!(terms, ChildTerms::Block { .. }))
        {
            self.say(&format!("  {}", checked(fight)));
        }
        Ok(Some(RunEnd::Done))
    }

    /// An entry that cannot even be built, or whose engine is not there, does not start. What went wrong once its run had begun is galo's.
    fn not_driven(&self, writer: &RunWriter, id: ChildId, error: anyhow::Error) -> Result<Option<RunEnd>> {
        let Some(host) = cause_of_host(&error) else { return Err(error) };
        if host.interrupted {
            return Ok(None);
        }
        if writer.path().join(id.folder()).exists() {
            return Err(error);
        }
        let reason = in_words(&error);
        self.say(&format!("  did not start: {}", reason.lines().next().unwrap_or_default()));
        Ok(Some(RunEnd::Failed(reason)))
    }

    fn check(&self, entry: usize, child: u32, crashes: bool) -> Result<Check> {
        Check::of_entry(
            self.definition.clone(),
            self.plan.entries[entry].clone(),
            self.plan.seed_of(child),
            crashes,
        )
    }

    fn block(&self, block: &Block, child: u32) -> Result<Fight> {
        let LeaguePlan { profile, scale_milli, entries, .. } = &self.plan;
        let drawn = block.entries.iter().chain([&block.control]);
        let options = Options {
            profile: profile.clone(),
            scale_milli: *scale_milli,
            rounds: 1,
            seed: self.plan.seed_of(child),
            limited: true,
            noise_floor: None,
        };
        let contenders = drawn.map(|&entry| entries[entry].clone()).collect();
        Fight::of_block(self.definition.clone(), contenders, options, self.threads)
    }

    fn heading(&self, terms: &ChildTerms) -> String {
        let LeaguePlan { entries, passes, .. } = &self.plan;
        match terms {
            ChildTerms::Check { entry } => {
                format!("check {} of {}: {}", entry + 1, entries.len(), entries[*entry].name)
            }
            ChildTerms::Crash { entry } => format!("crash check: {}", entries[*entry].name),
            ChildTerms::Block { pass, number: [number, count], block } => {
                let names: Vec<&str> =
                    block.entries.iter().map(|&entry| entries[entry].name.as_str()).collect();
                format!("pass {pass} of at most {passes}, block {number} of {count}: {}", names.join(", "))
            }
        }
    }

    /// What is to be driven, and about how long that takes.
    fn outlook(&self, plan: &Plan) -> String {
        /// Starting, readiness, and coming to rest, beside a round's load.
        const BESIDE_S: f64 = 12.0;
        let LeaguePlan { entries, refused, passes, .. } = &self.plan;
        let blocks = self.plan.blocks(1, &(0..entries.len()).collect::<Vec<_>>()).len();
        let rounds = (entries.len() + blocks) as f64;
        let round_s = plan.duration_ns() as f64 / 1e9 + BESIDE_S;
        let hours = |passes: u32| {
            let minutes = (rounds * round_s * f64::from(passes) / 60.0).ceil() as u64;
            format!("{}:{:02} h", minutes / 60, minutes % 60)
        };
        let first = galo_plan::league::FIRST_LOOK.min(*passes);
        let more = if *passes > first { format!(" to {passes}") } else { String::new() };
        let longest = if *passes > first { format!(" to {}", hours(*passes)) } else { String::new() };
        format!(
            "{} ({} refused): a check of each, then {first}{more} passes of {}, about {}{longest}",
            Lang::En.counted(entries.len() as u64, ENTRY),
            refused.len(),
            Lang::En.counted(blocks as u64, BLOCK),
            hours(first)
        )
    }

    fn say(&self, text: &str) {
        if !self.is_quiet {
            say(text);
        }
    }
}

/// What a check came to, in a line.
fn checked(fight: &JudgedFight) -> String {
    let mut told = "right".to_owned();
    for round in &fight.rounds {
        match &round.judgement.standing {
            Standing::Disqualified { rules } => return format!("out: {}", rules.join(", ")),
            Standing::NotReady { reason } => {
                return format!("did not start: {}", reason.lines().next().unwrap_or_default());
            }
            Standing::Void { .. } if !round.judgement.believed => {
                "void, so that it says nothing".clone_into(&mut told);
            }
            Standing::Valid | Standing::Void { .. } => {}
        }
    }
    told
}

/// What takes part.
struct Found {
    definition: Definition,
    entries: Vec<Contender>,
    refused: Vec<Refused>,
}

/// Reads all entries. Those whose file is not accepted, or that are for another challenge than the first, are refused.
fn found(args: &LeagueArgs) -> Result<Found> {
    if let Some(missing) = args.folders.iter().find(|folder| !folder.exists()) {
        let hint = "name a folder in which each entry has a folder with a Compose file";
        return Err(WrongUse(format!("`{}` is not there\nhint: {hint}", missing.display())).into());
    }
    for empty in args.folders.iter().filter(|folder| policy::files(folder).is_empty()) {
        say(&format!("`{}` holds no Compose file", empty.display()));
    }
    let files: Vec<_> = args.folders.iter().flat_map(|folder| policy::files(folder)).collect();
    // A runner for each would have to know their order.
    let how = HowRead::new(&args.runners, files.len())?;
    let mut definition: Option<Definition> = None;
    let (mut entries, mut refused) = (Vec::new(), Vec::new());
    for file in files {
        let refuse = |reason: String| Refused { file: file.clone(), reason };
        match registry::contender(&file, &how) {
            Err(error) => refused.push(refuse(in_words(&error))),
            Ok((own, entry)) => match &definition {
                Some(all) if all.challenge != own.challenge => {
                    let (all, own) = (&all.challenge.name, &own.challenge.name);
                    refused
                        .push(refuse(format!("it is for challenge `{own}`, and this league is of `{all}`")));
                }
                _ => {
                    definition.get_or_insert(own);
                    entries.push(entry);
                }
            },
        }
    }
    contender_names::make_unique(&mut entries);
    chosen(args, &mut entries)?;
    let why = |refused: &[Refused]| {
        let first = refused.first().map(|first| format!("\n{}: {}", first.file.display(), first.reason));
        format!("there is no entry to drive{}", first.unwrap_or_default())
    };
    match definition {
        Some(definition) if !entries.is_empty() => Ok(Found { definition, entries, refused }),
        _ => Err(WrongUse(why(&refused)).into()),
    }
}

/// Leaves those that `--only` and `--skip` name.
fn chosen(args: &LeagueArgs, entries: &mut Vec<Contender>) -> Result<(), WrongUse> {
    let names: Vec<String> = entries.iter().map(|entry| entry.name.clone()).collect();
    if let Some(unknown) = args.only.iter().chain(&args.skip).find(|name| !names.contains(name)) {
        let near = suggest::nearest(unknown, &names)
            .map_or_else(String::new, |near| format!("\nhint: did you mean `{near}`?"));
        return Err(WrongUse(format!("there is no entry `{unknown}`{near}")));
    }
    entries.retain(|entry| {
        (args.only.is_empty() || args.only.contains(&entry.name)) && !args.skip.contains(&entry.name)
    });
    Ok(())
}

impl<K> Driven<K> {
    /// Its folder, and whether the caller broke it off.
    fn told(self) -> (RunWriter, bool) {
        (self.writer, self.interrupted)
    }
}
