//! The plan: everything about to happen, validated and immutable.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::challenge::{Challenge, Scenario};
use crate::contender::Contender;
use crate::contender_names;
use crate::described::{self, Described, NoModel};
use crate::error::PlanError;
use crate::flow::Flow;
use crate::injection::InjectionError;
use crate::kind::Kind;
use crate::model::{Ceiling, ChallengeData, ChallengeModel, CheckKind, data_sha256};
use crate::rules::{GENERIC, Rule};
use crate::seed::Seed;
use crate::suggest;
use crate::turns::turns;

/// Version of the plan's written form.
pub const FORMAT: u32 = 3;

/// Factors on the arrival rates that make sense, in thousandths.
pub const SCALES_MILLI: std::ops::RangeInclusive<u32> = 1..=1_000_000;

/// What the caller chose.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Name of a profile.
    pub profile: String,
    /// Factor on every arrival rate, in thousandths.
    pub scale_milli: u32,
    /// Rounds for each contender.
    pub rounds: u32,
    /// Seed of all that is drawn.
    pub seed: Seed,
    /// Whether the files' limits are to be set (`false`: `--unlimited`, the control).
    pub limited: bool,
    /// A noise floor measured earlier.
    pub noise_floor: Option<NoiseFloor>,
}

/// The ratio that a contender shows against itself, measured in an earlier run and copied here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoiseFloor {
    /// At least 1: ratios of p99 from `1 / ratio` to `ratio` are noise.
    pub ratio: f64,
    /// The same of the CPU time for each answer.
    pub cpu_ratio: f64,
    /// The run that measured it.
    pub from_run: PathBuf,
    /// Who fought itself there; empty where a plan of an older galo does not say.
    pub contender: String,
    /// When that run started: UTC, RFC 3339; empty as above.
    pub measured: String,
}

/// The difference that a fight should find where nobody says otherwise, in percent.
pub const DETECT_PERCENT: f64 = 5.0;

/// Everything about to happen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// [`FORMAT`].
    pub format: u32,
    /// What is done with the contenders.
    pub kind: Kind,
    /// The definition that it follows.
    pub challenge: Challenge,
    /// Generic rules, then those of the challenge's model; [`crate::RuleCode`] indexes it.
    pub rules: Vec<Rule>,
    /// What the model's checks are to a judge of the whole history; [`crate::Step::check`] indexes it.
    pub checks: Vec<CheckKind>,
    /// Name of the chosen profile.
    pub profile: String,
    /// Factor on every arrival rate, in thousandths.
    pub scale_milli: u32,
    /// Seed of all that is drawn. Rounds have seeds of their own, drawn by it ([`Seed::of_pair`]).
    pub seed: Seed,
    /// Whether limits are to be set.
    pub limited: bool,
    /// Who fights.
    pub contenders: Vec<Contender>,
    /// Rounds in turn, as indices into `contenders` ([`crate::turns`]).
    pub order: Vec<usize>,
    /// By scenario of the challenge: who arrives when (`None`: nobody in this profile).
    pub traffic: Vec<Option<ScenarioTraffic>>,
    /// How many creations a correct contender acknowledges of the rows of this very seed.
    pub ceiling: Ceiling,
    /// SHA-256 over all rows of this very seed, in hex: by it is seen that the rows of two runs are the same.
    pub data_sha256: String,
    /// A noise floor measured earlier.
    pub noise_floor: Option<NoiseFloor>,
    /// The difference that the caller wants found, in percent: decides nothing, but the report says how many rounds it
    /// takes.
    pub detect_percent: f64,
}

/// The users of one scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScenarioTraffic {
    /// When they arrive, scale applied.
    #[serde(rename = "injection")]
    pub flow: Flow,
    /// How many, at most.
    pub users: u64,
}

impl Plan {
    /// Joins a challenge, contenders and options, and makes the data once to know its ceiling and its digest.
    /// With no contender the order is empty (for `check URL` and tests). Contenders of one name are renamed, so that
    /// a contender may fight itself.
    ///
    /// # Errors
    /// An unknown profile (with the nearest right word), a contender for another challenge, no rounds, a scale out of
    /// range, more users than a history can number.
    ///
    /// It is of a fight of all its rounds; whoever wants another kind sets that ([`Self::kind`]).
    pub fn new(
        challenge: Challenge,
        model: &dyn ChallengeModel,
        mut contenders: Vec<Contender>,
        options: &Options,
    ) -> Result<Self, PlanError> {
        let traffic = resolve_traffic(&challenge, &options.profile, options.scale_milli)?;
        if options.rounds == 0 {
            return invalid("there are no rounds to drive\nhint: ask for at least one, e.g. `--rounds 2`");
        }
        if let Some(stranger) = contenders.iter().find(|c| c.challenge != challenge.name) {
            return invalid(format!(
                "contender `{}` is for challenge `{}`, not for `{}`\nhint: see `x-galo` in {}",
                stranger.name,
                stranger.challenge,
                challenge.name,
                stranger.file.display()
            ));
        }
        if let Some(proxy) = contenders.iter().find(|c| c.connects && challenge.origin.is_none()) {
            return invalid(format!(
                "contender `{}` is to be asked for tunnels, and challenge `{}` has no `origin` to which they would lead\nhint: see \
                 `connect` in {}",
                proxy.name,
                challenge.name,
                proxy.file.display()
            ));
        }
        if let Some(proxy) = contenders.iter().find(|c| c.connects && challenge.count.is_some()) {
            return invalid(format!(
                "contender `{}` is to be asked for tunnels, and challenge `{}` has a count, which is asked without one",
                proxy.name, challenge.name
            ));
        }
        contender_names::make_unique(&mut contenders);
        let rules: Vec<Rule> = GENERIC.iter().chain(model.rules()).cloned().collect();
        if rules.len() > 256 {
            return invalid(format!("the model `{}` has more rules than can be numbered", model.name()));
        }
        require_known_rules(&challenge, options.seed, model)?;
        let rows = rows(&challenge, &users(&traffic), model);
        let data = data(&challenge, options.seed, &rows, model);
        let (checks, digest) = match challenge.model.as_str() {
            NoModel::NAME => (
                vec![CheckKind::Alone; challenge.data.answers.len()],
                described::data_sha256(&challenge.data.feeders),
            ),
            _ => {
                let fields: Vec<usize> = model.feeders().iter().map(|feeder| feeder.fields.len()).collect();
                let checks = model.checks().iter().map(|check| check.kind).collect();
                let write = |feeder, row, field, out: &mut Vec<u8>| data.write_field(feeder, row, field, out);
                (checks, data_sha256(write, &fields, &rows))
            }
        };
        Ok(Self {
            format: FORMAT,
            order: turns(options.seed, options.rounds, contenders.len()),
            challenge,
            rules,
            checks,
            profile: options.profile.clone(),
            scale_milli: options.scale_milli,
            seed: options.seed,
            limited: options.limited,
            contenders,
            traffic,
            ceiling: data.ceiling(),
            data_sha256: digest,
            noise_floor: options.noise_floor.clone(),
            detect_percent: DETECT_PERCENT,
            kind: Kind::Fight { ends_early: false, looks: Vec::new(), restarts: true },
        })
    }

    /// Where a contender's tunnels are to lead; `None`: it is asked for none.
    pub fn tunnels_to(&self, contender: usize) -> Option<SocketAddr> {
        self.challenge.origin.filter(|_| self.contenders.get(contender).is_some_and(|c| c.connects))
    }

    /// Whether a contender's instances are null servers, which are asked nothing but the traffic and judged by nothing but its figures.
    pub fn is_null(&self, contender: usize) -> bool {
        self.contenders.get(contender).is_some_and(|contender| contender.null_of.is_some())
    }

    /// Makes the data that a round of this seed sends.
    pub fn prepare(&self, seed: Seed, model: &dyn ChallengeModel) -> Box<dyn ChallengeData> {
        data(&self.challenge, seed, &rows(&self.challenge, &users(&self.traffic), model), model)
    }

    /// Name of the contender with this index; a run folder of another making may name one that is not there.
    pub fn contender_name(&self, index: usize) -> String {
        self.contenders.get(index).map_or_else(|| format!("contender {index}"), |c| c.name.clone())
    }

    /// Makes the data of so many users, by scenario, of the run's own seed.
    pub(crate) fn prepare_for(&self, users: &[u64], model: &dyn ChallengeModel) -> Box<dyn ChallengeData> {
        data(&self.challenge, self.seed, &rows(&self.challenge, users, model), model)
    }

    /// Whether the traffic creates anything that is accounted for.
    pub fn creates(&self) -> bool {
        self.scenarios().any(|(_, scenario, _)| scenario.steps.iter().any(|step| step.creates))
    }

    /// Whether the count can be held against what was created.
    pub fn judges_the_count(&self) -> bool {
        self.challenge.count.is_some() && self.creates()
    }

    /// Scenarios of the profile with their traffic, by scenario index.
    pub fn scenarios(&self) -> impl Iterator<Item = (usize, &Scenario, &ScenarioTraffic)> {
        self.challenge
            .scenarios
            .iter()
            .zip(&self.traffic)
            .enumerate()
            .filter_map(|(i, (s, t))| t.as_ref().map(|t| (i, s, t)))
    }

    /// Whether some of its users arrive at a rate, whatever the contender does: then a request can be late.
    pub fn is_open(&self) -> bool {
        self.scenarios().any(|(_, _, traffic)| traffic.flow.injection().is_some())
    }

    /// Length of the traffic in nanoseconds (the last arrival may still be under way then), but for how long those take whom others wait for.
    pub fn duration_ns(&self) -> u64 {
        length_ns(&self.challenge, &self.traffic)
    }

    /// The same of any profile at a scale, without a plan.
    ///
    /// # Errors
    /// An unknown profile, a scale out of range, or more users than a history can number.
    pub fn length_ns(challenge: &Challenge, profile: &str, scale_milli: u32) -> Result<u64, PlanError> {
        Ok(length_ns(challenge, &resolve_traffic(challenge, profile, scale_milli)?))
    }

    /// The same plan with all of its traffic so many times over, one after another.
    ///
    /// # Errors
    /// What is too long to be driven.
    pub fn repeated(&self, times: usize) -> Result<Self, PlanError> {
        let mut plan = self.clone();
        for traffic in plan.traffic.iter_mut().flatten() {
            let told = |error: InjectionError| PlanError::Invalid(error.to_string());
            traffic.flow = traffic.flow.repeated(times).map_err(told)?;
            traffic.users = traffic.flow.users();
        }
        Ok(plan)
    }

    /// The plan as it is recorded: without the values of environments, and without secrets in headers, on command lines and in
    /// addresses, of which nothing is judged.
    pub fn without_secrets(&self) -> Self {
        let mut plan = self.clone();
        plan.challenge.hide_secrets();
        plan.contenders.iter_mut().for_each(Contender::hide_secrets);
        plan
    }
}

/// What is sent: a model's rows, or without a model those of the file, and what answers are held to.
fn data(
    challenge: &Challenge,
    seed: Seed,
    rows: &[u64],
    model: &dyn ChallengeModel,
) -> Box<dyn ChallengeData> {
    match challenge.model.as_str() {
        NoModel::NAME => Box::new(Described::new(challenge.data.clone(), seed.word("rows", &[]))),
        _ => model.prepare(seed, rows),
    }
}

/// Each expectation of a case names a rule that there is: by another the judge could hold an answer to nothing.
fn require_known_rules(
    challenge: &Challenge,
    seed: Seed,
    model: &dyn ChallengeModel,
) -> Result<(), PlanError> {
    let known = model.rules().len();
    let cases = model.cases(seed);
    for case in challenge.cases.iter().chain(&cases) {
        let expected = case.requests.iter().flat_map(|request| &request.expect);
        if let Some(unknown) = expected.map(|expected| expected.rule).find(|rule| *rule >= known) {
            let (case, model) = (&case.name, model.name());
            return invalid(format!(
                "case `{case}`: there is no rule {unknown} in the model `{model}`, which has {known}\nhint: name one of its rules"
            ));
        }
    }
    Ok(())
}

fn invalid<T>(message: impl Into<String>) -> Result<T, PlanError> {
    Err(PlanError::Invalid(message.into()))
}

fn length_ns(challenge: &Challenge, traffic: &[Option<ScenarioTraffic>]) -> u64 {
    let mut ends = Vec::with_capacity(traffic.len());
    for (scenario, traffic) in challenge.scenarios.iter().zip(traffic) {
        let begins: u64 = scenario.after.iter().map(|after| ends[*after]).max().unwrap_or(0);
        ends.push(begins + traffic.as_ref().map_or(0, |traffic| traffic.flow.duration_ns()));
    }
    ends.into_iter().max().unwrap_or(0)
}

fn resolve_traffic(
    challenge: &Challenge,
    profile: &str,
    scale_milli: u32,
) -> Result<Vec<Option<ScenarioTraffic>>, PlanError> {
    let Some(profile) = challenge.profiles.iter().find(|p| p.name == profile) else {
        let known: Vec<&str> = challenge.profiles.iter().map(|p| p.name.as_str()).collect();
        let what = suggest::unknown("profile", profile, &known);
        return invalid(format!("challenge `{}`: {what}", challenge.name));
    };
    if !SCALES_MILLI.contains(&scale_milli) {
        return invalid("the scale is out of range\nhint: choose one from 0.001 to 1000");
    }
    let too_many = |scenario: &Scenario, why: String| {
        let scale = f64::from(scale_milli) / 1000.0;
        let scenario = &scenario.name;
        PlanError::Invalid(format!(
            "scenario `{scenario}` at scale {scale}: {why}\nhint: choose a smaller scale"
        ))
    };
    let each = challenge.scenarios.iter().zip(&profile.flows).map(|(scenario, flow)| {
        let Some(flow) = flow else { return Ok(None) };
        let flow = flow.scaled(scale_milli).map_err(|error| match error {
            // It says itself what to do.
            InjectionError::Flow(_) => PlanError::Invalid(format!("scenario `{}`: {error}", scenario.name)),
            _ => too_many(scenario, error.to_string()),
        })?;
        let users = flow.users();
        if users > u64::from(u32::MAX) {
            return Err(too_many(scenario, format!("{users} users are more than a history can number")));
        }
        Ok(Some(ScenarioTraffic { flow, users }))
    });
    each.collect()
}

/// Users by scenario.
fn users(traffic: &[Option<ScenarioTraffic>]) -> Vec<u64> {
    traffic.iter().map(|traffic| traffic.as_ref().map_or(0, |traffic| traffic.users)).collect()
}

/// How many rows of each of the model's feeders so many users take, by scenario. Scenarios that share a feeder take the
/// same rows.
fn rows(challenge: &Challenge, users: &[u64], model: &dyn ChallengeModel) -> Vec<u64> {
    let mut rows = vec![0; model.feeders().len()];
    for (scenario, users) in challenge.scenarios.iter().zip(users) {
        if let Some(taken) = scenario.feeder.and_then(|feeder| rows.get_mut(feeder)) {
            *taken = (*users).max(*taken);
        }
    }
    rows
}

#[cfg(test)]
mod tests;
