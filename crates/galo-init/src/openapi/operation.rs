//! An operation that can be called: how, and what may come of it.

use galo_plan::{escaped, is_token};
use oas3::spec::{
    BooleanSchema, Example, MediaType, MediaTypeExamples, ObjectOrReference, ParameterIn, RequestBody,
    Response, Schema,
};
use serde_json::Value;

use super::LeftOut;
use super::document::{Described, Document};
use super::fitted::fitted;
use super::schema::{allowed, named};
use crate::draft::Request;

/// The longest path that is sent, in bytes.
const MAX_PATH: usize = 8_192;

/// An operation with all that is sent.
pub(super) struct Operation {
    /// E.g. `GET /pets/{petId}`.
    pub(super) name: String,
    pub(super) method: String,
    path: String,
    /// Those that are sent: required ones, and such with an example.
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Option<Body>,
    /// Statuses of answers that serve, ascending.
    pub(super) good: Vec<u16>,
    /// Described statuses of answers that refuse, ascending.
    refusals: Vec<u16>,
    /// Whether all statuses that are not described may be expected (`default`).
    has_default: bool,
    /// The only media type of the only good answer.
    pub(super) media_type: Option<String>,
    headers: Vec<(String, String)>,
}

/// A parameter with its value.
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) place: ParameterIn,
    pub(super) schema: Schema,
    pub(super) is_required: bool,
    /// Whether the description itself names the value.
    pub(super) is_named: bool,
    value: String,
}

/// The body of a request: JSON.
pub(super) struct Body {
    pub(super) media_type: String,
    pub(super) schema: Option<Schema>,
    /// Values, each with its name; the first is that of the traffic. One at least.
    pub(super) values: Vec<(Option<String>, Value)>,
    /// Whether no value is the description's own: there is one, made of the schema.
    pub(super) is_made: bool,
}

impl Operation {
    /// Finds out how it is called, with what the options say.
    pub(super) fn new(
        document: &Document,
        described: &Described<'_>,
        base: &str,
        own: &Request,
    ) -> Result<Self, LeftOut> {
        let Described { method, path, operation, parameters } = described;
        let name = format!("{method} {path}");
        let left_out = |because: String| LeftOut { what: name.clone(), because };
        if document.is_secured(operation) && own.headers.is_empty() {
            return Err(left_out("it asks for credentials: give them with -H".to_owned()));
        }
        let parameters = parameters.iter().filter_map(|parameter| sent(document, parameter).transpose());
        let parameters = parameters.collect::<Result<Vec<_>, _>>().map_err(left_out)?;
        let path = format!("{}{path}", base.trim_end_matches('/'));
        if path.len() > MAX_PATH || !path.starts_with('/') || !path.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(left_out("its path cannot be sent as it stands".to_owned()));
        }
        let missing = holes(&path)
            .find(|hole| !parameters.iter().any(|p| p.place == ParameterIn::Path && p.name == *hole));
        if let Some(missing) = missing {
            return Err(left_out(format!("`{{{missing}}}` in its path is no parameter")));
        }
        let body = operation.get("requestBody").map(|body| self::body(document, body)).transpose();
        let mut this = Self {
            body: body.map_err(left_out)?.flatten(),
            name,
            method: method.clone(),
            path,
            parameters,
            good: Vec::new(),
            refusals: Vec::new(),
            has_default: false,
            media_type: None,
            headers: own.headers.clone(),
        };
        this.read_responses(document, operation);
        Ok(this)
    }

    fn read_responses(&mut self, document: &Document, operation: &Value) {
        let responses = operation.get("responses").and_then(Value::as_object);
        let mut good = Vec::new();
        for (status, response) in responses.into_iter().flatten() {
            match statuses(status) {
                Some(statuses) if statuses[0] < 400 => {
                    self.good.extend(&statuses);
                    good.push(response);
                }
                Some(statuses) if statuses[0] < 500 => self.refusals.extend(statuses),
                None if status == "default" => self.has_default = true,
                _ => {}
            }
        }
        self.good.sort_unstable();
        self.good.dedup();
        self.refusals.sort_unstable();
        if self.good.is_empty() {
            self.good.extend(200..300);
        }
        if let [only] = good[..] {
            let only = document.part::<Response>(only, &["content"]).unwrap_or_default();
            if let [one] = only.content.keys().collect::<Vec<_>>()[..] {
                let media_type = one.split(';').next().unwrap_or_default().trim();
                self.media_type =
                    (is_media_type(media_type) && !media_type.contains('*')).then(|| media_type.to_owned());
            }
        }
    }

    /// What the traffic sends; or why it does not.
    pub(super) fn scenario(&self) -> Result<Request, String> {
        if self.method == "DELETE" {
            return Err("what it deletes is gone for the requests after it".to_owned());
        }
        let mut statuses = self.good.clone();
        statuses.extend(self.again());
        if self.may_be_unknown() {
            statuses.push(404);
        }
        statuses.sort_unstable();
        statuses.dedup();
        Ok(Request { statuses, ..self.request() })
    }

    /// Statuses of answers to what was asked before and cannot be done twice: traffic and cases ask for the same again and
    /// again. Where 409 is not described, a creation may be refused by 400 or 422, which are of mistakes as well.
    pub(super) fn again(&self) -> Vec<u16> {
        if self.refusals.contains(&409) {
            return vec![409];
        }
        let is_creation = self.good == [201];
        let may_refuse = |status: &u16| self.has_default || self.refusals.contains(status);
        [400, 409, 422].into_iter().filter(|status| is_creation && may_refuse(status)).collect()
    }

    /// The request with all values, and without statuses.
    pub(super) fn request(&self) -> Request {
        self.request_with(|parameter| Some(parameter.written()))
    }

    /// The same with other values, written as they are sent; `None`: without the parameter.
    pub(super) fn request_with(&self, value: impl Fn(&Parameter) -> Option<String>) -> Request {
        let mut request =
            Request { method: self.method.clone(), headers: self.headers.clone(), ..Request::default() };
        let (mut path, mut query) = (self.path.clone(), Vec::new());
        for parameter in &self.parameters {
            let Some(value) = value(parameter) else { continue };
            match parameter.place {
                ParameterIn::Path => path = path.replace(&format!("{{{}}}", parameter.name), &value),
                ParameterIn::Query => query.push(format!("{}={value}", escaped(parameter.name.as_bytes()))),
                ParameterIn::Cookie => request.add_header("Cookie", &format!("{}={value}", parameter.name)),
                ParameterIn::Header => request.add_missing_header(&parameter.name, &value),
            }
        }
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        request.target = path + &query;
        if let Some(body) = &self.body {
            request.add_missing_header("Content-Type", &body.media_type);
            request.body = body.values.first().map(|(_, value)| value.to_string());
        }
        request
    }

    /// Whether what its path names may not be there: no example says that it is.
    pub(super) fn may_be_unknown(&self) -> bool {
        self.parameters.iter().any(|parameter| parameter.place == ParameterIn::Path && !parameter.is_named)
    }

    /// Statuses of an answer that refuses for one of these reasons: those of them that are described, else any 4xx.
    pub(super) fn refused(&self, reasons: &[u16]) -> Vec<u16> {
        let described: Vec<u16> = reasons.iter().copied().filter(|r| self.refusals.contains(r)).collect();
        if described.is_empty() { (400..500).collect() } else { described }
    }

    /// Whether any refusal is described.
    pub(super) fn refuses(&self) -> bool {
        self.has_default || !self.refusals.is_empty()
    }
}

impl Parameter {
    /// Its value as it is sent.
    pub(super) fn written(&self) -> String {
        self.value.clone()
    }
}

/// Names between braces.
fn holes(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
}

/// The statuses of a key of `responses`: `200`, `4XX`.
fn statuses(key: &str) -> Option<Vec<u16>> {
    if let Some(hundred) = key.strip_suffix("XX").or_else(|| key.strip_suffix("xx")) {
        let hundred: u16 = hundred.parse().ok().filter(|hundred| (2..=5).contains(hundred))?;
        return Some((hundred * 100..hundred * 100 + 100).collect());
    }
    key.parse().ok().filter(|status| (200..600).contains(status)).map(|status| vec![status])
}

/// Headers that are no parameters, as OpenAPI has it, and those that follow from the connection and the body.
const SET_ELSEWHERE: [&str; 7] =
    ["accept", "content-type", "authorization", "host", "content-length", "connection", "transfer-encoding"];

/// Whether it has the form of a media type.
fn is_media_type(text: &str) -> bool {
    text.split_once('/').is_some_and(|(kind, of)| is_token(kind) && is_token(of))
}

/// What is read of a parameter.
const PARAMETER: [&str; 6] = ["name", "in", "required", "schema", "example", "examples"];

/// A parameter with its value, if it is sent; or why it cannot be.
fn sent(document: &Document, parameter: &Value) -> Result<Option<Parameter>, String> {
    let text = |key: &str| parameter.get(key).and_then(Value::as_str).unwrap_or_default();
    let (name, place) = (text("name"), text("in"));
    let told = |because: String| format!("its parameter `{name}` cannot be given: {because}");
    match place {
        "path" | "query" => {}
        "header" if SET_ELSEWHERE.iter().any(|own| own.eq_ignore_ascii_case(name)) => return Ok(None),
        "header" | "cookie" if is_token(name) => {}
        _ => return Err(told(format!("nothing of this name can be in `{place}`"))),
    }
    let described = document.part::<oas3::spec::Parameter>(parameter, &PARAMETER).map_err(told)?;
    let is_required = place == "path" || described.required == Some(true);
    let example = match described.example {
        Some(example) => Some(example),
        None => examples(document, described.examples).into_iter().next().map(|(_, value)| value),
    };
    if !is_required && example.is_none() {
        return Ok(None);
    }
    let schema = described.schema.unwrap_or(Schema::Boolean(BooleanSchema(true)));
    let is_named = named(document.schema(&schema).map_err(told)?).is_some();
    if parameter.get("content").is_some() && example.is_none() {
        return Err(told("it has a media type of its own".to_owned()));
    }
    let is_named = example.is_some() || is_named;
    let value = match example {
        Some(example) => fitted(document, &schema, example),
        None => allowed(document, &schema).map_err(told)?,
    };
    let value = written(&value).ok_or_else(|| told("it is no simple value".to_owned()))?;
    let value = match place {
        "path" | "query" => escaped(value.as_bytes()),
        _ if value.chars().any(char::is_control) => {
            return Err(told("it holds control characters".to_owned()));
        }
        _ => value,
    };
    if place == "path" && value.is_empty() {
        return Err(told("it is empty".to_owned()));
    }
    let (name, place) = (described.name, described.location);
    Ok(Some(Parameter { name, place, schema, is_required, is_named, value }))
}

/// Examples with their names.
fn examples(
    document: &Document,
    examples: impl IntoIterator<Item = (String, ObjectOrReference<Example>)>,
) -> Vec<(String, Value)> {
    let value = |(name, example)| {
        let example: Option<Example> = match example {
            ObjectOrReference::Object(example) => Some(example),
            ObjectOrReference::Ref { ref_path, .. } => document.part_at(&ref_path, &["value"]).ok(),
        };
        Some((name, example?.value?))
    };
    examples.into_iter().filter_map(value).collect()
}

/// A value as text in a path, a query or a header: of a list the first element.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Array(elements) => elements.first().filter(|first| !first.is_array()).and_then(written),
        Value::Null | Value::Object(_) => None,
    }
}

/// The body that is sent; `None` where none need be; or why it cannot be made.
fn body(document: &Document, body: &Value) -> Result<Option<Body>, String> {
    let body: RequestBody = document.part(body, &["required", "content"])?;
    let is_required = body.required == Some(true);
    let is_json = |media_type: &str| {
        let name = media_type.split(';').next().unwrap_or_default().trim();
        name == "application/json" || name == "*/*" || is_media_type(name) && name.ends_with("+json")
    };
    let types: Vec<String> = body.content.keys().cloned().collect();
    let Some((media_type, of)) = body.content.into_iter().find(|(media_type, _)| is_json(media_type)) else {
        return match is_required {
            true => Err(format!("its body is not JSON but {}", types.join(", "))),
            false => Ok(None),
        };
    };
    let MediaType { schema, examples: given, .. } = of;
    let mut values: Vec<(Option<String>, Value)> = match given {
        Some(MediaTypeExamples::Example { example }) => vec![(None, example)],
        Some(MediaTypeExamples::Examples { examples: given }) => {
            examples(document, given).into_iter().map(|(name, value)| (Some(name), value)).collect()
        }
        None => Vec::new(),
    };
    if let Some(schema) = &schema {
        values = values.into_iter().map(|(name, value)| (name, fitted(document, schema, value))).collect();
    }
    let is_made = values.is_empty();
    if is_made {
        let built = schema
            .as_ref()
            .map(|schema| allowed(document, schema))
            .unwrap_or_else(|| Err("it has no schema".to_owned()));
        match built {
            Ok(value) => values.push((None, value)),
            Err(because) if is_required => return Err(format!("its body cannot be made: {because}")),
            Err(_) => return Ok(None),
        }
    }
    let media_type = match media_type.split(';').next().unwrap_or_default().trim() {
        "*/*" => "application/json",
        name => name,
    };
    Ok(Some(Body { media_type: media_type.to_owned(), schema, values, is_made }))
}
