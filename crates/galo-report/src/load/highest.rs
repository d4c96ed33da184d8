//! The highest rate under a criterion, as a search found it.

use galo_judge::Capacity;
use galo_judge::capacity::Limit;
use schemars::JsonSchema;
use serde::Serialize;

use super::{RateStep, rate};

/// The highest rate under a criterion.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HighestRate {
    /// The highest rate at which the criterion was met; null: there was none.
    pub rate_per_s: Option<f64>,
    /// Lower end of the 95 % interval of the rate that is met in half of all trials.
    pub low_per_s: Option<f64>,
    /// Its upper end; null where no rate failed the criterion.
    pub high_per_s: Option<f64>,
    /// Whether a longer hold at that rate met it too.
    pub held: bool,
    /// What kept the rate from being higher.
    pub limit: Limit,
    /// What was to hold.
    pub criterion: String,
    /// All rates tried, in that order.
    pub trials: Vec<Trial>,
}

/// One rate that was tried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Trial {
    /// What it found.
    #[serde(flatten)]
    pub step: RateStep,
    /// How long requests fell due.
    pub length_s: f64,
    /// Whether it was a hold.
    pub hold: bool,
    /// Whether the criterion was met, and the server kept up with the rate.
    pub met: bool,
    /// Whether galo itself kept up; if not, the trial says nothing about the server.
    pub valid: bool,
}

impl HighestRate {
    /// What a search under a criterion knows, with the trials that it drove.
    pub fn of(capacity: &Capacity, criterion: String, trials: Vec<Trial>) -> Self {
        let per_s = |milli: u64| rate(milli as f64 / 1e3);
        let nothing = Self {
            rate_per_s: None,
            low_per_s: None,
            high_per_s: None,
            held: false,
            limit: Limit::Criterion,
            criterion,
            trials,
        };
        match *capacity {
            Capacity::Nothing { limit, .. } => Self { limit, ..nothing },
            Capacity::Highest { rate_milli, low_milli, high_milli, held, limit, .. } => Self {
                rate_per_s: Some(per_s(rate_milli)),
                low_per_s: Some(per_s(low_milli)),
                high_per_s: high_milli.map(per_s),
                held,
                limit,
                ..nothing
            },
        }
    }
}
