//! `galo tune CONTENDER`: one try of a setting after the other, then a fight of the best against the start.

use std::cell::RefCell;
use std::time::Instant;

use anyhow::{Context, Result};
use galo_drive::Watch;
use galo_judge::judged::Judged;
use galo_judge::tune::{self, Tried, propose};
use galo_judge::{ChildFacts, children_of};
use galo_plan::knob::{self, Turn};
use galo_plan::tune::{FORMAT, Objective};
use galo_plan::units::parse_duration;
use galo_plan::{Contender, LimitTerms, Options, SearchTerms, TunePlan};
use galo_record::act::{Act, ChildId, Unit};
use galo_record::{AnyRun, Machine, Run, RunEnd, RunWriter};
use galo_report::unseen_variable;

use crate::children;
use crate::cli::{RunnerArgs, StyleArgs, TuneArgs};
use crate::contenders::{self, drawn_unless, options};
use crate::exit::{self, WrongUse};
use crate::fight::Fight;
use crate::frame::{Desk, Kind, Place, Shared, drive_one};
use crate::limit::{Limit, criterion, hold_ns};
use crate::output::say;
use crate::registry::{self, Definition, HowRead};

/// A search ends when it knows the scale to this factor: less is noise.
const RATIO: f64 = 1.1;
/// The highest scale that is tried.
const MAX_MILLI: u64 = 100_000;
/// Pairs of the fight at the end, at most.
const PAIRS: u32 = 12;
/// Its scale, as a share of the highest that the best holds.
const OF_HIGHEST: f64 = 0.8;

/// A search for the best setting.
pub(crate) struct Tune {
    plan: TunePlan,
    definition: Definition,
    /// How the contender is read, at each setting anew.
    runners: RunnerArgs,
    threads: Option<u16>,
    is_quiet: bool,
    /// When no further try begins.
    ends: Instant,
}

/// What a child is.
enum Next {
    /// A try of this setting.
    Try(Vec<Turn>),
    /// The best setting against the start.
    Fight(Vec<Turn>),
}

impl Kind for Tune {
    type Args = TuneArgs;
    type Plan = TunePlan;
    /// What is told meanwhile are holds and rounds of its tries.
    const NAMES: [&'static str; 2] = ["tune", "unit"];
    const IS_SHOWN: bool = false;

    fn shared(args: &TuneArgs) -> Shared<'_> {
        let style = StyleArgs::default();
        Shared { run: args.run.clone(), resume: args.resume.as_deref(), style, is_strict: false }
    }

    fn new(args: &TuneArgs, known: Option<&TunePlan>, _: &Machine) -> Result<Self> {
        let (definition, contender) = contenders::one(args.contender.as_deref(), &args.runners)?;
        let budget = u32::try_from(definition.challenge.policy.cpus_nano() / 1_000_000).unwrap_or(u32::MAX);
        let divided = (!args.no_shares).then_some(budget);
        let (shares, dials) =
            TunePlan::turned(&contender, divided, &args.knob).map_err(|error| WrongUse(error.to_string()))?;
        let hold_ns = hold_ns("--hold", &args.hold)?;
        let plan = TunePlan {
            format: FORMAT,
            challenge: definition.challenge.name.clone(),
            profile: args.profile.clone(),
            scale_milli: args.scale,
            seed: drawn_unless(known.map(|plan| plan.seed).or(args.drawn.seed))?,
            objective: args.objective.into(),
            tries: args.tries,
            limits: LimitTerms {
                criterion: criterion(&args.slo)?,
                search: SearchTerms::new(1_000, MAX_MILLI, RATIO),
                hold_ns,
                confirm_ns: hold_ns,
                preloads: true,
                at_least_milli: None,
            },
            contender,
            cpus_milli: budget,
            shares,
            dials,
        };
        let length =
            parse_duration(&args.for_so_long).map_err(|error| WrongUse(format!("--for: {error}")))?;
        let tune = Self {
            plan,
            definition,
            runners: args.runners.clone(),
            threads: args.drawn.threads,
            is_quiet: args.run.output.quiet,
            ends: Instant::now() + length,
        };
        // What is wrong with the traffic is told before anything is started.
        tune.limit(tune.plan.contender.clone(), 1, None)?;
        tune.fight([tune.plan.contender.clone(), tune.plan.contender.clone()], 1, &[])?;
        Ok(tune)
    }

    fn plan(&self) -> &TunePlan {
        &self.plan
    }

    fn changed(old: &TunePlan, new: &TunePlan) -> Option<String> {
        let contender =
            (old.contender != new.contender).then(|| format!("contender `{}`", old.contender.name));
        contender.or_else(|| (old != new).then(|| "what may be turned".to_owned()))
    }

    fn limited(&self) -> Option<bool> {
        None
    }

    fn prepare(&mut self, desk: &Desk<'_>) -> Result<()> {
        if !desk.is_resumed {
            self.say(&self.outlook());
            let unseen = self.plan.dials.iter().filter(|dial| dial.own.is_none()).flat_map(|dial| &dial.to);
            for place in unseen.filter(|place| place.contains(".env.")) {
                self.say(&format!("note: {}", unseen_variable(place).en));
            }
        }
        Ok(())
    }

    fn drive(&mut self, desk: &Desk<'_>, writer: &RunWriter, known: Option<Run<TunePlan>>) -> Result<bool> {
        let known = known.map(|run| (run.acts.clone(), AnyRun::Tune(Box::new(run))));
        // What is next, as it was decided: time goes on meanwhile.
        let due = RefCell::new(Ok(None));
        let next = |facts: &[ChildFacts]| {
            *due.borrow_mut() = self.next(facts);
            (!matches!(*due.borrow(), Ok(None))).then_some(facts.len() as u32 + 1)
        };
        let child = |id: ChildId, facts: &[ChildFacts]| {
            let next = due.replace(Ok(None))?.context("the search is over (a bug in galo)")?;
            self.child(desk, Place::Child(writer, id), (id.child, &next), facts)
        };
        let driven = children::drive(writer, known, next, child, &mut Tell(self))?;
        Ok(driven.interrupted)
    }
}

impl Tune {
    /// What comes next; `None`: the search is over.
    fn next(&self, facts: &[ChildFacts]) -> Result<Option<Next>> {
        let Some(tried) = self.tried(facts)? else { return Ok(None) };
        let is_over = tried.len() as u32 >= self.plan.tries || Instant::now() > self.ends;
        // The start alone says nothing.
        if !is_over || tried.len() < 2 {
            return Ok(Some(Next::Try(propose(&self.plan, &tried))));
        }
        Ok(tune::best(&self.plan, &tried).map(Next::Fight))
    }

    /// What was tried; `None`: the best has fought the start.
    fn tried(&self, facts: &[ChildFacts]) -> Result<Option<Vec<Tried>>> {
        let children = children_of(facts.iter().map(|facts| (facts.child, facts.judged())));
        let children = children.context("a child is none of a search's (a bug in galo)")?;
        Ok(tune::tried(&self.plan, &children))
    }

    /// Drives a child; `None`: the caller broke it off.
    fn child(
        &self,
        desk: &Desk<'_>,
        place: Place<'_, galo_plan::Plan>,
        (number, next): (u32, &Next),
        facts: &[ChildFacts],
    ) -> Result<Option<RunEnd>> {
        let folder = place.folder();
        let (turns, told) = match next {
            Next::Try(turns) if turns.is_empty() => (turns, "as its file says".to_owned()),
            Next::Try(turns) => (turns, knob::told(turns)),
            Next::Fight(turns) => (turns, format!("{} against the start", knob::told(turns))),
        };
        self.say(&match next {
            Next::Try(_) => format!("try {number} of at most {}: {told}", self.plan.tries),
            Next::Fight(_) => told,
        });
        let contender = match (self.contender(turns), next) {
            (Ok(contender), _) => contender,
            // What its file cannot be told at that setting is a result of the try.
            (Err(error), Next::Try(_)) => return Ok(Some(RunEnd::Failed(exit::in_words(&error)))),
            (Err(error), Next::Fight(_)) => return Err(error),
        };
        let driven = match (next, self.plan.objective) {
            (Next::Fight(_), _) => {
                let fight = self.fight([self.plan.contender.clone(), contender], number, facts)?;
                drive_one(fight, desk.session, desk.args, place).map(|driven| driven.interrupted)
            }
            (Next::Try(_), Objective::Scale) => {
                let limit = self.limit(contender, number, self.highest(facts))?;
                drive_one(limit, desk.session, desk.args, place).map(|driven| driven.interrupted)
            }
            (Next::Try(_), Objective::Cpu | Objective::P99) => {
                let options = self.options(self.plan.scale_milli, 2, number);
                let fight = Fight::of_block(self.definition.clone(), vec![contender], options, self.threads)?;
                drive_one(fight, desk.session, desk.args, place).map(|driven| driven.interrupted)
            }
        };
        match (driven, next) {
            (Ok(interrupted), _) => Ok((!interrupted).then_some(RunEnd::Done)),
            (Err(error), Next::Try(_)) => children::not_driven(&folder, error),
            // The best was driven before, so that nothing is learnt of it: the search ends, and whoever goes on with it comes here again.
            (Err(error), Next::Fight(_)) => children::broken_off(error),
        }
    }

    /// The contender at a setting.
    fn contender(&self, turns: &[Turn]) -> Result<Contender> {
        let known = (&self.definition, &self.plan.contender);
        if turns.is_empty() {
            return Ok(known.1.clone());
        }
        registry::at_setting(known, turns, &HowRead::new(&self.runners, 1)?)
    }

    /// The highest scale that any try held, in thousandths.
    fn highest(&self, facts: &[ChildFacts]) -> Option<u64> {
        let scale = |facts: &ChildFacts| match &facts.came_to {
            Ok(Judged::Limit(limit)) => limit.scale_milli,
            _ => None,
        };
        facts.iter().filter_map(scale).max()
    }

    /// The search for the highest scale. It begins below the highest that any try held, so that a bad setting costs little and a better one
    /// is found soon.
    fn limit(&self, contender: Contender, child: u32, highest: Option<u64>) -> Result<Limit> {
        let mut terms = self.plan.limits.clone();
        if let Some(highest) = highest {
            let start = (highest as f64 / RATIO.powi(2)).round() as u64;
            let search = SearchTerms::new(start.max(terms.search.min_milli), MAX_MILLI, RATIO);
            // The end is near, or the setting is a worse one.
            terms.search = SearchTerms { step: RATIO.powi(2), ..search };
        }
        let traffic = (self.plan.profile.as_str(), self.plan.seed_of(child));
        Limit::of_entry((self.definition.clone(), contender), traffic, terms, self.threads)
    }

    /// The start against the best.
    fn fight(&self, both: [Contender; 2], child: u32, facts: &[ChildFacts]) -> Result<Fight> {
        let scale_milli = match (self.plan.objective, self.highest(facts)) {
            (Objective::Scale, Some(highest)) => (highest as f64 * OF_HIGHEST).round().max(1.0) as u32,
            _ => self.plan.scale_milli,
        };
        let options = self.options(scale_milli, PAIRS, child);
        Fight::of_two(self.definition.clone(), both, options, self.threads)
    }

    fn options(&self, scale_milli: u32, rounds: u32, child: u32) -> Options {
        Options { scale_milli, rounds, ..options(&self.plan.profile, self.plan.seed_of(child)) }
    }

    /// What is searched.
    fn outlook(&self) -> String {
        let TunePlan { shares, dials, cpus_milli, tries, .. } = &self.plan;
        let cpus = galo_plan::units::format_cpus(*cpus_milli);
        let names: Vec<String> = shares.iter().map(|share| share.services.join("+")).collect();
        let split = (shares.len() > 1).then(|| format!("{cpus} CPU among {}", names.join(", ")));
        let dials: Vec<String> = dials.iter().map(|dial| dial.knob.clone()).collect();
        let dials = (!dials.is_empty()).then(|| dials.join(", "));
        let turned: Vec<String> = split.into_iter().chain(dials).collect();
        format!("turned: {}; at most {tries} tries", turned.join("; "))
    }

    fn say(&self, text: &str) {
        if !self.is_quiet {
            say(text);
        }
    }
}

/// Tells what each try came to.
struct Tell<'a>(&'a Tune);

impl Watch<ChildFacts> for Tell<'_> {
    fn begins(&mut self, _: &Act) {}

    fn judged(&mut self, _: Unit<'_>, facts: &ChildFacts) {
        children::in_words(facts).into_iter().for_each(|told| self.0.say(&format!("  {told}")));
    }
}
