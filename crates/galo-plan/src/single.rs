//! A plan of one request, for `galo load URL` and tests: no rows, no rules of a challenge's own.

use std::time::Duration;

use crate::challenge::{
    Challenge, Connection, Count, Policy, Profile, Scenario, ServiceLevel, Step, Timeouts,
};
use crate::injection::Injection;
use crate::model::{Answer, Asked, Ceiling, ChallengeData, ChallengeModel, Examination, FeederSpec};
use crate::plan::{FORMAT, Plan, Traffic, data_sha256};
use crate::rules::{GENERIC, Rule};
use crate::template::Template;

/// The name of its profile, scenario and step, and of its challenge.
const NAME: &str = "single";

/// One request, repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleRequest {
    /// E.g. `GET`.
    pub method: String,
    /// Path and query, sent as it stands.
    pub target: String,
    /// Sent with every request.
    pub headers: Vec<(String, String)>,
    /// Request body.
    pub body: Option<String>,
    /// Statuses that are not wrong; empty: every 2xx and 3xx.
    pub statuses: Vec<u16>,
    /// Bound for connecting, and for an answer.
    pub timeout: Duration,
    /// Whether every request opens a connection of its own.
    pub connection_per_request: bool,
}

impl Plan {
    /// A plan that repeats one request as `injection` says, for [`no_model`]. It has no contender and no limits, and
    /// its challenge neither a budget nor a count that could be asked for.
    pub fn of_one_request(request: &SingleRequest, injection: Injection, seed: u64) -> Self {
        let users = injection.users();
        Self {
            format: FORMAT,
            challenge: one_request(request, &injection),
            rules: GENERIC.to_vec(),
            profile: NAME.to_owned(),
            scale_milli: 1000,
            seed,
            limited: false,
            contenders: Vec::new(),
            order: Vec::new(),
            traffic: vec![Some(Traffic { injection, users })],
            ceiling: Ceiling { min: 0, max: 0 },
            data_sha256: data_sha256(&NoData, &[], &[]),
            noise_floor: None,
        }
    }
}

fn one_request(request: &SingleRequest, injection: &Injection) -> Challenge {
    let statuses = if request.statuses.is_empty() { (200..=399).collect() } else { request.statuses.clone() };
    let step = Step {
        name: NAME.to_owned(),
        pause_ns: None,
        method: request.method.clone(),
        target: Template::literal(&request.target),
        headers: request.headers.clone(),
        body: request.body.as_deref().map(Template::literal),
        statuses,
        check: None,
        creates: false,
        captures_location: false,
        needs_location: false,
    };
    let connection =
        if request.connection_per_request { Connection::PerRequest } else { Connection::PerUser };
    let scenario =
        Scenario { name: NAME.to_owned(), feeder: None, connection, compared: true, steps: vec![step] };
    let timeout_ns = u64::try_from(request.timeout.as_nanos()).unwrap_or(u64::MAX);
    Challenge {
        name: NAME.to_owned(),
        title: format!("{} {}", request.method, request.target),
        model: no_model().name().to_owned(),
        policy: Policy { port: 0, cpus_milli: 0, memory_bytes: 0 },
        count: Count { path: String::new(), settle_ns: 0, settle_max_ns: 0 },
        timeouts: Timeouts { connect_ns: timeout_ns, answer_ns: timeout_ns },
        service_level: ServiceLevel { latency_ns: 800_000_000, classes_ns: vec![800_000_000, 1_200_000_000] },
        headers: vec![("User-Agent".to_owned(), "galo".to_owned())],
        scenarios: vec![scenario],
        profiles: vec![Profile { name: NAME.to_owned(), injections: vec![Some(injection.clone())] }],
    }
}

/// A model without rows, checks or rules.
pub fn no_model() -> &'static dyn ChallengeModel {
    &NoModel
}

struct NoModel;
struct NoData;

impl ChallengeModel for NoModel {
    fn name(&self) -> &'static str {
        "none"
    }
    fn feeders(&self) -> &'static [FeederSpec] {
        &[]
    }
    fn checks(&self) -> &'static [&'static str] {
        &[]
    }
    fn rules(&self) -> &'static [Rule] {
        &[]
    }
    fn prepare(&self, _seed: u64, _rows: &[u64]) -> Box<dyn ChallengeData> {
        Box::new(NoData)
    }
}

impl ChallengeData for NoData {
    fn write_field(&self, _feeder: usize, _row: u64, _field: usize, _out: &mut Vec<u8>) {}
    fn ceiling(&self) -> Ceiling {
        Ceiling { min: 0, max: 0 }
    }
    fn examine(&self, _asked: &Asked, _answer: &Answer<'_>) -> Examination {
        Examination::RIGHT
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::{Encoding, Part};

    fn request() -> SingleRequest {
        SingleRequest {
            method: "POST".to_owned(),
            target: "/a?b={c}".to_owned(),
            headers: vec![("X".to_owned(), "y".to_owned())],
            body: Some("{not a template}".to_owned()),
            statuses: Vec::new(),
            timeout: Duration::from_secs(5),
            connection_per_request: true,
        }
    }

    #[test]
    fn one_request_is_sent_as_it_stands() {
        let plan =
            Plan::of_one_request(&request(), Injection::constant(10_000_000, Duration::from_secs(3)), 1);
        let (_, scenario, traffic) = plan.scenarios().next().unwrap();
        assert_eq!(traffic.users, 30);
        assert_eq!(scenario.connection, Connection::PerRequest);
        let step = &scenario.steps[0];
        assert_eq!(step.target.parts(), [Part::Text("/a?b={c}".to_owned())]);
        let (data, mut body) = (plan.prepare(no_model()), Vec::new());
        step.body.as_ref().unwrap().write(&*data, 0, 0, b"", Encoding::Raw, &mut body);
        assert_eq!(body, b"{not a template}");
        assert_eq!(plan.challenge.timeouts.answer_ns, 5_000_000_000);
    }

    #[test]
    fn without_statuses_every_2xx_and_3xx_will_do() {
        let statuses = |statuses: Vec<u16>| {
            let request = SingleRequest { statuses, ..request() };
            let plan = Plan::of_one_request(&request, Injection::constant(1, Duration::from_secs(1)), 1);
            plan.challenge.scenarios[0].steps[0].statuses.clone()
        };
        assert_eq!(statuses(vec![404]), [404]);
        assert_eq!(statuses(Vec::new()), (200..400).collect::<Vec<u16>>());
    }
}
