//! What came of the cases of conformance, as data and in words.

use galo_judge::{BrokenCase, Conformance};
use galo_record::Missing;
use galo_record::finding::Weight;
use schemars::JsonSchema;
use serde::Serialize;

use crate::words::{count, counted};

/// What came of the cases of conformance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConformanceReport {
    /// All of it in one sentence.
    pub text: String,
    /// Cases that there were to ask.
    pub cases: usize,
    /// Cases in which no rule was broken.
    pub held: usize,
    /// Cases that could not be asked everywhere.
    pub missing: usize,
    /// Names of the instances; where galo does not know them, the times that each case was asked.
    pub instances: Vec<String>,
    /// Whether the instances were asked themselves, and not whoever stands before them.
    pub direct: bool,
    /// What was broken, a case and a rule each, what disqualifies first.
    pub broken: Vec<BrokenCaseReport>,
}

/// A rule that a case found broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BrokenCaseReport {
    /// Name of the case.
    pub case: String,
    /// Name of the rule.
    pub rule: String,
    /// `must` disqualifies, `should` is a defect.
    #[schemars(with = "String", extend("enum" = ["must", "should"]))]
    pub weight: Weight,
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
    /// Status line, headers of interest and the start of the body; empty where there was no answer.
    pub answer: String,
}

impl From<&Conformance> for ConformanceReport {
    fn from(conformance: &Conformance) -> Self {
        Self {
            text: sentence(conformance),
            cases: conformance.cases,
            held: conformance.held,
            missing: conformance.missing,
            instances: conformance.instances.clone(),
            direct: conformance.direct,
            broken: conformance.broken.iter().map(Into::into).collect(),
        }
    }
}

impl From<&BrokenCase> for BrokenCaseReport {
    fn from(broken: &BrokenCase) -> Self {
        Self {
            case: broken.case.clone(),
            rule: broken.rule.clone(),
            weight: broken.weight,
            instances: broken.instances.clone(),
            request: broken.request.clone(),
            before: broken.before.clone(),
            expected: broken.expected.clone(),
            came: broken.came.clone(),
            answer: broken.answer.clone(),
        }
    }
}

impl BrokenCaseReport {
    /// Rule, case, and where it was found.
    pub(crate) fn head(&self, of: &ConformanceReport) -> String {
        let instances = &self.instances;
        let on = match (instances.as_slice(), of.direct) {
            (all, _) if all.len() == of.instances.len() => everywhere(all.len(), of.direct),
            (some, true) => format!("on {}", some.join(" and ")),
            (some, false) => some.join(" and "),
        };
        let weight = if self.weight == Weight::Must { "must" } else { "should" };
        format!("{weight}: {}: {} ({on})", self.rule, self.case)
    }

    /// Both sides.
    pub(crate) fn difference(&self) -> String {
        format!("expected {}, got {}", self.expected, self.came)
    }
}

fn everywhere(number: usize, direct: bool) -> String {
    match (number, direct) {
        (1, true) => "on its instance".to_owned(),
        (1, false) => "once".to_owned(),
        (2, true) => "on both instances".to_owned(),
        (2, false) => "both times".to_owned(),
        (number, true) => format!("on all {number} instances"),
        (number, false) => format!("all {number} times"),
    }
}

fn sentence(conformance: &Conformance) -> String {
    let cases = counted(conformance.cases, "case");
    if conformance.instances.is_empty() {
        return format!("none of {cases} could be asked");
    }
    let how = everywhere(conformance.instances.len(), conformance.direct);
    let held = count(conformance.held as u64);
    let missing = match &conformance.missing_because {
        Some(Missing { because, .. }) => {
            format!("; {} could not be asked: {because}", count(conformance.missing as u64))
        }
        None => String::new(),
    };
    let hold = if conformance.held == 1 { "holds" } else { "hold" };
    format!("{held} of {cases} {hold} {how}{missing}")
}
