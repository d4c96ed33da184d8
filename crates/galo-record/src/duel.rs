//! A duel: what its loads are, and what its acts come to.
//!
//! Two sides (commands or addresses) are driven in turns, one after the other, over and over. A turn is one load for each
//! level; the k-th turn of one side and the k-th of the other are a pair. [`DuelRecord`] is folded by the judge from plan and acts.

mod usage;

use std::collections::BTreeMap;

use galo_plan::{Injection, Seed};
use serde::{Deserialize, Serialize};

use crate::end::RunEnd;
use crate::finding::HostFact;
use crate::latencies::Percentiles;
use crate::ledger::Ledger;
use crate::load::EngineRecord;

pub use usage::TurnUsage;

/// The terms of a duel, and its turns so far.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct DuelRecord {
    /// The two.
    pub sides: [SideRecord; 2],
    /// What is sent, in a few words, e.g. `GET /`.
    pub request: String,
    /// Bounds on ratios that were to hold, as they were written.
    pub assertions: Vec<String>,
    /// How it is driven.
    pub terms: DuelTerms,
    /// Whether limits were in force; of no meaning where neither side is a command.
    pub limits_enforced: bool,
    /// Why not.
    pub limits_note: Option<String>,
    /// Why commands were not kept apart from one another and from galo.
    pub walls_note: Option<String>,
    /// Files of the work tree that are changed or new, where both sides are revisions and so have none of them.
    #[serde(default)]
    pub uncommitted_files: u64,
    /// JSON pointers of what does not count in answers.
    pub ignored: Vec<String>,
    /// How answers compared.
    pub answers: AnswersRecord,
    /// Of pairs that were driven to their end, in the order in which they were driven.
    pub turns: Vec<Turn>,
    /// What was remarkable of how the sides ran.
    pub findings: Vec<SideFinding>,
    /// How it ended, so far.
    pub end: RunEnd,
}

/// One side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SideRecord {
    /// For people; the two differ.
    pub name: String,
    /// The command; `None`: a server that ran before, which galo neither starts nor limits.
    pub command: Option<String>,
    /// The address that is asked.
    pub url: String,
    /// How it came to its speed. Empty where it was not looked for.
    pub warm_up: Vec<WarmUp>,
}

/// A short closed loop before the first turn. None of it counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WarmUp {
    /// How long it lasted.
    pub elapsed_ns: u64,
    /// Right answers per second.
    pub ok_per_s: f64,
}

/// How a duel is driven.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DuelTerms {
    /// Seed of all that was drawn.
    pub seed: Seed,
    /// Pairs of turns that are to be driven.
    pub pairs: u32,
    /// Loads of each turn, in this order.
    pub levels: Vec<LevelTerms>,
    /// After so many pairs both sides are started afresh; 0: never. What differs by luck of a start differs again then.
    pub pairs_per_start: u32,
    /// CPU limit of each command, in thousandths; `None`: nothing is limited.
    pub cpus_milli: Option<u32>,
    /// Memory limit of each command; `None`: none was asked for.
    pub memory_bytes: Option<u64>,
    /// Cores of the machine that galo and the commands share; `None`: not known.
    pub cores: Option<u32>,
    /// The difference that the caller wants found, in percent; `None`: by how the duel is driven.
    pub detect_percent: Option<f64>,
    /// Whether one side stands still while the other one is driven.
    pub pauses: bool,
}

/// One load at one side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelTraffic {
    /// What it is for.
    pub purpose: Purpose,
    /// How hard it is.
    pub terms: LevelTerms,
    /// In a closed loop no more than this many requests; `None`: as many as there is time for.
    pub total: Option<u64>,
    /// Number of the user who arrives first: users of one number send the same request, whichever side they ask.
    pub first_user: u64,
    /// How many answers are kept, to be compared with the other side's.
    pub kept: u64,
}

/// What a load of a duel is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Its answers, before all else.
    Answers,
    /// To have a side come to its speed. None of it counts.
    WarmUp,
    /// It is part of a turn.
    Turn,
}

/// One load of every turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelTerms {
    /// What it is for.
    pub level: Level,
    /// How long users arrive.
    pub length_ns: u64,
    /// Who arrives when; `None`: a closed loop.
    pub injection: Option<Injection>,
    /// Connections at most; in a closed loop so many at once.
    pub connections: u32,
}

/// How hard a load is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A rate, or a profile, that was asked for.
    Asked,
    /// Half of what the slower one reaches.
    Half,
    /// Nine tenths of what the slower one reaches.
    Near,
    /// As much as it gives, in a closed loop.
    Highest,
}

/// One side's turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Which side.
    pub side: usize,
    /// Which pair, from 0.
    pub pair: u32,
    /// Which start of the two, from 0.
    pub start: u32,
    /// One for each level.
    pub loads: Vec<TurnLoad>,
}

/// A death, or the like, of a side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideFinding {
    /// Which side.
    pub side: usize,
    /// In which pair; `None`: before the first one.
    pub pair: Option<u32>,
    /// What, with its evidence.
    pub finding: HostFact,
}

/// One load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnLoad {
    /// What it is for.
    pub level: Level,
    /// From the first arrival to the end of the last operation.
    pub elapsed_ns: u64,
    /// Its operations.
    pub ledger: Ledger,
    /// Answers by status.
    pub statuses: BTreeMap<u16, u64>,
    /// Failures by kind.
    pub errors: BTreeMap<String, u64>,
    /// Latency from the intended start, of everything that ended.
    pub latency: Percentiles,
    /// CPU that its processes used; `None`: not seen.
    pub cpu_ns: Option<u64>,
    /// Most memory of its processes, page cache included.
    pub memory_peak_bytes: Option<u64>,
    /// Most anonymous memory of its processes.
    pub anonymous_peak_bytes: Option<u64>,
    /// What else was seen of them, and of what was around them; `None`: nothing.
    pub usage: Option<TurnUsage>,
    /// galo's own part, by which the judge says whether it counts.
    pub engine: EngineRecord,
}

/// Answers of the two sides to the same request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AnswersRecord {
    /// Requests of which both answers were compared.
    pub compared: u64,
    /// ... and were the same by meaning.
    pub equal: u64,
    /// ... and had different statuses.
    pub other_status: u64,
    /// The first few differences.
    pub differences: Vec<AnswerDifference>,
}

/// Two answers that differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerDifference {
    /// Where: `status`, `content-type`, `body` or a JSON pointer.
    pub at: String,
    /// What the sides had there, in their order.
    pub values: [String; 2],
}

impl LevelTerms {
    /// Whether its rate changes over a load.
    pub fn varies(&self) -> bool {
        let phases = self.injection.iter().flat_map(Injection::phases);
        let mut rates = phases.flat_map(|phase| [phase.from_micro, phase.to_micro]);
        let first = rates.next();
        rates.any(|rate| Some(rate) != first)
    }
}

impl Level {
    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Half => "half",
            Self::Near => "near",
            Self::Highest => "highest",
        }
    }

    /// For people.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Asked => "as asked for",
            Self::Half => "half of what the slower reaches",
            Self::Near => "90 % of what the slower reaches",
            Self::Highest => "as much as it gives",
        }
    }
}

impl SideRecord {
    /// The rate that the last warm-up reached; `None`: there was none.
    pub fn reached_per_s(&self) -> Option<f64> {
        self.warm_up.last().map(|last| last.ok_per_s)
    }
}

impl AnswersRecord {
    /// Differences that are told.
    const TOLD: usize = 10;

    /// Adds what came of further answers; of differences at one place the first is told.
    pub fn add(&mut self, more: &Self) {
        self.compared += more.compared;
        self.equal += more.equal;
        self.other_status += more.other_status;
        for difference in &more.differences {
            let is_known = self.differences.iter().any(|known| known.at == difference.at);
            if !is_known && self.differences.len() < Self::TOLD {
                self.differences.push(difference.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_varies_where_its_phases_differ() {
        let level = |injection| LevelTerms { level: Level::Asked, length_ns: 1, injection, connections: 1 };
        let of = |phases: &[&str]| level(Some(Injection::parse(phases).unwrap()));
        assert!(!level(None).varies());
        assert!(!of(&["5/s for 2s", "5/s for 1s"]).varies());
        assert!(of(&["5/s for 2s", "6/s for 1s"]).varies() && of(&["ramp 1/s to 2/s over 1s"]).varies());
    }

    #[test]
    fn what_a_side_reached_is_what_it_reached_last() {
        let warm_up = |ok_per_s| WarmUp { elapsed_ns: 500_000_000, ok_per_s };
        let side = SideRecord {
            name: "a".to_owned(),
            command: None,
            url: "http://127.0.0.1:1/".to_owned(),
            warm_up: vec![warm_up(1_000.0), warm_up(3_000.0)],
        };
        assert_eq!(side.reached_per_s(), Some(3_000.0));
    }

    #[test]
    fn of_two_differences_at_one_place_the_first_is_told() {
        let seen = |at: &str| AnswersRecord {
            compared: 2,
            equal: 1,
            other_status: 0,
            differences: vec![AnswerDifference { at: at.to_owned(), values: ["1", "2"].map(str::to_owned) }],
        };
        let mut all = AnswersRecord::default();
        ["/a", "/b", "/a"].iter().for_each(|at| all.add(&seen(at)));
        assert_eq!((all.compared, all.equal, all.differences.len()), (6, 3, 2));
    }
}
