//! A challenge, resolved: its rules, traffic and policy as read from `challenge.toml`.

mod alone;
mod cases;
mod feeders;
mod raw;
mod resolve;
mod scenarios;

use std::net::SocketAddr;

use crate::JsonSchema;
use raw::RawChallenge;
use resolve::Resolver;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::capture::Capture;
use crate::conformance::Case;
use crate::described::Data;
use crate::digest::hex;
use crate::error::PlanError;
use crate::flow::Flow;
use crate::model::ChallengeModel;
use crate::secret;
use crate::source::Source;
use crate::template::Template;
use crate::units;

pub use alone::Scenarios;

/// The definition of a challenge, resolved against its model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Challenge {
    /// Short name.
    pub name: String,
    /// For people.
    pub title: String,
    /// Name of the [`ChallengeModel`].
    pub model: String,
    /// What every contender shares.
    pub policy: Policy,
    /// How the number of stored things is asked; `None`: it is not, and nobody is judged by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// Bounds for every operation.
    pub timeouts: Timeouts,
    /// What a good answer is.
    pub service_level: ServiceLevel,
    /// The contest's own score; `None`: it has none. It decides nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// Sent with every request, in this order, e.g. `User-Agent`.
    pub headers: Vec<Header>,
    /// Traffic, by scenario.
    pub scenarios: Vec<Scenario>,
    /// Named shapes of the traffic.
    pub profiles: Vec<Profile>,
    /// Where what stands behind every contender listens: forward proxies are asked for a tunnel to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<SocketAddr>,
    /// Name of the contender that all others of a larger fight are compared with, e.g. one that does nothing at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// Cases of conformance that the file itself holds, by the rules of [`crate::NoModel`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<Case>,
    /// What the file itself says of rows and answers, without a model.
    #[serde(flatten)]
    pub data: Data,
}

/// The budget, where the load goes, and what an edition asks of a file beside them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Port of the load balancer on loopback.
    pub port: u16,
    /// CPU of all services together, in thousandths.
    pub cpus_milli: u32,
    /// Memory of all services together.
    pub memory_bytes: u64,
    /// How many instances of one image or one build there must be at least; 0: nobody says.
    #[serde(default)]
    pub instances: usize,
    /// Keys that no service may have (`privileged`, `deploy.replicas`), or may not have with a value (`network_mode: host`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden_keys: Vec<String>,
    /// Networks that are there before a contender, and may be `external` in its file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<String>,
    /// Path of a GET at the port that a contender in containers answers by a 2xx once it is ready, e.g. `/health`; `None`: any answer but
    /// 502 to 504 will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<String>,
}

impl Policy {
    /// One that asks for nothing but a port and a budget: thousandths of a CPU, and bytes.
    pub const fn of_budget(port: u16, cpus_milli: u32, memory_bytes: u64) -> Self {
        Self {
            port,
            cpus_milli,
            memory_bytes,
            instances: 0,
            forbidden_keys: Vec::new(),
            networks: Vec::new(),
            ready: None,
        }
    }

    /// CPU of all services together, in thousand-millionths.
    pub fn cpus_nano(&self) -> u128 {
        u128::from(self.cpus_milli) * u128::from(units::NANO_OF_MILLI)
    }
}

/// The request for the count, and when it must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Path of a GET, e.g. `/count`.
    pub path: String,
    /// After the traffic the count is read until it has not moved for this long.
    pub settle_ns: u64,
    /// ... or until this much time is over.
    pub settle_max_ns: u64,
    /// What is counted.
    #[serde(default)]
    pub noun: Noun,
}

/// What a challenge counts, one and several, in both languages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Noun {
    /// In English: `["row", "rows"]`.
    pub en: [String; 2],
    /// In Portuguese.
    pub pt: [String; 2],
}

impl Default for Noun {
    fn default() -> Self {
        Self { en: ["row", "rows"].map(str::to_owned), pt: ["linha", "linhas"].map(str::to_owned) }
    }
}

/// Bounds for every operation, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeouts {
    /// From the connection attempt to its success.
    pub connect_ns: u64,
    /// From sending to the last byte of the answer.
    pub answer_ns: u64,
}

/// What a good answer is, and how answers are classed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceLevel {
    /// An answer counts as "within the service level" up to this latency from its intended start.
    pub latency_ns: u64,
    /// Upper bounds of the classes of the distribution of latency, ascending; the last class is open.
    pub classes_ns: Vec<u64>,
}

/// A contest's own score: a sum, less what slow answers and inconsistencies cost. Amounts are of `unit`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Score {
    /// What there is before anything is taken away; it never falls below 0.
    pub start: f64,
    /// E.g. `USD`.
    pub unit: String,
    /// An answer in time takes no longer, in nanoseconds from the moment at which it should have been asked for.
    pub within_ns: u64,
    /// From so many percent in time on, nothing is taken away for slow answers.
    pub percent: f64,
    /// Taken away for each percent point under that.
    pub per_percent: f64,
    /// Taken away for each answer of the compared scenarios that was found wrong as it arrived.
    pub per_inconsistency: f64,
}

impl Score {
    /// What is left, for so many requests, answers in time, and answers found wrong.
    pub fn of(&self, requests: u64, in_time: u64, inconsistencies: u64) -> f64 {
        let percent = if requests == 0 { 0.0 } else { in_time as f64 * 100.0 / requests as f64 };
        let missing = (self.percent - percent).max(0.0);
        (self.start - missing * self.per_percent - inconsistencies as f64 * self.per_inconsistency).max(0.0)
    }
}

/// Which connection a step uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Connection {
    /// One for the whole user, closed at its end.
    PerUser,
    /// A new one for every request.
    PerRequest,
    /// Any that is free of those that all users share; a new one where none is, up to a bound.
    Shared,
}

/// What one virtual user does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scenario {
    /// E.g. `create and read`.
    pub name: String,
    /// Index into [`ChallengeModel::feeders`], or without a model into [`Data::feeders`]; `None` where no row is used.
    pub feeder: Option<usize>,
    /// Which connections it opens.
    pub connection: Connection,
    /// Whether its operations belong to the figures that are compared. A probe's do not.
    pub compared: bool,
    /// Whether a user sends back the cookies that it was given, as a browser does.
    #[serde(default)]
    pub cookies: bool,
    /// Indices of earlier scenarios: only when all of their users have left does this one begin. A scenario that has no users in a profile
    /// is not waited for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<usize>,
    /// In order.
    pub steps: Vec<Step>,
}

/// One request of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// E.g. `create`; unique in its scenario.
    pub name: String,
    /// Wait before it, after the previous step's end; drawn evenly from the two bounds by seed, user and step.
    pub pause_ns: Option<(u64, u64)>,
    /// E.g. `POST`.
    pub method: String,
    /// Path and query.
    pub target: Template,
    /// Sent with this request in addition to the challenge's.
    pub headers: Vec<Header>,
    /// Request body, if any.
    pub body: Option<Template>,
    /// Statuses that are not wrong by themselves.
    pub statuses: Vec<u16>,
    /// Index into [`ChallengeModel::checks`], or without a model into [`Data::answers`]: asked about each answer with one
    /// of those statuses.
    pub check: Option<usize>,
    /// Whether the step means to change the contender's state (then a timeout's effect is unknown).
    pub creates: bool,
    /// What is kept of its answer for later steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub captures: Vec<Capture>,
    /// Slots of kept values without which it is left out for a user; it is then not intended at all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<usize>,
    /// Whether it is sent on another connection than the step before it, which is closed then.
    pub fresh: bool,
    /// How many times it is sent at the same moment, each on a connection of its own but for the first. The next step is due when all have
    /// ended; what is captured is of the first.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub at_once: u32,
}

const fn once() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks for it")]
const fn is_once(times: &u32) -> bool {
    *times == 1
}

/// A header of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// As written; compared without regard to case.
    pub name: String,
    /// At least one. Of several, each request takes one, drawn by seed and user.
    pub values: Vec<Template>,
}

impl Challenge {
    /// Masks what must not be written down: in its title, its headers, and what its cases run.
    pub(crate) fn hide_secrets(&mut self) {
        self.title = secret::in_text(&self.title);
        let of_steps = self.scenarios.iter_mut().flat_map(|scenario| &mut scenario.steps);
        let all = of_steps.flat_map(|step| &mut step.headers).chain(&mut self.headers);
        for header in all.filter(|header| secret::is_secret(&header.name)) {
            header.values = vec![Template::literal(secret::MASK)];
        }
        self.cases.iter_mut().for_each(|case| *case = case.without_secrets());
    }
}

impl Scenario {
    /// Requests of one user that takes all steps.
    pub fn requests(&self) -> u64 {
        self.steps.iter().map(|step| u64::from(step.at_once)).sum()
    }

    /// Users who do one thing, whose name it bears.
    pub(crate) fn of_one_step(step: Step, connection: Connection) -> Self {
        let name = step.name.clone();
        Self {
            name,
            feeder: None,
            connection,
            compared: true,
            cookies: false,
            after: Vec::new(),
            steps: vec![step],
        }
    }
}

impl Step {
    /// Statuses of answers that serve, or lead elsewhere.
    pub(crate) const ANY_GOOD_STATUS: std::ops::RangeInclusive<u16> = 200..=399;

    /// A request with nothing but its first line, named by it, which any 2xx and 3xx answers rightly.
    pub fn plain(method: &str, target: &str) -> Self {
        Self {
            name: format!("{method} {target}"),
            pause_ns: None,
            method: method.to_owned(),
            target: Template::literal(target),
            headers: Vec::new(),
            body: None,
            statuses: Self::ANY_GOOD_STATUS.collect(),
            check: None,
            creates: false,
            captures: Vec::new(),
            needs: Vec::new(),
            fresh: false,
            at_once: 1,
        }
    }
}

impl Header {
    /// A header with one value, sent as it stands.
    pub fn new(name: &str, value: &str) -> Self {
        Self { name: name.to_owned(), values: vec![Template::literal(value)] }
    }

    /// The type of the body that follows these headers, as far as it is the same for all requests; empty: they name none.
    pub(crate) fn content_type(headers: &[Self]) -> String {
        let named = headers.iter().rfind(|header| header.name.eq_ignore_ascii_case("content-type"));
        let value = named.and_then(|header| header.values.first()?.constant());
        value.map_or_else(String::new, |value| String::from_utf8_lossy(value).into_owned())
    }
}

/// A named shape of the traffic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// E.g. `official`.
    pub name: String,
    /// By scenario index; `None`: the scenario is not part of this profile.
    #[serde(rename = "injections")]
    pub flows: Vec<Option<Flow>>,
}

impl Challenge {
    /// All steps by flat number: scenarios in order, their steps in order. Histories and totals
    /// use these numbers. At most 255.
    pub fn steps(&self) -> impl Iterator<Item = (&Scenario, &Step)> {
        self.scenarios.iter().flat_map(|scenario| scenario.steps.iter().map(move |step| (scenario, step)))
    }

    /// Whether the step of this flat number creates.
    pub fn creates_at(&self, step: u8) -> bool {
        self.steps().nth(usize::from(step)).is_some_and(|(_, step)| step.creates)
    }

    /// SHA-256 of all that it says, in hex.
    pub fn sha256(&self) -> String {
        // As in a plan, no map has keys other than strings.
        hex(&Sha256::digest(serde_json::to_vec(self).unwrap_or_default()))
    }

    /// Reads and resolves a definition. `file` is only for messages.
    ///
    /// # Errors
    /// A wrong key or value, told with file, line, the wrong word and the nearest right one.
    pub fn parse(file: &str, text: &str, model: &dyn ChallengeModel) -> Result<Self, PlanError> {
        let source = Source { file, text };
        resolve(source, &raw::read(source)?, model)
    }
}

fn resolve(
    source: Source<'_>,
    raw: &RawChallenge,
    model: &dyn ChallengeModel,
) -> Result<Challenge, PlanError> {
    let resolver = Resolver { source, model, feeders: feeders::resolve(source, &raw.feeder, model)? };
    resolver.check_model(raw)?;
    let (scenarios, data) = resolver.scenarios(&raw.scenario)?;
    Ok(Challenge {
        name: resolver.name(&raw.name)?,
        title: raw.title.clone(),
        model: model.name().to_owned(),
        policy: resolver.policy(raw)?,
        origin: raw.origin.as_ref().map(|origin| resolver.origin(origin)).transpose()?,
        baseline: raw.baseline.as_ref().map(|name| resolver.name(name)).transpose()?,
        count: raw.count.as_ref().map(|count| resolver.count(count)).transpose()?,
        timeouts: resolver.timeouts(&raw.timeouts)?,
        service_level: resolver.service_level(raw)?,
        score: raw.score.as_ref().map(|score| resolver.score(score)).transpose()?,
        headers: resolver.constant_headers(&raw.headers)?,
        profiles: resolver.profiles(raw, &scenarios)?,
        scenarios,
        cases: cases::resolve(&resolver, &raw.case)?,
        data,
    })
}

#[cfg(test)]
mod tests;
