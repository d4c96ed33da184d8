//! Plans over shared connections, in both models, whose answers tell whether they belong to their requests.

use std::time::Duration;

use galo_plan::challenge::{Connection, Step};
use galo_plan::injection::Injection;
use galo_plan::load::{Arrivals, Pick, Pool, Source, Spacing, Target};
use galo_plan::model::{Answer, Ceiling, ChallengeData, Effect, Examination, Question, Seen};
use galo_plan::template::Template;
use galo_plan::{LoadPlan, Scenario};

/// Length of the body that each row is sent with.
const BODY_BYTES: usize = 5_000;

/// The closed model, with so many users in all.
pub(crate) fn closed(users: u32, total: u64) -> Arrivals {
    Arrivals::Closed { users, total: Some(total), duration_ns: None }
}

/// The closed model, for so long.
pub(crate) fn closed_for(users: u32, duration: Duration) -> Arrivals {
    Arrivals::Closed { users, total: None, duration_ns: Some(duration.as_nanos() as u64) }
}

pub(crate) fn open(injection: Injection) -> Arrivals {
    Arrivals::Open { injection, spacing: Spacing::Even }
}

/// One connection for all, one request at a time.
pub(crate) const SINGLE_FILE: Pool = Pool { connections: 1, streams: 1 };

/// A request without a check.
pub(crate) fn asking(method: &str, arrivals: Arrivals, target: &Target) -> LoadPlan {
    LoadPlan::repeating(
        Step::plain(method, "/thing"),
        Connection::Shared,
        Duration::from_secs(20),
        arrivals,
        target.clone(),
    )
}

/// Every user sends its number, in turn in the path and in the body, and expects it back.
pub(crate) fn echoing(arrivals: Arrivals, target: &Target) -> LoadPlan {
    let mut plan = asking("GET", arrivals.clone(), target);
    let common = plan.scenarios[0].clone();
    let mut get = common.steps[0].clone();
    get.target = Template::parse("/echo/{row}", &["row"]).unwrap();
    get.check = Some(0);
    let mut post = get.clone();
    post.method = "POST".to_owned();
    post.target = Template::literal("/echo");
    post.body = Some(Template::parse("{row}", &["row"]).unwrap());
    plan.scenarios = vec![
        Scenario { name: "get".to_owned(), feeder: Some(GET), steps: vec![get], ..common.clone() },
        Scenario { name: "post".to_owned(), feeder: Some(POST), steps: vec![post], ..common },
    ];
    plan.sources = vec![Source {
        arrivals,
        scenarios: vec![0, 1],
        pick: Pick::InTurn,
        first_user: 0,
        after: Vec::new(),
    }];
    plan.targets = vec![target.clone(); 2];
    plan.data = Box::new(Rows);
    plan
}

const GET: usize = 0;
const POST: usize = 1;

struct Rows;

impl Rows {
    fn text(feeder: usize, row: u64) -> String {
        if feeder == POST { format!("{row} ").repeat(BODY_BYTES / 4) } else { row.to_string() }
    }
}

impl ChallengeData for Rows {
    fn write_field(&self, feeder: usize, row: u64, _field: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(Self::text(feeder, row).as_bytes());
    }

    fn ceiling(&self) -> Ceiling {
        Ceiling { min: 0, max: 0 }
    }

    fn examine(&self, question: &Question, answer: &Answer<'_>, _: &mut Vec<Seen>) -> Examination {
        let text = Self::text(question.feeder, question.row);
        let expected = if question.feeder == GET { format!("/echo/{text}") } else { text };
        if answer.body == expected.as_bytes() {
            return Examination { effect: Effect::None, ..Examination::RIGHT };
        }
        Examination { broken: Some(0), difference: Some("another's answer".to_owned()), ..Examination::RIGHT }
    }
}
