//! The names that findings of the judge bear, so that whoever explains them can know that none is left out.

use galo_plan::Plan;
use galo_record::RoundData;

use crate::causes::CAUSES;
use crate::fact::Finding;
use crate::{crash, durability, rules};

/// Names of what is told beside rules and causes.
pub const OTHERS: [&str; 19] = [
    "cases-missing",
    "cost-grows-with-stored",
    "count-unjudged",
    "crash",
    "flushes-unseen",
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
    "started-by-others",
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

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;

    use super::*;
    use crate::fact::{AccountFact, BehaviourFact, CrashFact, DurabilityFact, HistoryFact};

    /// Names of an area's facts by its schema, each of which stands in the area's file as what the fact is called.
    fn kinds<F: JsonSchema>(source: &str) -> Vec<String> {
        let schema = schemars::schema_for!(F);
        let variants = schema.get("oneOf").and_then(|variants| variants.as_array()).expect("an enum");
        let kind =
            |variant: &serde_json::Value| variant["properties"]["kind"]["const"].as_str().map(str::to_owned);
        let kinds: Vec<String> = variants.iter().map(|variant| kind(variant).expect("a kind")).collect();
        for kind in &kinds {
            assert!(source.contains(&format!("=> \"{kind}\",")), "`{kind}` is called something else");
        }
        kinds
    }

    #[test]
    fn every_rule_is_a_fact_and_every_other_fact_is_known_to_be_none() {
        let kinds = [
            kinds::<AccountFact>(include_str!("fact/account.rs")),
            kinds::<BehaviourFact>(include_str!("fact/behaviour.rs")),
            kinds::<CrashFact>(include_str!("fact/crash.rs")),
            kinds::<DurabilityFact>(include_str!("fact/durability.rs")),
            kinds::<HistoryFact>(include_str!("fact/history.rs")),
        ]
        .concat();
        let rules: Vec<_> = all().filter(|name| !CAUSES.contains(name) && !OTHERS.contains(name)).collect();
        for rule in &rules {
            assert!(kinds.iter().any(|kind| kind == rule), "no fact breaks `{rule}`");
        }
        for kind in kinds {
            let is_other = OTHERS.contains(&kind.as_str());
            assert_ne!(rules.contains(&kind.as_str()), is_other, "`{kind}`: a rule, or else one of `OTHERS`");
        }
    }
}
