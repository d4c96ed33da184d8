//! What is done with the contenders of a plan: the terms that its schedule goes by.

use crate::JsonSchema;
use serde::{Deserialize, Serialize};

/// A kind of run. Whoever drives one hears its terms from the plan alone, so that a run that was cut off can be gone on with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Rounds of all contenders in turn.
    Fight {
        /// Whether it ends before all are driven once further rounds cannot change its outcome, or its load is too light for one.
        ends_early: bool,
        /// After so many pairs of rounds it is looked at, and ends if two contenders are told apart; looks share the chance of a
        /// false winner. Empty: once, at the end.
        #[serde(default)]
        looks: Vec<u32>,
        /// Whether contenders are ended in some rounds, once all is at rest, and started again on what they left.
        restarts: bool,
    },
    /// One light round of the only contender, and the cases of conformance.
    Check {
        /// Whether it is killed as well, all of it and then one instance.
        crashes: bool,
    },
    /// The search for the highest scale that the only contender holds.
    Limit(LimitTerms),
    /// One load of constant traffic to the only contender, for hours.
    Soak(SoakTerms),
}

/// The terms of a soak. Contender, profile and seed are the plan's, whose own scale is 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SoakTerms {
    /// Times this scale, in thousandths, every scenario arrives at the rate with which it ends.
    pub scale_milli: u64,
    /// For so long.
    pub length_ns: u64,
}

/// The terms of a search for the highest scale. Contender, profile and seed are the plan's, whose own scale is 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitTerms {
    /// What a hold must meet, as it was written.
    pub criterion: String,
    /// Where to search.
    pub search: SearchTerms,
    /// Length of a hold.
    pub hold_ns: u64,
    /// Length of a hold that confirms.
    pub confirm_ns: u64,
    /// Whether tables are filled to the size that a scale would give them, before it is held.
    pub preloads: bool,
    /// The scale that is to be held at least.
    pub at_least_milli: Option<u64>,
}

impl LimitTerms {
    /// The terms of whoever says no more than how long a hold is.
    pub fn of_holds(hold_ns: u64) -> Self {
        Self {
            criterion: "p99<100ms,errors==0".to_owned(),
            search: SearchTerms::new(1_000, 100_000, 1.1),
            hold_ns,
            confirm_ns: 3 * hold_ns,
            preloads: true,
            at_least_milli: None,
        }
    }
}

/// Where to search. Scales are in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchTerms {
    /// The first scale to be tried.
    pub start_milli: u64,
    /// Nothing below this is tried.
    pub min_milli: u64,
    /// Nothing above this is tried.
    pub max_milli: u64,
    /// The bracket is narrow enough when its upper end divided by its lower is at most this.
    pub ratio: f64,
    /// Factor of the first step up; later ones are larger, up to doubling.
    #[serde(default = "doubling")]
    pub step: f64,
    /// At most so many holds.
    pub max_holds: u32,
    /// A hold is not met if less than this share of what fell due was answered while it lasted.
    pub min_answered: f64,
}

impl Kind {
    /// After so many pairs a fight of two is looked at: first with the fewest that can make a winner, then as often as a small difference
    /// needs more of them.
    pub const LOOKS: [u32; 5] = [6, 9, 12, 16, 20];

    /// After which numbers of pairs it is looked at before its end.
    pub fn looks(&self) -> &[u32] {
        match self {
            Self::Fight { looks, .. } => looks,
            _ => &[],
        }
    }

    /// The command that makes it: `galo <this>`.
    pub const fn command(&self) -> &'static str {
        match self {
            Self::Fight { .. } => "fight",
            Self::Check { .. } => "check",
            Self::Limit(_) => "limit",
            Self::Soak(_) => "soak",
        }
    }

    /// Terms of a search for the highest scale.
    pub const fn limit(&self) -> Option<&LimitTerms> {
        match self {
            Self::Limit(terms) => Some(terms),
            _ => None,
        }
    }

    /// Terms of a soak.
    pub const fn soak(&self) -> Option<&SoakTerms> {
        match self {
            Self::Soak(terms) => Some(terms),
            _ => None,
        }
    }
}

impl LimitTerms {
    /// How long a hold lasts.
    pub const fn length_ns(&self, confirms: bool) -> u64 {
        if confirms { self.confirm_ns } else { self.hold_ns }
    }
}

const fn doubling() -> f64 {
    2.0
}

impl SearchTerms {
    /// Nothing below this scale is tried, unless the search begins there.
    const LEAST_MILLI: u64 = 10;
    /// A search that goes well takes 10 to 14.
    const HOLDS_MAX: u32 = 24;
    /// A queue that grows leaves more unanswered.
    const MIN_ANSWERED: f64 = 0.99;

    /// A search that begins at a scale, goes no higher than another, and ends with a bracket of this ratio.
    pub fn new(start_milli: u64, max_milli: u64, ratio: f64) -> Self {
        Self {
            start_milli: start_milli.min(max_milli),
            min_milli: Self::LEAST_MILLI.min(start_milli),
            max_milli,
            ratio,
            step: doubling(),
            max_holds: Self::HOLDS_MAX,
            min_answered: Self::MIN_ANSWERED,
        }
    }
}
