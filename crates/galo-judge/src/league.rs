//! A league, judged: who is in, and in which order, with what is proven of it.
//!
//! Depends on what its [children](Child) came to. Effects are estimated within blocks ([`crate::stats::blocks`]), so a slow hour or a
//! slow machine hurts all in it alike. All claims of a league together, over all its looks, are wrong of equals in 5 % of leagues.

mod heard;
mod order;
mod plays;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod simulation;
mod sweep;
#[cfg(test)]
mod tests;

use galo_plan::JsonSchema;
use galo_plan::Runner;
use galo_plan::league::{LeaguePlan, Refused};
use galo_record::{RunHeader, StartFailure};
use serde::{Deserialize, Serialize};

use crate::child::Child;
use crate::fight::FightKind;
use crate::judgement::Standing;
use crate::measure::Measures;
use crate::terms::{Demand, LimitsNote};

pub use plays::due;
pub use sweep::{AtSetting, Cell, HeldBack, JudgedSweep};

use heard::Heard;
use order::{Facts, Order};

/// What a league came to, as far as its children were driven.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename = "league")]
#[schemars(transform = crate::schema::tell_kind)]
pub struct JudgedLeague {
    /// How and where it was driven.
    #[serde(flatten)]
    pub header: RunHeader,
    /// On which terms, and how far.
    #[serde(flatten)]
    pub head: Head,
    /// Those that are in, the best first; a place is its index.
    pub ranking: Vec<Ranked>,
    /// First and last place, from 0, of each run of places within which no two are told apart, and which is part of no longer one.
    pub groups: Vec<[usize; 2]>,
    /// Those that broke a rule.
    pub out: Vec<Out>,
    /// Those that did not start.
    pub not_started: Vec<Out>,
    /// Those whose file was not accepted.
    pub refused: Vec<Refused>,
}

/// On which terms a league or a sweep is driven, and how far it came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Head {
    /// Short name of the challenge.
    pub challenge: String,
    /// Name of the profile of its rounds.
    pub profile: String,
    /// Factor on every arrival rate.
    pub scale: f64,
    /// Seed of all that was drawn; of a run that is not over `sha256:` and its commitment.
    pub seed: String,
    /// Whether every place is decided, or all passes were driven.
    pub is_over: bool,
    /// Why limits were not enforced in a block; null where they were in all.
    pub limits_note: Option<LimitsNote>,
    /// Why services were not kept apart from one another and from galo; null where they were.
    pub walls_note: Option<String>,
    /// What all services of an entry may take; null: no child says.
    pub budget: Option<Demand>,
    /// Whether no round was anywhere near a limit: a light load ties everybody.
    pub is_light: bool,
    /// Blocks that were driven.
    pub blocks: usize,
    /// Passes that the plan has at most.
    pub passes: u32,
}

/// An entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// Name, unique in the league.
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
    /// Rounds that count.
    pub rounds: usize,
    /// The child, from 1, that checked it.
    #[serde(default)]
    pub check: u32,
    /// Those rounds, by the blocks that they were part of.
    #[serde(default)]
    pub in_blocks: Vec<RoundOfBlock>,
}

/// A round that counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundOfBlock {
    /// The child, from 1.
    pub child: u32,
    /// Its p99 in microseconds; null: nobody could tell.
    pub latency_us_p99: Option<f64>,
}

/// An entry that is in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ranked {
    /// Which.
    #[serde(flatten)]
    pub entry: Entry,
    /// The best and the worst place, from 1, that it may have by what is proven.
    pub places: [usize; 2],
    /// Names of those that it is proven better than.
    #[serde(default)]
    pub behind: Vec<String>,
    /// Its void rounds, where they are more than chance explains: it is proven better than nobody. Null: they are not.
    #[serde(default)]
    pub void_too_often: Option<VoidRounds>,
    /// Geometric means over its rounds, as they were measured: of entries that met in other blocks they differ by those blocks' luck.
    pub measures: Measures,
    /// Mean of the count at rest over its rounds: what the contests' own rankings go by; null: nobody counted.
    pub counted: Option<f64>,
    /// The highest scale that it held, as `galo limit` finds it; null: nobody searched, or it held none.
    pub highest_scale: Option<f64>,
    /// The primary measure by that of the first place, within blocks, with its interval; null: no chain of blocks links
    /// them, or too few rounds do to say anything.
    pub by_first: Option<Ratio>,
    /// Whether anything of its place may yet change.
    pub is_open: bool,
    /// Services whose image was another one in other rounds: its tag moved meanwhile.
    #[serde(default)]
    pub moved: Vec<String>,
}

/// How many rounds were void.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VoidRounds {
    /// Void rounds: the entry's own, then those of all others.
    pub void: [u64; 2],
    /// All rounds: the entry's own, then those of all others.
    pub rounds: [u64; 2],
}

/// A ratio with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ratio {
    /// The estimate.
    pub ratio: f64,
    /// At the level of the measure, shared by all pairs and looks.
    pub interval: [f64; 2],
}

/// An entry that is not in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Out {
    /// Which.
    #[serde(flatten)]
    pub entry: Entry,
    /// The child in which that was seen, from 1.
    pub child: u32,
    /// That it is disqualified by rules, or did not start, as that round is judged.
    pub standing: Standing,
    /// Why it did not start, by class; null: it started, and broke a rule.
    pub cause: Option<StartFailure>,
}

impl JudgedLeague {
    /// Folds a league. `children` are those that are over.
    pub fn judge(header: RunHeader, plan: &LeaguePlan, seed: String, children: &[Child<'_>]) -> Self {
        let heard = Heard::of(plan, children);
        let facts = Facts::of(plan, &heard);
        let order = facts.order(&heard.members());
        let entry = |index: usize| Entry::of(plan, index, heard.in_blocks(index));
        let ranked = |&index: &usize| Ranked::of(plan, &heard, &order, index);
        let outs = heard.out.iter().enumerate().filter_map(|(index, out)| {
            let (child, standing) = out.clone()?;
            let cause = match &standing {
                Standing::NotReady { reason } => Some(StartFailure::of(reason)),
                _ => None,
            };
            Some(Out { entry: entry(index), child, standing, cause })
        });
        let (not_started, out) = outs.partition(|out: &Out| out.cause.is_some());
        Self {
            header,
            head: Head::of(plan, &heard, seed, children),
            ranking: order.places.iter().map(ranked).collect(),
            groups: order.groups(),
            out,
            not_started,
            refused: plan.refused.clone(),
        }
    }
}

impl Head {
    fn of(plan: &LeaguePlan, heard: &Heard<'_>, seed: String, children: &[Child<'_>]) -> Self {
        let fights = || children.iter().filter_map(Child::fight);
        Self {
            challenge: plan.challenge.clone(),
            profile: plan.profile.clone(),
            scale: f64::from(plan.scale_milli) / 1e3,
            seed,
            is_over: due(plan, children).is_empty(),
            limits_note: fights()
                .filter(|fight| fight.kind == FightKind::Fight)
                .find_map(|fight| fight.limits_note.clone()),
            walls_note: fights().find_map(|fight| fight.walls_note.clone()),
            budget: fights().next().map(|fight| fight.budget),
            is_light: !heard.rounds.iter().any(|(_, _, round)| round.stressed),
            blocks: heard.blocks.len(),
            passes: plan.passes,
        }
    }
}

impl Entry {
    fn of(plan: &LeaguePlan, index: usize, in_blocks: Vec<RoundOfBlock>) -> Self {
        let contender = &plan.entries[index];
        Self {
            name: contender.name.clone(),
            title: contender.title.clone(),
            language: contender.language.clone(),
            file_sha256: contender.file_sha256.clone(),
            runner: contender.runner,
            takes: Demand::from_contender(contender),
            rounds: in_blocks.len(),
            check: index as u32 + 1,
            in_blocks,
        }
    }
}

impl Ranked {
    fn of(plan: &LeaguePlan, heard: &Heard<'_>, order: &Order<'_>, index: usize) -> Self {
        let first = order.places.first().copied();
        Self {
            entry: Entry::of(plan, index, heard.in_blocks(index)),
            places: order.range(index),
            behind: order.behind(index).map(|other| plan.entries[other].name.clone()).collect(),
            void_too_often: heard.void_too_often(index),
            measures: heard.means(index),
            counted: heard.counted(index),
            highest_scale: heard.scales[index],
            by_first: first.and_then(|first| order.ratio([index, first])),
            is_open: order.is_open(index),
            moved: heard.moved(index),
        }
    }
}
