//! The stages that perform acts: one for whole contenders. What happens within a load (a kill, a restart, looking for
//! deaths) is that load's own, and its times are in the outcome.

mod cases;
mod contender;
mod counter;
mod kill;
mod load;
mod lookups;
mod means;
mod rest;

pub use contender::{ContenderStage, LOGS};
pub use counter::Counter;
pub use load::{LOOK, keep, options, run_beside};
pub use means::{Means, Server};
