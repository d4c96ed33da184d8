//! From a challenge as written to the validated one.

use std::fs::File;
use std::io::Read as _;
use std::net::SocketAddr;
use std::path::Path;

use toml::Spanned;

use super::raw::{Entries, RawChallenge, RawCount, RawScore, RawTimeouts};
use super::{Count, Header, Policy, Profile, Scenario, Score, ServiceLevel, Timeouts};
use crate::compose_keys;
use crate::conformance::Content;
use crate::described::{Feeder, NoModel};
use crate::error::PlanError;
use crate::flow::Flow;
use crate::model::ChallengeModel;
use crate::source::Source;
use crate::template::Template;
use crate::written::Amount;
use crate::{http, statuses, suggest, units};

/// A load waits for its last users, so a pause needs an end.
const LONGEST_PAUSE_NS: u64 = 3_600_000_000_000;
/// A plan holds each body that an answer must be.
const MAX_BODY_BYTES: usize = 1 << 20;

pub(super) struct Resolver<'a> {
    pub(super) source: Source<'a>,
    pub(super) model: &'a dyn ChallengeModel,
    /// Rows that the file names.
    pub(super) feeders: Vec<Feeder>,
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
            compose_keys::require_forbidden(key.get_ref()).map_err(|error| self.at(key, error))?;
        }
        Ok(Policy {
            port: *raw.port.get_ref(),
            cpus_milli: cpus.map_err(|error| self.at(&raw.cpus, error))?,
            memory_bytes: units::parse_bytes(raw.memory.get_ref())
                .map_err(|error| self.at(&raw.memory, error))?,
            instances: raw.instances,
            forbidden_keys: raw.forbidden_keys.iter().map(|key| key.get_ref().clone()).collect(),
            networks: raw.networks.clone(),
            ready: raw.ready.as_ref().map(|path| self.ready(path)).transpose()?,
        })
    }

    pub(super) fn origin(&self, raw: &Spanned<String>) -> Result<SocketAddr, PlanError> {
        raw.get_ref().parse().map_err(|_| {
            let text = raw.get_ref();
            self.at(
                raw,
                format!("`{text}` is not an address and a port; write for example `127.0.0.1:18080`"),
            )
        })
    }

    pub(super) fn count(&self, raw: &RawCount) -> Result<Count, PlanError> {
        let (settle_ns, settle_max_ns) = (self.some_time(&raw.settle)?, self.some_time(&raw.settle_max)?);
        if settle_max_ns < settle_ns {
            return Err(self.at(&raw.settle_max, "`settle-max` is shorter than `settle`"));
        }
        http::check_target(raw.path.get_ref()).map_err(|error| self.at(&raw.path, error))?;
        Ok(Count { path: raw.path.get_ref().clone(), settle_ns, settle_max_ns, noun: raw.noun.clone() })
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

    fn ready(&self, path: &Spanned<String>) -> Result<String, PlanError> {
        http::check_target(path.get_ref()).map_err(|error| self.at(path, error))?;
        Ok(path.get_ref().clone())
    }

    pub(super) fn score(&self, raw: &RawScore) -> Result<Score, PlanError> {
        let number = |value: &Spanned<f64>| match value.get_ref() {
            number if number.is_finite() && *number >= 0.0 => Ok(*number),
            other => Err(self.at(value, format!("{other} is no amount"))),
        };
        Ok(Score {
            start: number(&raw.start)?,
            unit: raw.unit.clone(),
            within_ns: self.some_time(&raw.within)?,
            percent: number(&raw.percent)?,
            per_percent: number(&raw.per_percent)?,
            per_inconsistency: number(&raw.per_inconsistency)?,
        })
    }

    pub(super) fn timeouts(&self, raw: &RawTimeouts) -> Result<Timeouts, PlanError> {
        Ok(Timeouts { connect_ns: self.some_time(&raw.connect)?, answer_ns: self.some_time(&raw.answer)? })
    }

    /// Headers, with `value` to say what each of their texts means.
    pub(super) fn headers(
        &self,
        raw: &Entries<Spanned<String>>,
        mut value: impl FnMut(&Spanned<String>) -> Result<Template, PlanError>,
    ) -> Result<Vec<Header>, PlanError> {
        let mut headers = Vec::new();
        for (name, text) in &raw.0 {
            http::check_header_name(name.get_ref()).map_err(|error| self.at(name, error))?;
            http::check_header_value(text.get_ref()).map_err(|error| self.at(text, error))?;
            headers.push(Header { name: name.get_ref().clone(), values: vec![value(text)?] });
        }
        Ok(headers)
    }

    /// Headers that are sent as they stand.
    pub(super) fn constant_headers(&self, raw: &Entries<Spanned<String>>) -> Result<Vec<Header>, PlanError> {
        self.headers(raw, |text| Ok(Template::literal(text.get_ref())))
    }

    /// A body as it is written: a text, perhaps with placeholders of a case, or `@FILE`, as it stands in the folder of this file.
    pub(super) fn body(&self, raw: &Spanned<String>) -> Result<Content, PlanError> {
        let Some(file) = raw.get_ref().strip_prefix('@') else {
            return Ok(Content::of_bytes(raw.get_ref().as_bytes()));
        };
        let folder = Path::new(self.source.file).parent().unwrap_or(Path::new(""));
        let path = folder.join(file);
        let mut bytes = Vec::new();
        let read =
            File::open(&path).and_then(|file| file.take(MAX_BODY_BYTES as u64 + 1).read_to_end(&mut bytes));
        read.map_err(|error| self.at(raw, format!("cannot read `{}`: {error}", path.display())))?;
        if bytes.len() > MAX_BODY_BYTES {
            return Err(self.at(raw, format!("`{}` is longer than a plan may hold: 1 MiB", path.display())));
        }
        Ok(Content::default().octets(&bytes))
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
        let checked = match is_given(target) {
            true => http::check_given_target(target),
            false => http::check_target(target),
        };
        checked.map_err(|error| self.at(raw, error))?;
        Ok((method, target))
    }

    pub(super) fn pause(&self, raw: &Spanned<String>) -> Result<(u64, u64), PlanError> {
        let parse = |text: &str| units::parse_duration_ns(text).map_err(|error| self.at(raw, error));
        let (least, most) = raw.get_ref().split_once(" to ").unwrap_or((raw.get_ref(), raw.get_ref()));
        let (least, most) = (parse(least)?, parse(most)?);
        if least > most {
            return Err(self.at(raw, format!("the pause `{}` ends before it begins", raw.get_ref())));
        }
        if most > LONGEST_PAUSE_NS {
            return Err(self.at(raw, "a pause may last an hour at most"));
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
            let mut flows = vec![None; scenarios.len()];
            for (scenario, phases) in &traffic.0 {
                let index = self.index("scenario", scenario, &names)?;
                flows[index] = Some(self.flow(&scenarios[index], scenario, phases)?);
            }
            if traffic.0.is_empty() {
                return Err(self.at(name, format!("the profile `{}` has no traffic", name.get_ref())));
            }
            profiles.push(Profile { name: self.name(name)?, flows });
        }
        if profiles.is_empty() {
            return Err(self.source.error("there is no profile\nhint: write for example `[profile.quick]`"));
        }
        Ok(profiles)
    }

    fn flow(
        &self,
        scenario: &Scenario,
        name: &Spanned<String>,
        phases: &[Spanned<String>],
    ) -> Result<Flow, PlanError> {
        // One by one first, so that the message has the line of the phase that is wrong.
        for phase in phases {
            Flow::parse(&[phase.get_ref()]).map_err(|error| self.at(phase, error))?;
        }
        let texts: Vec<&str> = phases.iter().map(|phase| phase.get_ref().as_str()).collect();
        let flow = Flow::parse(&texts).map_err(|error| self.at(name, error))?;
        if matches!(flow, Flow::Closed(_)) && scenario.feeder.is_some() && self.model.name() != NoModel::NAME
        {
            let hint = "hint: write a rate, e.g. `100/s for 10s`";
            let message = format!(
                "how many rows so many users at once take nobody knows, and this scenario has a feeder of the model\n{hint}"
            );
            return Err(self.at(name, message));
        }
        Ok(flow)
    }

    pub(super) fn index(
        &self,
        kind: &str,
        name: &Spanned<String>,
        known: &[&str],
    ) -> Result<usize, PlanError> {
        let found = known.iter().position(|word| word == name.get_ref());
        found.ok_or_else(|| self.at(name, suggest::unknown(kind, name.get_ref(), known)))
    }
}
