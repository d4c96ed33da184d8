//! A fight or a check.

use galo_plan::JsonSchema;
use galo_plan::plan::NoiseFloor;
use galo_plan::{ChallengeModel, Contender, Kind, Plan, Runner};
use galo_record::{RecordError, RoundData, Run, RunHeader};
use serde::{Deserialize, Serialize};

use super::medians::{Medians, medians};
use super::round::JudgedRound;
use super::summary::{Summary, summaries};
use crate::judgement::judge_round;
use crate::terms::{Demand, Limits, LimitsNote};
use crate::verdict::{Comparison, Field, Verdict, judge_field, judge_fight, settled};

/// Stands for the digest of what a run that is not over sends: by it the rows of a short seed would be found.
const NOT_TOLD: &str = "-";

/// What a fight or a check came to. Latencies are in microseconds, counted from the intended start unless they are called
/// service time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedFight {
    /// Which of the two.
    pub kind: FightKind,
    /// How and where it was driven.
    #[serde(flatten)]
    pub header: RunHeader,
    /// Short name of the challenge.
    pub challenge: String,
    /// Name of the profile.
    pub profile: String,
    /// Factor on every arrival rate.
    pub scale: f64,
    /// Rounds that the plan has.
    pub planned: usize,
    /// Seed of all that was drawn; of a run that is not over `sha256:` and its commitment.
    pub seed: String,
    /// SHA-256 over all rows that the plan sends, in hex; of a run that is not over `-`.
    pub data_sha256: String,
    /// Whether limits were asked for, and every one was set and read back in every round whose contender came up, of
    /// which there must be one at least.
    pub limits_enforced: bool,
    /// Why not.
    pub limits_note: Option<LimitsNote>,
    /// Why services were not kept apart from one another and from galo; null where they were.
    pub walls_note: Option<String>,
    /// Whether contenders were ended at rest in some rounds and started again on what they left; null where there is nothing to lose.
    pub restarts: Option<bool>,
    /// What all services of a contender may take.
    pub budget: Demand,
    /// What a good answer is: the longest latency that it may have.
    pub service_level_ms: f64,
    /// What a contender showed against itself in an earlier run; a smaller difference in the primary measure is none.
    pub noise_floor: Option<NoiseFloor>,
    /// The outcome.
    pub verdict: Verdict,
    /// Measures of the first two contenders that may be ranked, primary first.
    pub comparisons: Vec<Comparison>,
    /// All that may be ranked, where they are more than two; null: they are not.
    pub field: Option<Field>,
    /// Medians of each contender of the field, the best first, then of null servers; where only there are such, of all contenders. Empty
    /// where there is neither.
    pub medians: Vec<Medians>,
    /// The contenders.
    pub contenders: Vec<JudgedContender>,
    /// Every round, in the order in which they were driven, void ones included.
    pub rounds: Vec<JudgedRound>,
}

/// A fight, or a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FightKind {
    /// Which of several is better.
    Fight,
    /// Whether one is right.
    Check,
}

/// One contender over all of its rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedContender {
    /// Name.
    pub name: String,
    /// For people.
    pub title: String,
    /// Programming language, if the file tells.
    pub language: Option<String>,
    /// SHA-256 of the Compose file, in hex.
    pub file_sha256: String,
    /// How its services were started.
    pub runner: Runner,
    /// What all of them ask for.
    pub takes: Demand,
    /// In starting order, with the limits that the file asks for.
    pub services: Vec<PlannedService>,
    /// Its rounds, summed up.
    pub summary: Summary,
    /// The contender in whose place null servers are here; null: it is one itself.
    pub null_of: Option<String>,
}

/// One service as planned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedService {
    /// Name in the Compose file.
    pub name: String,
    /// CPU limit.
    pub cpus: f64,
    /// Memory limit.
    pub memory_bytes: u64,
}

impl JudgedFight {
    /// Folds a run, one round in memory at a time. `model` makes the rows of its rounds again; `see` is shown each round's
    /// data, for what is drawn of it.
    ///
    /// # Errors
    /// A file of the folder that cannot be read or is damaged.
    pub fn judge(
        run: &Run,
        model: &dyn ChallengeModel,
        mut see: impl FnMut(&RoundData),
    ) -> Result<Self, RecordError> {
        let plan = &run.plan;
        let (mut judgements, mut rounds, mut limits) = (Vec::new(), Vec::new(), Limits::default());
        for index in 0..run.len() {
            let data = run.round(index)?;
            let rows = plan.prepare(plan.seed.of_pair(data.record.pair), model);
            let judgement = judge_round(plan, &*rows, &data);
            limits.see(data.record.placement.as_ref());
            rounds.push(JudgedRound::of(plan, &data, judgement.clone()));
            see(&data);
            judgements.push(judgement);
        }
        for (round, settled) in rounds.iter_mut().zip(settled(&judgements)) {
            round.judgement.standing = settled.standing;
        }
        let (verdict, comparisons) = judge_fight(plan, &judgements);
        let contenders = plan.contenders.iter().zip(summaries(plan, &rounds));
        let contenders: Vec<_> =
            contenders.map(|(contender, summary)| JudgedContender::of(contender, summary)).collect();
        let field = judge_field(plan, &judgements);
        let walls_note = limits.walls.take();
        let limits_note = limits.note(plan);
        Ok(Self {
            kind: if matches!(plan.kind, Kind::Check { .. }) { FightKind::Check } else { FightKind::Fight },
            header: run.header.clone(),
            challenge: plan.challenge.name.clone(),
            profile: plan.profile.clone(),
            scale: f64::from(plan.scale_milli) / 1e3,
            planned: plan.order.len(),
            seed: run.seed_told(),
            data_sha256: if run.is_over { plan.data_sha256.clone() } else { NOT_TOLD.to_owned() },
            limits_enforced: limits_note.is_none(),
            limits_note,
            walls_note,
            restarts: restarts(plan),
            budget: Demand::budget(&plan.challenge.policy),
            service_level_ms: plan.challenge.service_level.latency_ns as f64 / 1e6,
            noise_floor: plan.noise_floor.clone(),
            verdict,
            comparisons,
            medians: medians(
                &side_by_side(field.as_ref(), &contenders),
                &services_of_baseline(field.as_ref(), &contenders),
                &rounds,
            ),
            field,
            contenders,
            rounds,
        })
    }
}

fn restarts(plan: &Plan) -> Option<bool> {
    match plan.kind {
        Kind::Fight { restarts, .. } if plan.creates() => Some(restarts),
        _ => None,
    }
}

/// Who is told side by side: the field, the best by the primary measure first, then null servers; without a field all contenders, where
/// there are such servers.
fn side_by_side(field: Option<&Field>, contenders: &[JudgedContender]) -> Vec<String> {
    let (null, real): (Vec<_>, Vec<_>) = contenders.iter().partition(|one| one.null_of.is_some());
    let names = |of: Vec<&JudgedContender>| of.into_iter().map(|one| one.name.clone()).collect::<Vec<_>>();
    let first = match field.and_then(|field| field.groups.first()) {
        Some(grouped) => grouped.order.clone(),
        None if null.is_empty() => Vec::new(),
        None => names(real),
    };
    [first, names(null)].concat()
}

/// Names of the services of the baseline, where the field has one.
fn services_of_baseline<'a>(field: Option<&Field>, contenders: &'a [JudgedContender]) -> Vec<&'a str> {
    let baseline = field.filter(|field| field.is_baseline).map(|field| &field.reference);
    let services = contenders.iter().filter(|one| Some(&one.name) == baseline).flat_map(|one| &one.services);
    services.map(|service| service.name.as_str()).collect()
}

impl JudgedContender {
    fn of(contender: &Contender, summary: Summary) -> Self {
        let services = contender.services.iter().map(|service| PlannedService {
            name: service.name.clone(),
            cpus: f64::from(service.cpus_milli) / 1e3,
            memory_bytes: service.memory_bytes,
        });
        Self {
            name: contender.name.clone(),
            title: contender.title.clone(),
            language: contender.language.clone(),
            file_sha256: contender.file_sha256.clone(),
            runner: contender.runner,
            takes: Demand::from_contender(contender),
            services: services.collect(),
            summary,
            null_of: contender.null_of.clone(),
        }
    }
}
