//! A run of contenders of a challenge: begun or resumed, driven, and nothing of it left up.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use galo_drive::stage::{ContenderStage, Means, Server};
use galo_drive::{Before, DriveError, Driven, Schedule, Watch, drive, round};
use galo_host::Host;
use galo_judge::{Judgement, judge_round};
use galo_plan::conformance::Case;
use galo_plan::{ChallengeModel, Kind, Options, Plan, Seed};
use galo_record::act::Unit;
use galo_record::event::Progress;
use galo_record::{Machine, RoundData, RunWriter, Seeds};

use crate::cli::{RunArgs, RunnerArgs};
use crate::cut_off::CutOff;
use crate::exit::WrongUse;
use crate::live::{Live, Room, Where};
use crate::registry::{self, Asked, Definition};
use crate::resumed::Resumed;
use crate::session::{engine_threads, header, hide, open_host, run_folder, stop_flag};
use crate::watched::{Watched, Worth};

/// What it is driven with: there before it, and gone after it.
pub(crate) struct Hosted<'a> {
    pub(crate) args: &'a RunArgs,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) watched: Watched,
    pub(crate) live: Live,
    /// Who starts the contenders, if anybody has to.
    pub(crate) host: Option<Host>,
    pub(crate) machine: Machine,
}

/// What is driven.
pub(crate) struct Hosting<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) model: &'a dyn ChallengeModel,
    /// Where the contender is that galo does not start.
    pub(crate) there: Option<SocketAddr>,
    /// Cases of conformance.
    pub(crate) cases: &'a [Case],
    /// As asked for.
    pub(crate) threads: Option<u16>,
    pub(crate) resumed: Option<Resumed>,
}

impl<'a> Hosted<'a> {
    /// Opens it for a kind of run (`fight`) and its units (`round`), of which there are `planned` if that is known. `limited`:
    /// whether limits hold for what is started; `None`: nothing is.
    ///
    /// # Errors
    /// What cannot be had here.
    pub(crate) fn open(
        args: &'a RunArgs,
        names: (&str, &'static str),
        planned: Option<usize>,
        limited: Option<bool>,
        view: impl FnMut(&Progress, Where) -> String + Send + 'static,
    ) -> Result<Self> {
        let stop = stop_flag()?;
        let watched = Watched::open(&args.metrics, names, planned, args.output.quiet)?;
        let live = Live::hearing(Room::of(&args.output, &args.progress), watched.ear(), view);
        let host = limited.map(|limited| open_host(limited, &stop, &live)).transpose()?;
        Ok(Self { args, stop, watched, live, host, machine: galo_watch::machine(Path::new("/")) })
    }

    /// Drives it; its writer, what the judge says of its units, and whether the caller broke it off.
    ///
    /// # Errors
    /// What ended it that is neither the contender's doing nor the caller's.
    pub(crate) fn drive<S: Schedule>(
        &self,
        hosting: Hosting<'_>,
        schedule: &S,
        judge: impl Fn(Unit<'_>, &RoundData) -> Result<S::Facts, DriveError>,
        watch: &mut impl Watch<S::Facts>,
    ) -> Result<(RunWriter, Driven<S::Facts>)>
    where
        S::Facts: Worth,
    {
        let Hosting { plan, model, there, cases, threads, resumed } = hosting;
        let server = match (&self.host, there) {
            (Some(host), _) => Server::Hosted(host),
            (None, there) => Server::There(there.context("nobody starts the contenders")?),
        };
        if let Server::Hosted(host) = server {
            plan.contenders.iter().try_for_each(|contender| host.build(contender))?;
        }
        let (writer, before) = match resumed {
            Some(resumed) => resumed.before(&self.machine, &judge)?,
            None => {
                let (folder, header) = (run_folder(self.args.out.as_deref()), header(self.machine.clone()));
                (RunWriter::create(&folder, &header, plan, &Seeds::of_user())?, Before::default())
            }
        };
        self.host.iter().for_each(|host| hide(host, writer.path()));
        let events = self.live.events();
        let threads = engine_threads(threads, &plan.challenge.policy);
        let stop = &self.stop;
        let means = Means { plan, model, writer: &writer, server, threads, stop, events: &events, cases };
        let mut stage = ContenderStage::new(means);
        let judge = |unit: Unit<'_>, bulk| judge(unit, &round(unit, bulk)?);
        let names = plan.contenders.iter().map(|contender| contender.name.clone()).collect();
        let driven = drive(schedule, &mut stage, &writer, judge, &mut self.watched.and(names, watch), before);
        let goes_on = || format!("what was over is kept\n{}", CutOff::Contenders(plan).hint(writer.path()));
        let driven = driven.with_context(goes_on)?;
        drop(stage);
        // One that was broken off may be gone on with.
        if !driven.interrupted {
            writer.tell_seed()?;
        }
        Ok((writer, driven))
    }

    /// Ends it, whatever came of the run: nothing is left up, and the last of it is told.
    pub(crate) fn close<T>(self, driven: Result<T>) -> Result<T> {
        drop(self.host);
        drop(self.live);
        self.watched.finish();
        driven
    }
}

/// The cases of a challenge's file and of its model.
pub(crate) fn cases(plan: &Plan, model: &dyn ChallengeModel) -> Vec<Case> {
    [plan.challenge.cases.clone(), model.cases(plan.seed)].concat()
}

/// What the judge says of a round.
pub(crate) fn judged(plan: &Plan, model: &dyn ChallengeModel, round: &RoundData) -> Judgement {
    judge_round(plan, &*plan.prepare(plan.seed.of_pair(round.record.pair), model), round)
}

/// The seed as asked for, or one that nobody could guess.
///
/// # Errors
/// The kernel gave no random bytes.
pub(crate) fn seed(asked: Option<Seed>) -> Result<Seed> {
    if let Some(seed) = asked {
        return Ok(seed);
    }
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("the kernel gave no random bytes for a seed")?;
    Ok(Seed::of_bytes(bytes))
}

/// A plan of one contender and one kind of run. Its scale is 1: what it does multiplies it.
///
/// # Errors
/// What is wrong with the contender, or with what was asked for.
pub(crate) fn plan(
    contender: Option<&Path>,
    runners: &RunnerArgs,
    profile: &str,
    seed: Option<Seed>,
    kind: Kind,
) -> Result<(Plan, &'static dyn ChallengeModel)> {
    let (Definition { challenge, model }, contender) =
        registry::contender(contender.unwrap_or(Path::new(".")), &Asked::of(runners, 1)?)?;
    let options = Options {
        profile: profile.to_owned(),
        scale_milli: 1000,
        rounds: 1,
        seed: self::seed(seed)?,
        limited: true,
        noise_floor: None,
    };
    let plan = Plan::new(challenge, model, vec![contender], &options)?;
    if let Some((_, scenario, _)) =
        plan.scenarios().find(|(_, _, traffic)| traffic.flow.injection().is_none())
    {
        let hint = "hint: choose another with --profile, in which each has a rate";
        return Err(WrongUse(format!(
            "scenario `{}` of profile `{profile}` has so many users at once, and no rate to hold\n{hint}",
            scenario.name
        ))
        .into());
    }
    Ok((Plan { kind, ..plan }, model))
}
