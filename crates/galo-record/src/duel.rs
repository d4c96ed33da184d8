//! A duel: what its loads are, and how the answers of its sides compared.
//!
//! Two sides (commands or addresses) are driven in turns, one after the other, over and over. A turn is one load for each
//! level; the k-th turn of one side and the k-th of the other are a pair.

use galo_plan::Injection;
use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

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

/// How long slices are, by the own time of the side that is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SliceTerms {
    /// How long operations are begun.
    pub length_ns: u64,
    /// How long those under way may then take to end; what takes longer goes on in the side's next slice.
    pub drain_ns: u64,
}

/// What one side did in a slice: driven for a moment, then frozen while the other side is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Slice {
    /// How long it took by the side's own time, to the end of its last operation.
    pub elapsed_ns: u64,
    /// Right answers.
    pub ok: u64,
    /// Operations that had not ended when it was frozen, and went on in its next slice.
    pub under_way: u64,
    /// CPU of its processes; null: not seen.
    pub cpu_ns: Option<u64>,
}

/// One load of every turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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

/// Answers of the two sides to the same request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerDifference {
    /// Where: `status`, `content-type`, `body` or a JSON pointer.
    pub at: String,
    /// What the sides had there, in their order.
    pub values: [String; 2],
}

impl LevelTerms {
    /// Users per second; `None`: a closed loop.
    pub fn mean_rate(&self) -> Option<f64> {
        self.injection.as_ref().map(Injection::mean_per_s)
    }

    /// Whether its rate changes over a load.
    pub fn varies(&self) -> bool {
        let phases = self.injection.iter().flat_map(Injection::phases);
        let mut rates = phases.flat_map(|phase| [phase.from_micro, phase.to_micro]);
        let first = rates.next();
        rates.any(|rate| Some(rate) != first)
    }
}

impl Slice {
    /// Adds what another thread did in the same slice.
    pub fn add(&mut self, part: Self) {
        self.elapsed_ns = self.elapsed_ns.max(part.elapsed_ns);
        self.ok += part.ok;
        self.under_way += part.under_way;
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
