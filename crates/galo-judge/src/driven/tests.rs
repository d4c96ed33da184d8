//! Counts of which it is not known which number they mean.

use galo_record::{Halt, RestartRecord, Restarted};

use super::*;
use crate::testing::{CEILING, Counted, END_NS, RoundBuilder, START_NS, plan, reading};

/// Rules about the count that 110 creations break where it is so before and after the load.
fn broken(before: &str, after: &str) -> Vec<String> {
    let mut round = RoundBuilder::clean().counts_after(&[(1, after)]);
    round.0.record.count_before = Some(reading(START_NS - 1, before));
    broken_in(&round)
}

fn broken_in(round: &RoundBuilder) -> Vec<String> {
    let account = Account::of(&plan(), &round.0);
    let mut told = findings(&plan(), &Counted(CEILING), &round.0, &account);
    told.retain(|finding| finding.name() != "count-ambiguous");
    told.iter().map(|finding| finding.name().to_owned()).collect()
}

#[test]
fn a_count_in_words_is_taken_at_whichever_of_its_numbers_fits() {
    assert_eq!(broken("0 of 2", "110 people, as 2 instances see it"), [""; 0]);
    assert_eq!(broken("0", "12 of 99"), [""; 0], "it may not be at rest yet");
    assert_eq!(broken("0", "111 of 999"), ["count-differs"]);
    assert_eq!(broken("5 of 9", "110"), ["dirty-start"]);
}

#[test]
fn a_count_in_words_before_a_restart_is_at_rest_and_one_of_its_numbers_fits() {
    let broken = |text: &str, cases: usize| {
        let mut round = RoundBuilder::clean().counts_after(&[(1, "0 of 9")]);
        let restarted = Restarted {
            halted_at_ns: END_NS,
            restarted_at_ns: END_NS,
            ready_at_ns: Some(END_NS),
            not_up: None,
            volumes_bytes: [0, 0],
            traced: None,
            flushes: Vec::new(),
            findings: Vec::new(),
        };
        round.0.record.cases = cases;
        round.0.record.restart = Some(RestartRecord {
            halt: Halt::Killed,
            restarted,
            count_before: Some(reading(END_NS, text)),
            count: None,
            lookups: Vec::new(),
        });
        broken_in(&round)
    };
    assert_eq!(broken("110 of 999", 0), [""; 0]);
    assert_eq!(broken("2 instances, 999 people", 0), ["count-differs"]);
    assert_eq!(broken("2 instances, 999 people", 400), [""; 0], "the cases created some as well");
}

#[test]
fn of_a_server_that_galo_did_not_start_nobody_knows_how_many_there_were() {
    let mut round = RoundBuilder::clean().counts_after(&[(1, "611 of 999")]);
    round.0.record.count_before = Some(reading(START_NS - 1, "501 of 999"));
    round.0.record.placement.as_mut().unwrap().services.clear();
    assert!(!broken_in(&round).contains(&"count-differs".to_owned()));
}
