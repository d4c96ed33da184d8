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
    /// Whether it holds only where galo itself started the contender, on empty volumes, and knows the effect of all earlier creations.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fresh: bool,
    /// More words for it, where the challenge has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<RuleWords>,
}

/// Words for a rule beside its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleWords {
    /// What its breach is called, in English and in Portuguese: lower case, without a full stop.
    pub headline: [Cow<'static, str>; 2],
    /// The text in Portuguese.
    pub text_pt: Cow<'static, str>,
}

impl Rule {
    /// A rule whose breach disqualifies.
    pub const fn must(name: &'static str, text: &'static str) -> Self {
        Self::new(Severity::Must, name, text, None)
    }

    /// A rule whose breach is reported.
    pub const fn should(name: &'static str, text: &'static str) -> Self {
        Self::new(Severity::Should, name, text, None)
    }

    /// A rule, with words for it in both languages: what its breach is called, and its text in Portuguese.
    pub const fn worded(
        severity: Severity,
        name: &'static str,
        text: &'static str,
        [en, pt]: [&'static str; 2],
        text_pt: &'static str,
    ) -> Self {
        let headline = [Cow::Borrowed(en), Cow::Borrowed(pt)];
        Self::new(severity, name, text, Some(RuleWords { headline, text_pt: Cow::Borrowed(text_pt) }))
    }

    /// The same, but [it holds only](Self::fresh) on what galo alone has made.
    #[must_use]
    pub const fn of_fresh(mut self) -> Self {
        self.fresh = true;
        self
    }

    const fn new(
        severity: Severity,
        name: &'static str,
        text: &'static str,
        words: Option<RuleWords>,
    ) -> Self {
        Self { name: Cow::Borrowed(name), severity, text: Cow::Borrowed(text), fresh: false, words }
    }
}

/// Index into [`crate::Plan::rules`]: first [`GENERIC`], then those of the challenge's model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RuleCode(pub u8);

/// [`RuleCode`] of `unexpected-status`.
pub const UNEXPECTED_STATUS: RuleCode = RuleCode(0);

/// Rules that hold for every challenge. The engine applies them before it asks the model.
pub const GENERIC: &[Rule] = &[Rule::worded(
    Severity::Must,
    "unexpected-status",
    "an answer has one of the statuses that the step accepts (408, 429 and 5xx apart, which count as failed)",
    [
        "an answer had a status that its step does not accept",
        "uma resposta veio com um status que o passo não aceita",
    ],
    "uma resposta tem um dos status que o passo aceita (fora 408, 429 e os 5xx, que contam \
        como falha)",
)];

/// The rule code of the model's own rule number `index` (its place in [`crate::ChallengeModel::rules`]).
pub const fn model_rule(index: usize) -> RuleCode {
    RuleCode((GENERIC.len() + index) as u8)
}
