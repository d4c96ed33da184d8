//! Scenarios of a file as requests to one server.

use std::path::PathBuf;

use super::{RequestOptions, Requests, headers};
use crate::challenge::{Connection, Header, Scenario, Scenarios};
use crate::described::Described;
use crate::error::PlanError;
use crate::request::places::Places;
use crate::template::Part;

/// What was written of scenarios.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioOptions {
    /// A file of scenarios, or a challenge's.
    pub file: PathBuf,
    /// Names of those that are wanted; none: all.
    pub only: Vec<String>,
}

impl ScenarioOptions {
    /// Reads the file. Of `request` count its only address, whose path stands before each target, its header lines, which a step's
    /// own take the place of, its statuses that end the load, and its seed; its timeouts where `timeouts_are_asked`.
    ///
    /// # Errors
    /// What is wrong, named as it was written, with what to do.
    pub fn resolve(&self, request: &RequestOptions, timeouts_are_asked: bool) -> Result<Requests, PlanError> {
        let all = Scenarios::read(&self.file, &self.only)?;
        let [url] = &request.parse_urls()?[..] else {
            let hint = "give one address, whose server is sent all of them";
            return Err(PlanError::Invalid(format!("scenarios are of one server\nhint: {hint}")));
        };
        let (path, query) = url.path.split_once('?').map_or((url.path.as_str(), None), |(p, q)| (p, Some(q)));
        if let Some(query) = query {
            let hint = "write it in the file's steps";
            return Err(PlanError::Invalid(format!("`?{query}` would stand before each path\nhint: {hint}")));
        }
        let mut own = headers::resolve(&request.headers, &[], &mut Places::default())?;
        own.check_length(None)?;
        let mut sent = all.headers;
        let is_given =
            |header: &Header| own.headers.iter().any(|own| own.name.eq_ignore_ascii_case(&header.name));
        sent.retain(|header| !is_given(header));
        sent.append(&mut own.headers);
        let mut scenarios: Vec<Scenario> =
            all.scenarios.into_iter().map(|scenario| behind(path.trim_end_matches('/'), scenario)).collect();
        if own.closes {
            scenarios.iter_mut().for_each(|scenario| scenario.connection = Connection::PerRequest);
        }
        let mut url = url.clone();
        if let Some(host) = &own.host {
            url.answer_as(host);
        }
        let timeouts = all.timeouts.filter(|_| !timeouts_are_asked);
        Ok(Requests {
            headers: Requests::with_user_agent(sent),
            urls: vec![url; scenarios.len()],
            scenarios,
            weights: all.weights,
            timeouts: timeouts.map_or_else(|| request.timeouts(), Ok)?,
            stop_statuses: request.stop_statuses()?,
            data: Box::new(Described::new(&all.answers, &all.feeders, &all.generated, request.seed)),
            seed: request.seed,
        })
    }
}

/// A scenario whose paths stand behind another one.
fn behind(path: &str, mut scenario: Scenario) -> Scenario {
    for step in &mut scenario.steps {
        if !matches!(step.target.parts().first(), Some(Part::Location(_))) {
            step.target = std::mem::take(&mut step.target).behind(path);
        }
    }
    scenario
}
