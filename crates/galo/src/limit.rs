//! `galo limit CONTENDER`: one hold after another, in search of the highest scale.

mod follow;
mod terms;

use anyhow::Result;
use galo_drive::schedule::Limit as Schedule;
use galo_judge::limit::judge_hold;
use galo_plan::Plan;
use galo_record::act::Unit;
use galo_record::{Machine, RoundData, Run, RunWriter};

use crate::cli::{LimitArgs, StyleArgs};
use crate::contenders::{self, Contenders};
use crate::frame::{Desk, Kind, Shared};

use follow::Follow;

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
        let LimitArgs { contender, runners, profile, seed, threads, .. } = args;
        let kind = galo_plan::Kind::Limit(terms::terms(args)?);
        let held = Contenders::held(contender.as_deref(), runners, (profile, *seed), kind, known)?;
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
