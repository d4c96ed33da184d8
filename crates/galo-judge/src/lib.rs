//! Was it right, and which is better: a round's judgement, and the verdict over rounds.
//!
//! Pure functions: plan and round data in, words and figures out. No clock, no network, no randomness that is not
//! seeded, so the same run folder is always judged alike.
//!
//! Its one key decision: rounds are the unit of comparison, never requests. Requests of one round share the
//! round's luck; ratios are taken pair by pair and judged over pairs.

pub mod judgement;
pub mod measure;
pub mod verdict;

pub use judgement::{Judgement, Standing, judge_round};
pub use measure::{Measure, Measures};
pub use verdict::{Comparison, Difference, Verdict, judge_fight};
