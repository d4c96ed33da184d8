//! What a duel is to show, for a script: `p99 ratio < 1.05`.
//!
//! A ratio is the second side's figure divided by the first's. It is known no better than its interval.

use std::fmt;
use std::str::FromStr;

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AssertionError, Operator, split};
use crate::measure::Measure;

/// Measures of which a ratio may be bounded, by the names that people write.
pub(super) const RATIOS: [(&str, Measure); 5] = [
    ("p99", Measure::LatencyUsP99),
    ("p50", Measure::LatencyUsP50),
    ("rate", Measure::AnswersPerS),
    ("cpu", Measure::CpuMsPer1000),
    ("memory", Measure::AnonymousPeakBytes),
];

/// A bound on the ratio of one figure, second side by first: what the change to the second has made of the first.
#[derive(Debug, Clone, PartialEq)]
pub struct RatioAssertion {
    name: &'static str,
    measure: Measure,
    operator: Operator,
    bound: f64,
}

/// What a duel knows of a ratio, second side by first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeenRatio {
    /// Geometric mean.
    pub ratio: f64,
    /// Its interval; `None`: there were too few pairs.
    pub interval: Option<[f64; 2]>,
}

/// What came of a bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RatioOutcome {
    /// The bound, e.g. `p99 ratio < 1.05`.
    pub assertion: String,
    /// Whether it holds, or may; what was not measured does not.
    pub met: bool,
    /// What is known of it.
    pub said: Said,
    /// Second side divided by first; null: not measured.
    pub ratio: Option<f64>,
    /// Its interval; null: there were too few pairs.
    pub interval: Option<[f64; 2]>,
}

/// What is known of a bound on a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// The whole interval is within it.
    Holds,
    /// Neither that, nor the opposite.
    MayHold,
    /// The whole interval is beyond it.
    DoesNotHold,
    /// There was no ratio of this figure: nobody saw it, or no pair counts.
    NotMeasured,
    /// A side broke a rule, or does not answer rightly, or by another status than the other: whatever the ratio, it says
    /// nothing.
    NothingToCompare,
    /// It is no bound on a ratio.
    Unreadable,
}

impl RatioAssertion {
    /// What comes of it where the two cannot be compared at all.
    pub fn without_ground(&self) -> RatioOutcome {
        RatioOutcome { said: Said::NothingToCompare, met: false, ..self.evaluate(None) }
    }

    /// What it bounds.
    pub const fn measure(&self) -> Measure {
        self.measure
    }

    /// Holds it against what was seen of its figure.
    pub fn evaluate(&self, seen: Option<SeenRatio>) -> RatioOutcome {
        let said = seen.map_or(Said::NotMeasured, |seen| self.said(seen));
        RatioOutcome {
            assertion: self.to_string(),
            met: matches!(said, Said::Holds | Said::MayHold),
            said,
            ratio: seen.map(|seen| seen.ratio),
            interval: seen.and_then(|seen| seen.interval),
        }
    }

    fn said(&self, SeenRatio { ratio, interval }: SeenRatio) -> Said {
        // Too few pairs for an interval are too few for an answer.
        let Some([low, high]) = interval else { return Said::MayHold };
        let all = [low, high, ratio].map(|ratio| self.operator.holds(ratio, self.bound));
        match (all.contains(&true), all.contains(&false)) {
            (true, false) => Said::Holds,
            (true, true) => Said::MayHold,
            (false, _) => Said::DoesNotHold,
        }
    }
}

impl Said {
    /// Whether more pairs cannot be expected to change it.
    pub const fn is_sure(self) -> bool {
        matches!(self, Self::Holds | Self::DoesNotHold)
    }
}

impl RatioOutcome {
    /// A text that is no bound, or that nothing was held against yet.
    pub(crate) fn unreadable(text: &str) -> Self {
        Self { assertion: text.to_owned(), met: false, said: Said::Unreadable, ratio: None, interval: None }
    }

    /// Whether it is to fail whoever asked for it: what was not measured says nothing for or against.
    pub const fn fails(&self) -> bool {
        !self.met && !matches!(self.said, Said::NotMeasured)
    }
}

impl FromStr for RatioAssertion {
    type Err = AssertionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || {
            AssertionError(format!(
                "`{text}` is no bound on a ratio\nhint: write for example 'p99 ratio < 1.05'; also p50, rate, cpu, \
                 memory, and >"
            ))
        };
        let (left, operator, bound) = split(text).map_err(|_| wrong())?;
        let name = left.strip_suffix("ratio").ok_or_else(wrong)?.trim();
        let (name, measure) = RATIOS.into_iter().find(|(known, _)| *known == name).ok_or_else(wrong)?;
        let bound: f64 = bound.parse().map_err(|_| wrong())?;
        // No ratio is exactly this or that.
        let is_bound = !matches!(operator, Operator::Equal | Operator::Unequal);
        if !(is_bound && bound.is_finite() && bound > 0.0) {
            return Err(wrong());
        }
        Ok(Self { name, measure, operator, bound })
    }
}

impl fmt::Display for RatioAssertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ratio {} {}", self.name, self.operator.text(), self.bound)
    }
}
