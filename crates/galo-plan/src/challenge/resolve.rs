//! From a challenge as written to the validated one.

use toml::Spanned;

use super::raw::{Capture, Entries, RawChallenge, RawCount, RawScenario, RawStep};
use super::{Count, Header, Policy, Profile, Scenario, ServiceLevel, Step};
use crate::compose_keys;
use crate::error::PlanError;
use crate::injection::Injection;
use crate::model::{ChallengeModel, NoModel};
use crate::source::Source;
use crate::template::{Part, Template};
use crate::written::Amount;
use crate::{http, statuses, suggest, units};

/// Flat step numbers are kept in one byte.
const MAX_STEPS: usize = 255;

pub(super) struct Resolver<'a> {
    pub(super) source: Source<'a>,
    pub(super) model: &'a dyn ChallengeModel,
}

impl Resolver<'_> {
    pub(super) fn at<T>(&self, place: &Spanned<T>, message: impl std::fmt::Display) -> PlanError {
        self.source.error_at(place.span().start, message)
    }

    /// The file is read for this model: it names it, or none where there is none.
    pub(super) fn check_model(&self, raw: &RawChallenge) -> Result<(), PlanError> {
        let known = self.model.name();
        match &raw.model {
            Some(named) if named.get_ref() != known => {
                Err(self.at(named, suggest::unknown("model", named.get_ref(), &[known])))
            }
            None if known != NoModel::NAME => Err(self.source.error("the key `model` is missing")),
            _ => Ok(()),
        }
    }

    pub(super) fn name(&self, name: &Spanned<String>) -> Result<String, PlanError> {
        if name.get_ref().trim().is_empty() {
            return Err(self.at(name, "a name may not be empty"));
        }
        Ok(name.get_ref().clone())
    }

    /// A duration in nanoseconds that is not 0.
    pub(super) fn some_time(&self, text: &Spanned<String>) -> Result<u64, PlanError> {
        match units::parse_duration_ns(text.get_ref()) {
            Ok(0) => Err(self.at(text, "this duration may not be 0")),
            parsed => parsed.map_err(|error| self.at(text, error)),
        }
    }

    pub(super) fn policy(&self, raw: &RawChallenge) -> Result<Policy, PlanError> {
        let raw = &raw.policy;
        if *raw.port.get_ref() == 0 {
            return Err(self.at(&raw.port, "the port may not be 0"));
        }
        let cpus = units::parse_cpus_milli(&raw.cpus.get_ref().0);
        for key in &raw.forbidden_keys {
            compose_keys::require_of_service(key.get_ref()).map_err(|error| self.at(key, error))?;
        }
        Ok(Policy {
            port: *raw.port.get_ref(),
            cpus_milli: cpus.map_err(|error| self.at(&raw.cpus, error))?,
            memory_bytes: units::parse_bytes(raw.memory.get_ref())
                .map_err(|error| self.at(&raw.memory, error))?,
            instances: raw.instances,
            forbidden_keys: raw.forbidden_keys.iter().map(|key| key.get_ref().clone()).collect(),
        })
    }

    pub(super) fn count(&self, raw: &RawCount) -> Result<Count, PlanError> {
        let (settle_ns, settle_max_ns) = (self.some_time(&raw.settle)?, self.some_time(&raw.settle_max)?);
        if settle_max_ns < settle_ns {
            return Err(self.at(&raw.settle_max, "`settle-max` is shorter than `settle`"));
        }
        http::check_target(raw.path.get_ref()).map_err(|error| self.at(&raw.path, error))?;
        Ok(Count { path: raw.path.get_ref().clone(), settle_ns, settle_max_ns })
    }

    pub(super) fn service_level(&self, raw: &RawChallenge) -> Result<ServiceLevel, PlanError> {
        let raw = &raw.service_level;
        let mut classes_ns: Vec<u64> = Vec::new();
        for class in &raw.classes {
            let bound = self.some_time(class)?;
            if classes_ns.last().is_some_and(|last| *last >= bound) {
                return Err(self.at(class, "each class must be longer than the one before it"));
            }
            classes_ns.push(bound);
        }
        Ok(ServiceLevel { latency_ns: self.some_time(&raw.latency)?, classes_ns })
    }

    pub(super) fn headers(&self, raw: &Entries<Spanned<String>>) -> Result<Vec<Header>, PlanError> {
        let mut headers = Vec::new();
        for (name, value) in &raw.0 {
            http::check_header_name(name.get_ref()).map_err(|error| self.at(name, error))?;
            http::check_header_value(value.get_ref()).map_err(|error| self.at(value, error))?;
            headers.push(Header::new(name.get_ref(), value.get_ref()));
        }
        Ok(headers)
    }

    pub(super) fn scenarios(&self, raw: &RawChallenge) -> Result<Vec<Scenario>, PlanError> {
        let mut scenarios: Vec<Scenario> = Vec::new();
        let mut steps = 0;
        for raw in &raw.scenario {
            if scenarios.iter().any(|earlier| earlier.name == *raw.name.get_ref()) {
                return Err(
                    self.at(&raw.name, format!("there is already a scenario `{}`", raw.name.get_ref()))
                );
            }
            let scenario = self.scenario(raw)?;
            steps += scenario.steps.len();
            if steps > MAX_STEPS {
                let message = format!("all scenarios together may have {MAX_STEPS} steps at most");
                return Err(self.at(&raw.name, message));
            }
            scenarios.push(scenario);
        }
        if scenarios.is_empty() {
            return Err(self
                .source
                .error("there is no scenario\nhint: write `[[scenario]]` with at least one step"));
        }
        Ok(scenarios)
    }

    fn scenario(&self, raw: &RawScenario) -> Result<Scenario, PlanError> {
        let feeders = self.model.feeders();
        let names: Vec<&str> = feeders.iter().map(|feeder| feeder.name).collect();
        let feeder = raw.feeder.as_ref().map(|name| self.index("feeder", name, &names)).transpose()?;
        let fields = feeder.map_or(&[][..], |feeder| feeders[feeder].fields);
        let mut steps: Vec<Step> = Vec::new();
        for raw in &raw.step {
            let step = self.step(raw, fields, &steps)?;
            steps.push(step);
        }
        if steps.is_empty() {
            return Err(
                self.at(&raw.name, "this scenario has no steps\nhint: write `[[scenario.step]]` below it")
            );
        }
        let name = self.name(&raw.name)?;
        Ok(Scenario { name, feeder, connection: raw.connection, compared: raw.compared, steps })
    }

    fn step(&self, raw: &RawStep, fields: &[&str], earlier: &[Step]) -> Result<Step, PlanError> {
        let name = self.name(&raw.name)?;
        if earlier.iter().any(|step| step.name == name) {
            return Err(self.at(&raw.name, format!("there is already a step `{name}` in this scenario")));
        }
        let captured = earlier.iter().any(|step| step.captures_location);
        if let (Some(needs), false) = (&raw.needs, captured) {
            let message = "no earlier step captures a location\nhint: write `captures = \"location\"` in the step that gets it";
            return Err(self.at(needs, message));
        }
        let template = |text: &Spanned<String>, part: &str| {
            let template = Template::parse(part, fields, captured).map_err(|error| self.at(text, error))?;
            if template.parts().contains(&Part::Location) && raw.needs.is_none() {
                let hint =
                    "hint: write `needs = \"location\"`, so that it is left out for a user who has none";
                return Err(
                    self.at(text, format!("this step uses `{{location}}` without needing it\n{hint}"))
                );
            }
            Ok(template)
        };
        let (method, target) = self.request(&raw.request, |target| target.starts_with("{location}"))?;
        if raw.creates && raw.check.is_none() {
            let hint = "hint: leave `creates` out: without a model nobody knows what an answer created";
            return Err(
                self.at(&raw.name, format!("this step creates, but has no `check` that tells what\n{hint}"))
            );
        }
        Ok(Step {
            name,
            pause_ns: raw.pause.as_ref().map(|pause| self.pause(pause)).transpose()?,
            method: method.to_owned(),
            target: template(&raw.request, target)?,
            headers: self.headers(&raw.headers)?,
            body: raw.body.as_ref().map(|body| template(body, body.get_ref())).transpose()?,
            statuses: self.statuses(
                &raw.statuses,
                http::check_status,
                self.at(&raw.name, "this step accepts no status\nhint: write for example `statuses = [200]`"),
            )?,
            check: raw
                .check
                .as_ref()
                .map(|check| {
                    let known: Vec<&str> = self.model.checks().iter().map(|check| check.name).collect();
                    self.index("check", check, &known)
                })
                .transpose()?,
            creates: raw.creates,
            captures_location: raw.captures == Some(Capture::Location),
            needs_location: raw.needs.is_some(),
            fresh: raw.fresh,
        })
    }

    /// Method and target. The target is a path, or begins with what an earlier answer gave.
    pub(super) fn request<'r>(
        &self,
        raw: &'r Spanned<String>,
        is_given: impl Fn(&str) -> bool,
    ) -> Result<(&'r str, &'r str), PlanError> {
        let text = raw.get_ref();
        let parts = text
            .split_once(' ')
            .filter(|(method, _)| !method.is_empty() && method.bytes().all(|b| b.is_ascii_uppercase()));
        let Some((method, target)) = parts else {
            let message = format!("`{text}` is not a request; write for example `GET /path` or `POST /path`");
            return Err(self.at(raw, message));
        };
        if !is_given(target) {
            http::check_target(target).map_err(|error| self.at(raw, error))?;
        }
        Ok((method, target))
    }

    fn pause(&self, raw: &Spanned<String>) -> Result<(u64, u64), PlanError> {
        let parse = |text: &str| units::parse_duration_ns(text).map_err(|error| self.at(raw, error));
        let (least, most) = raw.get_ref().split_once(" to ").unwrap_or((raw.get_ref(), raw.get_ref()));
        let (least, most) = (parse(least)?, parse(most)?);
        if least > most {
            return Err(self.at(raw, format!("the pause `{}` ends before it begins", raw.get_ref())));
        }
        Ok((least, most))
    }

    /// Statuses as numbers, or several at once as `"4xx"` and `"300-399"`; `none` is told where there is none.
    pub(super) fn statuses(
        &self,
        raw: &Spanned<Vec<Spanned<Amount>>>,
        check: fn(u16) -> Result<(), String>,
        none: PlanError,
    ) -> Result<Vec<u16>, PlanError> {
        let each = raw.get_ref().iter().map(|written| {
            statuses::parse(&written.get_ref().0, check).map_err(|error| self.at(written, error))
        });
        let mut accepted = each.collect::<Result<Vec<_>, _>>()?.concat();
        accepted.sort_unstable();
        accepted.dedup();
        if accepted.is_empty() { Err(none) } else { Ok(accepted) }
    }

    pub(super) fn profiles(
        &self,
        raw: &RawChallenge,
        scenarios: &[Scenario],
    ) -> Result<Vec<Profile>, PlanError> {
        let names: Vec<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
        let mut profiles = Vec::new();
        for (name, traffic) in &raw.profile.0 {
            let mut injections = vec![None; scenarios.len()];
            for (scenario, phases) in &traffic.0 {
                injections[self.index("scenario", scenario, &names)?] =
                    Some(self.injection(scenario, phases)?);
            }
            if traffic.0.is_empty() {
                return Err(self.at(name, format!("the profile `{}` has no traffic", name.get_ref())));
            }
            profiles.push(Profile { name: self.name(name)?, injections });
        }
        if profiles.is_empty() {
            return Err(self.source.error("there is no profile\nhint: write for example `[profile.quick]`"));
        }
        Ok(profiles)
    }

    fn injection(
        &self,
        scenario: &Spanned<String>,
        phases: &[Spanned<String>],
    ) -> Result<Injection, PlanError> {
        // One by one first, so that the message has the line of the phase that is wrong.
        for phase in phases {
            Injection::parse(&[phase.get_ref()]).map_err(|error| self.at(phase, error))?;
        }
        let texts: Vec<&str> = phases.iter().map(|phase| phase.get_ref().as_str()).collect();
        Injection::parse(&texts).map_err(|error| self.at(scenario, error))
    }

    fn index(&self, kind: &str, name: &Spanned<String>, known: &[&str]) -> Result<usize, PlanError> {
        let found = known.iter().position(|word| word == name.get_ref());
        found.ok_or_else(|| self.at(name, suggest::unknown(kind, name.get_ref(), known)))
    }
}
