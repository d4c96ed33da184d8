//! `resets-connections`: connections are accepted, and then closed instead of answered.

use galo_record::{HostFact, RoundData};

use crate::account::Account;
use crate::findings::{Finding, Number, ResetsConnections};

/// What the load engine calls a connection that was there and was closed before all of an answer came.
const KINDS: [&str; 4] =
    ["connection reset", "closed before the answer", "closed within the headers", "closed within the body"];
/// Share of all operations from which it is told.
const SHARE: f64 = 0.01;
/// Fewest operations that it must have met.
const LEAST: u64 = 5;

/// Finds that at least one in a hundred operations ended by a closed connection.
///
/// Proves that the contender (or a balancer of its own) took the connection and gave up on it: a refused one, or one that
/// was never accepted, is not counted. It cannot tell overload from a defect; an overloaded server should answer 503, or
/// not accept. Where a service died, that is the reason, and told by itself.
pub(super) fn finding(round: &RoundData, account: &Account) -> Option<Finding> {
    if round.record.findings.iter().any(|fact| matches!(fact, HostFact::ServiceDied(_))) {
        return None;
    }
    let of_kind =
        |kind: &str| -> u64 { round.record.load.steps.iter().filter_map(|s| s.errors.get(kind)).sum() };
    let numbers = KINDS.map(|kind| (kind, of_kind(kind)));
    let closed: u64 = numbers.iter().map(|(_, number)| number).sum();
    if closed < LEAST || (closed as f64) < SHARE * account.intended() as f64 {
        return None;
    }
    let seen = numbers.into_iter().filter(|(_, number)| *number > 0);
    Some(Finding::new(ResetsConnections {
        closed,
        operations: account.intended(),
        kinds: seen.map(|(kind, number)| Number { of: kind.to_owned(), number }).collect(),
    }))
}

#[cfg(test)]
mod tests {

    use crate::judge_round;
    use crate::testing::*;

    fn told(kind: &str, number: u64) -> Option<String> {
        let mut round = RoundBuilder::clean();
        round.0.record.load.steps[1].errors.insert(kind.to_owned(), number);
        told_of(&round)
    }

    fn told_of(round: &RoundBuilder) -> Option<String> {
        let findings = judge_round(&plan(), &Counted(CEILING), &round.0).findings;
        findings.into_iter().find(|f| f.name() == "resets-connections").map(|f| figures(&f))
    }

    #[test]
    fn one_in_a_hundred_that_lost_its_connection_is_told_with_the_kinds() {
        insta::assert_snapshot!(told("connection reset", 27).expect("told"), @r#"{"kind":"resets-connections","closed":27,"operations":270,"kinds":[{"of":"connection reset","number":27}]}"#);
        assert!(told("closed before the answer", 5).is_some());
    }

    #[test]
    fn a_few_resets_are_nothing_and_refusals_and_timeouts_are_something_else() {
        assert_eq!(told("connection reset", 4), None);
        assert_eq!(told("connection refused", 200), None);
        assert_eq!(told("no answer in time", 200), None);
        let mut many = RoundBuilder::clean();
        many.operations(READ, 9_730, galo_record::OperationResult::Ok);
        many.0.record.load.steps[1].errors.insert("connection reset".to_owned(), 99);
        assert_eq!(told_of(&many), None, "99 of 10,000");
    }

    #[test]
    fn where_a_service_died_its_connections_had_to() {
        let mut round = RoundBuilder::clean();
        round.0.record.load.steps[1].errors.insert("connection reset".to_owned(), 100);
        round.0.record.findings.push(died("db"));
        assert_eq!(told_of(&round), None);
    }
}
