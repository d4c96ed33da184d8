//! The judge's own rules, with what to do where one is broken.

use galo_plan::Rule;

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
        "failed-but-kept",
        "a creation that was answered with a 5xx other than 502 and 504 leaves no row",
    ),
    Rule::must(
        "refused-without-duplicate",
        "a valid creation is refused only if another of its key can have happened before",
    ),
    Rule::must("not-linearizable", "the answers about each key fit one order of events"),
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

/// What to do where one of [`RULES`] is broken.
pub(super) fn hint(name: &str) -> Option<&'static str> {
    Some(match name {
        "dirty-start" => "store data in a volume of the Compose file: galo gives each round a fresh one",
        "count-unreadable" => "answer the count with a 2xx and the number as plain text",
        "count-differs" => "acknowledge a creation only after it is stored, and only then",
        "above-ceiling" => "refuse duplicates and invalid data; a check before the insertion is not enough",
        "below-ceiling" => "look at the creations that were answered 400 or 422",
        "created-twice" => "let the database refuse duplicates: a check before the insertion is not enough",
        "read-misses-acknowledged" => "acknowledge a creation only when every instance can read it",
        "search-misses-acknowledged" => {
            "search what is stored, not a cache or a copy that is brought up to date later"
        }
        "search-forgets" => "let every instance search the same data, and never an older state of it",
        "search-unknown-person" => {
            "store and show each row whole, under the identity that its creation was answered"
        }
        "identity-given-twice" => "let each creation have an identity of its own",
        "refused-but-kept" => "check everything before the insertion, or undo it before refusing",
        "failed-but-kept" => "undo the insertion before answering with an error",
        "refused-without-duplicate" => "refuse as a duplicate only what the database refuses",
        "not-linearizable" => "let one place decide about each key, and every answer come from there",
        "count-unanswered" => "answer the count also when there was much to do just before",
        "settled-late" => "store before acknowledging, not from a queue",
        "pauses" => "look for what stops everything: a collector, a lock, a checkpoint, a full pool",
        "slows-with-rows" => {
            "look for a scan where an index would do, or for something that is never dropped"
        }
        "resets-connections" => "answer 503 where there is too much to do, and close after the answer",
        "count-slow" => "count by an index, or keep a number",
        "unbalanced" => "look at how the load balancer chooses",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use galo_plan::Severity;

    use super::*;

    #[test]
    fn every_rule_of_the_judge_is_explained_in_the_docs() {
        let page = include_str!("../../../../docs/verdict.md");
        for rule in RULES {
            let severity = if rule.severity == Severity::Must { "must" } else { "should" };
            assert!(page.contains(&format!("| `{}` | {severity} |", rule.name)), "{}", rule.name);
            assert!(hint(&rule.name).is_some(), "{}", rule.name);
        }
    }
}
