//! Connections that all share, and who enters when.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use galo_plan::challenge::Connection;
use galo_plan::injection::Injection;
use galo_plan::load::{Arrivals, Pick, Pool, Protocol, Source, Spacing};
use galo_record::Operation;

use super::SECOND;
use super::plans::{burst, drive, options};
use super::serving::Place;
use super::traffic::{SINGLE_FILE, asking, closed, closed_for, echoing, open};
use super::web::{Answer, Web, echo};

const MS: u64 = 1_000_000;

/// Answers after so many milliseconds.
fn slow(ms: u64) -> Web {
    Web::plain(move |_| Answer { after: Duration::from_millis(ms), ..Answer::ok("late") })
}

#[test]
fn waiting_for_the_only_connection_is_in_the_latency_and_nothing_is_dropped() {
    let web = slow(20);
    let mut plan = asking("GET", open(burst(20)), &web.target);
    plan.pool = SINGLE_FILE;
    let outcome = drive(&plan, &galo_load::LoadOptions { threads: 1, ..options() });
    assert_eq!(outcome.load.steps[0].ledger.ok, 20);
    assert_eq!((web.connections(), outcome.load.engine.connections, web.busiest()), (1, 1, 1));
    assert_eq!(outcome.load.engine.waited, 19);
    for (n, o) in outcome.history.iter().enumerate() {
        assert_eq!(Some(o.intended_ns), burst(20).offset_ns(n as u64), "served in the order of arrival");
        assert!(o.done_ns >= (n as u64 + 1) * 20 * MS, "{n}: {o:?}");
    }
    assert!(
        outcome.load.engine.lag_us_p50 < 20_000.0,
        "the server's doing is no lag of galo's: {:?}",
        outcome.load.engine
    );
}

#[test]
fn there_are_never_more_connections_than_the_bound() {
    for connections in [1, 3, 5] {
        let web = slow(5);
        let mut plan = asking("GET", open(burst(60)), &web.target);
        plan.pool = Pool { connections, streams: 1 };
        let outcome = drive(&plan, &galo_load::LoadOptions { threads: 3, ..options() });
        assert_eq!(outcome.load.steps[0].ledger.ok, 60);
        assert_eq!(web.connections(), connections as usize, "{:?}", outcome.load.engine);
        assert!(web.busiest() <= connections as usize);
        assert!(outcome.load.engine.waited > 0);
    }
}

#[test]
fn streams_of_http_2_are_bounded_too() {
    let web = Web::start(&Place::V4, Protocol::Http2, None, |_| Answer {
        after: Duration::from_millis(20),
        ..Answer::ok("late")
    });
    let mut plan = asking("GET", open(burst(60)), &web.target);
    plan.pool = Pool { connections: 2, streams: 3 };
    plan.transport.protocol = Protocol::Http2;
    let outcome = drive(&plan, &options());
    assert_eq!(outcome.load.steps[0].ledger.ok, 60);
    assert_eq!((web.connections(), web.busiest()), (2, 6));
    assert!(outcome.load.engine.waited > 0);
}

#[test]
fn the_closed_model_makes_exactly_the_total_and_never_more_at_once_than_its_users() {
    for connection in [Connection::Shared, Connection::PerUser, Connection::PerRequest] {
        for (users, threads, total) in [(7, 3, 500), (1, 2, 20), (2, 3, 1), (5, 2, 3)] {
            let web = slow(1);
            let mut plan = asking("GET", closed(users, total), &web.target);
            plan.scenarios[0].connection = connection;
            let outcome = drive(&plan, &galo_load::LoadOptions { threads, ..options() });
            let ledger = outcome.load.steps[0].ledger;
            assert_eq!((ledger.intended, ledger.ok), (total, total), "{connection:?} {users} {threads}");
            let numbers: BTreeSet<u64> = outcome.history.iter().map(|o| o.user.into()).collect();
            assert_eq!(numbers, (0..total).collect());
            assert!(web.busiest() <= users as usize);
            assert!(at_once(&outcome.history) <= users as usize);
        }
    }
}

/// The most operations that were under way at a time.
fn at_once(history: &[Operation]) -> usize {
    let mut changes: Vec<(u64, i64)> =
        history.iter().flat_map(|o| [(o.intended_ns, 1), (o.done_ns, -1)]).collect();
    changes.sort_unstable();
    let under_way = changes.iter().scan(0, |sum, (_, change)| {
        *sum += change;
        Some(*sum)
    });
    under_way.max().unwrap_or(0) as usize
}

#[test]
fn the_closed_model_ends_by_its_duration() {
    let web = slow(1);
    let plan = asking("GET", closed_for(4, SECOND / 4), &web.target);
    let outcome = drive(&plan, &options());
    let ledger = outcome.load.steps[0].ledger;
    assert!(ledger.intended > 8 && ledger.ok == ledger.intended, "{ledger:?}");
    assert!(outcome.history.iter().all(|o| o.intended_ns < 250 * MS));
    assert!(!outcome.load.interrupted);
}

#[test]
fn scenarios_are_taken_in_turn_or_at_random_by_the_seed() {
    for pick in [Pick::InTurn, Pick::Random] {
        let web = Web::plain(echo);
        let mut plan = echoing(closed(4, 301), &web.target);
        plan.seed = 11;
        plan.sources[0].pick = pick;
        let outcome = drive(&plan, &options());
        let mut expected = [0, 0];
        for o in &outcome.history {
            assert_eq!(usize::from(o.step), plan.sources[0].scenario(11, o.user.into()));
            expected[usize::from(o.step)] += 1;
        }
        assert_eq!([0, 1].map(|step: usize| outcome.load.steps[step].ledger.ok), expected);
        assert_eq!(pick == Pick::InTurn, expected == [151, 150]);
        assert!(expected[0] > 100 && expected[1] > 100, "{expected:?}");
    }
}

#[test]
fn each_target_has_a_pool_of_its_own() {
    let webs = [Web::plain(echo), Web::plain(echo)];
    let mut plan = echoing(closed(8, 200), &webs[0].target);
    plan.targets[1] = webs[1].target.clone();
    plan.pool = Pool { connections: 2, streams: 1 };
    let outcome = drive(&plan, &galo_load::LoadOptions { threads: 1, ..options() });
    assert_eq!([0, 1].map(|step: usize| outcome.load.steps[step].ledger.ok), [100, 100]);
    assert_eq!(webs.each_ref().map(Web::connections), [2, 2]);
    assert_eq!(outcome.load.engine.connections, 4);
}

#[test]
fn one_target_of_several_scenarios_has_one_pool() {
    let web = Web::plain(echo);
    let mut plan = echoing(closed(8, 200), &web.target);
    plan.pool = Pool { connections: 2, streams: 1 };
    let outcome = drive(&plan, &options());
    assert_eq!([0, 1].map(|step: usize| outcome.load.steps[step].ledger.ok), [100, 100]);
    assert_eq!(web.connections(), 2);
}

#[test]
fn poisson_arrivals_are_the_same_whatever_the_number_of_threads() {
    let web = Web::plain(echo);
    let injection = Injection::constant(400_000_000, SECOND / 2);
    let arrivals = Arrivals::Open { injection, spacing: Spacing::Poisson };
    let mut plan = asking("GET", arrivals, &web.target);
    plan.seed = 3;
    let expected: BTreeMap<u64, u64> = (0..).zip(plan.poisson(0).unwrap()).collect();
    let gaps: BTreeSet<u64> = expected.values().zip(expected.values().skip(1)).map(|(a, b)| b - a).collect();
    assert!(expected.len() > 100 && gaps.len() > 90, "{} arrivals, {} gaps", expected.len(), gaps.len());
    for threads in [1, 3] {
        let outcome = drive(&plan, &galo_load::LoadOptions { threads, ..options() });
        assert_eq!(outcome.load.steps[0].ledger.ok, expected.len() as u64);
        let offsets: BTreeMap<u64, u64> =
            outcome.history.iter().map(|o| (o.user.into(), o.intended_ns)).collect();
        assert_eq!(offsets, expected, "{threads} threads");
    }
}

/// Five users at once whose answers take 20 ms, then ten at 200/s, then three at once.
fn one_after_another(target: &galo_plan::load::Target) -> galo_plan::LoadPlan {
    let mut plan = asking("GET", closed(5, 5), target);
    let common = plan.scenarios[0].clone();
    let scenario = |name: &str| galo_plan::Scenario { name: name.to_owned(), ..common.clone() };
    plan.scenarios = ["first", "then", "last"].map(scenario).into();
    plan.targets = vec![target.clone(); 3];
    let source = |index: usize, arrivals| Source {
        arrivals,
        scenarios: vec![index],
        after: index.checked_sub(1).into_iter().collect(),
        ..plan.sources[0].clone()
    };
    let rate = open(Injection::constant(200_000_000, Duration::from_millis(50)));
    plan.sources = vec![source(0, closed(5, 5)), source(1, rate), source(2, closed(3, 3))];
    plan
}

#[test]
fn whoever_waits_for_others_begins_when_all_of_those_have_left() {
    let web = slow(20);
    let plan = one_after_another(&web.target);
    for threads in [1, 2, 4] {
        let outcome = drive(&plan, &galo_load::LoadOptions { threads, ..options() });
        let ok: Vec<u64> = outcome.load.steps.iter().map(|step| step.ledger.ok).collect();
        assert_eq!(ok, [5, 10, 3], "{threads} threads");
        let of = |step: u8| outcome.history.iter().filter(move |one| one.step == step);
        let begun = |step| of(step).map(|one| one.intended_ns).min().unwrap();
        let left = |step| of(step).map(|one| one.done_ns).max().unwrap();
        assert!(left(0) <= begun(1) && left(1) <= begun(2), "{:?}", outcome.history);
        let mut offsets: Vec<u64> = of(1).map(|one| one.intended_ns - begun(1)).collect();
        offsets.sort_unstable();
        let planned: Vec<u64> = (0..10).map(|user| user * 5 * MS).collect();
        assert_eq!(offsets, planned, "their time counts from when the others had left");
    }
}

#[test]
fn whoever_waits_for_those_that_never_get_an_answer_begins_after_their_timeouts() {
    let web = slow(60_000);
    let mut plan = one_after_another(&web.target);
    plan.timeouts.answer_ns = 50 * MS;
    let outcome = drive(&plan, &options());
    let ledgers: Vec<(u64, u64)> =
        outcome.load.steps.iter().map(|step| (step.ledger.intended, step.ledger.timed_out)).collect();
    assert_eq!(ledgers, [(5, 5), (10, 10), (3, 3)], "nobody is left out");
}

#[test]
fn a_step_that_is_sent_several_times_at_once_ends_when_all_have() {
    let web = slow(20);
    for threads in [1, 3] {
        let mut plan = asking("GET", closed(3, 3), &web.target);
        plan.scenarios[0].connection = Connection::PerUser;
        let step = plan.scenarios[0].steps[0].clone();
        let named = |name: &str, at_once| galo_plan::Step { name: name.to_owned(), at_once, ..step.clone() };
        plan.scenarios[0].steps = vec![named("one", 1), named("four", 4), named("last", 1)];
        let outcome = drive(&plan, &galo_load::LoadOptions { threads, ..options() });
        let ok: Vec<u64> = outcome.load.steps.iter().map(|step| step.ledger.ok).collect();
        assert_eq!(ok, [3, 12, 3], "{threads} threads");
        for user in 0..3 {
            let of = |step: u8| outcome.history.iter().filter(move |o| o.user == user && o.step == step);
            let begun: BTreeSet<u64> = of(1).map(|o| o.intended_ns).collect();
            assert_eq!(begun.len(), 1, "all are due at the same moment");
            let connections: BTreeSet<u32> = of(1).map(|o| o.connection).collect();
            assert_eq!(connections.len(), 4);
            let last_ended = of(1).map(|o| o.done_ns).max().unwrap();
            assert!(of(2).all(|o| o.intended_ns >= last_ended));
            assert_eq!(of(0).chain(of(2)).filter(|o| !connections.contains(&o.connection)).count(), 0);
        }
        assert!(at_once(&outcome.history) >= 4);
    }
}

#[test]
fn those_sent_at_once_that_get_no_answer_hold_nobody_for_longer_than_their_timeout() {
    let web = slow(60_000);
    let mut plan = asking("GET", closed(2, 2), &web.target);
    plan.scenarios[0].connection = Connection::PerUser;
    plan.scenarios[0].steps[0].at_once = 5;
    plan.timeouts.answer_ns = 50 * MS;
    let outcome = drive(&plan, &options());
    let ledger = outcome.load.steps[0].ledger;
    assert_eq!((ledger.intended, ledger.timed_out), (10, 10));
}
