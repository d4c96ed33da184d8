//! `galo fight CONTENDER...`: rounds of contenders in turn.

use anyhow::{Context, Result};
use galo_drive::schedule::Fight as Schedule;
use galo_judge::Folded;
use galo_plan::plan::DETECT_PERCENT;
use galo_plan::{Contender, Options, Plan, contender_names};
use galo_record::act::Unit;
use galo_record::{Machine, RoundData, Run, RunWriter};

use crate::cli::{FightArgs, no_contender};
use crate::contenders::{self, Contenders, seed_of};
use crate::follow::Follow;
use crate::frame::{Desk, Kind, Shared};
use crate::noise::{self, Store, Terms};
use crate::output::say;
use crate::registry::{self, Definition, HowRead};

/// The traffic where the caller does not say.
const PROFILE: &str = "quick";
const SCALE_MILLI: u32 = 1000;
/// Rounds for each contender where the caller does not say: the fewest with which right answers and CPU time can decide as well.
const ROUNDS: u32 = 9;

/// A fight.
pub(crate) struct Fight {
    contenders: Contenders,
    /// Whether a noise floor that is known is taken where none was named.
    takes_known_floor: bool,
    is_quiet: bool,
    /// Terms on which the noise floor that it may measure holds, once it is known how it is driven.
    terms: Option<Terms>,
}

impl Kind for Fight {
    type Args = FightArgs;
    type Plan = Plan;
    const NAMES: [&'static str; 2] = ["fight", "round"];

    fn shared(args: &FightArgs) -> Shared<'_> {
        let FightArgs { run, resume, style, .. } = args;
        Shared { run: run.clone(), resume: resume.as_deref(), style: style.clone(), is_strict: false }
    }

    fn new(args: &FightArgs, known: Option<&Plan>, _: &Machine) -> Result<Self> {
        let (definition, mut contenders) = load_contenders(args)?;
        let ends_early = args.rounds.is_none();
        // A contender that fights itself shows the noise, for which every round counts.
        let looks = match contenders.as_slice() {
            [first, second] if ends_early && !first.is_same(second) => galo_plan::Kind::LOOKS.to_vec(),
            _ => Vec::new(),
        };
        let rounds = args.rounds.or(looks.last().copied()).unwrap_or(ROUNDS);
        let options = options(args, known, &definition, rounds)?;
        if args.ceiling {
            contender_names::make_unique(&mut contenders);
            contenders.push(null_servers(&contenders[0], &definition)?);
        }
        let kind = galo_plan::Kind::Fight { ends_early, looks, restarts: !args.no_restart };
        let mut contenders = Contenders::new(definition, contenders, (kind, options))?;
        contenders.plan.detect_percent = args.detect.unwrap_or(DETECT_PERCENT);
        contenders.threads = args.traffic.threads;
        let takes_known_floor = args.noise_floor.is_none() && !args.no_noise_floor;
        Ok(Self { contenders, takes_known_floor, is_quiet: args.run.output.quiet, terms: None })
    }

    fn plan(&self) -> &Plan {
        &self.contenders.plan
    }

    fn changed(old: &Plan, new: &Plan) -> Option<String> {
        contenders::changed(old, new)
    }

    fn units(&self) -> Option<usize> {
        Some(self.plan().order.len())
    }

    fn limited(&self) -> Option<bool> {
        Some(self.plan().limited)
    }

    fn prepare(&mut self, desk: &Desk<'_>) -> Result<()> {
        let are_enforced = desk.host.is_some_and(|host| host.limits_note().is_none());
        let terms = Terms::for_plan(self.plan(), are_enforced, &desk.session.header.machine);
        if self.takes_known_floor && !desk.is_resumed {
            self.contenders.plan.noise_floor =
                noise::known_floor(self.plan(), &Store::of_user(), &terms, desk.live);
        }
        self.terms = Some(terms);
        self.contenders.build(desk)
    }

    fn drive(&mut self, desk: &Desk<'_>, writer: &RunWriter, known: Option<Run>) -> Result<bool> {
        let Contenders { plan, cases, .. } = &self.contenders;
        let schedule = Schedule::new(plan, !cases.is_empty());
        let mut follow = Follow { plan, live: desk.live, tells_rounds: true };
        let judge = |_: Unit<'_>, round: &RoundData| Ok(self.contenders.judge(round));
        self.contenders.drive((desk, writer, known), &schedule, judge, &mut follow)
    }

    fn keep(&self, folded: &Folded) {
        let kept = self.terms.clone().and_then(|terms| noise::keep(&Store::of_user(), terms, folded));
        kept.iter().filter(|_| !self.is_quiet).for_each(|told| say(told));
    }
}

impl Fight {
    /// A block of a league: one round of each, all of which are driven.
    ///
    /// # Errors
    /// What is wrong with what was asked for.
    pub(crate) fn of_block(
        definition: Definition,
        contenders: Vec<Contender>,
        options: Options,
        threads: Option<u16>,
    ) -> Result<Self> {
        let kind = galo_plan::Kind::Fight { ends_early: false, looks: Vec::new(), restarts: false };
        let mut contenders = Contenders::new(definition, contenders, (kind, options))?;
        contenders.threads = threads;
        Ok(Self { contenders, takes_known_floor: false, is_quiet: true, terms: None })
    }

    /// Two, until one is surely better.
    ///
    /// # Errors
    /// What is wrong with what was asked for.
    pub(crate) fn of_two(
        definition: Definition,
        both: [Contender; 2],
        options: Options,
        threads: Option<u16>,
    ) -> Result<Self> {
        let looks = galo_plan::Kind::LOOKS.into_iter().filter(|look| *look <= options.rounds).collect();
        let kind = galo_plan::Kind::Fight { ends_early: true, looks, restarts: false };
        let mut contenders = Contenders::new(definition, both.into(), (kind, options))?;
        contenders.threads = threads;
        Ok(Self { contenders, takes_known_floor: false, is_quiet: true, terms: None })
    }
}

/// The ceiling of a contender.
fn null_servers(contender: &Contender, definition: &Definition) -> Result<Contender> {
    let galo = std::env::current_exe().context("galo cannot find its own program")?;
    Ok(contender.with_null_servers(&galo, definition.challenge.policy.port)?)
}

fn load_contenders(args: &FightArgs) -> Result<(Definition, Vec<Contender>)> {
    let built_in;
    let paths = if args.contenders.is_empty() {
        built_in = registry::first::folders()?;
        &built_in
    } else {
        &args.contenders
    };
    if let Some(path) = paths.iter().find(|path| !path.exists()) {
        return Err(no_contender(path, paths).into());
    }
    registry::contenders(paths, &HowRead::new(&args.runners, paths.len())?)
}

fn options(args: &FightArgs, known: Option<&Plan>, definition: &Definition, rounds: u32) -> Result<Options> {
    let traffic = &args.traffic;
    let mut options = Options {
        profile: traffic.profile.clone().unwrap_or_else(|| PROFILE.to_owned()),
        scale_milli: traffic.scale.unwrap_or(SCALE_MILLI),
        rounds,
        seed: seed_of(traffic.seed, known)?,
        limited: !args.unlimited,
        noise_floor: known.and_then(|plan| plan.noise_floor.clone()),
    };
    if let (Some(run), None) = (&args.noise_floor, known) {
        options.noise_floor = Some(noise::of_run(run, &options, &definition.challenge)?);
    }
    Ok(options)
}
