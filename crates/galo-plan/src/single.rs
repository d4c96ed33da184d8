//! A plan of one request, for `galo load URL` and tests: no rows, no rules of a challenge's own.

use std::time::Duration;

use crate::injection::Injection;
use crate::model::ChallengeModel;
use crate::plan::Plan;

/// One request, repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleRequest {
    /// E.g. `GET`.
    pub method: String,
    /// Path and query, sent as it stands.
    pub target: String,
    /// Sent with every request.
    pub headers: Vec<(String, String)>,
    /// Request body.
    pub body: Option<String>,
    /// Statuses that are not wrong; empty: every 2xx and 3xx.
    pub statuses: Vec<u16>,
    /// Bound for connecting, and for an answer.
    pub timeout: Duration,
    /// Whether every request opens a connection of its own.
    pub connection_per_request: bool,
}

impl Plan {
    /// A plan that repeats one request as `injection` says, for [`no_model`].
    pub fn of_one_request(_request: &SingleRequest, _injection: Injection, _seed: u64) -> Self {
        todo!()
    }
}

/// A model without rows, checks or rules.
pub fn no_model() -> &'static dyn ChallengeModel {
    todo!()
}
