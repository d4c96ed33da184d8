//! The judge's own rules, and the findings by them.

use galo_plan::{Blame, Rule, Severity, suggest};
use galo_record::finding::Weight;

use crate::fact::{Fact, Finding};

/// Pieces of evidence that a finding shows.
pub(crate) const EVIDENCE_MAX: usize = 3;

/// The judge's own rules, gravest first. They hold for every challenge that creates something.
pub const RULES: &[Rule] = &[
    Rule::must("dirty-start", "the count is 0 before the first request"),
    Rule::must("count-unreadable", "an integer can be read in a count that is answered"),
    Rule::must(
        "count-differs",
        "the count at rest is the number of acknowledged creations, plus at most those of unknown effect",
    ),
    Rule::must("above-ceiling", "no more creations are acknowledged than the rows that were sent allow"),
    Rule::must("below-ceiling", "every creation that is valid is acknowledged"),
    Rule::must(
        "created-twice",
        "of the creations of one key only one is acknowledged, also if they come at once",
    ),
    Rule::must("read-misses-acknowledged", "a read by identity finds whoever was acknowledged before it"),
    Rule::must(
        "search-misses-acknowledged",
        "a search finds whoever was acknowledged before it and matches it",
    ),
    Rule::must("search-forgets", "a search finds whoever was found before it and matches it"),
    Rule::must(
        "search-unknown-person",
        "whoever is found was sent before, with these fields, and always has the same identity",
    ),
    Rule::must("identity-given-twice", "no two creations of different rows are given one identity"),
    Rule::must("refused-but-kept", "a creation that was refused leaves no row"),
    Rule::must(
        "refused-without-duplicate",
        "a valid creation is refused only if another of its key can have happened before",
    ),
    Rule::must("not-linearizable", "the answers about each key fit one order of events"),
    Rule::should(
        "failed-but-kept",
        "a creation that was answered with a 5xx other than 502 and 504 leaves no row",
    ),
    Rule::should("count-ambiguous", "a count holds one number, without separators"),
    Rule::should(
        "settled-late",
        "the count shows every acknowledged creation within 1 s of the end of the load",
    ),
    Rule::should("count-unanswered", "the count is answered by a 2xx after the load"),
    Rule::should("pauses", "there is no stretch of a second or more in which nothing is answered"),
    Rule::should("slows-with-rows", "an answer takes no longer because more is stored"),
    Rule::should("resets-connections", "a connection that was accepted is answered before it is closed"),
    Rule::should("count-slow", "the count is answered within a second where other operations are fast"),
    Rule::should("unbalanced", "every instance of a service takes part in the load"),
];

/// Where a rule stands among [`RULES`].
pub(crate) fn place(name: &str) -> usize {
    RULES.iter().position(|rule| rule.name == name).unwrap_or(RULES.len())
}

/// A finding about the contender by one of [`RULES`].
pub(crate) fn by_own_rule(fact: impl Into<Fact>) -> Finding {
    by_rule(RULES, fact)
}

/// A finding about the contender by the one of these rules that has the fact's name.
///
/// # Panics
/// There is no such rule: then nobody knows what its breach weighs, and the round is void ("the judge failed"), never valid.
pub(crate) fn by_rule(rules: &[Rule], fact: impl Into<Fact>) -> Finding {
    let fact = fact.into();
    match named(rules, fact.name()) {
        Ok(rule) => Finding::weighing(weight_of(rule.severity), fact, Blame::Contender),
        Err(unknown) => panic!("{unknown}"),
    }
}

/// The rule of this name.
///
/// # Errors
/// There is none, with the nearest one.
fn named<'r>(rules: &'r [Rule], name: &str) -> Result<&'r Rule, String> {
    rules.iter().find(|rule| rule.name == name).ok_or_else(|| {
        let near = suggest::nearest(name, rules.iter().map(|rule| &*rule.name));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        format!("the judge has no rule `{name}`{near}")
    })
}

/// What breaking a rule of this severity weighs.
pub(crate) const fn weight_of(severity: Severity) -> Weight {
    match severity {
        Severity::Must => Weight::Must,
        Severity::Should => Weight::Should,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::AccountFact;

    #[test]
    fn every_rule_of_the_judge_is_explained_in_the_docs() {
        let page = include_str!("../../../docs/explanation/verdict.md");
        for rule in RULES {
            let severity = if rule.severity == Severity::Must { "must" } else { "should" };
            assert!(page.contains(&format!("| `{}` | {severity} |", rule.name)), "{}", rule.name);
        }
    }

    #[test]
    fn a_rule_that_there_is_not_is_an_error_with_the_nearest_one_and_no_note() {
        assert_eq!(named(RULES, "dirty-start").map(|rule| rule.severity), Ok(Severity::Must));
        let told = named(RULES, "dirty-strat").map(|rule| rule.severity);
        assert_eq!(told, Err("the judge has no rule `dirty-strat`; did you mean `dirty-start`?".to_owned()));
        assert_eq!(named(RULES, "elephant").unwrap_err(), "the judge has no rule `elephant`");
        let by_none = || by_own_rule(AccountFact::Unlimited);
        assert!(std::panic::catch_unwind(by_none).is_err());
    }
}
