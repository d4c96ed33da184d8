//! A run of one contender that galo starts: planned, begun or resumed, driven, and nothing of it left up.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use galo_drive::stage::{ContenderStage, Means, Server};
use galo_drive::{Before, DriveError, Schedule, Watch, drive, round};
use galo_plan::{ChallengeModel, Kind, Options, Plan};
use galo_record::act::Unit;
use galo_record::{RoundData, RunWriter};

use crate::live::Live;
use crate::registry::{self, Definition};
use crate::resumed::Resumed;
use crate::session::{engine_threads, header, open_host, run_folder};

/// What it is of.
pub(crate) struct Hosted<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) model: &'a dyn ChallengeModel,
    /// As asked for.
    pub(crate) threads: Option<u16>,
    /// As asked for.
    pub(crate) out: Option<&'a Path>,
    pub(crate) resumed: Option<Resumed>,
    pub(crate) stop: &'a Arc<AtomicBool>,
    pub(crate) live: &'a Live,
}

impl Hosted<'_> {
    /// Drives it; its writer, and whether the caller broke it off.
    ///
    /// # Errors
    /// What ended it that is neither the contender's doing nor the caller's.
    pub(crate) fn drive<S: Schedule>(
        self,
        schedule: &S,
        judge: impl Fn(Unit<'_>, &RoundData) -> Result<S::Facts, DriveError>,
        watch: &mut impl Watch<S::Facts>,
    ) -> Result<(RunWriter, bool)> {
        let Self { plan, model, stop, live, .. } = self;
        let host = open_host(plan.limited, stop, live)?;
        plan.contenders.iter().try_for_each(|contender| host.build(contender))?;
        let machine = galo_watch::machine(Path::new("/"));
        let (writer, before) = match self.resumed {
            Some(resumed) => {
                let (writer, _, before) = resumed.before(&machine, &judge)?;
                (writer, before)
            }
            None => (RunWriter::create(&run_folder(self.out), &header(machine), plan)?, Before::default()),
        };
        let events = live.events();
        let mut stage = ContenderStage::new(Means {
            plan,
            model,
            writer: &writer,
            server: Server::Hosted(&host),
            threads: engine_threads(self.threads, &plan.challenge.policy),
            stop,
            events: &events,
            cases: &[],
        });
        let judge = |unit: Unit<'_>, bulk| judge(unit, &round(unit, bulk)?);
        let driven = drive(schedule, &mut stage, &writer, judge, watch, before);
        let goes_on = || {
            let (command, path) = (plan.kind.command(), writer.path().display());
            format!("what was over is kept: galo {command} --resume {path} goes on")
        };
        let interrupted = driven.with_context(goes_on)?.interrupted;
        drop(stage);
        Ok((writer, interrupted))
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
