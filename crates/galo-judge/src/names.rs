//! The names that findings of the judge bear, so that whoever explains them can know that none is left out.

use galo_plan::Plan;
use galo_record::RoundData;

use crate::causes::CAUSES;
use crate::fact::Finding;
use crate::{crash, durability, rules};

/// Names of what is told beside rules and causes.
pub const OTHERS: [&str; 16] = [
    "cases-missing",
    "count-unjudged",
    "crash",
    "galo-lag",
    "history-unjudged",
    "interrupted",
    "judge-failed",
    "kept-without-answer",
    "limits-not-enforced",
    "operations-failed",
    "outage",
    "records-contradict",
    "restart",
    "seldom-flushed",
    "stressed",
    "unlimited",
];

/// Names of all findings that the judge makes itself. A round may have others: by rules of its plan
/// ([`galo_plan::Plan::rules`]), and those that were recorded.
pub fn all() -> impl Iterator<Item = &'static str> {
    let rules = [rules::RULES, durability::RULES, crash::RULES].into_iter().flatten();
    rules.map(|rule| &*rule.name).chain(CAUSES).chain(OTHERS)
}

/// The first name of a round's findings that nobody can know of.
pub(crate) fn unlisted<'a>(plan: &Plan, round: &RoundData, findings: &'a [Finding]) -> Option<&'a str> {
    let is_listed = |name: &str| {
        all().any(|listed| listed == name)
            || plan.rules.iter().any(|rule| rule.name == name)
            || round.record.findings.iter().any(|recorded| recorded.name() == name)
    };
    findings.iter().map(Finding::name).find(|name| !is_listed(name))
}
