//! What a fight or a check came to: its rounds, its contenders, the outcome.

mod judged;
mod medians;
mod round;
mod summary;

pub use judged::{FightKind, JudgedContender, JudgedFight, PlannedService};
pub use medians::Medians;
pub use round::{Class, JudgedRound, JudgedStep, ServiceSeen, classes};
pub use summary::{ServiceCpu, Summary};
