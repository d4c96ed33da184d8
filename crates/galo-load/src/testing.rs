//! Plans for unit tests.

use std::time::Duration;

use galo_plan::LoadPlan;
use galo_plan::challenge::{Connection, Step};
use galo_plan::injection::Injection;
use galo_plan::load::{Arrivals, Spacing, Target};

/// A GET of `target`, at a constant rate.
pub(crate) fn plan_of_one(target: &str, rate_micro: u64, seconds: u64) -> LoadPlan {
    let injection = Injection::constant(rate_micro, Duration::from_secs(seconds));
    let arrivals = Arrivals::Open { injection, spacing: Spacing::Even };
    LoadPlan::repeating(
        Step::plain("GET", target),
        Connection::PerUser,
        Duration::from_secs(1),
        arrivals,
        Target::plain(([127, 0, 0, 1], 80).into()),
    )
}
