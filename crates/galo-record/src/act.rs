//! Acts: the steps of a run, each with its outcome. `acts.jsonl` has a line for each.
//!
//! A run is its acts in their order, and nothing else: whatever is said of it is said of them, and of the bulk of the loads
//! among them. An act's line is on disk before the next act begins. Acts between a [`Act::Begin`] and its [`Act::Close`]
//! belong to one unit, which counts once it is closed; one that was cut off is kept, and never judged. What brings
//! contenders up, warms them and ends them may stand between units, where contenders outlive those.

mod file;
mod fold;
mod made;

use std::path::Path;

use galo_plan::model::Effect;
use galo_plan::{Challenge, PairId};
use serde::{Deserialize, Serialize};

use crate::crash::{CrashKind, Halt, Lookup, Restarted};
use crate::duel::{AnswersRecord, LevelTraffic, Slice, SliceTerms};
use crate::durability::{DatabaseSettings, ServiceFlushes};
use crate::end::RunEnd;
use crate::finding::HostFact;
use crate::history::Operation;
use crate::latencies::{SparseLatencies, StepSparse};
use crate::load::{LoadFigures, LoadRecord};
use crate::placement::Placement;
use crate::round::{Beside, CountReading};
use crate::sealed::Sealed;

pub(crate) use file::{append, read, whole_bytes};
pub use fold::{Unit, units};
pub(crate) use made::acts_of;

/// Where the folders of children are.
const CHILDREN: &str = "children";

/// One step of a run, with what came of it: a line of `acts.jsonl`. Times are of [`crate::clock`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Acted {
    /// From 0, in the order of the run.
    pub number: u32,
    /// When it began.
    pub began_ns: u64,
    /// When it ended.
    pub ended_ns: u64,
    /// What was done.
    pub act: Act,
    /// What came of it.
    pub outcome: Outcome,
}

/// One step of a run. What it needs beyond this is in the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Begins a unit.
    Begin(UnitTerms),
    /// Starts a contender, on fresh volumes.
    Start {
        /// Index into the plan's contenders.
        contender: usize,
    },
    /// Stops a contender where it stands, so that it takes no core.
    Freeze {
        /// Index into the plan's contenders.
        contender: usize,
    },
    /// Lets a contender go on, if it is still there.
    Resume {
        /// Index into the plan's contenders.
        contender: usize,
    },
    /// Reads the count.
    Count {
        /// Where it is asked for.
        path: String,
        /// When, and how often.
        reading: Reading,
    },
    /// Sends traffic.
    Load(LoadTerms),
    /// Sends traffic to both sides of a duel, slice by slice.
    Alternate(Box<Alternation>),
    /// Lets the server work off what is left.
    Rest {
        /// For so long.
        length_ns: u64,
    },
    /// Asks the cases of conformance.
    AskCases,
    /// Ends all services of a contender, and starts them again on what they left.
    Restart {
        /// Index into the plan's contenders.
        contender: usize,
        /// How they are ended.
        halt: Halt,
    },
    /// Asks for what the unit's load created, and for what was refused.
    LookUp,
    /// Ends a contender, and removes what is left of it.
    Stop {
        /// Index into the plan's contenders.
        contender: usize,
    },
    /// Drives a whole run, in a folder of its own.
    Child(ChildId),
    /// Writes down the unit's bulk: from here on it counts.
    Close,
    /// Tells the seed of a run that is over: the last of its acts. Who reads a run is not handed it among its acts.
    TellSeed,
}

/// What is driven as one, and counts once or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitTerms {
    /// From 1, in the order in which units were begun.
    pub number: u32,
    /// What it is.
    pub kind: UnitKind,
}

/// What a unit is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitKind {
    /// One contender driven by the whole profile, from its start to its removal.
    Round {
        /// Index into the plan's contenders.
        contender: usize,
        /// Index into the plan's order; a round that is driven anew has the same.
        slot: usize,
        /// Whose seed draws all that is drawn in it. The seed itself is not told before the run is over.
        pair: PairId,
        /// Where services are killed in its load: how.
        crash: Option<CrashKind>,
    },
    /// A turn of each side of a duel.
    Pair {
        /// From 0; one that is begun again has the same.
        pair: u32,
        /// Which start of both it is of, from 0.
        start: u32,
    },
    /// Constant traffic to the only contender, after it came to rest and its tables were filled. It stays up after it.
    Hold {
        /// The scale, in thousandths.
        scale_milli: u64,
        /// Whether it is a long one, that confirms.
        confirms: bool,
    },
    /// A load of addresses by itself.
    Load,
    /// In the search for the highest rate: a closed loop, which says where to begin.
    Scout,
    /// In the same: one rate.
    Trial {
        /// Whether it is the longer one, that confirms.
        hold: bool,
    },
    /// Constant traffic to the only contender for hours, from its start to its removal.
    Soak,
    /// A whole run. One that was cut off is driven anew, as the next attempt.
    Child {
        /// Which, from 1.
        child: u32,
    },
}

/// One attempt to drive a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChildId {
    /// Which child, from 1.
    pub child: u32,
    /// Which attempt to drive it, from 1.
    pub attempt: u32,
}

/// When the count is read, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// Before anything was asked: until it is answered once, within a bound.
    First,
    /// For a moment while nobody asks for anything else: it must not move.
    Quiet,
    /// A single time, now.
    Once,
    /// After a load: until it is at rest, within the challenge's bound.
    AtRest,
}

/// What is sent, and what is done meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadTerms {
    /// To whom: index into the plan's contenders.
    pub contender: usize,
    /// What.
    pub traffic: Workload,
    /// Services that are killed meanwhile.
    pub kill: Option<Kill>,
}

/// A load of each side of a duel. In each pair of slices both are driven once, one after the other; who is not driven stands still.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alternation {
    /// What each is sent.
    pub traffic: LevelTraffic,
    /// How long slices are.
    pub slices: SliceTerms,
    /// Number of its first pair of slices, by which is drawn who goes first in each.
    pub first_slice: u32,
}

/// What a load sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Workload {
    /// The plan's profile.
    Profile {
        /// How many times over.
        repeats: usize,
    },
    /// A duel's requests, as hard as one of its levels.
    Level(Box<LevelTraffic>),
    /// Constant traffic, at the rates with which the profile ends. Users go on where those of the load before ended, since
    /// the contender was started.
    Hold {
        /// Times this scale, in thousandths.
        scale_milli: u64,
        /// For so long.
        length_ns: u64,
    },
    /// The same for hours: what is kept of it does not grow with its length.
    Soak {
        /// As of a hold.
        scale_milli: u64,
        /// For so long.
        length_ns: u64,
    },
    /// The same to see whether the contender is at rest, without bulk.
    Light {
        /// As of a hold.
        scale_milli: u64,
        /// For so long.
        length_ns: u64,
    },
    /// Creations alone, in a closed loop, without bulk.
    Fill {
        /// So many at once.
        users: u32,
        /// Rows that are sent.
        rows: u64,
    },
    /// To addresses: as was asked for.
    Asked,
    /// To addresses: at a constant rate.
    Rate {
        /// In millionths of a request per second.
        rate_micro: u64,
        /// How long requests fall due.
        length_ns: u64,
    },
    /// To addresses: a closed loop.
    Closed {
        /// So many at once.
        users: u32,
        /// For so long.
        length_ns: u64,
    },
}

/// Services killed while a load runs. They are started again as soon as it is over, or earlier where that is said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kill {
    /// Their names.
    pub services: Vec<String>,
    /// When, from the start of the load.
    pub after_ns: u64,
    /// How long they stay down; `None`: until the load is over.
    pub down_ns: Option<u64>,
}

/// What came of an act.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is done, and there is nothing to tell of it.
    Done,
    /// The contender is up.
    Started(Box<Started>),
    /// The contender did not come up, by its own doing: why, in a sentence with a hint.
    NotReady(String),
    /// The count was read.
    Counted(Vec<CountReading>),
    /// The contender had ended meanwhile, which was not its to do: what the host saw.
    Gone(Vec<HostFact>),
    /// A load was driven to its end.
    Loaded(Box<Loaded>),
    /// Both sides' loads were driven to their end.
    Alternated(Box<Alternated>),
    /// So many cases were asked; their answers are bulk.
    Asked(usize),
    /// The contender was ended, and started again as far as it came.
    Restarted(Box<Restarted>),
    /// What the look-ups showed.
    Found(Vec<Lookup>),
    /// The child was driven to its end: how it ended.
    ChildEnded(RunEnd),
    /// What the plan's commitment is of.
    Told(Sealed),
    /// The contender is gone.
    Stopped(Box<Stopped>),
    /// Unknown: galo ended in the middle of it. Nothing of the unit is up, warm or filled any more.
    Lost,
}

/// A contender that is up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// Where its services run.
    pub placement: Placement,
    /// Its databases that could be asked.
    pub databases: Vec<DatabaseSettings>,
}

/// What a load came to.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Loaded {
    /// Its totals.
    pub load: LoadRecord,
    /// What the host saw meanwhile.
    pub findings: Vec<HostFact>,
    /// Flushes of each service; empty: nobody counted.
    pub flushes: Vec<ServiceFlushes>,
    /// When services were killed and came back; `None`: none were to be.
    pub killed: Option<Killed>,
    /// What its bulk would tell, where a load leaves none.
    pub figures: Option<Box<LoadFigures>>,
    /// How its answers compared with those of the other side of a duel to the same requests; `None`: there were none to compare.
    pub answers: Option<AnswersRecord>,
    /// Latencies of a light load, which has no bulk, by flat step number and without their seconds.
    pub latencies: Vec<StepSparse>,
    /// Parts of a soak, of equal length, in their order.
    pub parts: Vec<SoakPart>,
    /// Of a hold: what is known of its creations.
    pub creations: Creations,
    /// Of a load whose contender stays up after it: what was seen beside it.
    pub beside: Beside,
}

/// What came of [`Alternation`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Alternated {
    /// What each side's load came to. Its times are of the side's own, which stands still with it.
    pub sides: [Loaded; 2],
    /// What each did in each pair of slices.
    pub slices: Vec<[Slice; 2]>,
    /// Slices of each side after which it was told to stand still, and was not seen to.
    #[serde(default)]
    pub restless: [u64; 2],
}

impl Alternated {
    /// One slice in this many may end without the side being seen to stand still, and as many as this in any case: a busy machine
    /// looks late.
    const RESTLESS_ONE_OF: u64 = 20;
    const RESTLESS_FEW: u64 = 2;

    /// Whether a side often did not stand still, in all slices that were driven so far: then those of the other one hold what it did.
    pub fn are_restless(slices: u64, restless: [u64; 2]) -> bool {
        let most = restless.into_iter().max().unwrap_or(0);
        most > Self::RESTLESS_FEW && most * Self::RESTLESS_ONE_OF > slices
    }
}

/// A part of a soak.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SoakPart {
    /// Everything that ended in it, from the intended start, in all scenarios.
    pub latencies: SparseLatencies,
    /// How much of that was no right answer.
    pub errors: u64,
    /// Anonymous memory of each service when it was seen last in it, in the order of the placement; empty: not seen.
    pub anonymous_bytes: Vec<u64>,
}

/// Creations by what is known of them, in all scenarios.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Creations {
    /// Acknowledged.
    pub acknowledged: u64,
    /// Done or not: nobody knows.
    pub unknown: u64,
}

/// What came of [`Kill`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Killed {
    /// When; `None`: the load ended before.
    pub killed_at_ns: Option<u64>,
    /// When galo began to start them again.
    pub restarted_at_ns: Option<u64>,
    /// When all were ready again.
    pub ready_at_ns: Option<u64>,
    /// Why they did not become ready, in a sentence with a hint.
    pub not_up: Option<String>,
    /// As [`crate::Restarted::volumes_bytes`], where all services were killed.
    #[serde(default)]
    pub volumes_bytes: [u64; 2],
    /// As [`crate::Restarted::traced`], where all services were killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traced: Option<[u32; 2]>,
}

/// What was seen of a contender until its end, of its load above all.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Stopped {
    /// What the host saw after the load, and at the end.
    pub findings: Vec<HostFact>,
    /// Flushes of each service from before the load until it had ended; empty: nobody counted to the end.
    pub flushes: Vec<ServiceFlushes>,
    /// What was seen beside that; nothing where it was told of each load.
    pub beside: Beside,
}

impl ChildId {
    /// Its folder, below its parent's: `children/003/attempt-1`.
    pub fn folder(self) -> String {
        format!("{}/attempt-{}", Self::attempts(self.child), self.attempt)
    }

    /// Where all attempts of a child are, below its parent's folder: `children/003`.
    pub fn attempts(child: u32) -> String {
        format!("{CHILDREN}/{child:03}")
    }

    /// The folder of the run that one is a child of, by its name.
    pub fn parent_of(folder: &Path) -> Option<&Path> {
        let children = folder.parent()?.parent()?;
        children.parent().filter(|_| children.ends_with(CHILDREN))
    }
}

impl Creations {
    /// Adds up a history.
    pub fn from_history(challenge: &Challenge, history: &[Operation]) -> Self {
        let creates: Vec<bool> = challenge.steps().map(|(_, step)| step.creates).collect();
        let creates = |step: u8| creates.get(usize::from(step)).copied().unwrap_or(false);
        let mut sum = Self::default();
        for operation in history.iter().filter(|operation| creates(operation.step)) {
            match operation.effect {
                Effect::Yes => sum.acknowledged += 1,
                Effect::Unknown => sum.unknown += 1,
                Effect::No | Effect::None => {}
            }
        }
        sum
    }
}
