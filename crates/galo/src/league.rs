//! `galo league DIR`: from a folder of entries to one ranking. Its children are checks of one entry, and fights of a block of them.
//!
//! A sweep is a league of contenders at settings ([`sweep`]).
//!
//! Children of a step are driven one after the other here, or shared by machines ([`shared`]), for which Slurm may start them ([`slurm`]).

pub(crate) mod shared;
mod slurm;
pub(crate) mod sweep;

use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use galo_drive::Watch;
use galo_judge::league::due;
use galo_judge::{ChildFacts, children_of};
use galo_plan::league::{Block, ChildTerms, FIRST_LOOK, FORMAT, LeaguePlan, Refused};
use galo_plan::policy::Files;
use galo_plan::units::parse_duration;
use galo_plan::{Contender, LimitTerms, Options, Plan, contender_names, suggest};
use galo_record::act::{Act, ChildId, Unit};
use galo_record::{AnyRun, Machine, Run, RunEnd, RunWriter, Seeds};
use galo_report::unseen_variable;
use galo_words::Lang;
use galo_words::nouns::{BLOCK, CHECK, ENTRY};

use crate::check::Check;
use crate::children;
use crate::cli::{LeagueArgs, LeagueTerms, RunArgs, StyleArgs};
use crate::contenders::{drawn_unless, options};
use crate::exit::{self, WrongUse};
use crate::fight::Fight;
use crate::frame::{Desk, Kind, Place, Session, Shared, drive_one};
use crate::limit::{Limit, hold_ns};
use crate::output::say;
use crate::policy;
use crate::registry::{self, Definition, HowRead};

/// The traffic where the caller does not say.
const PROFILE: &str = "quick";
const SCALE_MILLI: u32 = 1000;

/// Starting, getting ready and coming to rest, beside a round's load: about as long as the built-in contenders take.
const BESIDE_NS: u64 = 12_000_000_000;

/// A league.
pub(crate) struct League {
    plan: LeaguePlan,
    definition: Definition,
    threads: Option<u16>,
    is_quiet: bool,
    /// How long the load of a round is, by profile and scale.
    rounds_ns: BTreeMap<(String, u32), u64>,
    /// When this session begins no further child.
    ends: Option<Instant>,
    /// Where Slurm drives its children: options of its array jobs.
    slurm: Option<Vec<String>>,
}

impl Kind for League {
    type Args = LeagueArgs;
    type Plan = LeaguePlan;
    /// What is told meanwhile are rounds and holds of its children.
    const NAMES: [&'static str; 2] = ["league", "unit"];
    const IS_SHOWN: bool = false;

    fn shared(args: &LeagueArgs) -> Shared<'_> {
        let LeagueArgs { run, resume, .. } = args;
        Shared { run: run.clone(), resume: resume.as_deref(), style: StyleArgs::default(), is_strict: false }
    }

    fn new(args: &LeagueArgs, known: Option<&LeaguePlan>, _: &Machine) -> Result<Self> {
        let league = Self::of(&args.terms, known, args.run.output.quiet)?;
        let unread = |error| WrongUse(format!("--slurm cannot be read as words of a shell: {error}"));
        let read = |options| shell_words::split(options).map_err(unread);
        let slurm = args.slurm.as_deref().map(read).transpose()?;
        if let Some(why) = slurm.as_deref().and_then(slurm::refused) {
            return Err(WrongUse(why).into());
        }
        let length = args.for_so_long.as_deref().map(parse_duration).transpose();
        let length = length.map_err(|error| WrongUse(format!("--for: {error}")))?;
        Ok(Self { slurm, ends: length.map(|length| Instant::now() + length), ..league })
    }

    fn is_out_of_time(&self) -> bool {
        self.ends.is_some_and(|ends| Instant::now() > ends)
    }

    fn seeds(&self, folder: &Path) -> Seeds {
        if self.slurm.is_some() { Seeds::within(folder) } else { Seeds::of_user() }
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

    fn prepare(&mut self, desk: &Desk<'_>) -> Result<()> {
        if !desk.is_resumed {
            self.say(&self.outlook());
            let settings = self.plan.entries.iter().filter_map(|entry| entry.setting.as_ref());
            let unseen = settings
                .flat_map(|setting| setting.unseen.iter().map(|place| format!("{}: {place}", setting.of)));
            for place in unseen.collect::<BTreeSet<_>>() {
                self.say(&format!("note: {}", unseen_variable(&place).en));
            }
        }
        Ok(())
    }

    fn drive(&mut self, desk: &Desk<'_>, writer: &RunWriter, known: Option<Run<LeaguePlan>>) -> Result<bool> {
        if self.slurm.is_some() && !Seeds::are_within(writer.path()) {
            let run = writer.path().display();
            let text = format!("`{run}` was begun for one machine: the seed is not in its folder");
            return Err(WrongUse(format!("{text}\nhint: go on with it without --slurm")).into());
        }
        let known = known.map(|run| (run.acts.clone(), AnyRun::League(Box::new(run))));
        let mut jobs = self
            .slurm
            .as_deref()
            .map(|options| slurm::Jobs::new(options, (writer, &self.plan), desk.session));
        // What may be driven now. The first of it is next.
        let due = RefCell::new(Vec::new());
        let next = |facts: &[ChildFacts]| {
            due.replace(due_after(&self.plan, facts));
            let next = due.borrow().first().map(|(number, _)| *number);
            next.filter(|_| !self.is_out_of_time())
        };
        let child = |id: ChildId, _: &[ChildFacts]| {
            let due = due.borrow();
            let (_, terms) = due.first().context("the league is over (a bug in galo)")?;
            self.say(&self.heading(terms));
            if let Some(end) = shared::take_over(writer.path(), &self.plan, id)? {
                return Ok(Some(end));
            }
            match &mut jobs {
                Some(jobs) => jobs.child(id, &due),
                None => self.child(desk.session, desk.args, Place::Child(writer, id), (id.child, terms)),
            }
        };
        let driven = children::drive(writer, known, next, child, &mut Tell(self));
        jobs.iter_mut().for_each(slurm::Jobs::cancel);
        Ok(driven?.interrupted || !due.borrow().is_empty())
    }
}

/// What is due after these children; nothing where one of them is none of a league's.
fn due_after(plan: &LeaguePlan, facts: &[ChildFacts]) -> Vec<(u32, ChildTerms)> {
    let children = facts.iter().map(|facts| (facts.child, facts.judged()));
    children_of(children).map_or_else(Vec::new, |children| due(plan, &children))
}

impl League {
    /// Reads the entries. `known`: the plan of a league that is gone on with, from which its draws are taken.
    pub(super) fn of(args: &LeagueTerms, known: Option<&LeaguePlan>, is_quiet: bool) -> Result<Self> {
        let Found { definition, entries, refused } =
            if args.sweep.sweep.is_empty() { found(args)? } else { sweep::found(args)? };
        let traffic = &args.traffic;
        let limits = match &args.few {
            Some(few) => few.limits.clone(),
            None => args.limit.as_deref().map(limit_terms).transpose()?,
        };
        let plan = LeaguePlan {
            format: FORMAT,
            challenge: definition.challenge.name.clone(),
            profile: traffic.profile.clone().unwrap_or_else(|| PROFILE.to_owned()),
            scale_milli: traffic.scale.unwrap_or(SCALE_MILLI),
            seed: drawn_unless(known.map(|plan| plan.seed).or(traffic.seed))?,
            passes: args.passes,
            limits,
            crashes: args.crash,
            detect_percent: args.detect,
            knobs: args.sweep.sweep.clone(),
            entries,
            refused,
        };
        let league = Self {
            plan,
            definition,
            threads: traffic.threads,
            is_quiet,
            rounds_ns: BTreeMap::new(),
            ends: None,
            slurm: None,
        };
        // What is wrong with the traffic is told before anything is started.
        league.check(0, 1, args.crash)?;
        league.block(&Block { entries: vec![0], control: 0 }, 1)?;
        let mut rounds_ns = BTreeMap::new();
        for entry in 0..league.plan.entries.len() {
            if let Entry::Vacant(unknown) = rounds_ns.entry(league.traffic_of(entry)?) {
                let round_ns = league.round_ns(entry, unknown.key())?;
                unknown.insert(round_ns);
            }
        }
        let league = Self { rounds_ns, ..league };
        Ok(league)
    }

    /// Drives a child into a place; `None`: the caller broke it off.
    fn child(
        &self,
        session: &Session,
        args: &RunArgs,
        place: Place<'_, Plan>,
        (number, terms): (u32, &ChildTerms),
    ) -> Result<Option<RunEnd>> {
        let interrupted = match terms {
            ChildTerms::Block { block, .. } => {
                drive_one(self.block(block, number)?, session, args, place)?.interrupted
            }
            ChildTerms::Limit { entry } => {
                drive_one(self.limit(*entry, number)?, session, args, place)?.interrupted
            }
            ChildTerms::Crash { entry } => {
                drive_one(self.check(*entry, number, true)?, session, args, place)?.interrupted
            }
            ChildTerms::Check { entry } => {
                let folder = place.folder();
                match drive_one(self.check(*entry, number, false)?, session, args, place) {
                    Ok(driven) => driven.interrupted,
                    Err(error) => return children::not_driven(&folder, error),
                }
            }
        };
        Ok((!interrupted).then_some(RunEnd::Done))
    }

    fn check(&self, entry: usize, child: u32, crashes: bool) -> Result<Check> {
        Check::of_entry(
            self.definition.clone(),
            self.plan.entries[entry].clone(),
            self.plan.seed_of(child),
            crashes,
        )
    }

    fn limit(&self, entry: usize, child: u32) -> Result<Limit> {
        let terms = self.plan.limits.clone().context("nobody asked for the highest scale (a bug in galo)")?;
        let (definition, contender) = (self.definition.clone(), self.plan.entries[entry].clone());
        let (profile, _) = self.traffic_of(entry)?;
        Limit::of_entry((definition, contender), (&profile, self.plan.seed_of(child)), terms, self.threads)
    }

    fn block(&self, block: &Block, child: u32) -> Result<Fight> {
        let LeaguePlan { entries, .. } = &self.plan;
        let (profile, scale_milli) = self.traffic_of(block.control)?;
        let drawn = block.entries.iter().chain([&block.control]);
        let options = Options { scale_milli, ..options(&profile, self.plan.seed_of(child)) };
        let contenders = drawn.map(|&entry| entries[entry].clone()).collect();
        Fight::of_block(self.definition.clone(), contenders, options, self.threads)
    }

    fn heading(&self, terms: &ChildTerms) -> String {
        let LeaguePlan { entries, passes, .. } = &self.plan;
        match terms {
            ChildTerms::Check { entry } => {
                let checks = self.plan.checks();
                let number = checks.iter().take_while(|&checked| checked < entry).count() + 1;
                format!("check {number} of {}: {}", checks.len(), entries[*entry].name)
            }
            ChildTerms::Limit { entry } => format!("highest scale: {}", entries[*entry].name),
            ChildTerms::Crash { entry } => format!("crash check: {}", entries[*entry].name),
            ChildTerms::Block { pass, number: [number, count], block } => {
                let names: Vec<&str> =
                    block.entries.iter().map(|&entry| entries[entry].name.as_str()).collect();
                format!("pass {pass} of at most {passes}, block {number} of {count}: {}", names.join(", "))
            }
        }
    }

    /// What is to be driven, and about how long passes take.
    fn outlook(&self) -> String {
        let LeaguePlan { entries, refused, passes, limits, .. } = &self.plan;
        let (blocks, pass_ns) = self.pass();
        let time = |passes: u32| about(u64::from(passes) * pass_ns);
        let scales = limits.as_ref().map_or_else(String::new, |limits| {
            format!("the highest scale of each, about {}", about(entries.len() as u64 * search_ns(limits)))
        });
        let checks = self.plan.checks().len();
        let of_each = match checks == entries.len() {
            true => "a check of each".to_owned(),
            false => Lang::En.counted(checks as u64, CHECK),
        };
        let head = format!(
            "{} ({} refused): {of_each}, then",
            Lang::En.counted(entries.len() as u64, ENTRY),
            refused.len()
        );
        if *passes == 0 {
            return format!("{head} {scales}");
        }
        let scales = if scales.is_empty() { scales } else { format!("; then {scales}") };
        let first = FIRST_LOOK.min(*passes);
        let [more, longest] = match first < *passes {
            true => [format!(" to {passes}"), format!(" to {}", time(*passes))],
            false => Default::default(),
        };
        format!(
            "{head} {first}{more} {} of {}, about {}{longest}{scales}",
            if *passes == 1 { "pass" } else { "passes" },
            Lang::En.counted(blocks, BLOCK),
            time(first)
        )
    }

    /// How long the load of an entry's round is.
    ///
    /// # Errors
    /// What is wrong with its traffic.
    fn round_ns(&self, entry: usize, (profile, scale_milli): &(String, u32)) -> Result<u64> {
        self.plan.limits.as_ref().map(|_| self.limit(entry, 1)).transpose()?;
        Ok(Plan::length_ns(&self.definition.challenge, profile, *scale_milli)?)
    }

    /// How many blocks a pass over all has, and about how long it takes.
    fn pass(&self) -> (u64, u64) {
        let members: Vec<usize> = (0..self.plan.entries.len()).collect();
        let blocks = self.plan.blocks(1, &members);
        let block_ns = |block: &Block| {
            let traffic = self.traffic_of(block.control).ok();
            let round_ns = traffic.and_then(|traffic| self.rounds_ns.get(&traffic)).copied().unwrap_or(0);
            (block.entries.len() as u64 + 1) * (round_ns + BESIDE_NS)
        };
        (blocks.len() as u64, blocks.iter().map(block_ns).sum())
    }

    /// Profile and scale of an entry's rounds.
    fn traffic_of(&self, entry: usize) -> Result<(String, u32), WrongUse> {
        self.plan.traffic_of(entry).map_err(|error| WrongUse(format!("--sweep scale: {error}")))
    }

    fn say(&self, text: &str) {
        if !self.is_quiet {
            say(text);
        }
    }
}

/// About how long a search for the highest scale takes.
fn search_ns(limits: &LimitTerms) -> u64 {
    /// Holds of a search and the one that confirms it, in holds: as many as they usually are.
    const HOLDS: u64 = 13;
    HOLDS * (limits.hold_ns + BESIDE_NS / 4)
}

/// `12 min`, or of more than two hours `2:05 h`.
fn about(ns: u64) -> String {
    let minutes = ns.div_ceil(60_000_000_000);
    if minutes <= 120 { format!("{minutes} min") } else { format!("{}:{:02} h", minutes / 60, minutes % 60) }
}

fn limit_terms(hold: &str) -> Result<LimitTerms, WrongUse> {
    Ok(LimitTerms::of_holds(hold_ns("--limit", hold)?))
}

/// Tells what each check and each search came to.
struct Tell<'a>(&'a League);

impl Watch<ChildFacts> for Tell<'_> {
    fn begins(&mut self, _: &Act) {}

    fn judged(&mut self, _: Unit<'_>, facts: &ChildFacts) {
        children::in_words(facts).into_iter().for_each(|told| self.0.say(&format!("  {told}")));
    }
}

/// What takes part.
struct Found {
    definition: Definition,
    entries: Vec<Contender>,
    refused: Vec<Refused>,
}

/// Reads all entries. Those whose file is not accepted, or that are for another challenge than the first, are refused.
fn found(args: &LeagueTerms) -> Result<Found> {
    if args.folders.is_empty() {
        let text = "no folder of entries is named\nhint: galo league DIR, where each entry has a folder with a Compose file";
        return Err(WrongUse(text.to_owned()).into());
    }
    if let Some(missing) = args.folders.iter().find(|folder| !folder.exists()) {
        let hint = "name a folder in which each entry has a folder with a Compose file";
        return Err(WrongUse(format!("`{}` is not there\nhint: {hint}", missing.display())).into());
    }
    let Files { files, left_out } = policy::files(&args.folders);
    // One runner for all.
    let how = HowRead::new(&args.runners, 1)?;
    let mut definition: Option<Definition> = None;
    let mut refused: Vec<Refused> =
        left_out.into_iter().map(|(file, reason)| Refused { file, reason }).collect();
    let mut entries = Vec::new();
    for file in files {
        let refuse = |reason: String| Refused { file: file.clone(), reason };
        match registry::contender(&file, &how) {
            Err(error) => refused.push(refuse(exit::in_words(&error))),
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
    chosen(args, &mut entries, &refused)?;
    let why = |refused: &[Refused]| {
        let first = refused.first().map(|first| format!("\n{}: {}", first.file.display(), first.reason));
        format!("there is no entry to drive{}", first.unwrap_or_default())
    };
    match definition {
        Some(definition) if !entries.is_empty() => Ok(Found { definition, entries, refused }),
        _ => Err(WrongUse(why(&refused)).into()),
    }
}

/// Leaves those that `--only` and `--skip` name. One that was refused is called as its folder.
fn chosen(args: &LeagueTerms, entries: &mut Vec<Contender>, refused: &[Refused]) -> Result<(), WrongUse> {
    let folder = |one: &Refused| Some(one.file.parent()?.file_name()?.to_string_lossy().into_owned());
    let folders = refused.iter().filter_map(folder);
    let names: Vec<String> = entries.iter().map(|entry| entry.name.clone()).chain(folders).collect();
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
