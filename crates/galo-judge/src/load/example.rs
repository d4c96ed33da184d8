//! What a wrong answer and a failure looked like.

use galo_plan::JsonSchema;
use galo_plan::rules::GENERIC;
use galo_plan::{ChallengeModel, NoModel};
use galo_record::Evidence;
use serde::{Deserialize, Serialize};

/// Kept of a load.
const MOST: usize = 10;

/// One request that did not get the answer that it should have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// The rule that a wrong answer broke; null: there was no whole answer, or a 5xx.
    pub rule: Option<String>,
    /// What differed, or the failure.
    pub difference: String,
    /// The request line, and the start of its body.
    pub request: String,
    /// Status line and the start of the answer's body; empty where there was none.
    pub answer: String,
}

impl Example {
    /// The first of each rule and of each kind of failure, ten at most.
    pub fn first_of_each(evidence: &[Evidence]) -> Vec<Self> {
        let mut examples: Vec<Self> = Vec::new();
        for Evidence { broken, request, difference, answer, .. } in evidence {
            let rule = broken.and_then(|code| GENERIC.iter().chain(NoModel.rules()).nth(usize::from(code.0)));
            let rule = rule.map(|rule| rule.name.to_string());
            let is_known =
                |known: &Self| known.rule == rule && (rule.is_some() || known.difference == *difference);
            if examples.len() < MOST && !examples.iter().any(is_known) {
                let (request, difference, answer) = (request.clone(), difference.clone(), answer.clone());
                examples.push(Self { rule, difference, request, answer });
            }
        }
        examples
    }
}

#[cfg(test)]
mod tests {
    use galo_plan::RuleCode;

    use super::*;

    fn evidence(broken: Option<u8>, difference: &str) -> Evidence {
        Evidence {
            broken: broken.map(RuleCode),
            step: 0,
            user: 0,
            done_ns: 0,
            request: "GET / HTTP/1.1".to_owned(),
            difference: difference.to_owned(),
            answer: String::new(),
        }
    }

    #[test]
    fn the_first_of_each_rule_and_of_each_failure_is_an_example() {
        let all = [
            evidence(Some(0), "status 404, expected 200"),
            evidence(None, "connection refused"),
            evidence(Some(0), "status 405, expected 200"),
            evidence(Some(3), "/a is 1, expected 2"),
            evidence(None, "connection reset"),
            evidence(None, "connection refused"),
        ];
        let told: Vec<_> = Example::first_of_each(&all)
            .into_iter()
            .map(|e| (e.rule.unwrap_or_default(), e.difference))
            .collect();
        let expected = [
            ("unexpected-status", "status 404, expected 200"),
            ("", "connection refused"),
            ("body-differs", "/a is 1, expected 2"),
            ("", "connection reset"),
        ];
        assert_eq!(told, expected.map(|(rule, difference)| (rule.to_owned(), difference.to_owned())));
    }

    #[test]
    fn examples_are_few_however_many_kinds_there_are() {
        let all: Vec<_> = (0..50).map(|n| evidence(None, &format!("failure {n}"))).collect();
        assert_eq!(Example::first_of_each(&all).len(), MOST);
    }
}
