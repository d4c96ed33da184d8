//! A run of contenders of a challenge: begun or resumed, driven, and nothing of it left up.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use galo_drive::stage::{ContenderStage, Means, Server};
use galo_drive::{Before, DriveError, Driven, Schedule, Watch, drive, round};
use galo_plan::conformance::Case;
use galo_plan::{ChallengeModel, Kind, Options, Plan};
use galo_record::act::Unit;
use galo_record::{Machine, RoundData, RunWriter};

use crate::live::Live;
use crate::registry::{self, Definition};
use crate::resumed::Resumed;
use crate::session::{engine_threads, header, run_folder};
use crate::watched::{Watched, Worth};

/// What it is of.
pub(crate) struct Hosted<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) model: &'a dyn ChallengeModel,
    /// Who starts the contenders, if anybody has to.
    pub(crate) server: Server<'a>,
    /// Cases of conformance.
    pub(crate) cases: &'a [Case],
    pub(crate) machine: &'a Machine,
    /// As asked for.
    pub(crate) threads: Option<u16>,
    /// As asked for.
    pub(crate) out: Option<&'a Path>,
    pub(crate) resumed: Option<Resumed>,
    pub(crate) stop: &'a Arc<AtomicBool>,
    pub(crate) live: &'a Live,
    pub(crate) watched: &'a Watched,
}

impl Hosted<'_> {
    /// Drives it; its writer, what the judge says of its units, and whether the caller broke it off.
    ///
    /// # Errors
    /// What ended it that is neither the contender's doing nor the caller's.
    pub(crate) fn drive<S: Schedule>(
        self,
        schedule: &S,
        judge: impl Fn(Unit<'_>, &RoundData) -> Result<S::Facts, DriveError>,
        watch: &mut impl Watch<S::Facts>,
    ) -> Result<(RunWriter, Driven<S::Facts>)>
    where
        S::Facts: Worth,
    {
        let Self { plan, model, server, cases, stop, .. } = self;
        if let Server::Hosted(host) = server {
            plan.contenders.iter().try_for_each(|contender| host.build(contender))?;
        }
        let (writer, before) = match self.resumed {
            Some(resumed) => resumed.before(self.machine, &judge)?,
            None => {
                let header = header(self.machine.clone());
                (RunWriter::create(&run_folder(self.out), &header, plan)?, Before::default())
            }
        };
        let events = self.live.events();
        let threads = engine_threads(self.threads, &plan.challenge.policy);
        let means = Means { plan, model, writer: &writer, server, threads, stop, events: &events, cases };
        let mut stage = ContenderStage::new(means);
        let judge = |unit: Unit<'_>, bulk| judge(unit, &round(unit, bulk)?);
        let names = plan.contenders.iter().map(|contender| contender.name.clone()).collect();
        let driven = drive(schedule, &mut stage, &writer, judge, &mut self.watched.and(names, watch), before);
        let goes_on = || {
            let (command, path) = (plan.kind.command(), writer.path().display());
            format!("what was over is kept: galo {command} --resume {path} goes on")
        };
        let driven = driven.with_context(goes_on)?;
        drop(stage);
        Ok((writer, driven))
    }
}

/// A plan of one contender and one kind of run. Its scale is 1: what it does multiplies it.
///
/// # Errors
/// What is wrong with the contender, or with what was asked for.
pub(crate) fn plan(
    contender: Option<&Path>,
    profile: &str,
    seed: u64,
    kind: Kind,
) -> Result<(Plan, &'static dyn ChallengeModel)> {
    let (Definition { challenge, model }, contender) =
        registry::contender(contender.unwrap_or(Path::new(".")))?;
    let options = Options {
        profile: profile.to_owned(),
        scale_milli: 1000,
        rounds: 1,
        seed,
        limited: true,
        noise_floor: None,
    };
    let plan = Plan::new(challenge, model, vec![contender], &options)?;
    Ok((Plan { kind, ..plan }, model))
}
