//! Cases of conformance as a challenge's file writes them.

use toml::Spanned;

use super::raw::{RawCase, RawCaseRequest, RawForm, RawWay};
use super::resolve::Resolver;
use crate::conformance::{
    BODY_KEPT, Case, CaseRequest, Content, Expect, Expectation, Form, Way, named_requests,
};
use crate::described::NoModel;
use crate::error::PlanError;
use crate::http;

/// Name of a model's rule that is broken where no whole answer comes, or a 5xx that will not do.
const SERVER_ERROR: &str = "server-error";

pub(super) fn resolve(resolver: &Resolver<'_>, raw: &[RawCase]) -> Result<Vec<Case>, PlanError> {
    let mut cases: Vec<Case> = Vec::new();
    for raw in raw {
        let name = resolver.name(&raw.name)?;
        if cases.iter().any(|earlier| earlier.name == name) {
            return Err(resolver.at(&raw.name, format!("there is already a case `{name}`")));
        }
        if raw.request.is_empty() {
            let hint = "hint: write `[[case.request]]` below it";
            return Err(resolver.at(&raw.name, format!("this case has no request\n{hint}")));
        }
        let mut requests =
            raw.request.iter().map(|raw| request(resolver, raw)).collect::<Result<Vec<_>, _>>()?;
        for (number, raw) in raw.request.iter().enumerate() {
            hold_to_location(resolver, raw, &mut requests[..number])?;
        }
        check_ways(resolver, &raw.request, &requests)?;
        cases.push(Case { name, requests, front: false });
    }
    Ok(cases)
}

/// Number of the rule that a request's answer is held to: the one that there is without a model, or the model's that it names.
fn rule(resolver: &Resolver<'_>, raw: &RawCaseRequest) -> Result<usize, PlanError> {
    if resolver.model.name() == NoModel::NAME {
        let none = "without a model there is one rule for all cases\nhint: leave `rule` out";
        return raw
            .rule
            .as_ref()
            .map_or(Ok(NoModel::ANSWERS_AS_DESCRIBED), |rule| Err(resolver.at(rule, none)));
    }
    let known: Vec<&str> = resolver.model.rules().iter().map(|rule| &*rule.name).collect();
    let Some(rule) = &raw.rule else {
        let model = resolver.model.name();
        let hint = "hint: write `rule = \"NAME\"` with the rule that its answer is held to";
        return Err(
            resolver.at(&raw.request, format!("which rule of the model `{model}` is this about?\n{hint}"))
        );
    };
    resolver.index("rule", rule, &known)
}

/// Number of the rule that says that an answer comes: the model's own, where it weighs as much as the request's.
fn answer_rule(resolver: &Resolver<'_>, rule: usize) -> usize {
    let rules = resolver.model.rules();
    let weight = rules.get(rule).map(|rule| rule.severity);
    let own = rules.iter().position(|own| own.name == SERVER_ERROR && Some(own.severity) == weight);
    own.unwrap_or(rule)
}

fn request(resolver: &Resolver<'_>, raw: &RawCaseRequest) -> Result<CaseRequest, PlanError> {
    let rule = rule(resolver, raw)?;
    let answer_rule = answer_rule(resolver, rule);
    let by_rule = |that| match that {
        Expect::Answer { .. } => Expectation { rule: answer_rule, that },
        _ => Expectation { rule, that },
    };
    let (method, target) = resolver.request(&raw.request, is_given)?;
    let mut request = CaseRequest::new(method, target);
    request.before = raw.before.as_ref().map(|line| Content::from(line.get_ref().as_str()));
    for (name, value) in &raw.headers.0 {
        http::check_header_name(name.get_ref()).map_err(|error| resolver.at(name, error))?;
        http::check_header_value(value.get_ref()).map_err(|error| resolver.at(value, error))?;
        request.headers.push((name.get_ref().clone(), Content::from(value.get_ref().as_str())));
    }
    request.body = raw.body.as_deref().map(Content::from);
    request.form = match raw.form {
        RawForm::Plain => Form::Plain,
        RawForm::Chunked => Form::Chunked,
        RawForm::Http10 => Form::Http10,
        RawForm::Continue => Form::Continue,
        RawForm::HalfClosed => Form::HalfClosed,
        RawForm::Reset => Form::Reset,
    };
    request.way = match raw.way {
        RawWay::Fresh => Way::Fresh,
        RawWay::Kept => Way::Kept,
        RawWay::Pipelined => Way::Pipelined,
        RawWay::AtOnce => Way::AtOnce,
    };
    if request.form == Form::Reset {
        let texts = [&raw.media_type, &raw.body_is, &raw.shows];
        if raw.statuses.is_some() || texts.iter().any(|text| text.is_some()) {
            let read = "nobody reads the answer to a request that is reset\nhint: leave out what its answer is held to";
            return Err(resolver.at(&raw.request, read));
        }
        request.expect = vec![by_rule(Expect::Alive)];
        return Ok(request);
    }
    let none = "this request accepts no status\nhint: write for example `statuses = [200]`";
    let Some(statuses) = &raw.statuses else { return Err(resolver.at(&raw.request, none)) };
    let none = resolver.at(statuses, none);
    let statuses = resolver.statuses(statuses, http::check_any_status, none)?;
    let server_errors = statuses.iter().copied().filter(|status| *status >= 500).collect();
    let mut expect = vec![Expect::Status(statuses), Expect::Answer { server_errors, cut: false }];
    expect.extend(raw.media_type.as_ref().map(|text| media_type(resolver, text)).transpose()?);
    expect.extend((request.way == Way::Kept).then_some(Expect::SameConnection));
    expect.extend(raw.body_is.as_ref().map(|text| body_is(resolver, text)).transpose()?);
    expect.extend(raw.shows.as_ref().map(|text| shows(resolver, text)).transpose()?);
    request.expect = expect.into_iter().map(by_rule).collect();
    Ok(request)
}

/// Has the earlier requests whose `Location` this one needs create something and tell where: what needs it is not sent
/// without, and must not be left out in silence.
fn hold_to_location(
    resolver: &Resolver<'_>,
    raw: &RawCaseRequest,
    earlier: &mut [CaseRequest],
) -> Result<(), PlanError> {
    let headers = raw.headers.0.iter().map(|(_, value)| value.get_ref());
    let before = raw.before.as_ref().map(Spanned::get_ref);
    let texts = [raw.request.get_ref()].into_iter().chain(before).chain(headers).chain(&raw.body);
    let body_is = raw.body_is.as_ref().map(Spanned::get_ref).filter(|text| !text.starts_with('@'));
    let texts = texts.chain(raw.shows.as_ref().map(Spanned::get_ref)).chain(body_is);
    for number in texts.flat_map(|text| named_requests(text)) {
        let Some(request) = earlier.get_mut(number) else {
            let message = format!(
                "no request {number} comes before this one, which needs its Location (the first is 0)"
            );
            return Err(resolver.at(&raw.request, message));
        };
        if !request.expect.iter().any(|e| e.that == Expect::Status(vec![201])) {
            let hint = "hint: let that accept 201 alone: `statuses = [201]`";
            let message = format!(
                "this request needs the Location of request {number}, which may be answered without\n{hint}"
            );
            return Err(resolver.at(&raw.request, message));
        }
        let rule =
            request.expect.first().map_or(NoModel::ANSWERS_AS_DESCRIBED, |expectation| expectation.rule);
        let with_location = Expectation { rule, that: Expect::CreatedWith("Location".to_owned()) };
        if !request.expect.contains(&with_location) {
            request.expect.push(with_location);
        }
    }
    Ok(())
}

/// Forms and ways that stand where they mean something.
fn check_ways(
    resolver: &Resolver<'_>,
    raw: &[RawCaseRequest],
    requests: &[CaseRequest],
) -> Result<(), PlanError> {
    for (number, (raw, request)) in raw.iter().zip(requests).enumerate() {
        let before = number.checked_sub(1).and_then(|before| requests.get(before));
        let shares = matches!(request.way, Way::Kept | Way::Pipelined);
        let wrong = match (request.form, before) {
            (Form::Chunked | Form::Continue, _) if request.body.is_none() => {
                "this form is for a body, and there is none"
            }
            (Form::Continue, _) if request.way == Way::Pipelined => {
                "who does not wait for answers does not wait for 100 Continue"
            }
            _ if request.before.is_some() && matches!(request.way, Way::Pipelined | Way::AtOnce) => {
                "nothing can be run before a request that is sent together with another"
            }
            (_, None) if request.way != Way::Fresh => "no request comes before this one",
            (Form::Reset, _) if request.way != Way::Fresh => "who resets a connection has one of its own",
            (_, Some(before)) if shares && before.form == Form::Reset => {
                "the client reset the connection of the request before this one"
            }
            (_, Some(before)) if shares && before.form == Form::HalfClosed => {
                "the client ended its direction with the request before this one"
            }
            _ => continue,
        };
        let out = if request.before.is_some() { "`form`, `way` or `before`" } else { "`form` or `way`" };
        return Err(resolver.at(&raw.request, format!("{wrong}\nhint: leave its {out} out")));
    }
    Ok(())
}

/// What the body must be; a case's record keeps so much of it.
fn body_is(resolver: &Resolver<'_>, text: &Spanned<String>) -> Result<Expect, PlanError> {
    let body = resolver.body(text)?;
    if body.bytes().len() > BODY_KEPT {
        let most = BODY_KEPT >> 10;
        return Err(
            resolver.at(text, format!("a case's body may have {most} KiB at most: so much is recorded"))
        );
    }
    Ok(Expect::BodyIs(body))
}

/// Whether a target begins with what an earlier answer of the case gave: `{0.location}`.
fn is_given(target: &str) -> bool {
    let number = target.strip_prefix('{').and_then(|rest| rest.split_once(".location}"));
    number.is_some_and(|(number, _)| number.parse::<usize>().is_ok())
}

fn media_type(resolver: &Resolver<'_>, raw: &Spanned<String>) -> Result<Expect, PlanError> {
    let text = raw.get_ref();
    let is_one = text.split_once('/').is_some_and(|(kind, of)| http::is_token(kind) && http::is_token(of));
    if !is_one {
        let message = format!("`{text}` is not a media type; write for example `application/json`");
        return Err(resolver.at(raw, message));
    }
    Ok(Expect::MediaType(text.clone()))
}

/// What the body must show: JSON that is an object, before its placeholders stand for anything.
fn shows(resolver: &Resolver<'_>, raw: &Spanned<String>) -> Result<Expect, PlanError> {
    let text = raw.get_ref();
    let wrong = match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) if value.is_object() => return Ok(Expect::Shows(text.clone())),
        Ok(_) => "not an object".to_owned(),
        Err(error) => error.to_string(),
    };
    let hint = "hint: write for example `shows = '{\"name\": \"ana\"}'`";
    Err(resolver.at(raw, format!("`shows` is not a JSON object: {wrong}\n{hint}")))
}
