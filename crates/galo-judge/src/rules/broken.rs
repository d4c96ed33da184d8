//! Rules of the plan that operations broke, as the engine saw answer by answer.

use std::cmp::Reverse;
use std::collections::HashSet;

use galo_plan::rules::UNEXPECTED_STATUS;
use galo_plan::{Blame, Plan};
use galo_record::{Finding, RoundData};

use super::strangers::{STRANGERS, as_note, may_be_taken};
use super::{EVIDENCE_MAX, weight_of};
use crate::account::{Account, step_name};
use crate::words::{counted, grouped, listed};

/// One finding for each rule of the plan that operations broke, most operations first. `explained`: operations (step
/// and user) whose unexpected status is told elsewhere, with what it means.
pub(super) fn broken_rules(
    plan: &Plan,
    round: &RoundData,
    account: &Account,
    explained: &HashSet<(u8, u32)>,
) -> Vec<Finding> {
    let mut rules: Vec<_> = account.broken.iter().collect();
    rules.sort_by_key(|(code, steps)| (Reverse(steps.values().sum::<u64>()), **code));
    let findings = rules.into_iter().filter_map(|(code, steps)| {
        let rule = plan.rules.get(usize::from(code.0))?;
        let is_explained =
            |step: u8, user: u32| *code == UNEXPECTED_STATUS && explained.contains(&(step, user));
        let untold = |step: usize, number: u64| {
            let told =
                explained.iter().filter(|(s, user)| usize::from(*s) == step && is_explained(*s, *user));
            number - told.count() as u64
        };
        let steps: Vec<(usize, u64)> = steps
            .iter()
            .map(|(&step, &number)| (step, untold(step, number)))
            .filter(|(_, number)| *number > 0)
            .collect();
        if steps.is_empty() {
            return None;
        }
        let counts: Vec<String> = steps
            .iter()
            .map(|&(step, number)| {
                let of = round.record.load.steps.get(step).map_or(0, |s| s.ledger.intended);
                format!("{} of {} of {}", grouped(number), counted(of, "operation"), step_name(plan, step))
            })
            .collect();
        let evidence =
            round.evidence.iter().filter(|e| e.broken == Some(*code) && !is_explained(e.step, e.user));
        let finding = Finding {
            name: rule.name.to_string(),
            weight: weight_of(rule.severity),
            blame: Blame::Contender,
            text: format!("{} broke the rule: {}", listed(&counts), rule.text),
            evidence: evidence.take(EVIDENCE_MAX).map(evidence_text).collect(),
            hint: None,
            explains_milli: None,
        };
        Some(if may_be_taken(plan, round, *code) { as_note(finding, STRANGERS) } else { finding })
    });
    findings.collect()
}

/// The request in the first line, what differs in the second, then the answer: who has room for little shows the
/// first two lines.
pub(super) fn evidence_text(evidence: &galo_record::Evidence) -> String {
    let in_one_line =
        |text: &str| text.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join(" ");
    let parts = [in_one_line(&evidence.request), in_one_line(&evidence.difference), evidence.answer.clone()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}
