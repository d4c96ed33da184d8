//! The requests of `galo load`: from what a person writes to scenarios that are known to be right.
//!
//! [`RequestOptions`] is what was written, [`Requests`] what it means. The options send one request to each address, or
//! a recording's, or a file's scenarios: each makes the same [`Scenarios`]. Files are read here; names of hosts are the
//! caller's to look up, which [`Requests::into_plan`] asks for.

mod body;
mod headers;
pub mod recorded;
mod scenarios;
mod sent;

use std::path::PathBuf;

use crate::address::Url;
use crate::challenge::{Connection, Header, Scenario, Scenarios, Step, Timeouts};
use crate::checks::Check;
use crate::described::{AnswerIs, Data, Described, Feeder};
use crate::error::PlanError;
use crate::load::{Address, Arrivals, LoadPlan, Pick, Pool, Source, Target, Transport};
use crate::places::Places;
use crate::template::Template;
use crate::{http, statuses, units};

use crate::table::Table;
use headers::Lines;
use recorded::Recorded;

pub use crate::table::DataFormat;

/// Flat step numbers are kept in one byte.
const MAX_URLS: usize = 255;
/// Bound for an answer where nobody says so.
pub const TIMEOUT: &str = "10s";
/// First word of what is drawn of a data file, so that rows share no draw with anything else.
const ROW: u64 = u64::from_be_bytes(*b"data row");
/// Places among which users draw their scenario, about.
const MAX_PLACES: u64 = 10_000;

/// What was written. [`Default`] is a request without anything: it lacks only an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestOptions {
    /// Addresses, at least one, e.g. `http://localhost:8080/path?q={term}`. An address may stand several times, to be
    /// asked more often than others.
    pub urls: Vec<String>,
    /// E.g. `PUT`. `None`: `POST` with a body, else `GET`.
    pub method: Option<String>,
    /// Lines `Name: value`, each sent with every request; the values are templates. `Host` takes the place of the one
    /// that follows from the address, and `Connection: close` makes a connection for each request.
    pub headers: Vec<String>,
    /// Lines `Name: one|another|third`, of which each request sends one, drawn by seed; `||` stands for `|`.
    pub headers_any: Vec<String>,
    /// A text (a template), `@file` (a template if it is UTF-8), `random:N` bytes with a unit or none, `base64:...`,
    /// or `text:...` for a text that begins like one of these.
    pub body: Option<String>,
    /// Whether texts are templates although there is no data file. Names are those of columns, `seq` (the request's
    /// number, from 0), `uuid`, and `random:LEAST:MOST`; the same name is the same value all over one request. `{{`
    /// and `}}` stand for braces. Values are percent-encoded in addresses and forms, escaped between the quotes of a JSON
    /// body, and inserted as they are elsewhere.
    pub template: bool,
    /// Where the columns come from. With it, texts are templates.
    pub data: Option<DataOptions>,
    /// Statuses that are right, e.g. `200,201,300-399,2xx`. `None`: every 2xx and 3xx.
    pub statuses: Option<String>,
    /// Statuses that end the load, written in the same way.
    pub stop_statuses: Option<String>,
    /// Texts that every body must hold.
    pub body_holds: Vec<String>,
    /// `/a/b = 3`: values that every body must have at a JSON pointer (RFC 6901). What is no JSON is taken as a string.
    pub json_is: Vec<String>,
    /// `Name = value`, or `Name ~ text` for a part of the value.
    pub header_is: Vec<String>,
    /// Bound for an answer. `None`: [`TIMEOUT`], or what a file of scenarios says.
    pub timeout: Option<String>,
    /// Bound for connecting. `None`: the same.
    pub connect_timeout: Option<String>,
    /// Which connection each request takes.
    pub connection: Connection,
    /// Seed of all that is drawn.
    pub seed: u64,
}

/// A data file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataOptions {
    /// Where it is.
    pub file: PathBuf,
    /// How it is written. `None`: as its extension says.
    pub format: Option<DataFormat>,
    /// Which row a request takes: row `n mod rows` for request `n`, or one drawn by seed and `n`.
    pub pick: Pick,
}

/// What the options mean.
pub struct Requests {
    /// One for each address, with one step.
    pub scenarios: Vec<Scenario>,
    /// How often each scenario is taken, by its index, in proportion to the others; at least 1.
    pub weights: Vec<u32>,
    /// Sent with every request; a step's own header takes the place of one of the same name.
    pub headers: Vec<Header>,
    /// The addresses, by scenario index. Where a `Host` was written, it is their authority.
    pub urls: Vec<Url>,
    /// Bounds for every operation.
    pub timeouts: Timeouts,
    /// Statuses that end the load.
    pub stop_statuses: Vec<u16>,
    /// What templates insert, and the checks. Its examinations index the rules of [`crate::NoModel`].
    pub data: Data,
    /// Seed of all that is drawn.
    pub seed: u64,
}

impl Default for RequestOptions {
    fn default() -> Self {
        Self {
            urls: Vec::new(),
            method: None,
            headers: Vec::new(),
            headers_any: Vec::new(),
            body: None,
            template: false,
            data: None,
            statuses: None,
            stop_statuses: None,
            body_holds: Vec::new(),
            json_is: Vec::new(),
            header_is: Vec::new(),
            timeout: None,
            connect_timeout: None,
            connection: Connection::Shared,
            seed: 0,
        }
    }
}

impl RequestOptions {
    /// Validates everything, and reads the data file and the body's.
    ///
    /// # Errors
    /// What is wrong, named as it was written, with what to do.
    pub fn resolve(&self) -> Result<Requests, PlanError> {
        let urls = self.parse_urls()?;
        let table = |data: &DataOptions| Table::read(&data.file, data.format);
        let table = self.data.as_ref().map(table).transpose()?;
        let mut places = Places::new(self.template || table.is_some(), table.as_ref());
        let targets = urls.iter().zip(&self.urls).map(|(url, text)| {
            places.target(&url.path).map_err(|error| invalid(&format!("`{text}`"), error))
        });
        let targets = targets.collect::<Result<Vec<_>, _>>()?;
        let lines = headers::resolve(&self.headers, &self.headers_any, &mut places)?;
        let body = self.body.as_deref().map(|text| body::resolve(text, self.seed, &mut places));
        let body = body.transpose()?.map(|body| body.into_body(&Header::content_type(&lines.headers)));
        let method = self.method()?;
        let step = |(url, target): (&Url, Template)| Step {
            target,
            body: body.clone(),
            ..Step::plain(&method, &url.path)
        };
        let steps = urls.iter().zip(targets).map(step).collect();
        let feeder = places.are_used.then_some(0);
        let generated = std::mem::take(&mut places.generated);
        let feeders = table.zip(self.data.as_ref()).map(|(table, data)| Feeder {
            name: data.file.display().to_string(),
            table,
            pick: data.pick,
            word: ROW,
        });
        let data = Data { feeders: feeders.into_iter().collect(), generated, answers: Vec::new() };
        self.sent(self.one_each(steps, &lines, (feeder, data))?, urls, &lines)
    }

    /// Requests of a recording, each by its weight, to the first server of these options. A header
    /// of the options takes the place of a recorded one.
    ///
    /// # Errors
    /// What is wrong, named as it was written, with what to do.
    pub fn resolve_recorded(&self, recorded: &[Recorded]) -> Result<Requests, PlanError> {
        let urls = vec![self.parse_urls()?.swap_remove(0); recorded.len()];
        let lines = headers::resolve(&self.headers, &self.headers_any, &mut Places::default())?;
        let mut steps: Vec<Step> = recorded.iter().map(Recorded::step).collect();
        for step in &mut steps {
            step.headers.retain(|header| !lines.gives(&header.name));
        }
        let weights = recorded.iter().map(|request| request.weight).collect();
        let all = Scenarios { weights, ..self.one_each(steps, &lines, (None, Data::default()))? };
        self.sent(all, urls, &lines)
    }

    /// A scenario for each of these steps, with all that the options say of every request.
    fn one_each(
        &self,
        steps: Vec<Step>,
        lines: &Lines,
        (feeder, mut data): (Option<usize>, Data),
    ) -> Result<Scenarios, PlanError> {
        let (statuses, checks) = (self.statuses()?, self.checks()?);
        if !checks.is_empty() {
            data.answers.push(AnswerIs::Holds(checks));
        }
        let scenario = |mut step: Step| {
            let body_bytes = step.body.as_ref().map_or(Some(0), |body| body.constant().map(<[u8]>::len));
            lines.check_length(body_bytes)?;
            step.headers.extend_from_slice(&lines.headers);
            step.statuses.clone_from(&statuses);
            step.check = (!data.answers.is_empty()).then_some(0);
            Ok(Scenario { feeder, ..Scenario::of_one_step(step, self.connection) })
        };
        let scenarios = steps.into_iter().map(scenario).collect::<Result<Vec<_>, PlanError>>()?;
        let weights = vec![1; scenarios.len()];
        Ok(Scenarios { headers: Vec::new(), timeouts: None, scenarios, weights, data })
    }

    /// These scenarios to their addresses, with the bounds of the options, or else of the file that they are of.
    fn sent(&self, mut all: Scenarios, mut urls: Vec<Url>, lines: &Lines) -> Result<Requests, PlanError> {
        if let Some(host) = &lines.host {
            urls.iter_mut().for_each(|url| url.answer_as(host));
        }
        if lines.closes {
            all.scenarios.iter_mut().for_each(|scenario| scenario.connection = Connection::PerRequest);
        }
        if !all.headers.iter().any(|header| header.name.eq_ignore_ascii_case("user-agent")) {
            all.headers.insert(0, Header::new("User-Agent", "galo"));
        }
        Ok(Requests {
            headers: all.headers,
            urls,
            timeouts: self.timeouts(all.timeouts)?,
            scenarios: all.scenarios,
            weights: all.weights,
            stop_statuses: self.stop_statuses()?,
            data: all.data,
            seed: self.seed,
        })
    }

    fn parse_urls(&self) -> Result<Vec<Url>, PlanError> {
        if self.urls.is_empty() || self.urls.len() > MAX_URLS {
            let message = format!("{} addresses are given\nhint: give 1 to {MAX_URLS}", self.urls.len());
            return Err(PlanError::Invalid(message));
        }
        self.urls.iter().map(|text| Url::parse(text).map_err(PlanError::Invalid)).collect()
    }

    fn method(&self) -> Result<String, PlanError> {
        let Some(method) = &self.method else {
            return Ok(if self.body.is_some() { "POST" } else { "GET" }.to_owned());
        };
        let wrong = |what: &str| Err(PlanError::Invalid(format!("the method `{method}` {what}")));
        if !http::is_token(method) {
            return wrong("cannot be sent\nhint: write for example `PUT`");
        }
        if method.bytes().any(|b| b.is_ascii_lowercase()) {
            return wrong(
                "has small letters, which servers do not take for large ones\nhint: write for example `PUT`",
            );
        }
        if method == "CONNECT" {
            return wrong("asks for a tunnel\nhint: to go through a proxy, name it as one");
        }
        Ok(method.clone())
    }

    fn statuses(&self) -> Result<Vec<u16>, PlanError> {
        let parsed = self.statuses.as_deref().map(statuses::parse_expected).transpose();
        let parsed = parsed.map_err(|error| invalid("expected statuses", error))?;
        Ok(parsed.unwrap_or_else(|| Step::ANY_GOOD_STATUS.collect()))
    }

    fn stop_statuses(&self) -> Result<Vec<u16>, PlanError> {
        let parsed = self.stop_statuses.as_deref().map(statuses::parse_stop).transpose();
        Ok(parsed.map_err(|error| invalid("statuses to stop at", error))?.unwrap_or_default())
    }

    fn checks(&self) -> Result<Vec<Check>, PlanError> {
        let headers = self.header_is.iter().map(|text| Check::header(text));
        let texts = self.body_holds.iter().map(|text| Check::text(text));
        let json = self.json_is.iter().map(|text| Check::json(text));
        // The dearest come last.
        headers.chain(texts).chain(json).collect::<Result<_, _>>().map_err(PlanError::Invalid)
    }

    /// The bounds of the options, where they say one; else those of the file, if it has any.
    fn timeouts(&self, of_file: Option<Timeouts>) -> Result<Timeouts, PlanError> {
        let parse = |text: &str| match units::parse_duration_ns(text) {
            Ok(0) => {
                Err(invalid("timeout", format!("`{text}` is no time at all\nhint: write for example `10s`")))
            }
            parsed => parsed.map_err(|error| invalid("timeout", error)),
        };
        let of_file = of_file.filter(|_| self.timeout.is_none());
        let answer_ns = match of_file {
            Some(of_file) => of_file.answer_ns,
            None => parse(self.timeout.as_deref().unwrap_or(TIMEOUT))?,
        };
        let usual_ns = of_file.map_or(answer_ns, |of_file| of_file.connect_ns);
        let connect_ns = self.connect_timeout.as_deref().map_or(Ok(usual_ns), parse)?;
        Ok(Timeouts { connect_ns, answer_ns })
    }
}

impl Requests {
    /// Scenarios as users take them: each as often as its weight says, the rarest at least once.
    fn weighted(&self) -> Vec<usize> {
        let sum: u64 = self.weights.iter().map(|weight| u64::from(*weight)).sum();
        let often = |weight: u32| match sum {
            0..=MAX_PLACES => u64::from(weight),
            _ => (u64::from(weight) * MAX_PLACES / sum).max(1),
        };
        let places = self.weights.iter().enumerate();
        places.flat_map(|(scenario, weight)| std::iter::repeat_n(scenario, often(*weight) as usize)).collect()
    }

    /// The plan of sending them: user `n` sends one request, to the address that `pick` gives. `address` says where the
    /// server of an address listens; it is asked once for each, and only by what it says can this fail.
    pub fn into_plan<E>(
        self,
        arrivals: Arrivals,
        pick: Pick,
        transport: Transport,
        pool: Pool,
        mut address: impl FnMut(&Url) -> Result<Address, E>,
    ) -> Result<LoadPlan, E> {
        let targets = self.urls.iter().map(|url| Ok(Target::named(url, address(url)?)));
        let sources =
            vec![Source { arrivals, scenarios: self.weighted(), pick, first_user: 0, after: Vec::new() }];
        Ok(LoadPlan {
            seed: self.seed,
            headers: self.headers,
            timeouts: self.timeouts,
            sources,
            targets: targets.collect::<Result<_, E>>()?,
            scenarios: self.scenarios,
            transport,
            pool,
            stop_statuses: self.stop_statuses,
            data: Box::new(Described::new(self.data, self.seed)),
        })
    }
}

fn invalid(what: &str, error: impl std::fmt::Display) -> PlanError {
    PlanError::Invalid(format!("{what}: {error}"))
}

#[cfg(test)]
mod tests;
