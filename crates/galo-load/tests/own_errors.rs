//! Alone in its process, because it takes away the process's files.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use galo_load::{Backend, LoadOptions};
use galo_plan::LoadPlan;
use galo_plan::challenge::{Connection, Step};
use galo_plan::injection::Injection;
use galo_plan::load::{Arrivals, Spacing, Target};
use galo_record::Events;
use galo_record::conformance::{Failure, FailureKind};
use rustix::process::{Resource, Rlimit, setrlimit};

#[test]
fn what_galo_cannot_even_try_is_its_own_error() {
    // Nobody accepts: connections stand in the queue, unanswered.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let injection = Injection::constant(2_000_000_000, Duration::from_millis(50));
    let arrivals = Arrivals::Open { injection, spacing: Spacing::Even };
    let plan = LoadPlan::repeating(
        Step::plain("GET", "/"),
        Connection::PerUser,
        Duration::from_secs(1),
        arrivals,
        Target::plain(address),
    );
    let options = LoadOptions {
        threads: 1,
        history: true,
        real_time: false,
        backend: Backend::Auto,
        spin: false,
        drain: Duration::from_secs(10),
        stop: Arc::new(AtomicBool::new(false)),
        events: Events::none(),
        seconds: None,
        gate: None,
    };
    setrlimit(Resource::Nofile, Rlimit { current: Some(32), maximum: Some(64) }).unwrap();
    galo_load::raise_open_files();
    let outcome = galo_load::run(&plan, &options).unwrap();
    let step = &outcome.load.steps[0];
    assert!(step.ledger.adds_up());
    assert_eq!(step.ledger.intended, 100);
    assert!(step.ledger.failed > 36, "64 files are too few for 100 users: {step:?}");
    assert!(step.ledger.timed_out > 32, "the limit was not raised: {step:?}");
    assert_eq!(step.errors["too many open files"], step.ledger.failed);
    assert_eq!(outcome.load.engine.own_errors, step.errors);

    let held: Vec<_> = std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()).collect();
    let asked = galo_load::get(address, "/", Duration::from_secs(1));
    drop(held);
    assert_eq!(asked, Err(Failure { kind: FailureKind::Own, text: "GET /: too many open files".to_owned() }));
}
