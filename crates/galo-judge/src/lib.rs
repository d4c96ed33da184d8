//! Was it right, and which is better: a round's judgement, and the verdict over rounds.
//!
//! Pure functions: plan and round data in, facts and figures out. No clock, no network, no randomness that is not
//! seeded, so the same run folder is always judged alike.
//!
//! Its one key decision: rounds are the unit of comparison, never requests. Requests of one round share the
//! round's luck; ratios are taken pair by pair and judged over pairs. Formulas, thresholds and their sources are in
//! `docs/explanation/verdict.md`.

mod account;
pub mod assertion;
mod behaviour;
pub mod bottleneck;
pub mod capacity;
pub mod causes;
mod child;
pub mod comparison;
pub mod conformance;
pub mod crash;
mod driven;
pub mod duel;
pub mod durability;
pub mod evidence;
pub mod fight;
pub mod findings;
mod fold;
mod history;
pub mod json;
pub mod judged;
pub mod judgement;
pub mod league;
mod ledger;
pub mod limit;
pub mod linearizable;
pub mod load;
pub mod measure;
mod nearness;
pub mod ordering;
mod pairing;
pub mod scan;
#[cfg(feature = "schema")]
pub mod schema;
mod score;
pub mod signs;
pub mod soak;
pub mod stats;
pub mod step;
mod strangers;
pub mod stress;
pub mod terms;
pub mod trend;
pub mod tune;
pub mod unpaired;
pub mod verdict;
pub mod void;

#[cfg(test)]
mod testing;

pub use capacity::{Capacity, Search};
pub use child::{CameTo, Child};
pub use conformance::{Advice, BrokenCase, Conformance};
pub use findings::{Fact, Finding, Kind};
pub use fold::{ChildFacts, Folded, FoldedChild, Folding, children_of, each_closed};
pub use judgement::{Judgement, Standing, judge_round};
pub use measure::{Measure, Measures};
pub use nearness::{Nearness, Used};
pub use pairing::Ratios;
pub use score::ContestScore;
pub use verdict::{
    Comparison, Difference, Field, Grouped, MIN_PAIRS, Nearest, Raised, Sensitivity, Verdict, is_told_apart,
    is_too_light, judge_field, judge_fight, noise_floor, settled,
};
