//! What came of the cases of conformance, as data.

use galo_judge::fact::{Came, Expected};
use galo_judge::{Advice, BrokenCase, Conformance};
use galo_words::{Both, Lang};
use schemars::JsonSchema;
use serde::Serialize;

use crate::words;

/// What came of the cases of conformance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConformanceReport {
    /// All of it in one sentence.
    pub text: String,
    /// Cases that there were to ask.
    pub cases: usize,
    /// Cases in which no `must` was broken.
    pub held: usize,
    /// Cases that could not be asked everywhere.
    pub missing: usize,
    /// Names of the instances; where galo does not know them, the times that each case was asked.
    pub instances: Vec<String>,
    /// Whether the instances were asked themselves, and not whoever stands before them.
    pub direct: bool,
    /// What was broken of what must hold, a case and a rule each: any of it disqualifies.
    pub broken: Vec<BrokenCaseReport>,
    /// What should be otherwise, a rule each.
    pub advice: Vec<AdviceReport>,
    /// The sentence in both languages.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) told: Both,
}

/// A rule that should hold and does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AdviceReport {
    /// In how many cases it was broken.
    pub cases: usize,
    /// The first of these, with the instances of all.
    #[serde(flatten)]
    pub example: BrokenCaseReport,
}

/// What a case expected and what came, as figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BreachReport {
    /// What was expected.
    pub expected: Expected,
    /// What came instead.
    pub came: Came,
}

/// A rule that a case found broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BrokenCaseReport {
    /// Name of the case.
    pub case: String,
    /// Name of the rule.
    pub rule: String,
    /// Instances, or times, in which it was found.
    pub instances: Vec<String>,
    /// The request as a line for a POSIX shell.
    pub request: String,
    /// Requests of the case before it, the same way; at most the last eight.
    pub before: Vec<String>,
    /// What was expected.
    pub expected: String,
    /// What came instead.
    pub came: String,
    /// Both as figures.
    pub fact: BreachReport,
    /// Status line, headers of interest and the start of the body; empty where there was no answer.
    pub answer: String,
}

impl From<&Conformance> for ConformanceReport {
    fn from(conformance: &Conformance) -> Self {
        let told = Both::told(|lang| words::conformance(conformance, lang));
        Self {
            text: told.en.to_string(),
            cases: conformance.cases,
            held: conformance.held,
            missing: conformance.missing,
            instances: conformance.instances.clone(),
            direct: conformance.direct,
            broken: conformance.broken.iter().map(Into::into).collect(),
            advice: conformance.advice.iter().map(Into::into).collect(),
            told,
        }
    }
}

impl From<&Advice> for AdviceReport {
    fn from(advice: &Advice) -> Self {
        Self { cases: advice.cases, example: (&advice.example).into() }
    }
}

impl From<&BrokenCase> for BrokenCaseReport {
    fn from(broken: &BrokenCase) -> Self {
        Self {
            case: broken.case.clone(),
            rule: broken.rule.clone(),
            instances: broken.instances.clone(),
            request: broken.request.clone(),
            before: broken.before.clone(),
            expected: words::expected_words(&broken.expected, Lang::En),
            came: words::came_words(&broken.came, Lang::En),
            fact: BreachReport { expected: broken.expected.clone(), came: broken.came.clone() },
            answer: broken.answer.clone(),
        }
    }
}
