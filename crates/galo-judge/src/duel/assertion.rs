//! What a duel is to show, for a script: `p99 ratio < 1.05`.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Compared, Figure};

/// A bound on the ratio of one figure, second side by first: what the change to the second has made of the first.
#[derive(Debug, Clone, PartialEq)]
pub struct RatioAssertion {
    figure: Figure,
    below: bool,
    bound: f64,
}

/// Why a text is no such bound.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no bound on a ratio\nhint: write for example 'p99 ratio < 1.05'; also p50, rate, cpu, memory, and >"
)]
pub struct RatioAssertionError(String);

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RatioOutcome {
    /// Whether it holds, or may: it fails only if the whole interval is beyond the bound. Without an interval the ratio alone
    /// says so.
    pub met: bool,
    /// In words.
    pub text: String,
}

impl RatioOutcome {
    /// What comes of a bound as it was written; one that cannot be read is not met.
    pub(super) fn of(text: &str, compared: &[Compared]) -> Self {
        match text.parse::<RatioAssertion>() {
            Ok(assertion) => assertion.evaluate(compared),
            Err(error) => Self { met: false, text: error.to_string() },
        }
    }
}

impl RatioAssertion {
    /// Holds it against figures, by the first level that has its own.
    fn evaluate(&self, compared: &[Compared]) -> RatioOutcome {
        let seen = compared.iter().find(|c| c.figure == self.figure && c.ratio.is_some());
        let Some((ratio, interval)) = seen.and_then(second_by_first) else {
            return RatioOutcome { met: false, text: format!("{self}: not seen") };
        };
        let [low, high] = interval.unwrap_or([ratio, ratio]);
        let within = |ratio: f64| if self.below { ratio < self.bound } else { ratio > self.bound };
        let (may_hold, holds) = (within(low) || within(high), within(low) && within(high));
        let interval = interval.map_or_else(String::new, |_| format!(" ({low:.3} to {high:.3})"));
        let verb = match (holds, may_hold) {
            (true, _) => "holds",
            (_, true) => "may hold",
            _ => "does NOT hold",
        };
        RatioOutcome { met: may_hold, text: format!("{self} {verb}: {ratio:.3}{interval}") }
    }
}

fn second_by_first(compared: &Compared) -> Option<(f64, Option<[f64; 2]>)> {
    Some((1.0 / compared.ratio?, compared.interval.map(|[low, high]| [1.0 / high, 1.0 / low])))
}

impl FromStr for RatioAssertion {
    type Err = RatioAssertionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || RatioAssertionError(text.to_owned());
        let (left, bound) = text.split_once(['<', '>']).ok_or_else(wrong)?;
        let name = left.trim().strip_suffix("ratio").ok_or_else(wrong)?.trim();
        let figure = match name {
            "p99" => Figure::P99,
            "p50" => Figure::P50,
            "rate" => Figure::Rate,
            "cpu" => Figure::Cpu,
            "memory" => Figure::Memory,
            _ => return Err(wrong()),
        };
        let bound: f64 = bound.trim().parse().map_err(|_| wrong())?;
        if !(bound.is_finite() && bound > 0.0) {
            return Err(wrong());
        }
        Ok(Self { figure, below: text.contains('<'), bound })
    }
}

impl fmt::Display for RatioAssertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.figure {
            Figure::P99 => "p99",
            Figure::P50 => "p50",
            Figure::Rate => "rate",
            Figure::Cpu => "cpu",
            Figure::Memory => "memory",
        };
        write!(f, "{name} ratio {} {}", if self.below { '<' } else { '>' }, self.bound)
    }
}
