//! Loads that are driven in slices.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use galo_load::{Backend, Gate, LoadOptions, LoadOutcome};
use galo_plan::LoadPlan;
use galo_plan::challenge::Connection;
use galo_plan::injection::Injection;
use galo_plan::load::{Arrivals, Spacing, Target};
use galo_record::duel::{Slice, SliceTerms};

use super::plans::{one_request, options, towards};
use super::server::Server;
use super::traffic::{asking, closed};
use super::{OK, SECOND};

const SLICE: SliceTerms = SliceTerms { length_ns: 50_000_000, drain_ns: 500_000_000 };

/// Answers all that it is asked, so long after each request.
fn server(delay_ms: u64) -> Server {
    Server::start(move |peer| {
        while peer.request().is_some() {
            peer.wait_ms(delay_ms);
            peer.send(OK.as_bytes());
        }
    })
}

/// One request of each user, over the connections of a pool.
fn plan(server: &Server, arrivals: Arrivals) -> LoadPlan {
    let some = Injection::constant(1_000_000, SECOND);
    let mut plan = towards(server.address, one_request(Connection::Shared, some, SECOND));
    plan.pool.connections = 20;
    plan.sources[0].arrivals = arrivals;
    plan
}

fn driven(plan: &LoadPlan, terms: SliceTerms, still: Duration) -> (LoadOutcome, Vec<Slice>) {
    driven_by(plan, terms, still, options())
}

fn driven_by(
    plan: &LoadPlan,
    terms: SliceTerms,
    still: Duration,
    options: LoadOptions,
) -> (LoadOutcome, Vec<Slice>) {
    let gate = Arc::new(Gate::default());
    let options = LoadOptions { gate: Some(Arc::clone(&gate)), ..options };
    std::thread::scope(|scope| {
        let load = scope.spawn(|| galo_load::run(plan, &options));
        let mut slices = Vec::new();
        while let Some(slice) = gate.slice(terms) {
            slices.push(slice);
            std::thread::sleep(still);
        }
        (load.join().unwrap().unwrap(), slices)
    })
}

/// So many a second over half a second.
fn half_a_second(server: &Server, per_s: u64) -> LoadPlan {
    let injection = Injection::constant(per_s * 1_000_000, SECOND / 2);
    plan(server, Arrivals::Open { injection, spacing: Spacing::Even })
}

#[test]
fn time_stands_still_between_slices_for_arrivals_latencies_and_timeouts() {
    let server = server(2);
    let (outcome, slices) = driven(&half_a_second(&server, 200), SLICE, Duration::from_millis(150));
    let step = &outcome.load.steps[0];
    assert_eq!((step.ledger.intended, step.ledger.ok), (100, 100), "{step:?}");
    // Ten arrivals in each slice of 50 ms, and none was late for the 150 ms between two of them.
    assert_eq!(slices.iter().map(|slice| slice.ok).sum::<u64>(), 100, "{slices:?}");
    assert!(slices.len() == 10 && slices.iter().all(|slice| (8..=12).contains(&slice.ok)), "{slices:?}");
    assert!(slices.iter().all(|slice| slice.under_way == 0), "{slices:?}");
    let latest_us = outcome.history.iter().map(|o| (o.done_ns - o.intended_ns) / 1_000).max().unwrap();
    assert!(latest_us < 100_000, "{latest_us} us, though a standstill is longer");
    assert!(outcome.load.elapsed_ns() < 1_000_000_000, "{}", outcome.load.elapsed_ns());
}

#[test]
fn a_closed_loop_begins_nothing_between_slices_and_keeps_its_connections() {
    let server = server(1);
    let arrivals = Arrivals::Closed { users: 4, total: None, duration_ns: Some(200_000_000) };
    let (outcome, slices) = driven(&plan(&server, arrivals), SLICE, Duration::from_millis(60));
    assert_eq!(slices.len(), 4, "{slices:?}");
    let of_slices: u64 = slices.iter().map(|slice| slice.ok).sum();
    let ledger = outcome.load.steps[0].ledger;
    assert_eq!((ledger.ok, ledger.intended), (of_slices, of_slices), "{slices:?}");
    assert!(slices.iter().all(|slice| slice.ok > 20 && slice.under_way == 0), "{slices:?}");
}

#[test]
fn what_does_not_end_in_its_slice_goes_on_in_the_next_one_and_is_told() {
    let server = server(400);
    let arrivals = Arrivals::Closed { users: 1, total: Some(1), duration_ns: Some(SECOND.as_nanos() as u64) };
    let terms = SliceTerms { drain_ns: 10_000_000, ..SLICE };
    let began = Instant::now();
    let (outcome, slices) = driven(&plan(&server, arrivals), terms, Duration::from_millis(100));
    assert_eq!((slices[0].under_way, slices[0].ok), (1, 0));
    let operation = &outcome.history[0];
    let latency = Duration::from_nanos(operation.done_ns - operation.intended_ns);
    // The server slept through three of its slices and two standstills: its time did not stand still, galo's did.
    assert!(
        latency < Duration::from_millis(300) && began.elapsed() > Duration::from_millis(400),
        "{latency:?}"
    );
}

#[test]
fn a_user_who_waits_for_a_connection_over_a_slices_end_has_all_of_that_in_its_latency() {
    let server = server(15);
    let mut plan = half_a_second(&server, 100);
    plan.pool.connections = 1;
    let planned = |user: u32| u64::from(user) * 10_000_000;
    let (outcome, slices) = driven(&plan, SLICE, Duration::from_millis(20));
    assert_eq!(outcome.load.steps[0].ledger.ok, 50);
    assert!(outcome.load.engine.waited > 0 && slices.len() > 10, "{slices:?}");
    // Users are put off by what the slices before theirs took to their end, and by nothing more for having waited.
    let mut put_off_ns = BTreeMap::<u64, BTreeSet<u64>>::new();
    for o in &outcome.history {
        let slice = planned(o.user).saturating_sub(1) / SLICE.length_ns;
        put_off_ns.entry(slice).or_default().insert(o.intended_ns - planned(o.user));
    }
    assert_eq!(put_off_ns.len(), 10, "{put_off_ns:?}");
    assert!(put_off_ns.values().all(|of_slice| of_slice.len() == 1), "{put_off_ns:?}");
    assert!(put_off_ns.values().map(BTreeSet::first).is_sorted(), "{put_off_ns:?}");
}

#[test]
fn what_waits_for_the_next_slice_is_no_lag_of_galos() {
    // The first request is not even answered when the slice's drain is over, and the other connection is free long before.
    let requests = AtomicUsize::new(0);
    let server = Server::start(move |peer| {
        while peer.request().is_some() {
            let is_first = requests.fetch_add(1, Ordering::Relaxed) == 0;
            peer.wait_ms(if is_first { 3_000 } else { 20 });
            peer.send(OK.as_bytes());
        }
    });
    let mut plan = half_a_second(&server, 100);
    plan.pool.connections = 2;
    plan.timeouts.answer_ns = 20_000_000_000;
    let terms = SliceTerms { drain_ns: 2_000_000_000, ..SLICE };
    let options = LoadOptions { threads: 1, ..options() };
    let (outcome, _) = driven_by(&plan, terms, Duration::from_millis(20), options);
    assert_eq!(outcome.load.steps[0].ledger.ok, 50);
    assert!(outcome.load.engine.lag_us_max < 1_000_000.0, "{:?}", outcome.load.engine);
}

#[test]
fn what_has_not_left_galo_when_its_connection_ends_is_sent_on_another_one_whatever_the_method() {
    let options = LoadOptions { threads: 1, ..options() };
    // What is sent by epoll has left galo at once.
    let expected = if options.backend == Backend::Epoll { [2, 1] } else { [2, 2] };
    // While the load stands still, the second connection answers for the last time, and then the free first one ends: both are
    // heard of together, and the step after that answer meets the end.
    let connections = AtomicUsize::new(0);
    let server = Server::start(move |peer| match connections.fetch_add(1, Ordering::Relaxed) {
        0 => {
            for _ in 0..2 {
                peer.request();
                peer.send(OK.as_bytes());
            }
            peer.wait_ms(400);
        }
        1 => {
            peer.request();
            peer.wait_ms(200);
            peer.send(OK.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n").as_bytes());
        }
        _ => while peer.request().is_some() && peer.send(OK.as_bytes()) {},
    });
    let mut plan = asking("POST", closed(2, 2), &Target::plain(server.address));
    let step = plan.scenarios[0].steps[0].clone();
    plan.scenarios[0].steps.push(step);
    let terms = SliceTerms { drain_ns: 10_000_000, ..SLICE };
    let (outcome, _) = driven_by(&plan, terms, Duration::from_millis(800), options);
    let ok: Vec<u64> = outcome.load.steps.iter().map(|step| step.ledger.ok).collect();
    assert_eq!(ok, expected, "{:?}", outcome.evidence);
}

#[test]
fn a_load_that_cannot_begin_or_is_broken_off_has_come_to_its_end() {
    let gate = Arc::new(Gate::default());
    let server = server(0);
    let options = LoadOptions { gate: Some(Arc::clone(&gate)), ..options() };
    let plan = half_a_second(&server, 100);
    std::thread::scope(|scope| {
        let load = scope.spawn(|| galo_load::run(&plan, &options));
        assert!(gate.slice(SLICE).is_some());
        options.stop.store(true, Ordering::Relaxed);
        // A slice that had begun may come to its end by it.
        assert!(gate.slice(SLICE).is_none() || gate.slice(SLICE).is_none());
        assert!(load.join().unwrap().unwrap().load.interrupted);
    });
}
