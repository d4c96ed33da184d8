//! The schedules: which act is next, by what was heard. Nothing here has a clock, a socket or a file.

mod check;
mod children;
mod duel;
mod fight;
mod limit;
mod load;
mod round;
mod soak;
#[cfg(test)]
pub(crate) mod testing;

pub use check::Check;
pub use children::Children;
pub use duel::Duel;
pub use fight::Fight;
pub use limit::Limit;
pub use load::{Highest, Loads};
pub use soak::Soak;
