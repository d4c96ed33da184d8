//! The description as a tree of JSON, and its references.

use std::path::Path;

use galo_plan::PlanError;
use serde_json::{Map, Value};

use super::LeftOut;
use crate::error::InitError;

/// References that lead on to references, at most.
const MAX_STEPS: usize = 32;
/// Methods that are tried. OPTIONS and TRACE say nothing of the API itself.
const METHODS: [&str; 6] = ["get", "head", "post", "put", "patch", "delete"];

/// See the module.
pub(super) struct Document {
    root: Value,
}

/// An operation as it is described.
pub(super) struct Described<'a> {
    /// E.g. `GET`.
    pub(super) method: String,
    /// E.g. `/pets/{petId}`.
    pub(super) path: &'a str,
    pub(super) operation: &'a Value,
    /// Of the path and of the operation, the latter in place of the former.
    pub(super) parameters: Vec<&'a Value>,
}

impl Document {
    /// Reads a file of JSON or YAML.
    pub(super) fn read(file: &Path) -> Result<Self, InitError> {
        let read = std::fs::read(file).map_err(|source| PlanError::Read { path: file.to_owned(), source })?;
        Self::parse(&file.display().to_string(), &String::from_utf8_lossy(&read))
    }

    /// The same of a text; `name` is only for messages.
    pub(super) fn parse(name: &str, text: &str) -> Result<Self, InitError> {
        let text = text.trim_start_matches('\u{feff}');
        let parsed: Result<Value, String> = if text.trim_start().starts_with('{') {
            serde_json::from_str(text).map_err(|error| error.to_string())
        } else {
            let options = serde_saphyr::options! { with_snippet: false };
            serde_saphyr::from_str_with_options(text, options).map_err(|error| error.to_string())
        };
        let root = parsed.map_err(|error| {
            let error = error.lines().next().unwrap_or_default().to_owned();
            InitError::Wrong(format!(
                "`{name}` is neither JSON nor YAML: {error}\nhint: name an OpenAPI description"
            ))
        })?;
        let version = match root.get("openapi").or_else(|| root.get("swagger")) {
            Some(Value::String(version)) => version.clone(),
            Some(version @ Value::Number(_)) => version.to_string(),
            _ => String::new(),
        };
        match version.split('.').take(2).collect::<Vec<_>>()[..] {
            ["3", "0" | "1"] => Ok(Self { root }),
            [""] => Err(InitError::Wrong(format!(
                "`{name}` is no OpenAPI description: it has no `openapi`\nhint: name a file that says `openapi: 3.1.0`, or 3.0"
            ))),
            _ => Err(InitError::Wrong(format!(
                "`{name}` is of OpenAPI {version}, and galo reads 3.0 and 3.1\nhint: convert it to 3.1"
            ))),
        }
    }

    /// The title, if there is one.
    pub(super) fn title(&self) -> Option<String> {
        Some(self.root.get("info")?.get("title")?.as_str()?.to_owned())
    }

    /// The path of the first server, with the defaults of its variables, without a slash at its end.
    pub(super) fn base_path(&self) -> String {
        let Some(server) = self.root.pointer("/servers/0") else { return String::new() };
        let mut url = server.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
        for (name, variable) in server.get("variables").and_then(Value::as_object).into_iter().flatten() {
            let default = variable.get("default").and_then(Value::as_str).unwrap_or_default();
            url = url.replace(&format!("{{{name}}}"), default);
        }
        let path = match url.split_once("://") {
            Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]),
            None => &url,
        };
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_matches('/');
        if path.is_empty() { String::new() } else { format!("/{path}") }
    }

    /// All operations, path by path.
    pub(super) fn operations(&self) -> Vec<Result<Described<'_>, LeftOut>> {
        let paths = self.root.get("paths").and_then(Value::as_object);
        paths.into_iter().flatten().flat_map(|(path, item)| self.of_path(path, item)).collect()
    }

    fn of_path<'a>(&'a self, path: &'a str, item: &'a Value) -> Vec<Result<Described<'a>, LeftOut>> {
        let left_out = |what: String, because| Err(LeftOut { what, because });
        let item = match self.target(item) {
            Ok(item) => item,
            Err(because) => return vec![left_out(path.to_owned(), because)],
        };
        let described = |(method, operation): (&'a String, &'a Value)| {
            let name = format!("{} {path}", method.to_ascii_uppercase());
            if matches!(method.as_str(), "options" | "trace") {
                return Some(left_out(name, "it says nothing of the API itself".to_owned()));
            }
            METHODS.contains(&method.as_str()).then(|| {
                let parameters = self.parameters(item, operation);
                let parameters = parameters.map_err(|because| LeftOut { what: name, because })?;
                Ok(Described { method: method.to_ascii_uppercase(), path, operation, parameters })
            })
        };
        item.as_object().into_iter().flatten().filter_map(described).collect()
    }

    fn parameters<'a>(&'a self, item: &'a Value, operation: &'a Value) -> Result<Vec<&'a Value>, String> {
        let mut parameters: Vec<&Value> = Vec::new();
        for place in [item, operation] {
            for written in place.get("parameters").and_then(Value::as_array).into_iter().flatten() {
                let parameter = self.target(written)?;
                let named = |parameter: &Value| ["name", "in"].map(|key| parameter.get(key).cloned());
                parameters.retain(|earlier| named(earlier) != named(parameter));
                parameters.push(parameter);
            }
        }
        Ok(parameters)
    }

    /// Whether an operation asks for credentials.
    pub(super) fn is_secured(&self, operation: &Value) -> bool {
        let security = operation.get("security").or_else(|| self.root.get("security"));
        let ways = security.and_then(Value::as_array);
        let is_free = |way: &Value| way.as_object().is_none_or(Map::is_empty);
        ways.is_some_and(|ways| !ways.is_empty() && !ways.iter().any(is_free))
    }

    /// What a value stands for: itself, or what its `$ref` leads to.
    pub(super) fn target<'a>(&'a self, value: &'a Value) -> Result<&'a Value, String> {
        let mut value = value;
        for _ in 0..MAX_STEPS {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return Ok(value) };
            let Some(pointer) = reference.strip_prefix('#') else {
                return Err(format!("`{reference}` is not in the file"));
            };
            let found = self.root.pointer(&percent_decoded(pointer));
            value = found.ok_or_else(|| format!("`{reference}` leads nowhere"))?;
        }
        Err("its references go round in a circle".to_owned())
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match hex.and_then(|two| u8::from_str_radix(two, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
