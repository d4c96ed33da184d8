//! Rules of the plan that operations broke, as the engine saw answer by answer.

use std::cmp::Reverse;
use std::collections::HashSet;

use galo_plan::Plan;
use galo_plan::model::Effect;
use galo_plan::rules::{RuleCode, UNEXPECTED_STATUS};
use galo_record::{Operation, OperationResult, RoundData};

use crate::account::Account;
use crate::evidence::EVIDENCE_MAX;
use crate::evidence::Evidence;
use crate::findings::{BrokenAt, BrokenRule, Excuse, Finding};
use crate::step::StepName;
use crate::strangers::{may_be_taken, started_by_galo};

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
        let steps = steps.into_iter().map(|(step, broken)| {
            let operations = round.record.load.steps.get(step).map_or(0, |s| s.ledger.intended);
            BrokenAt { step: StepName::of(plan, step), broken, operations }
        });
        let evidence =
            round.evidence.iter().filter(|e| e.broken == Some(*code) && !is_explained(e.step, e.user));
        let broken = Finding::new(BrokenRule { steps: steps.collect(), ..BrokenRule::from(rule) });
        let finding = Finding { weight: rule.severity.into(), ..broken }
            .shown_by(evidence.take(EVIDENCE_MAX).map(exchange));
        let is_theirs = may_be_taken(plan, round, *code) || rule.fresh && !started_by_galo(round);
        let is_of_open = || rule.fresh && may_be_of_open(plan, round, *code);
        let excuse = match is_theirs {
            true => Some(Excuse::HeldBefore),
            false => is_of_open().then_some(Excuse::LeftOpen),
        };
        Some(match excuse {
            Some(excuse) => finding.excused(excuse),
            None => finding,
        })
    });
    findings.collect()
}

/// Whether creations without an answer, or of unknown effect, were due before all that broke this rule was answered. One that was never
/// sent did nothing, and is not there either.
fn may_be_of_open(plan: &Plan, round: &RoundData, code: RuleCode) -> bool {
    let broken = round.history.iter().filter(|one| one.broken == Some(code));
    let last_ns = broken.map(|one| one.done_ns).max().unwrap_or(0);
    let is_answered = |one: &Operation| matches!(one.result, OperationResult::Ok | OperationResult::Wrong);
    let mut open = round.history.iter().filter(|one| one.effect == Effect::Unknown || !is_answered(one));
    open.any(|one| one.intended_ns < last_ns && plan.challenge.creates_at(one.step))
}

/// A request that the engine kept, and what came back.
pub(super) fn exchange(evidence: &galo_record::Evidence) -> Evidence {
    Evidence::Exchange {
        request: evidence.request.clone(),
        difference: evidence.difference.clone(),
        answer: evidence.answer.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{CREATE, PHANTOM, PROBE_SEARCH, RoundBuilder, plan};

    /// Whether a search that broke a rule is excused where the first creation ended so, with a status and this effect.
    fn is_excused(result: OperationResult, status: u16, effect: Effect) -> bool {
        let mut round = RoundBuilder::clean();
        round.change(PROBE_SEARCH, 1, |o| (o.result, o.broken) = (OperationResult::Wrong, Some(PHANTOM)));
        round.change(CREATE, 1, |o| (o.result, o.status, o.effect) = (result, status, effect));
        may_be_of_open(&plan(), &round.0, PHANTOM)
    }

    #[test]
    fn a_creation_that_was_never_sent_excuses_what_presumes_that_all_were() {
        assert!(is_excused(OperationResult::Failed, 0, Effect::No));
        assert!(is_excused(OperationResult::TimedOut, 0, Effect::No));
        assert!(is_excused(OperationResult::Failed, 500, Effect::Unknown));
        assert!(!is_excused(OperationResult::Ok, 422, Effect::No), "a refusal is an answer");
        assert!(!is_excused(OperationResult::Ok, 201, Effect::Yes));
    }
}
