//! Which 5xx came first: what breaks first is seldom what breaks most.

use std::collections::BTreeMap;

use galo_record::RoundData;

use super::most_frequent;
use crate::findings::{FirstErrors, Number};

/// How long after the first error others are still its companions.
const FIRST_NS: u64 = 500_000_000;

/// Failures of all steps by kind, the most frequent ones.
pub(crate) fn kinds(round: &RoundData) -> Vec<Number> {
    let mut kinds = BTreeMap::<&str, u64>::new();
    for (kind, number) in round.record.load.steps.iter().flat_map(|step| &step.errors) {
        *kinds.entry(kind).or_default() += number;
    }
    most_frequent(kinds)
}

/// When errors began, and with which status. Proves nothing about who answered.
pub(super) fn first(round: &RoundData) -> Option<FirstErrors> {
    let errors = || round.history.iter().filter(|operation| (500..600).contains(&operation.status));
    let first_ns = errors().map(|operation| operation.done_ns).min()?;
    let mut statuses = BTreeMap::<u16, u64>::new();
    for operation in errors().filter(|operation| operation.done_ns <= first_ns + FIRST_NS) {
        *statuses.entry(operation.status).or_default() += 1;
    }
    let (status, _) = statuses.into_iter().max_by_key(|(_, number)| *number)?;
    Some(FirstErrors { at_ns: first_ns, status })
}

#[cfg(test)]
mod tests {
    use galo_record::OperationResult;

    use super::*;
    use crate::testing::*;

    #[test]
    fn what_breaks_first_is_told_and_not_what_breaks_most() {
        let mut round = RoundBuilder::clean();
        assert_eq!(first(&round.0), None);
        round.change(READ, 30, |operation| {
            operation.result = OperationResult::Failed;
            operation.status = if operation.user < 3 { 504 } else { 503 };
            operation.done_ns += if operation.user < 3 { 0 } else { 600_000_000 };
        });
        let told = first(&round.0).unwrap();
        assert_eq!((told.at_ns / 100_000_000, told.status), (10, 504));
    }
}
