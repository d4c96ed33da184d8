//! Plans and a model for these tests.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use galo_load::{Backend, LoadOptions, LoadOutcome};
use galo_plan::capture::{self, Capture};
use galo_plan::challenge::{Connection, Header};
use galo_plan::injection::Injection;
use galo_plan::load::{Arrivals, Spacing, Target};
use galo_plan::model::{Answer, Ceiling, ChallengeData, Effect, Examination, Id, Question, Seen};
use galo_plan::template::{Part, Template};
use galo_plan::{LoadPlan, Scenario, Step};
use galo_record::Events;

use super::server::Server;

const SEED: u64 = 7;

/// Users that arrive within 50 ms.
pub(crate) fn burst(users: u64) -> Injection {
    Injection::constant(users * 20_000_000, Duration::from_millis(50))
}

/// A GET of `/thing`, by 20 users.
pub(crate) fn one_get() -> LoadPlan {
    one_request(Connection::PerUser, burst(20), Duration::from_secs(20))
}

pub(crate) fn one_request(connection: Connection, injection: Injection, timeout: Duration) -> LoadPlan {
    let arrivals = Arrivals::Open { injection, spacing: Spacing::Even };
    let nowhere = Target::plain(SocketAddr::from(([127, 0, 0, 1], 0)));
    let step = Step {
        headers: vec![Header::new("X-Test", "yes")],
        statuses: vec![200, 201, 204],
        ..Step::plain("GET", "/thing")
    };
    let mut plan = LoadPlan::repeating(step, connection, timeout, arrivals, nowhere);
    plan.seed = SEED;
    plan.headers = vec![Header::new("User-Agent", "test")];
    plan
}

/// The same plan for a server at this address.
pub(crate) fn towards(address: SocketAddr, mut plan: LoadPlan) -> LoadPlan {
    plan.targets = vec![Target::plain(address)];
    plan
}

/// The address that slot 0 keeps.
fn location() -> Template {
    Template::from_parts(vec![Part::Location(0)])
}

/// Creates something, then reads it back at the `Location` that it was given.
pub(crate) fn create_and_read(users: u64, timeout: Duration) -> LoadPlan {
    let mut plan = one_request(Connection::PerUser, burst(users), timeout);
    let common = plan.scenarios[0].steps[0].clone();
    let create = Step {
        name: "create".to_owned(),
        method: "POST".to_owned(),
        target: Template::parse("/things", &["body"]).unwrap(),
        body: Some(Template::parse("{body}", &["body"]).unwrap()),
        statuses: vec![201, 422],
        check: Some(0),
        creates: true,
        captures: vec![Capture { slot: 0, of: capture::Part::Location }],
        ..common.clone()
    };
    let read = Step {
        name: "read".to_owned(),
        pause_ns: Some((1_000_000, 5_000_000)),
        target: location(),
        statuses: vec![200],
        check: Some(1),
        needs: vec![0],
        ..common
    };
    plan.scenarios = vec![Scenario {
        name: "create and read".to_owned(),
        feeder: Some(0),
        connection: Connection::PerUser,
        compared: true,
        cookies: false,
        after: Vec::new(),
        steps: vec![create, read],
    }];
    plan.data = Box::new(ThingData { seed: SEED });
    plan
}

/// Rows are `thing <row> of <seed>`; a creation is right if it is given a Location that ends in its row. It breaks
/// rule 0 of its model otherwise, and rule 1 is advice.
struct ThingData {
    seed: u64,
}

impl ThingData {
    fn text(&self, row: u64) -> String {
        format!("thing {row} of {}", self.seed)
    }
}

impl ChallengeData for ThingData {
    fn write_field(&self, _feeder: usize, row: u64, _field: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(self.text(row).as_bytes());
    }
    fn ceiling(&self) -> Ceiling {
        Ceiling { min: 0, max: 0 }
    }
    fn examine(&self, question: &Question, answer: &Answer<'_>, _: &mut Vec<Seen>) -> Examination {
        assert!(!answer.body.starts_with(b"panic"), "told to panic");
        let right = Examination::RIGHT;
        match (question.check, answer.status) {
            (0, 201) => {
                let location = String::from_utf8_lossy(answer.location.unwrap_or_default());
                let id = location.rsplit('/').next().and_then(|id| id.parse().ok()).map(Id);
                Examination { effect: Effect::Yes, created: id, ..right }
            }
            (0, _) => Examination { effect: Effect::No, ..right },
            (_, _)
                if answer.body == self.text(question.row).as_bytes()
                    && question.created == Some(Id(question.row.into())) =>
            {
                Examination { found: 1, ..right }
            }
            (_, _) if answer.body == b"rude" => {
                Examination { advice: Some(1), difference: Some("no please".to_owned()), ..right }
            }
            _ => Examination { broken: Some(0), difference: Some("another thing".to_owned()), ..right },
        }
    }
}

pub(crate) fn options() -> LoadOptions {
    LoadOptions {
        threads: 2,
        history: true,
        real_time: false,
        // These tests are compiled once for each interface: see `epoll.rs`.
        backend: if module_path!().starts_with("epoll") { Backend::Epoll } else { Backend::IoUring },
        spin: false,
        drain: Duration::from_secs(30),
        stop: Arc::new(AtomicBool::new(false)),
        events: Events::none(),
        seconds: None,
        gate: None,
    }
}

/// Drives a plan and holds its books against each other.
pub(crate) fn run(plan: LoadPlan, server: &Server) -> LoadOutcome {
    run_with(plan, server, &options())
}

pub(crate) fn run_with(plan: LoadPlan, server: &Server, options: &LoadOptions) -> LoadOutcome {
    drive(&towards(server.address, plan), options)
}

/// The same with a plan that says where to.
pub(crate) fn drive(plan: &LoadPlan, options: &LoadOptions) -> LoadOutcome {
    let outcome = galo_load::run(plan, options).unwrap();
    check_books(plan.steps(), &outcome, options.history);
    outcome
}

/// What must agree in every outcome, whatever the contender did.
pub(crate) fn check_books(steps: usize, outcome: &LoadOutcome, history: bool) {
    for (number, (step, latencies)) in outcome.load.steps.iter().zip(&outcome.latencies).enumerate() {
        let ledger = step.ledger;
        assert!(ledger.adds_up(), "{ledger:?}");
        assert_eq!(latencies.ok.count(), ledger.ok);
        assert_eq!(latencies.ok_service.count(), ledger.ok);
        assert_eq!(latencies.not_ok.count(), ledger.intended - ledger.ok);
        assert_eq!(step.errors.values().sum::<u64>(), ledger.failed);
        let seconds = &latencies.seconds;
        assert_eq!(seconds.iter().map(|s| u64::from(s.intended)).sum::<u64>(), ledger.intended);
        assert_eq!(seconds.iter().flat_map(|s| &s.ok.0).map(|(_, n)| u64::from(*n)).sum::<u64>(), ledger.ok);
        assert_eq!(seconds.iter().map(|s| u64::from(s.wrong)).sum::<u64>(), ledger.wrong);
        assert_eq!(seconds.iter().map(|s| u64::from(s.failed)).sum::<u64>(), ledger.failed);
        assert_eq!(seconds.iter().map(|s| u64::from(s.timed_out)).sum::<u64>(), ledger.timed_out);
        if history {
            let recorded = outcome.history.iter().filter(|o| usize::from(o.step) == number).count();
            assert_eq!(recorded as u64, ledger.intended);
        }
    }
    assert_eq!(outcome.load.steps.len(), steps);
    assert!(outcome.history.is_sorted_by_key(|o| o.done_ns));
    for o in &outcome.history {
        let times = [Some(o.intended_ns), o.sent_ns, o.first_byte_ns, Some(o.done_ns)];
        assert!(times.iter().flatten().is_sorted(), "{o:?}");
    }
}
