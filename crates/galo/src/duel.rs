//! `galo duel`: two commands, servers or revisions, driven in turns.

mod limits;
pub(crate) mod scan;
mod setup;
mod side;
mod traffic;
mod view;

use anyhow::{Context, Result};
use galo_drive::schedule::Duel as Schedule;
use galo_drive::stage::{DuelMeans, DuelStage};
use galo_drive::{Before, DriveError};
use galo_judge::duel::{PairFacts, judge_pair};
use galo_plan::DuelPlan;
use galo_record::act::{Unit, units};
use galo_record::{Machine, Run, RunWriter};
use galo_words::Lang;

use crate::cli::{DuelArgs, ProgressArgs, RunArgs, StyleArgs};
use crate::frame::{Desk, Kind, Shared};

use setup::Setup;
use view::Follow;

/// A duel.
pub(crate) struct Duel {
    setup: Setup,
    threads: usize,
}

impl Kind for Duel {
    type Args = DuelArgs;
    type Plan = DuelPlan;
    const NAMES: [&'static str; 2] = ["duel", "pair"];

    fn shared(args: &DuelArgs) -> Shared<'_> {
        let DuelArgs { out, output, form, progress, metrics, .. } = args.clone();
        let progress = ProgressArgs { progress };
        let run = RunArgs { out, output, form, progress, metrics };
        let (style, is_strict) = (StyleArgs::default(), args.assert_strict);
        Shared { run, resume: args.resume.as_deref(), style, is_strict }
    }

    fn new(args: &DuelArgs, known: Option<&DuelPlan>, machine: &Machine) -> Result<Self> {
        let threads = args.threads.map_or(1, usize::from);
        Ok(Self { setup: Setup::new(args, machine, known)?, threads })
    }

    fn plan(&self) -> &DuelPlan {
        &self.setup.plan
    }

    fn changed(old: &DuelPlan, new: &DuelPlan) -> Option<String> {
        let what = if old.requests_sha256 != new.requests_sha256 {
            "the file of requests"
        } else if old.asked != new.asked {
            "the traffic"
        } else if old.sides != new.sides {
            "a revision, or the folder in which the commands run,"
        } else if old != new {
            "what the plan is made of"
        } else {
            return None;
        };
        Some(what.to_owned())
    }

    fn limited(&self) -> Option<bool> {
        let plan = self.plan();
        (plan.is_own(0) || plan.is_own(1)).then_some(self.setup.is_limited)
    }

    fn prepare(&mut self, desk: &Desk<'_>) -> Result<()> {
        self.setup.told.iter().for_each(|line| desk.live.line(line));
        let uncommitted = galo_report::uncommitted(self.plan().uncommitted_files, Lang::En);
        uncommitted.filter(|_| !desk.is_resumed).iter().for_each(|told| desk.live.line(told));
        desk.host.map_or(Ok(()), |host| self.setup.build(host))
    }

    fn drive(&mut self, desk: &Desk<'_>, writer: &RunWriter, known: Option<Run<DuelPlan>>) -> Result<bool> {
        let loads = self.setup.loads.take().context("a duel is driven once")?;
        let plan = self.plan();
        let before = known.map(before).transpose()?.unwrap_or_default();
        let means = DuelMeans {
            plan,
            loads,
            host: desk.host,
            writer,
            threads: self.threads,
            stop: &desk.session.stop,
            events: &desk.live.events(),
        };
        let stage = DuelStage::new(means, &before.acts);
        let judge = |unit: Unit<'_>, ()| judge_pair(unit).map_err(DriveError::Bug);
        let mut follow = Follow::new(plan, desk.live, &before.facts);
        let names = plan.sides.iter().map(|side| side.name.clone()).collect();
        desk.drive(&Schedule::new(plan), stage, writer, judge, (names, &mut follow), before)
    }
}

/// What was heard of a duel that is gone on with.
fn before(run: Run<DuelPlan>) -> Result<Before<PairFacts>> {
    let closed = units(&run.acts).map(|units| units.into_iter().filter(Unit::is_closed));
    let facts = closed.and_then(|closed| closed.map(judge_pair).collect());
    let facts = facts.map_err(|reason| run.damaged(reason))?;
    Ok(Before { acts: run.acts, facts })
}
