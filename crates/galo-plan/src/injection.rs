//! When users arrive: phases such as `2/s for 10s` and `ramp 6/s to 600/s over 3m`, and the exact offset of user `n`.
//!
//! The arrival rate is a piecewise linear function of time. User `n` (from 0) starts at the earliest `t` at which its
//! integral reaches `n`, floored to a nanosecond. This is computed in integers, never by adding up floating-point
//! steps, so offset `n` does not depend on the offsets before it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One phase: the rate goes in a straight line from `from` to `to` (equal: constant) over `duration_ns`.
/// Rates are in millionths of a user per second, so that `0.5/s` and `--scale 1.25` are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Rate at the start, in millionths of a user per second.
    pub from_micro: u64,
    /// Rate at the end, in millionths of a user per second.
    pub to_micro: u64,
    /// Length in nanoseconds.
    pub duration_ns: u64,
}

/// Phases one after another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injection {
    phases: Vec<Phase>,
}

/// Why an injection cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InjectionError {
    /// Not in one of the known forms.
    #[error("cannot read `{text}`: {reason}; write `5/s for 10s` or `ramp 6/s to 600/s over 3m`")]
    Unreadable {
        /// As written.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Beyond what the exact arithmetic holds.
    #[error("`{text}` is too long or too fast: {limit}")]
    TooLarge {
        /// As written.
        text: String,
        /// The limit that it passes.
        limit: String,
    },
}

impl Injection {
    /// Reads phases, each in one of the two written forms.
    pub fn parse<S: AsRef<str>>(_phases: &[S]) -> Result<Self, InjectionError> {
        todo!()
    }

    /// A constant rate (for `galo load`), in millionths of a user per second.
    pub fn constant(rate_micro: u64, duration: Duration) -> Self {
        let duration_ns = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        Self { phases: vec![Phase { from_micro: rate_micro, to_micro: rate_micro, duration_ns }] }
    }

    /// The same with every rate multiplied by `scale_milli` thousandths.
    pub fn scaled(&self, _scale_milli: u32) -> Result<Self, InjectionError> {
        todo!()
    }

    /// The phases in order.
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// Number of users: the integral over all phases, rounded up (a user whose start would be the very end is none).
    pub fn users(&self) -> u64 {
        todo!()
    }

    /// Total length in nanoseconds.
    pub fn duration_ns(&self) -> u64 {
        self.phases.iter().map(|p| p.duration_ns).sum()
    }

    /// Start of user `n`, in nanoseconds from the start of the injection. `None` from [`Self::users`] on.
    pub fn offset_ns(&self, _n: u64) -> Option<u64> {
        todo!()
    }

    /// Arrival rate at `at_ns`, in users per second (for the live view and plots; 0 after the end).
    pub fn rate_at(&self, _at_ns: u64) -> f64 {
        todo!()
    }
}
