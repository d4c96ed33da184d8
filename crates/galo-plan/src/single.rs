//! A plan of one request that is sent as it stands, for tests and measurements. What people write is read by
//! [`crate::request`].

use std::time::Duration;

use crate::challenge::{Connection, Header, Scenario, Step, Timeouts};
use crate::load::{Arrivals, LoadPlan, Pick, Pool, Source, Target, Transport};
use crate::model::NoRows;
use crate::template::Template;

/// The name of its scenario and step.
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
    /// Which connection each takes.
    pub connection: Connection,
}

impl LoadPlan {
    /// Repeats one request, unencrypted and by HTTP/1.1.
    pub fn of_one_request(request: &SingleRequest, arrivals: Arrivals, target: Target) -> Self {
        let timeout_ns = u64::try_from(request.timeout.as_nanos()).unwrap_or(u64::MAX);
        Self {
            seed: 0,
            headers: vec![Header::new("User-Agent", "galo")],
            timeouts: Timeouts { connect_ns: timeout_ns, answer_ns: timeout_ns },
            scenarios: vec![scenario(request)],
            sources: vec![Source { arrivals, scenarios: vec![0], pick: Pick::InTurn, first_user: 0 }],
            targets: vec![target],
            transport: Transport::default(),
            pool: Pool::default(),
            stop_statuses: Vec::new(),
            data: Box::new(NoRows),
        }
    }
}

fn scenario(request: &SingleRequest) -> Scenario {
    let mut step = Step {
        name: NAME.to_owned(),
        headers: request.headers.iter().map(|(name, value)| Header::new(name, value)).collect(),
        body: request.body.as_deref().map(Template::literal),
        ..Step::plain(&request.method, Template::literal(&request.target))
    };
    if !request.statuses.is_empty() {
        step.statuses.clone_from(&request.statuses);
    }
    Scenario::of_one_step(step, request.connection)
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr};

    use super::*;
    use crate::injection::Injection;
    use crate::load::Spacing;
    use crate::template::Part;

    fn plan(statuses: Vec<u16>) -> LoadPlan {
        let request = SingleRequest {
            method: "POST".to_owned(),
            target: "/a?b={c}".to_owned(),
            headers: vec![("X".to_owned(), "y".to_owned())],
            body: Some("{not a template}".to_owned()),
            statuses,
            timeout: Duration::from_secs(5),
            connection: Connection::PerRequest,
        };
        let injection = Injection::constant(10_000_000, Duration::from_secs(3));
        let arrivals = Arrivals::Open { injection, spacing: Spacing::Even };
        let target = Target::plain(SocketAddr::from((Ipv4Addr::LOCALHOST, 80)));
        LoadPlan::of_one_request(&request, arrivals, target)
    }

    #[test]
    fn one_request_is_sent_as_it_stands() {
        let plan = plan(Vec::new());
        assert_eq!(plan.sources[0].arrivals.users(), Some(30));
        assert_eq!(plan.scenarios[0].connection, Connection::PerRequest);
        let step = &plan.scenarios[0].steps[0];
        assert_eq!(step.target.parts(), [Part::Text("/a?b={c}".to_owned())]);
        assert_eq!(step.body.as_ref().unwrap().constant(), Some(&b"{not a template}"[..]));
        assert_eq!(plan.timeouts.answer_ns, 5_000_000_000);
    }

    #[test]
    fn without_statuses_every_2xx_and_3xx_will_do() {
        let statuses = |statuses: Vec<u16>| plan(statuses).scenarios[0].steps[0].statuses.clone();
        assert_eq!(statuses(vec![404]), [404]);
        assert_eq!(statuses(Vec::new()), (200..400).collect::<Vec<u16>>());
    }
}
