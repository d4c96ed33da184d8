//! Plans for unit tests.

use std::time::Duration;

use galo_plan::Plan;
use galo_plan::injection::Injection;
use galo_plan::single::SingleRequest;

/// A GET of `target`, at a constant rate.
pub(crate) fn plan_of_one(target: &str, rate_micro: u64, seconds: u64) -> Plan {
    let request = SingleRequest {
        method: "GET".to_owned(),
        target: target.to_owned(),
        headers: Vec::new(),
        body: None,
        statuses: Vec::new(),
        timeout: Duration::from_secs(1),
        connection_per_request: false,
    };
    Plan::of_one_request(&request, Injection::constant(rate_micro, Duration::from_secs(seconds)), 1)
}
