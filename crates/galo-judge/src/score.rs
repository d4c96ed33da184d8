//! A contest's own score for one round, beside galo's verdict: what it would have paid. It decides nothing.

use galo_plan::{JsonSchema, Plan};
use galo_record::{OperationResult, RoundData};
use serde::{Deserialize, Serialize};

/// What a round would have been paid by the contest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContestScore {
    /// What is left.
    pub left: f64,
    /// E.g. `USD`.
    pub unit: String,
    /// Requests of the compared scenarios.
    pub requests: u64,
    /// ... of these were answered in time, rightly or not.
    pub in_time: u64,
    /// ... of these were found wrong as they arrived, which is all that the contest looks at.
    pub inconsistencies: u64,
}

/// The score of a driven round; `None`: the challenge has none.
pub(crate) fn score(plan: &Plan, round: &RoundData) -> Option<ContestScore> {
    let rule = plan.challenge.score.as_ref()?;
    let compared: Vec<bool> = plan.challenge.steps().map(|(scenario, _)| scenario.compared).collect();
    let is_compared = |step: u8| compared.get(usize::from(step)).copied().unwrap_or(false);
    let (mut requests, mut in_time, mut inconsistencies) = (0, 0, 0);
    for operation in round.history.iter().filter(|operation| is_compared(operation.step)) {
        let is_answered = matches!(operation.result, OperationResult::Ok | OperationResult::Wrong);
        let took_ns = operation.done_ns.saturating_sub(operation.intended_ns);
        requests += 1;
        in_time += u64::from(is_answered && took_ns <= rule.within_ns);
        inconsistencies += u64::from(operation.result == OperationResult::Wrong);
    }
    let left = rule.of(requests, in_time, inconsistencies);
    Some(ContestScore { left, unit: rule.unit.clone(), requests, in_time, inconsistencies })
}
