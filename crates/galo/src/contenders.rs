//! What runs of contenders of a challenge share: their plan, and how they are driven.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context, Result};
use galo_drive::stage::{ContenderStage, Means, Server};
use galo_drive::{Before, DriveError, Schedule, Watch, round};
use galo_judge::{Judgement, each_closed, judge_round};
use galo_plan::conformance::Case;
use galo_plan::{ChallengeModel, Contender, Flow, Kind, Options, Plan, Seed};
use galo_record::act::Unit;
use galo_record::{RoundData, Run, RunWriter};

use crate::cli::RunnerArgs;
use crate::exit::WrongUse;
use crate::frame::Desk;
use crate::registry::{self, Definition, HowRead};
use crate::session::engine_threads;
use crate::watched::Worth;

/// Contenders of a challenge, and what is done with them.
pub(crate) struct Contenders {
    pub(crate) plan: Plan,
    /// The challenge's own Rust.
    pub(crate) model: &'static dyn ChallengeModel,
    /// Where the only contender is, if galo does not start it.
    pub(crate) there: Option<SocketAddr>,
    /// Cases of conformance that are asked.
    pub(crate) cases: Vec<Case>,
    /// Threads of the load engine, as asked for.
    pub(crate) threads: Option<u16>,
}

impl Contenders {
    /// Plans a run of these contenders. `known`: the plan of a run that is gone on with, whose seed is taken again.
    ///
    /// # Errors
    /// What is wrong with what was asked for, or the kernel gave no random bytes for a seed.
    pub(crate) fn new(
        Definition { challenge, model }: Definition,
        contenders: Vec<Contender>,
        (kind, options): (Kind, Options),
    ) -> Result<Self> {
        let plan = Plan { kind, ..Plan::new(challenge, model, contenders, &options)? };
        let cases = [plan.challenge.cases.clone(), model.cases(plan.seed)].concat();
        Ok(Self { plan, model, there: None, cases, threads: None })
    }

    /// Plans a run of one contender whose traffic is held at a constant rate. Its scale is 1: what it does multiplies it.
    ///
    /// # Errors
    /// What is wrong with the contender, or with what was asked for.
    pub(crate) fn held(
        (definition, contender): (Definition, Contender),
        (profile, seed): (&str, Seed),
        kind: Kind,
    ) -> Result<Self> {
        let held = Self::new(definition, vec![contender], (kind, options(profile, seed)))?;
        // Users that enter once are no part of what is held.
        let is_open = held.plan.is_open();
        let has_no_rate = |flow: &Flow| matches!(flow, Flow::Closed(_)) || !is_open;
        if let Some((_, scenario, _)) =
            held.plan.scenarios().find(|(_, _, traffic)| has_no_rate(&traffic.flow))
        {
            let hint = "hint: choose another with --profile, in which each has a rate";
            return Err(WrongUse(format!(
                "scenario `{}` of profile `{profile}` has so many users at once, and no rate to hold\n{hint}",
                scenario.name
            ))
            .into());
        }
        Ok(held)
    }

    /// Builds what the contenders need.
    ///
    /// # Errors
    /// A build failed, or the caller broke it off.
    pub(crate) fn build(&self, desk: &Desk<'_>) -> Result<()> {
        for (host, contender) in
            desk.host.iter().flat_map(|host| self.plan.contenders.iter().map(|c| (*host, c)))
        {
            host.build(contender)?;
        }
        Ok(())
    }

    /// What the judge says of a round.
    pub(crate) fn judge(&self, data: &RoundData) -> Judgement {
        let Self { plan, model, .. } = self;
        judge_round(plan, &*plan.prepare(plan.seed.of_pair(data.record.pair), *model), data)
    }

    /// Drives a schedule. Whether the caller broke it off.
    ///
    /// # Errors
    /// What ended it that is neither the contender's doing nor the caller's.
    pub(crate) fn drive<S: Schedule<Facts: Worth>>(
        &self,
        (desk, writer, known): (&Desk<'_>, &RunWriter, Option<Run>),
        schedule: &S,
        judge: impl Fn(Unit<'_>, &RoundData) -> Result<S::Facts, String>,
        follow: &mut impl Watch<S::Facts>,
    ) -> Result<bool> {
        let server = match (desk.host, self.there) {
            (Some(host), _) => Server::Hosted(host),
            (None, there) => Server::There(there.context("nobody starts the contenders")?),
        };
        let before = match known {
            None => Before::default(),
            Some(run) => Before { facts: each_closed(&run, &judge)?, acts: run.acts },
        };
        let means = Means {
            plan: &self.plan,
            model: self.model,
            writer,
            server,
            threads: engine_threads(self.threads, &self.plan.challenge.policy),
            stop: &desk.session.stop,
            events: &desk.live.events(),
            cases: &self.cases,
        };
        let judge = |unit: Unit<'_>, bulk| judge(unit, &round(unit, bulk)?).map_err(DriveError::Bug);
        let names = self.plan.contenders.iter().map(|contender| contender.name.clone()).collect();
        desk.drive(schedule, ContenderStage::new(means), writer, judge, (names, follow), before)
    }
}

/// One round at scale 1, under limits.
pub(crate) fn options(profile: &str, seed: Seed) -> Options {
    Options {
        profile: profile.to_owned(),
        scale_milli: 1000,
        rounds: 1,
        seed,
        limited: true,
        noise_floor: None,
    }
}

/// The seed of a run that is gone on with, or the one asked for, or one that cannot be guessed.
///
/// # Errors
/// The kernel gave no random bytes.
pub(crate) fn seed_of(asked: Option<Seed>, known: Option<&Plan>) -> Result<Seed> {
    drawn_unless(known.map(|plan| plan.seed).or(asked))
}

/// The contender of a command for one alone, with its challenge.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn one(path: Option<&Path>, runners: &RunnerArgs) -> Result<(Definition, Contender)> {
    registry::contender(path.unwrap_or(Path::new(".")), &HowRead::new(runners, 1)?)
}

/// This seed, or one that cannot be guessed.
///
/// # Errors
/// The kernel gave no random bytes.
pub(crate) fn drawn_unless(seed: Option<Seed>) -> Result<Seed> {
    if let Some(seed) = seed {
        return Ok(seed);
    }
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).context("the kernel gave no random bytes for a seed")?;
    Ok(Seed::of_bytes(bytes))
}

/// What differs between the plan of a run and the one that its files give now.
pub(crate) fn changed(old: &Plan, new: &Plan) -> Option<String> {
    if old.challenge != new.challenge {
        return Some(format!("challenge `{}`", old.challenge.name));
    }
    let contenders = old.contenders.iter().zip(&new.contenders).find(|(old, new)| old != new);
    if let Some((contender, _)) = contenders {
        return Some(format!("contender `{}` ({})", contender.name, contender.file.display()));
    }
    (old != new).then(|| "what the plan is made of".to_owned())
}
