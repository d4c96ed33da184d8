//! What a search for the highest scale came to, as far as it came.

use galo_plan::JsonSchema;
use galo_plan::{LimitTerms, Noun, Plan};
use galo_record::act::{Act, Acted, Outcome, Reading};
use galo_record::{Run, RunEnd, RunHeader};
use serde::{Deserialize, Serialize};

use super::filling::counted;
use super::held_up::{HeldUp, held_up_by, lowest_not_met};
use super::hold::Hold;
use super::usl::{Scalability, knee};
use super::{capacity, growth, search};
use crate::capacity::{Capacity, Limit};
use crate::terms::Demand;

/// What a search for the highest scale came to. A scale is a factor on the rates with which the profile ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename = "limit")]
#[schemars(transform = crate::schema::tell_kind)]
pub struct JudgedLimit {
    /// How and where it was driven.
    #[serde(flatten)]
    pub header: RunHeader,
    /// Contender's name.
    pub contender: String,
    /// Challenge's name.
    pub challenge: String,
    /// Profile's name.
    pub profile: String,
    /// Seed of all that was drawn; of a run that is not over `sha256:` and its commitment.
    pub seed: String,
    /// What was searched for.
    pub terms: LimitTerms,
    /// What is stored, and counted.
    pub noun: Noun,
    /// The highest scale at which the criterion was met, in thousandths; null: there was none.
    pub scale_milli: Option<u64>,
    /// Lower end of the 95 % interval of the scale that is met in half of all holds.
    pub low_milli: Option<u64>,
    /// Its upper end; null where no scale failed.
    pub high_milli: Option<u64>,
    /// Whether a longer hold at that scale met it too.
    pub confirmed: bool,
    /// What kept the scale from being higher.
    pub limited_by: LimitedBy,
    /// What the contender was short of at the lowest scale above it that was not met; null: there is no such scale.
    pub held_up: Option<HeldUp>,
    /// The scale with the most answers per second for their mean latency, in thousandths; null: too few holds say something.
    #[serde(default)]
    pub knee_milli: Option<u64>,
    /// How throughput goes with what is under way; null: too few holds, or nearly one load.
    #[serde(default)]
    pub law: Option<Scalability>,
    /// Whether the scale that was to be held at least was held, by a hold that confirmed it; null: none was to be.
    pub at_least_met: Option<bool>,
    /// What the contender takes.
    pub takes: Demand,
    /// What it may take.
    pub budget: Demand,
    /// Whether limits were in force.
    pub limits_enforced: bool,
    /// Why not.
    pub limits_note: Option<String>,
    /// Why services were not kept apart from one another and from galo; null where they were.
    pub walls_note: Option<String>,
    /// How often the contender was started, each time with fresh volumes.
    pub starts: u32,
    /// All holds, in the order in which they were driven.
    pub holds: Vec<Hold>,
    /// How it ended.
    pub end: RunEnd,
}

/// What kept a scale from being higher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitedBy {
    /// A higher one did not meet the criterion.
    Contender,
    /// galo itself, or its machine, did not keep up with a higher one; the contender might.
    Galo,
    /// Nothing higher was to be tried.
    Asked,
    /// It ended before a higher one was tried.
    Holds,
}

impl JudgedLimit {
    /// Folds a run's acts, and what was judged of its holds.
    ///
    /// # Errors
    /// The run is none of this kind; in words.
    pub fn judge(run: &Run, holds: Vec<Hold>) -> Result<Self, String> {
        let judged = Self::of_acts(&run.plan, &run.header, &run.acts, holds)?;
        Ok(Self { seed: run.seed_told(), ..judged })
    }

    pub(super) fn of_acts(
        plan: &Plan,
        header: &RunHeader,
        acts: &[Acted],
        mut holds: Vec<Hold>,
    ) -> Result<Self, String> {
        let terms = plan.kind.limit().ok_or("the run is no search for the highest scale")?.clone();
        let contender = plan.contenders.first().ok_or("the run has no contender")?;
        let starts = acts.iter().filter(|acted| is_start(acted));
        let placement = starts.clone().find_map(|acted| match &acted.outcome {
            Outcome::Started(started) => Some(&started.placement),
            _ => None,
        });
        growth::tell(plan, acts, &mut holds);
        let is_over = search(&terms.search, &holds).next().is_none();
        let judged = Self {
            header: header.clone(),
            contender: contender.name.clone(),
            challenge: plan.challenge.name.clone(),
            profile: plan.profile.clone(),
            seed: plan.seed.to_string(),
            scale_milli: None,
            low_milli: None,
            high_milli: None,
            confirmed: false,
            limited_by: LimitedBy::Holds,
            held_up: None,
            knee_milli: None,
            law: None,
            at_least_met: None,
            takes: Demand::from_contender(contender),
            budget: Demand::budget(&plan.challenge.policy),
            noun: plan.challenge.count.as_ref().map(|count| count.noun.clone()).unwrap_or_default(),
            limits_enforced: placement.is_none_or(|placement| placement.limits_enforced),
            limits_note: placement.and_then(|placement| placement.limits_note.clone()),
            walls_note: placement.and_then(|placement| placement.walls_note.clone()),
            starts: starts.count() as u32,
            end: match not_up(acts) {
                Some(why) => RunEnd::Failed(why),
                None if is_over => RunEnd::Done,
                // A run that was broken off, or died, can be resumed.
                None => RunEnd::Interrupted,
            },
            terms,
            holds,
        };
        Ok(judged.summed_up())
    }

    /// The same with what its holds say together.
    pub fn summed_up(self) -> Self {
        let (scale_milli, low_milli, high_milli, confirmed, limit) =
            match capacity(&self.terms.search, &self.holds) {
                Capacity::Nothing { limit, .. } => (None, None, None, false, limit),
                Capacity::Highest { rate_milli, low_milli, high_milli, held, limit, .. } => {
                    (Some(rate_milli), Some(low_milli), high_milli, held, limit)
                }
            };
        let is_held = |least| confirmed && scale_milli.is_some_and(|milli| milli >= least);
        Self {
            scale_milli,
            low_milli,
            high_milli,
            confirmed,
            limited_by: limit.into(),
            held_up: lowest_not_met(&self.holds, scale_milli.unwrap_or(0)).map(held_up_by),
            knee_milli: knee(&self.holds),
            law: Scalability::of(&self.holds),
            at_least_met: self.terms.at_least_milli.map(is_held),
            ..self
        }
    }

    /// The hold that stands for the scale found: the last one there that was met.
    pub fn standing(&self) -> Option<&Hold> {
        let at_scale = |hold: &&Hold| hold.outcome.met && Some(hold.scale_milli) == self.scale_milli;
        self.holds.iter().rev().find(at_scale)
    }

    /// The first hold of the lowest scale that was not met, of those above what is held.
    pub fn lowest_not_met(&self) -> Option<&Hold> {
        lowest_not_met(&self.holds, self.scale_milli.unwrap_or(0))
    }
}

impl From<Limit> for LimitedBy {
    fn from(limit: Limit) -> Self {
        match limit {
            Limit::Criterion => Self::Contender,
            Limit::Client { .. } => Self::Galo,
            Limit::Asked => Self::Asked,
            Limit::Trials => Self::Holds,
        }
    }
}

/// An attempt to start it whose end was seen.
fn is_start(acted: &Acted) -> bool {
    matches!(acted.act, Act::Start { .. }) && acted.outcome != Outcome::Lost
}

/// Why the contender did not come up when it was started last.
fn not_up(acts: &[Acted]) -> Option<String> {
    let last = acts.iter().rposition(is_start)?;
    if let Outcome::NotReady(reason) = &acts[last].outcome {
        return Some(reason.clone());
    }
    let first = acts.get(last + 1)?;
    match (&first.act, &first.outcome) {
        (Act::Count { path, reading: Reading::First }, Outcome::Counted(readings))
            if counted(first) == Some(None) =>
        {
            let said = readings.last().map_or("", |reading| &reading.text);
            Some(format!(
                "it never answered the count at {path} by a number (last: {said})\nhint: see its logs"
            ))
        }
        _ => None,
    }
}
