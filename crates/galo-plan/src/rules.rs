//! The rules that a contender may break, as data: a stable name, a severity, one sentence.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// What follows when a rule is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// `must`: the contender is disqualified.
    Must,
    /// `should`: it is reported.
    Should,
}

/// One rule of a challenge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Stable, in kebab case, e.g. `search-misses-acknowledged`.
    pub name: Cow<'static, str>,
    /// What follows when it is broken.
    pub severity: Severity,
    /// One sentence in the present tense that says what is required.
    pub text: Cow<'static, str>,
}

impl Rule {
    /// A rule whose breach disqualifies.
    pub const fn must(name: &'static str, text: &'static str) -> Self {
        Self { name: Cow::Borrowed(name), severity: Severity::Must, text: Cow::Borrowed(text) }
    }

    /// A rule whose breach is reported.
    pub const fn should(name: &'static str, text: &'static str) -> Self {
        Self { name: Cow::Borrowed(name), severity: Severity::Should, text: Cow::Borrowed(text) }
    }
}

/// Index into [`crate::Plan::rules`]: first [`GENERIC`], then those of the challenge's model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RuleCode(pub u8);

/// [`RuleCode`] of `unexpected-status`.
pub const UNEXPECTED_STATUS: RuleCode = RuleCode(0);

/// Rules that hold for every challenge. The engine applies them before it asks the model.
pub const GENERIC: &[Rule] = &[Rule::must(
    "unexpected-status",
    "an answer has one of the statuses that the step accepts (408, 429 and 5xx apart, which count as failed)",
)];

/// The rule code of the model's own rule number `index` (its place in [`crate::ChallengeModel::rules`]).
pub const fn model_rule(index: usize) -> RuleCode {
    RuleCode((GENERIC.len() + index) as u8)
}
