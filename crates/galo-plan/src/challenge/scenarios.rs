//! Scenarios from their written form: steps, what they insert, what they keep of answers, and what answers must be.

use toml::Spanned;

use super::raw::{OneOrMore, RawScenario, RawStep};
use super::resolve::Resolver;
use super::{Connection, Header, Scenario, Step};
use crate::capture::{self, Capture};
use crate::checks::Check;
use crate::described::{AnswerIs, Data, NoModel};
use crate::error::PlanError;
use crate::generated::Generated;
use crate::http;
use crate::places::{Places, place_of};
use crate::suggest;
use crate::template::{Part, Template, TemplateError};

/// Flat step numbers are kept in one byte.
const MAX_STEPS: usize = 255;
/// Each has a connection of its own.
const MAX_AT_ONCE: u32 = 1000;

const CAPTURE: &str = "hint: write `captures` in an earlier step if it is of an answer, for example `captures = { token = \"json /token\" }`";

/// Whether JSON can say the same.
fn is_json(value: &toml::Value) -> bool {
    match value {
        toml::Value::Float(number) => number.is_finite(),
        toml::Value::Array(values) => values.iter().all(is_json),
        toml::Value::Table(table) => table.values().all(is_json),
        _ => true,
    }
}

/// JSON as a template: names between braces stand in its texts, and its own braces are written twice.
fn json_text(value: &toml::Value) -> String {
    let text = |text: &str| serde_json::Value::from(text).to_string();
    match value {
        toml::Value::Table(table) => {
            let each = table.iter().map(|(key, value)| format!("{}: {}", text(key), json_text(value)));
            format!("{{{{{}}}}}", each.collect::<Vec<_>>().join(", "))
        }
        toml::Value::Array(values) => {
            format!("[{}]", values.iter().map(json_text).collect::<Vec<_>>().join(", "))
        }
        toml::Value::String(string) => text(string),
        toml::Value::Datetime(time) => text(&time.to_string()),
        toml::Value::Float(number) => serde_json::Value::from(*number).to_string(),
        other => other.to_string(),
    }
}

/// What is wrong with a template, and where a name that stands for nothing may come from.
fn explained(error: &TemplateError) -> String {
    match error {
        TemplateError::Unknown { hint, .. } if hint.is_empty() => format!("{error}\n{CAPTURE}"),
        _ => error.to_string(),
    }
}

impl Resolver<'_> {
    /// All scenarios of a file, and what they share.
    pub(super) fn scenarios(&self, raw: &[RawScenario]) -> Result<(Vec<Scenario>, Data), PlanError> {
        let mut scenarios: Vec<Scenario> = Vec::new();
        let mut steps = 0;
        let mut answers = Vec::new();
        let mut places = Places::new(true, None);
        places.generates = self.model.name() == NoModel::NAME;
        for raw in raw {
            if scenarios.iter().any(|earlier| earlier.name == *raw.name.get_ref()) {
                return Err(
                    self.at(&raw.name, format!("there is already a scenario `{}`", raw.name.get_ref()))
                );
            }
            let earlier: Vec<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
            let after =
                raw.after.as_ref().map(|after| self.after(after, &earlier)).transpose()?.unwrap_or_default();
            let scenario = Scenario { after, ..self.scenario(raw, &mut places, &mut answers)? };
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
        let generated = places.generated;
        Ok((scenarios, Data { feeders: self.feeders.clone(), answers, generated }))
    }

    fn scenario<'s>(
        &'s self,
        raw: &RawScenario,
        places: &mut Places<'s>,
        answers: &mut Vec<AnswerIs>,
    ) -> Result<Scenario, PlanError> {
        let of_model = self.model.feeders().iter().map(|feeder| (feeder.name, feeder.fields.to_vec()));
        let of_file = self.feeders.iter().map(|feeder| (feeder.name.as_str(), feeder.table.columns()));
        let (known, mut fields): (Vec<&str>, Vec<Vec<&str>>) = of_model.chain(of_file).unzip();
        let feeder = raw.feeder.as_ref().map(|name| self.index("feeder", name, &known)).transpose()?;
        places.columns = feeder.map_or_else(Vec::new, |feeder| fields.swap_remove(feeder));
        places.captured.clear();
        places.are_used = false;
        let mut steps: Vec<Step> = Vec::new();
        let connection = raw.connection;
        for raw in &raw.step {
            if steps.iter().any(|step| step.name == *raw.name.get_ref()) {
                let name = raw.name.get_ref();
                return Err(self.at(&raw.name, format!("there is already a step `{name}` in this scenario")));
            }
            let at_once = self.at_once(raw, connection)?;
            steps.push(Step { at_once, ..self.step(raw, feeder, places, answers)? });
        }
        if steps.is_empty() {
            return Err(
                self.at(&raw.name, "this scenario has no steps\nhint: write `[[scenario.step]]` below it")
            );
        }
        // Generated values are fields beyond the columns of a feeder, be it one that is not there.
        let feeder = feeder.or(places.are_used.then_some(self.feeders.len()));
        Ok(Scenario {
            name: self.name(&raw.name)?,
            feeder,
            connection: raw.connection,
            compared: raw.compared,
            cookies: raw.cookies,
            after: Vec::new(),
            steps,
        })
    }

    /// The scenarios that one waits for.
    fn after(&self, after: &Spanned<OneOrMore>, earlier: &[&str]) -> Result<Vec<usize>, PlanError> {
        let index = |name: &String| {
            let found = earlier.iter().position(|earlier| earlier == name);
            found.ok_or_else(|| {
                let unknown = suggest::unknown("scenario", name, earlier);
                self.at(after, format!("{unknown}\nhint: `after` names scenarios that stand before this one"))
            })
        };
        after.get_ref().texts().iter().map(index).collect()
    }

    /// How many times a step is sent at the same moment.
    fn at_once(&self, raw: &RawStep, connection: Connection) -> Result<u32, PlanError> {
        match raw.at_once.as_ref() {
            None => Ok(1),
            Some(times) if connection == Connection::Shared => {
                let hint = "hint: write `connection = \"per-user\"` in its scenario";
                Err(self.at(times, format!("`at-once` needs connections that users do not share\n{hint}")))
            }
            Some(times) if (1..=MAX_AT_ONCE).contains(times.get_ref()) => Ok(*times.get_ref()),
            Some(times) => {
                Err(self
                    .at(times, format!("a step is sent from 1 to {MAX_AT_ONCE} times at the same moment")))
            }
        }
    }

    fn step(
        &self,
        raw: &RawStep,
        feeder: Option<usize>,
        places: &mut Places<'_>,
        answers: &mut Vec<AnswerIs>,
    ) -> Result<Step, PlanError> {
        let (method, target) = self.request(&raw.request, |target| target.starts_with('{'))?;
        let mut template = |place: &Spanned<String>, text: &str| {
            places.template(text).map_err(|error| self.at(place, explained(&error)))
        };
        let target = template(&raw.request, target)?;
        let begins = match target.parts().first() {
            Some(Part::Location(_)) => true,
            Some(Part::Text(text)) => text.starts_with('/'),
            _ => false,
        };
        if !begins {
            let hint = "hint: write `/` before it, or capture it as `location` or `link /pointer` if it is an address";
            return Err(self.at(&raw.request, format!("a target begins with `/` or with an address\n{hint}")));
        }
        let body = match (&raw.body, &raw.json) {
            (Some(_), Some(json)) => {
                let hint = "hint: leave `body` or `json` out";
                return Err(self.at(json, format!("a request has one body\n{hint}")));
            }
            (Some(body), None) => Some(template(body, body.get_ref())?),
            (None, Some(json)) if !is_json(json.get_ref()) => {
                let hint = "hint: write it as a text, or leave it out";
                return Err(self.at(json, format!("JSON has neither `nan` nor `inf`\n{hint}")));
            }
            (None, Some(json)) => Some(template(&raw.request, &json_text(json.get_ref()))?),
            (None, None) => None,
        };
        let mut headers = match self.model.name() {
            NoModel::NAME => self.headers(&raw.headers, |text| template(text, text.get_ref()))?,
            _ => self.constant_headers(&raw.headers)?,
        };
        let names_type = |header: &Header| header.name.eq_ignore_ascii_case("content-type");
        if raw.json.is_some() && !headers.iter().any(names_type) {
            headers.push(Header::new("Content-Type", "application/json"));
        }
        if raw.creates && raw.check.is_none() {
            let hint = "hint: leave `creates` out: without a model nobody knows what an answer created";
            return Err(
                self.at(&raw.name, format!("this step creates, but has no `check` that tells what\n{hint}"))
            );
        }
        let needs = self.needs(raw, places, &target, body.as_ref(), &headers)?;
        // What it captures is known to the steps behind it.
        let captures = self.captures(raw, places)?;
        Ok(Step {
            name: self.name(&raw.name)?,
            pause_ns: raw.pause.as_ref().map(|pause| self.pause(pause)).transpose()?,
            method: method.to_owned(),
            target,
            body: body.map(|body| body.into_body(&Header::content_type(&headers))),
            headers,
            statuses: match &raw.statuses {
                None => Step::ANY_GOOD_STATUS.collect(),
                Some(statuses) => {
                    let none = "this step accepts no status\nhint: write for example `statuses = [200]`";
                    self.statuses(statuses, http::check_status, self.at(&raw.name, none))?
                }
            },
            check: self.check(raw, (feeder, places), &captures, answers)?,
            creates: raw.creates,
            captures,
            needs,
            fresh: raw.fresh,
            at_once: 1,
        })
    }

    /// Slots of what a user must have kept to take this step: what it inserts, and what it says that it needs.
    fn needs(
        &self,
        raw: &RawStep,
        places: &Places<'_>,
        target: &Template,
        body: Option<&Template>,
        headers: &[Header],
    ) -> Result<Vec<usize>, PlanError> {
        let written =
            raw.needs.iter().flat_map(|needs| needs.get_ref().texts().iter().map(move |name| (needs, name)));
        let written = written.map(|(needs, name)| {
            places
                .slot(name)
                .ok_or_else(|| self.at(needs, format!("no earlier step captures `{name}`\n{CAPTURE}")))
        });
        let mut needs = written.collect::<Result<Vec<usize>, _>>()?;
        let values = headers.iter().flat_map(|header| &header.values);
        needs.extend([target].into_iter().chain(body).chain(values).flat_map(Template::slots));
        needs.sort_unstable();
        needs.dedup();
        Ok(needs)
    }

    fn captures(&self, raw: &RawStep, places: &mut Places<'_>) -> Result<Vec<Capture>, PlanError> {
        let mut captures = Vec::new();
        let Some(written) = &raw.captures else { return Ok(captures) };
        for (name, part) in &written.get_ref().0 {
            let wrong = |what: String| self.at(written, what);
            let of = capture::Part::parse(part).map_err(wrong)?;
            if places.columns.contains(&name.as_str()) || Generated::named(name).is_some() {
                return Err(wrong(format!(
                    "`{name}` stands for something else already\nhint: choose another name"
                )));
            }
            if self.model.name() != NoModel::NAME && of != capture::Part::Location {
                let hint = "hint: capture a `location`, which the model knows";
                return Err(wrong(format!("with a model only a location can be captured\n{hint}")));
            }
            let slot = match places.slot(name) {
                Some(slot) if places.captured[slot].1.is_address() != of.is_address() => {
                    let what = format!("`{name}` is an address in one step and none in another");
                    return Err(wrong(format!("{what}\nhint: choose another name")));
                }
                Some(slot) => slot,
                None => {
                    places.captured.push((name.clone(), of.clone()));
                    places.captured.len() - 1
                }
            };
            captures.push(Capture { slot, of });
        }
        Ok(captures)
    }

    /// What its answers are held to beside their status: a check of the model, or what the file says.
    fn check(
        &self,
        raw: &RawStep,
        row: (Option<usize>, &Places<'_>),
        captures: &[Capture],
        answers: &mut Vec<AnswerIs>,
    ) -> Result<Option<usize>, PlanError> {
        let mut all = Vec::new();
        match (&raw.body_is, &raw.json_is) {
            (None, None) => {}
            (Some(_), Some(json)) => {
                return Err(self
                    .at(json, "a body is held to bytes or to JSON\nhint: leave `body-is` or `json-is` out"));
            }
            (Some(body), None) => all.push(AnswerIs::Bytes(self.body(body)?)),
            (None, Some(json)) => all.push(self.json_is(json, row)?),
        }
        let written = raw.body_is.as_ref().or(raw.json_is.as_ref()).unwrap_or(&raw.name);
        let checks = self.checks(raw)?;
        if !checks.is_empty() {
            all.push(AnswerIs::Holds(checks));
        }
        if self.model.name() != NoModel::NAME {
            if !all.is_empty() {
                let model = self.model.name();
                let message = format!("answers are examined by the model `{model}`\nhint: leave this out");
                return Err(self.at(written, message));
            }
            let known: Vec<&str> = self.model.checks().iter().map(|check| check.name).collect();
            return raw.check.as_ref().map(|check| self.index("check", check, &known)).transpose();
        }
        if let Some(check) = &raw.check {
            if all.is_empty() {
                return self.index("check", check, &[]).map(Some);
            }
            return Err(
                self.at(check, "an answer is held to a check or to a body\nhint: leave one of them out")
            );
        }
        if !captures.is_empty() {
            all.push(AnswerIs::Gives(captures.iter().map(|capture| capture.of.clone()).collect()));
        }
        let answer = match all.len() {
            0 => return Ok(None),
            1 => all.swap_remove(0),
            _ => AnswerIs::All(all),
        };
        Ok(Some(place_of(answers, answer)))
    }

    /// Checks as `galo load` takes them by options, the dearest last.
    fn checks(&self, raw: &RawStep) -> Result<Vec<Check>, PlanError> {
        let of = |texts: &Option<Spanned<OneOrMore>>, read: fn(&str) -> Result<Check, String>| {
            let all =
                texts.iter().flat_map(|texts| texts.get_ref().texts().iter().map(move |text| (texts, text)));
            let read =
                |(at, text): (&Spanned<OneOrMore>, &String)| read(text).map_err(|error| self.at(at, error));
            all.map(read).collect::<Result<Vec<_>, _>>()
        };
        let (headers, texts) = (of(&raw.expect_header, Check::header)?, of(&raw.expect_body, Check::text)?);
        Ok([headers, texts, of(&raw.expect_json, Check::json)?].concat())
    }

    /// JSON with places for cells of a row, and JSON with each row's.
    fn json_is(
        &self,
        raw: &Spanned<String>,
        (feeder, places): (Option<usize>, &Places<'_>),
    ) -> Result<AnswerIs, PlanError> {
        let template = Template::parse(raw.get_ref(), &places.columns).map_err(|error| {
            let hint = "hint: write `{{` and `}}` for braces of the JSON itself";
            self.at(raw, format!("{error}\n{hint}"))
        })?;
        let answer = AnswerIs::Json { feeder, template: template.into_json() };
        let (row, error) = match answer.first_wrong(&self.feeders) {
            None => return Ok(answer),
            Some(wrong) => wrong,
        };
        Err(self.at(raw, format!("`json-is` is no JSON with row {row} (the first is 1): {error}")))
    }
}
