use proptest::prelude::*;

use super::*;
use ElementOperation::{Found, Inserted, Lacking, MayBeInserted, Refused};
use RegisterOperation::{Read, Write};

fn call<O>(operation: O, called_ns: u64, returned_ns: u64) -> Call<O> {
    Call { operation, called_ns, returned_ns: Some(returned_ns) }
}

fn unknown<O>(operation: O, called_ns: u64) -> Call<O> {
    Call { operation, called_ns, returned_ns: None }
}

fn of_element(calls: &[Call<ElementOperation>]) -> Linearizability {
    judge(&Element, calls)
}

fn of_register(calls: &[Call<RegisterOperation>]) -> Linearizability {
    judge(&Register, calls)
}

#[test]
fn no_history_is_linearizable() {
    assert_eq!(of_element(&[]), Linearizability::Holds);
}

#[test]
fn a_lookup_beside_the_insertion_may_find_it_or_not() {
    let insertion = call(Inserted(1), 0, 10);
    for lookup in [Found(1), Lacking(1)] {
        assert_eq!(of_element(&[insertion.clone(), call(lookup, 5, 15)]), Linearizability::Holds);
    }
    assert_eq!(of_element(&[insertion.clone(), call(Lacking(1), 11, 12)]), Linearizability::Broken);
    assert_eq!(of_element(&[call(Found(1), 0, 1), call(Inserted(1), 2, 3)]), Linearizability::Broken);
}

#[test]
fn two_insertions_of_one_key_never_fit() {
    assert_eq!(of_element(&[call(Inserted(1), 0, 10), call(Inserted(2), 0, 10)]), Linearizability::Broken);
}

#[test]
fn a_refusal_needs_somebody_who_is_there() {
    assert_eq!(of_element(&[call(Refused, 0, 10)]), Linearizability::Broken);
    assert_eq!(of_element(&[call(Refused, 0, 10), call(Inserted(1), 5, 15)]), Linearizability::Holds);
    assert_eq!(of_element(&[call(Refused, 0, 4), call(Inserted(1), 5, 15)]), Linearizability::Broken);
    assert_eq!(of_element(&[call(Refused, 8, 9), unknown(MayBeInserted(1), 5)]), Linearizability::Holds);
}

#[test]
fn a_refusal_that_only_an_unknown_creation_explains_proves_that_it_happened() {
    let history = [unknown(MayBeInserted(1), 0), call(Refused, 5, 10)];
    let with = |operation| [&history[..], &[call(operation, 20, 30)]].concat();
    assert_eq!(of_element(&with(Found(1))), Linearizability::Holds);
    assert_eq!(of_element(&with(Lacking(1))), Linearizability::Broken);
    assert_eq!(of_element(&with(Inserted(2))), Linearizability::Broken);
}

#[test]
fn what_is_found_while_nobody_knows_stays_found() {
    let unknown = unknown(MayBeInserted(1), 0);
    assert_eq!(of_element(&[unknown.clone(), call(Found(1), 90, 91)]), Linearizability::Holds);
    let forgotten = [unknown, call(Found(1), 90, 91), call(Lacking(1), 92, 93)];
    assert_eq!(of_element(&forgotten), Linearizability::Broken);
}

#[test]
fn a_register_holds_what_was_written_last() {
    let history = |read| [call(Write(1), 0, 1), call(Write(2), 2, 3), call(Read(read), 4, 5)];
    assert_eq!(of_register(&history(Some(2))), Linearizability::Holds);
    assert_eq!(of_register(&history(Some(1))), Linearizability::Broken);
    assert_eq!(of_register(&history(None)), Linearizability::Broken);
}

#[test]
fn an_unknown_write_may_appear_late_but_only_once() {
    let history = |last| {
        [
            unknown(Write(1), 0),
            call(Write(2), 1, 2),
            call(Read(Some(2)), 3, 4),
            call(Read(Some(1)), 5, 6),
            call(Read(Some(last)), 7, 8),
        ]
    };
    assert_eq!(of_register(&history(1)), Linearizability::Holds);
    assert_eq!(of_register(&history(2)), Linearizability::Broken);
}

#[test]
fn too_many_calls_or_too_many_ways_are_unknown() {
    let many: Vec<_> = (0..=CALLS_MAX as u64).map(|n| call(Write(n), n, n)).collect();
    assert_eq!(of_register(&many), Linearizability::Unknown);
    // All at once, and what is read was never written: every subset is a configuration.
    let mut at_once: Vec<_> = (0..40).map(|n| call(Write(n), 0, 10)).collect();
    at_once.push(call(Read(Some(99)), 0, 10));
    assert_eq!(of_register(&at_once), Linearizability::Unknown);
}

#[test]
fn few_ways_through_many_calls_are_unknown_too() {
    let in_order = |number: u64| (0..number).map(|n| call(Write(n), 2 * n, 2 * n + 1)).collect::<Vec<_>>();
    assert_eq!(of_register(&in_order(CALLS_MAX as u64)), Linearizability::Holds);
    // 2^14 configurations, each of which looks at all that went before.
    let mut calls = in_order(4000);
    calls.extend((0..14).map(|n| call(Write(n), 9000, 9010)));
    calls.push(call(Read(Some(9999)), 9000, 9010));
    assert_eq!(of_register(&calls), Linearizability::Unknown);
}

#[test]
fn a_long_history_of_a_set_is_judged_whatever_is_unknown_in_it() {
    let mut calls: Vec<_> = (0..30).map(|n| unknown(MayBeInserted(n), 0)).collect();
    calls.extend((0..4000_u64).map(|n| call(if n < 2000 { Lacking(5) } else { Found(5) }, n, n + 3)));
    assert_eq!(of_element(&calls), Linearizability::Holds);
    calls.push(call(Lacking(5), 4010, 4011));
    assert_eq!(of_element(&calls), Linearizability::Broken);
}

/// Tries all orders, without remembering anything.
fn brute_force<S: Specification>(specification: &S, calls: &[Call<S::Operation>]) -> bool {
    fn go<S: Specification>(s: &S, state: &S::State, left: &[&Call<S::Operation>]) -> bool {
        if left.iter().all(|call| call.returned_ns.is_none()) {
            return true;
        }
        (0..left.len()).any(|number| {
            let call = left[number];
            let mut others = left.to_vec();
            others.remove(number);
            let is_next = others.iter().all(|other| other.returned_ns.is_none_or(|ns| ns >= call.called_ns));
            is_next && s.apply(state, &call.operation).is_some_and(|state| go(s, &state, &others))
        })
    }
    go(specification, &specification.initial(), &calls.iter().collect::<Vec<_>>())
}

fn times() -> impl Strategy<Value = (u64, Option<u64>)> {
    (0..12_u64, 0..6_u64, prop::bool::weighted(0.2))
        .prop_map(|(called, length, is_unknown)| (called, (!is_unknown).then_some(called + length)))
}

fn element_call() -> impl Strategy<Value = Call<ElementOperation>> {
    let operation = (0..5_u8, 0..2_u32).prop_map(|(kind, thing)| match kind {
        0 => Inserted(thing),
        1 => Refused,
        2 => MayBeInserted(thing),
        3 => Found(thing),
        _ => Lacking(thing),
    });
    (operation, times()).prop_map(|(operation, (called_ns, returned_ns))| Call {
        operation,
        called_ns,
        // A call whose answer is known has ended.
        returned_ns: match operation {
            MayBeInserted(_) => returned_ns,
            _ => returned_ns.or(Some(called_ns + 2)),
        },
    })
}

fn register_call() -> impl Strategy<Value = Call<RegisterOperation>> {
    let operation =
        prop_oneof![(0..3_u64).prop_map(Write), prop::option::weighted(0.8, 0..3_u64).prop_map(Read),];
    (operation, times()).prop_map(|(operation, (called_ns, returned_ns))| Call {
        operation,
        called_ns,
        returned_ns: match operation {
            Write(_) => returned_ns,
            Read(_) => returned_ns.or(Some(called_ns + 2)),
        },
    })
}

fn expected(holds: bool) -> Linearizability {
    if holds { Linearizability::Holds } else { Linearizability::Broken }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn a_set_is_judged_as_by_trying_all_orders(calls in prop::collection::vec(element_call(), 0..7)) {
        prop_assert_eq!(of_element(&calls), expected(brute_force(&Element, &calls)));
    }

    #[test]
    fn a_register_is_judged_as_by_trying_all_orders(calls in prop::collection::vec(register_call(), 0..7)) {
        prop_assert_eq!(of_register(&calls), expected(brute_force(&Register, &calls)));
    }
}
