//! What a run came to: folded once from its folder, and the JSON of its report.
//!
//! Depends on nothing but a run and its challenge's model. Holds facts and figures, without a sentence.
//!
//! Its one key decision: what is judged *is* what is written. Documents are views of it, so no figure can differ between them.

mod fight;
mod round;
mod summary;
mod terms;

pub use fight::{JudgedContender, JudgedFight, PlannedService};
pub use round::{Class, JudgedRound, JudgedStep, ServiceSeen, classes};
pub use summary::Summary;
pub use terms::{Demand, LimitsNote};
