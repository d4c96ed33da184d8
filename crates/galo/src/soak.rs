//! `galo soak CONTENDER`: one load of hours.

use std::time::Duration;

use anyhow::Result;
use galo_drive::schedule::Soak as Schedule;
use galo_judge::soak::judge_soak;
use galo_plan::units::parse_duration;
use galo_plan::{Plan, SoakTerms};
use galo_record::act::Unit;
use galo_record::{Machine, RoundData, Run, RunWriter};

use crate::cli::{SeedArgs, SoakArgs, StyleArgs};
use crate::contenders::{self, Contenders, seed_of};
use crate::exit::WrongUse;
use crate::follow::Quiet;
use crate::frame::{Desk, Kind, Shared};

/// A drift of less says nothing.
const SHORTEST: Duration = Duration::from_secs(10);
/// A week.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);

/// A soak.
pub(crate) struct Soak(Contenders);

impl Kind for Soak {
    type Args = SoakArgs;
    type Plan = Plan;
    const NAMES: [&'static str; 2] = ["soak", "load"];

    fn shared(args: &SoakArgs) -> Shared<'_> {
        let style = StyleArgs::default();
        Shared { run: args.run.clone(), resume: args.resume.as_deref(), style, is_strict: false }
    }

    fn new(args: &SoakArgs, known: Option<&Plan>, _: &Machine) -> Result<Self> {
        let SoakArgs { contender, runners, profile, drawn: SeedArgs { seed, threads }, .. } = args;
        let kind = galo_plan::Kind::Soak(terms(args)?);
        let one = contenders::one(contender.as_deref(), runners)?;
        let soaked = Contenders::held(one, (profile, seed_of(*seed, known)?), kind)?;
        Ok(Self(Contenders { threads: *threads, ..soaked }))
    }

    fn plan(&self) -> &Plan {
        &self.0.plan
    }

    fn changed(old: &Plan, new: &Plan) -> Option<String> {
        contenders::changed(old, new)
    }

    fn units(&self) -> Option<usize> {
        Some(1)
    }

    fn limited(&self) -> Option<bool> {
        Some(true)
    }

    fn heading(&self) -> Option<String> {
        Some(format!("soak of {}", self.0.plan.contenders[0].name))
    }

    fn prepare(&mut self, desk: &Desk<'_>) -> Result<()> {
        self.0.build(desk)
    }

    fn drive(&mut self, desk: &Desk<'_>, writer: &RunWriter, known: Option<Run>) -> Result<bool> {
        let schedule = Schedule::new(&self.0.plan)?;
        let judge = |unit: Unit<'_>, round: &RoundData| Ok(judge_soak(unit, round));
        self.0.drive((desk, writer, known), &schedule, judge, &mut Quiet)
    }
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
