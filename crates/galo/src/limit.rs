//! `galo limit CONTENDER`: one hold after another, in search of the highest scale.

mod follow;
mod terms;

use anyhow::Result;
use galo_drive::schedule::Limit as Schedule;
use galo_judge::limit::judge_hold;
use galo_plan::{Contender, LimitTerms, Plan, Seed};
use galo_record::act::Unit;
use galo_record::{Machine, RoundData, Run, RunWriter};

use crate::cli::{LimitArgs, SeedArgs, StyleArgs};
use crate::contenders::{self, Contenders, seed_of};
use crate::frame::{Desk, Kind, Shared};
use crate::registry::Definition;

use follow::Follow;

pub(crate) use terms::{criterion, hold_ns, terms};

/// A search for the highest scale.
pub(crate) struct Limit {
    contenders: Contenders,
}

impl Kind for Limit {
    type Args = LimitArgs;
    type Plan = Plan;
    const NAMES: [&'static str; 2] = ["limit", "hold"];

    fn shared(args: &LimitArgs) -> Shared<'_> {
        let style = StyleArgs::default();
        Shared { run: args.run.clone(), resume: args.resume.as_deref(), style, is_strict: false }
    }

    fn new(args: &LimitArgs, known: Option<&Plan>, _: &Machine) -> Result<Self> {
        let LimitArgs { contender, runners, profile, drawn: SeedArgs { seed, threads }, .. } = args;
        let kind = galo_plan::Kind::Limit(terms::terms(args)?);
        let one = contenders::one(contender.as_deref(), runners)?;
        let held = Contenders::held(one, (profile, seed_of(*seed, known)?), kind)?;
        Ok(Self { contenders: Contenders { threads: *threads, ..held } })
    }

    fn plan(&self) -> &Plan {
        &self.contenders.plan
    }

    fn changed(old: &Plan, new: &Plan) -> Option<String> {
        contenders::changed(old, new)
    }

    fn limited(&self) -> Option<bool> {
        Some(true)
    }

    fn prepare(&mut self, desk: &Desk<'_>) -> Result<()> {
        self.contenders.build(desk)
    }

    fn drive(&mut self, desk: &Desk<'_>, writer: &RunWriter, known: Option<Run>) -> Result<bool> {
        let plan = &self.contenders.plan;
        let judge = |unit: Unit<'_>, round: &RoundData| judge_hold(plan, unit, round);
        let mut follow = Follow::new(plan, desk.live);
        self.contenders.drive((desk, writer, known), &Schedule::new(plan)?, judge, &mut follow)
    }
}

impl Limit {
    /// Searches for the highest scale of a league's entry.
    ///
    /// # Errors
    /// What is wrong with what was asked for.
    pub(crate) fn of_entry(
        one: (Definition, Contender),
        traffic: (&str, Seed),
        terms: LimitTerms,
        threads: Option<u16>,
    ) -> Result<Self> {
        let held = Contenders::held(one, traffic, galo_plan::Kind::Limit(terms))?;
        Ok(Self { contenders: Contenders { threads, ..held } })
    }
}
