//! The stages that perform acts: one for whole contenders, one for the sides of a duel, one for addresses, one for
//! children. What happens within
//! a load (a kill, a restart, looking for deaths) is that load's own, and its times are in the outcome.

mod addresses;
mod answers;
mod cases;
mod children;
mod contender;
mod counter;
mod duel;
mod kill;
mod load;
mod lookups;
mod means;
mod rest;

pub use addresses::{AddressStage, LoadBulk};
pub use children::ChildStage;
pub use contender::{ContenderStage, LOGS};
pub use counter::Counter;
pub use duel::{DuelMeans, DuelStage};
pub use load::{LOOK, keep, options};
pub use means::{Means, Server};
