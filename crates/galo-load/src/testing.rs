//! Plans for unit tests.

use std::time::Duration;

use galo_plan::LoadPlan;
use galo_plan::challenge::Connection;
use galo_plan::injection::Injection;
use galo_plan::load::{Arrivals, Spacing, Target};
use galo_plan::single::SingleRequest;

/// A GET of `target`, at a constant rate.
pub(crate) fn plan_of_one(target: &str, rate_micro: u64, seconds: u64) -> LoadPlan {
    let request = SingleRequest {
        method: "GET".to_owned(),
        target: target.to_owned(),
        headers: Vec::new(),
        body: None,
        statuses: Vec::new(),
        timeout: Duration::from_secs(1),
        connection: Connection::PerUser,
    };
    let injection = Injection::constant(rate_micro, Duration::from_secs(seconds));
    let arrivals = Arrivals::Open { injection, spacing: Spacing::Even };
    LoadPlan::of_one_request(&request, arrivals, Target::plain(([127, 0, 0, 1], 80).into()))
}
