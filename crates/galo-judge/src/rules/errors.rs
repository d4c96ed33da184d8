//! Which 5xx came first: what breaks first is seldom what breaks most.

use std::collections::BTreeMap;

use galo_record::RoundData;

/// How long after the first error others are still its companions.
const FIRST_NS: u64 = 500_000_000;

/// When errors began, and with which status: `errors began at 7.2 s with status 504, by which ...`.
///
/// Proves nothing about who answered: that 502 and 504 are a balancer's words for an instance that is gone or too slow is
/// what RFC 9110 (section 15.6) says of a gateway.
pub(super) fn first(round: &RoundData) -> Option<String> {
    let errors = || round.history.iter().filter(|operation| (500..600).contains(&operation.status));
    let first_ns = errors().map(|operation| operation.done_ns).min()?;
    let mut statuses = BTreeMap::<u16, u64>::new();
    for operation in errors().filter(|operation| operation.done_ns <= first_ns + FIRST_NS) {
        *statuses.entry(operation.status).or_default() += 1;
    }
    let (status, _) = statuses.into_iter().max_by_key(|(_, number)| *number)?;
    Some(format!("errors began at {:.1} s with status {status}, {}", first_ns as f64 / 1e9, meaning(status)))
}

const fn meaning(status: u16) -> &'static str {
    match status {
        502 => "by which a balancer says that an instance was gone or broke off",
        504 => "by which a balancer says that an instance was too slow",
        503 => "by which a balancer or an instance says that it is full",
        _ => "an instance's own failure",
    }
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
        assert_eq!(
            told,
            "errors began at 1.0 s with status 504, by which a balancer says that an instance was too slow"
        );
    }
}
