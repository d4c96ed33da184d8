//! A status that ends the load, and the seconds that are handed on while it runs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use galo_load::LoadOptions;
use galo_plan::load::{Arrivals, Protocol};
use galo_record::{Latencies, SecondLatencies};

use super::plans::options;
use super::serving::Place;
use super::traffic::{asking, closed, closed_for, echoing};
use super::web::{Answer, Web, echo};

#[test]
fn a_stop_status_ends_the_load_and_is_told() {
    for protocol in [Protocol::Http1, Protocol::Http2] {
        let answered = AtomicUsize::new(0);
        let web = Web::start(&Place::V4, protocol, None, move |_| Answer {
            status: if answered.fetch_add(1, Ordering::Relaxed) == 50 { 429 } else { 200 },
            ..Answer::ok("")
        });
        let mut plan = asking("GET", closed(4, 1_000_000), &web.target);
        plan.transport.protocol = protocol;
        plan.stop_statuses = vec![500, 429];
        let outcome = super::plans::drive(&plan, &options());
        assert_eq!((outcome.load.stopped_by, outcome.load.interrupted), (Some(429), false));
        let ledger = outcome.load.steps[0].ledger;
        assert_eq!((outcome.load.steps[0].statuses[&429], ledger.failed), (1, 1));
        // The 429 may overtake what the other three users were answered before it.
        assert!(ledger.ok >= 47 && ledger.intended < 1_000_000, "{ledger:?}");
    }
}

#[test]
fn a_closed_model_without_bounds_ends_when_it_is_stopped() {
    let web = Web::plain(echo);
    let arrivals = Arrivals::Closed { users: 4, total: None, duration_ns: None };
    let plan = asking("GET", arrivals, &web.target);
    let options = options();
    let stop = options.stop.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        stop.store(true, Ordering::Relaxed);
    });
    let outcome = super::plans::drive(&plan, &options);
    stopper.join().unwrap();
    let ledger = outcome.load.steps[0].ledger;
    assert!(outcome.load.interrupted && ledger.ok > 0 && ledger.unfinished <= 4, "{ledger:?}");
}

#[test]
fn a_status_that_is_accepted_may_stop_too() {
    let web = Web::plain(echo);
    let mut plan = asking("GET", closed(1, 1_000_000), &web.target);
    plan.stop_statuses = vec![200];
    let outcome = super::plans::drive(&plan, &options());
    assert_eq!((outcome.load.stopped_by, outcome.load.interrupted), (Some(200), false));
    assert!(outcome.load.steps[0].ledger.ok >= 1);
}

#[test]
fn the_seconds_handed_on_are_the_ledger_in_order() {
    let answered = AtomicUsize::new(0);
    let web = Web::plain(move |asked| Answer {
        status: match answered.fetch_add(1, Ordering::Relaxed) % 10 {
            3 => 404,
            7 => 500,
            _ => 200,
        },
        after: Duration::from_millis(2),
        ..echo(asked)
    });
    let (seconds, handed_on) = channel();
    let mut plan = echoing(closed_for(8, Duration::from_millis(2_300)), &web.target);
    for scenario in &mut plan.scenarios {
        let again = scenario.steps[0].clone();
        scenario.steps.push(again);
        scenario.steps[0].statuses = vec![200];
        scenario.steps[1].statuses = vec![200];
    }
    let options = LoadOptions { seconds: Some(seconds), ..options() };
    let outcome = galo_load::run(&plan, &options).unwrap();
    drop(options);
    let seconds: Vec<SecondLatencies> = handed_on.iter().collect();
    assert_eq!(seconds.len(), 3);
    let mut intended = [0; 3];
    outcome.history.iter().for_each(|o| intended[(o.intended_ns / 1_000_000_000) as usize] += 1);
    let (mut ok, mut service, mut not_ok) = (Latencies::new(), Latencies::new(), Latencies::new());
    for (second, intended) in seconds.iter().zip(intended) {
        assert_eq!(second.intended, intended);
        ok.add_sparse(&second.ok);
        service.add_sparse(&second.ok_service);
        not_ok.add_sparse(&second.not_ok);
    }
    let sum = |of: fn(&SecondLatencies) -> u32| seconds.iter().map(of).map(u64::from).sum::<u64>();
    let mut whole = galo_record::Ledger::default();
    let mut all = galo_record::StepLatencies::default();
    for (step, latencies) in outcome.load.steps.iter().zip(&outcome.latencies) {
        whole.add(&step.ledger);
        all.add(latencies);
        assert!(latencies.seconds.iter().all(|second| *second == SecondLatencies::default()));
    }
    assert!(whole.adds_up() && whole.ok > 0 && whole.wrong > 0 && whole.failed > 0, "{whole:?}");
    assert_eq!(sum(|s| s.intended), whole.intended);
    assert_eq!((ok.count(), service.count()), (whole.ok, whole.ok));
    assert_eq!((sum(|s| s.wrong), sum(|s| s.failed), sum(|s| s.timed_out)), (whole.wrong, whole.failed, 0));
    assert_eq!(not_ok.count(), whole.wrong + whole.failed + whole.unfinished);
    assert_eq!((ok.to_sparse(), not_ok.to_sparse()), (all.ok.to_sparse(), all.not_ok.to_sparse()));
}
