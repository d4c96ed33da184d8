//! When users arrive: phases such as `2/s for 10s` and `ramp 6/s to 600/s over 3m`, and the exact offset of user `n`.
//!
//! The arrival rate is a piecewise linear function of time. User `n` (from 0) starts at the earliest `t` at which its
//! integral reaches `n`, floored to a nanosecond. This is computed in integers, never by adding up floating-point
//! steps, so offset `n` does not depend on the offsets before it. [`Poisson`] draws arrivals instead of spacing them
//! evenly; [`RateSteps`] climbs.

mod poisson;
mod steps;

pub use poisson::Poisson;
pub use steps::{Climb, RateStep, RateSteps};

use std::time::Duration;

use crate::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{self, MAX_RATE_MICRO};

/// The longest that all phases together may last: 30 days, in nanoseconds.
pub const MAX_DURATION_NS: u64 = 30 * 24 * 3600 * 1_000_000_000;

/// One user, in the unit of the exact arithmetic: half of (a millionth of a user per second times a nanosecond).
/// The half makes the integral over a whole phase, `(from + to) * duration`, an integer.
const USER: u128 = 2 * 1_000_000 * 1_000_000_000;

/// One phase: the rate goes in a straight line from `from` to `to` (equal: constant) over `duration_ns`.
/// Rates are in millionths of a user per second, so that `0.5/s` and `--scale 1.25` are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    /// Rate at the start, in millionths of a user per second.
    pub from_micro: u64,
    /// Rate at the end, in millionths of a user per second.
    pub to_micro: u64,
    /// Length in nanoseconds.
    pub duration_ns: u64,
}

/// Phases one after another, within [`MAX_RATE_MICRO`] and [`MAX_DURATION_NS`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Unchecked")]
pub struct Injection {
    phases: Vec<Phase>,
}

/// What a stored plan holds, before it is known to be within the limits.
#[derive(Deserialize, JsonSchema)]
struct Unchecked {
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
    /// Steps that cannot be climbed. The message is whole.
    #[error("{0}")]
    Steps(String),
    /// So many users at once that there cannot be. The message is whole.
    #[error("{0}")]
    Flow(String),
}

impl TryFrom<Unchecked> for Injection {
    type Error = InjectionError;

    fn try_from(unchecked: Unchecked) -> Result<Self, InjectionError> {
        Self::checked(unchecked.phases)
    }
}

impl Injection {
    /// Reads phases, each in one of the two written forms.
    pub fn parse<S: AsRef<str>>(phases: &[S]) -> Result<Self, InjectionError> {
        if phases.is_empty() {
            return Err(unreadable("", "there is no phase"));
        }
        let phases = phases.iter().map(|text| parse_phase(text.as_ref())).collect::<Result<_, _>>()?;
        Self::checked(phases)
    }

    /// Phases as they are.
    ///
    /// # Errors
    /// They are too fast or too long.
    pub fn of_phases(phases: Vec<Phase>) -> Result<Self, InjectionError> {
        Self::checked(phases)
    }

    /// A constant rate (for `galo load`), in millionths of a user per second. A rate above [`MAX_RATE_MICRO`] or a
    /// duration above [`MAX_DURATION_NS`] is taken as that limit.
    pub fn constant(rate_micro: u64, duration: Duration) -> Self {
        let rate_micro = rate_micro.min(MAX_RATE_MICRO);
        let duration_ns = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX).min(MAX_DURATION_NS);
        Self { phases: vec![Phase { from_micro: rate_micro, to_micro: rate_micro, duration_ns }] }
    }

    /// The same with every rate multiplied by `scale_milli` thousandths, rounded to a millionth of a user per second.
    pub fn scaled(&self, scale_milli: u32) -> Result<Self, InjectionError> {
        let scale = |micro: u64| {
            let scaled = (u128::from(micro) * u128::from(scale_milli) + 500) / 1000;
            u64::try_from(scaled).unwrap_or(u64::MAX)
        };
        let scale_phase =
            |p: &Phase| Phase { from_micro: scale(p.from_micro), to_micro: scale(p.to_micro), ..*p };
        Self::checked(self.phases.iter().map(scale_phase).collect())
    }

    /// The same so many times, one after another.
    pub fn repeated(&self, times: usize) -> Result<Self, InjectionError> {
        Self::checked(self.phases.repeat(times))
    }

    /// The phases in order.
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// Number of users: the integral over all phases, rounded up (a user whose start would be the very end is none).
    pub fn users(&self) -> u64 {
        let total: u128 = self.phases.iter().map(Phase::total).sum();
        // The limits allow 2.6e15 users.
        total.div_ceil(USER) as u64
    }

    /// Total length in nanoseconds.
    pub fn duration_ns(&self) -> u64 {
        self.phases.iter().map(|p| p.duration_ns).sum()
    }

    /// Users per second, on average.
    pub fn mean_per_s(&self) -> f64 {
        self.users() as f64 * 1e9 / self.duration_ns().max(1) as f64
    }

    /// Start of user `n`, in nanoseconds from the start of the injection. `None` from [`Self::users`] on.
    pub fn offset_ns(&self, n: u64) -> Option<u64> {
        let mut wanted = u128::from(n) * USER;
        let mut started_ns = 0;
        let mut left = self.phases.iter().peekable();
        while let Some(phase) = left.next() {
            let total = phase.total();
            // A user that falls on the border of two phases starts at the earlier one's end, unless nothing follows.
            if wanted < total || (wanted == total && left.peek().is_some()) {
                // A later phase may still bring nobody: then this user would start at the very end, and is none.
                let reached = wanted < total || left.any(|later| later.total() > 0);
                return reached.then(|| started_ns + phase.reach_ns(wanted));
            }
            wanted -= total;
            started_ns += phase.duration_ns;
        }
        None
    }

    /// The rate with which it ends, in millionths of a user per second.
    pub fn final_rate_micro(&self) -> u64 {
        self.phases.last().map_or(0, |phase| phase.to_micro)
    }

    /// Arrival rate at `at_ns`, in users per second (for the live view and plots; 0 after the end).
    pub fn rate_at(&self, at_ns: u64) -> f64 {
        let mut within = at_ns;
        for phase in &self.phases {
            if within < phase.duration_ns {
                let share = within as f64 / phase.duration_ns as f64;
                let (from, to) = (phase.from_micro as f64, phase.to_micro as f64);
                return (from + (to - from) * share) / 1e6;
            }
            within -= phase.duration_ns;
        }
        0.0
    }

    /// Holds phases against the limits, within which none of the arithmetic overflows.
    fn checked(phases: Vec<Phase>) -> Result<Self, InjectionError> {
        let mut length_ns = 0u64;
        for phase in &phases {
            let too_large =
                |limit: &str| InjectionError::TooLarge { text: phase.to_string(), limit: limit.to_owned() };
            if phase.from_micro.max(phase.to_micro) > MAX_RATE_MICRO {
                return Err(too_large("a rate may be 1000000000/s at most"));
            }
            length_ns = length_ns.saturating_add(phase.duration_ns);
            if length_ns > MAX_DURATION_NS {
                return Err(too_large("all phases together may last 30 days at most"));
            }
            if phase.duration_ns == 0 && phase.from_micro != phase.to_micro {
                return Err(unreadable(&phase.to_string(), "a ramp needs a length"));
            }
        }
        Ok(Self { phases })
    }
}

impl Phase {
    /// The integral over the whole phase, in [`USER`] parts.
    fn total(&self) -> u128 {
        (u128::from(self.from_micro) + u128::from(self.to_micro)) * u128::from(self.duration_ns)
    }

    /// Whether the integral up to `t_ns` is at most `wanted`: `2 from t + (to - from) t^2 / D <= wanted`, in integers.
    /// With the limits (rates below 2^50, times below 2^52) every term stays below 2^104.
    fn is_reached_at(&self, t_ns: u64, wanted: u128) -> bool {
        let (t, d) = (u128::from(t_ns), u128::from(self.duration_ns));
        let straight = 2 * u128::from(self.from_micro) * t;
        let slope = u128::from(self.from_micro.abs_diff(self.to_micro));
        // slope * t^2 / d without the product of all three: t^2 = whole * d + rest.
        let whole = t * t / d;
        let rest = slope * (t * t - whole * d);
        if self.to_micro >= self.from_micro {
            straight + slope * whole + rest.div_ceil(d) <= wanted
        } else {
            straight <= wanted + slope * whole + rest / d
        }
    }

    /// The largest whole `t` with an integral of at most `wanted`, which is at most [`Self::total`].
    fn reach_ns(&self, wanted: u128) -> u64 {
        if wanted == 0 {
            return 0;
        }
        if self.from_micro == self.to_micro {
            // `wanted > 0` is within this phase, so its rate is not 0.
            return (wanted / (2 * u128::from(self.from_micro))) as u64;
        }
        // The estimate is off by a few nanoseconds at most; whatever it is, the bounds below are right.
        let estimate = self.estimate_ns(wanted);
        let mut step = 2;
        let mut low = estimate.saturating_sub(1);
        while !self.is_reached_at(low, wanted) {
            low = low.saturating_sub(step);
            step *= 2;
        }
        let mut high = low + 1;
        let mut step = 1;
        while high <= self.duration_ns && self.is_reached_at(high, wanted) {
            low = high;
            high += step;
            step *= 2;
        }
        // Reached at `low`, not reached at `high` (or `high` is past the end).
        high = high.min(self.duration_ns + 1);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.is_reached_at(middle, wanted) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The same in floating point. Solved as `t = 2c / (b + sqrt(b^2 + 4ac))`, which does not cancel for a rising
    /// ramp; a falling one is solved backwards from its end, where it rises.
    fn estimate_ns(&self, wanted: u128) -> u64 {
        let rising = |from: u64, to: u64, wanted: u128| {
            let (from, slope, wanted) = (from as f64, (to - from) as f64, wanted as f64);
            wanted / (from + (from * from + slope / self.duration_ns as f64 * wanted).sqrt())
        };
        if self.to_micro > self.from_micro {
            (rising(self.from_micro, self.to_micro, wanted) as u64).min(self.duration_ns)
        } else {
            let back = rising(self.to_micro, self.from_micro, self.total() - wanted) as u64;
            self.duration_ns.saturating_sub(back)
        }
    }
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (length, from) = (format_length(self.duration_ns), format_rate(self.from_micro));
        if self.from_micro == self.to_micro {
            write!(f, "{from} for {length}")
        } else {
            write!(f, "ramp {from} to {} over {length}", format_rate(self.to_micro))
        }
    }
}

fn format_length(ns: u64) -> String {
    match (ns % 1_000_000_000, ns % 1_000_000) {
        (0, _) => format!("{}s", ns / 1_000_000_000),
        (_, 0) => format!("{}ms", ns / 1_000_000),
        _ => format!("{ns}ns"),
    }
}

fn format_rate(micro: u64) -> String {
    let text = format!("{}.{:06}", micro / 1_000_000, micro % 1_000_000);
    format!("{}/s", text.trim_end_matches('0').trim_end_matches('.'))
}

fn unreadable(text: &str, reason: impl Into<String>) -> InjectionError {
    InjectionError::Unreadable { text: text.to_owned(), reason: reason.into() }
}

fn parse_phase(text: &str) -> Result<Phase, InjectionError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (from, to, length) = match words.as_slice() {
        ["ramp", from, "to", to, "over", length @ ..] if !length.is_empty() => (*from, *to, length),
        [rate, "for", length @ ..] if !length.is_empty() => (*rate, *rate, length),
        _ => return Err(unreadable(text, "it has neither of the two forms")),
    };
    let duration_ns =
        units::parse_duration_ns(&length.join(" ")).map_err(|reason| unreadable(text, reason))?;
    if duration_ns == 0 {
        return Err(unreadable(text, "a phase needs a length"));
    }
    Ok(Phase { from_micro: parse_rate(text, from)?, to_micro: parse_rate(text, to)?, duration_ns })
}

fn parse_rate(text: &str, rate: &str) -> Result<u64, InjectionError> {
    let number = rate
        .strip_suffix("/s")
        .ok_or_else(|| unreadable(text, format!("`{rate}` is not a rate such as `5/s`")))?;
    units::parse_micro(number).map_err(|reason| unreadable(text, reason))
}

#[cfg(test)]
mod tests;
