//! The description as a tree of JSON, its references, and its parts by the model.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::path::Path;

use galo_plan::PlanError;
use galo_plan::address::Parts;
use oas3::spec::{BooleanSchema, ObjectOrReference, ObjectSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::files::{self, Files};
use super::{LeftOut, discriminator, model};
use crate::error::InitError;

/// References that lead on to references, at most.
const MAX_STEPS: usize = 32;
/// Parameters of one operation, at most.
const MAX_PARAMETERS: usize = 1_000;
/// Schemas, and properties of schemas, that are looked at for one description, at most. Schemas may refer to one another in
/// any number of ways, so that a short description can stand for more than could ever be looked at.
const MAX_LOOKS: u64 = 5_000_000;
/// How often the file is read over for what references lead to, at most: usual ones lead to parts that do not overlap.
const MAX_READS: usize = 8;
/// Methods that are tried. OPTIONS and TRACE say nothing of the API itself.
const METHODS: [&str; 6] = ["get", "head", "post", "put", "patch", "delete"];

/// A description that says of itself that it is OpenAPI 3.0 or 3.1.
pub(super) struct Document {
    files: Files,
    /// The schemas that references lead to, by reference, each read when it is first asked for.
    schemas: HashMap<String, OnceCell<Result<Schema, String>>>,
    /// References to the schemas that have another one as a part, by the reference to that.
    made_of: HashMap<String, Vec<String>>,
    /// The schema of anything.
    any: ObjectSchema,
    /// Schemas and properties that were looked at.
    looks: Cell<u64>,
    /// How much more may be read of what references lead to, in nodes of the tree.
    unread: Cell<usize>,
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
    /// Reads a file of JSON or YAML, and the files in its folder that its references lead to.
    pub(super) fn read(file: &Path) -> Result<Self, InitError> {
        let shown = file.display().to_string();
        let bytes = files::bytes_of(file, files::MAX_BYTES).map_err(|error| match error {
            files::Unread::Io(source) => InitError::from(PlanError::Read { path: file.to_owned(), source }),
            files::Unread::TooLarge => {
                let most = files::MAX_BYTES >> 20;
                let hint = "take out what need not be tried";
                InitError::Wrong(format!("`{shown}` is larger than {most} MiB\nhint: {hint}"))
            }
        })?;
        let text = files::text_of(&bytes).map_err(|wrong| unreadable(&shown, &wrong))?;
        Self::parse(file, &shown, text)
    }

    /// The same of a text, as messages name it.
    pub(super) fn parse(file: &Path, shown: &str, text: &str) -> Result<Self, InitError> {
        let root = files::tree_of(text).map_err(|wrong| unreadable(shown, &wrong))?;
        let version = match root.get("openapi").or_else(|| root.get("swagger")) {
            Some(Value::String(version)) => version.clone(),
            Some(version @ Value::Number(_)) => version.to_string(),
            _ => String::new(),
        };
        match version.split('.').take(2).collect::<Vec<_>>()[..] {
            ["3", "0" | "1"] => Ok(Self::new(Files::open(file, shown, text, root))),
            [""] => Err(InitError::Wrong(format!(
                "`{shown}` is no OpenAPI description: it has no `openapi`\nhint: name a file that says `openapi: 3.1.0`, or 3.0"
            ))),
            _ => Err(InitError::Wrong(format!(
                "`{shown}` is of OpenAPI {version}, and galo reads 3.0 and 3.1\nhint: convert it to 3.1"
            ))),
        }
    }

    fn new(files: Files) -> Self {
        let (mut schemas, mut made_of): (HashMap<_, _>, HashMap<String, Vec<_>>) = Default::default();
        let mut nodes = 0;
        for tree in files.trees() {
            nodes += files::count(tree);
            files::references(tree, &mut |reference| {
                schemas.entry(reference.to_owned()).or_default();
            });
        }
        let all = files.root().pointer("/components/schemas").and_then(Value::as_object);
        for (name, schema) in all.into_iter().flatten() {
            let reference = discriminator::named(name);
            let parts = schema.get("allOf").and_then(Value::as_array);
            for part in parts.into_iter().flatten().filter_map(|part| part.get("$ref")?.as_str()) {
                made_of.entry(part.to_owned()).or_default().push(reference.clone());
            }
            schemas.entry(reference).or_default();
        }
        let unread = Cell::new(MAX_READS * nodes);
        Self { files, schemas, made_of, any: ObjectSchema::default(), looks: Cell::new(0), unread }
    }

    /// The title, if there is one.
    pub(super) fn title(&self) -> Option<String> {
        Some(self.files.root().get("info")?.get("title")?.as_str()?.to_owned())
    }

    /// The path of the first server, with the defaults of its variables, without a slash at its end.
    pub(super) fn base_path(&self) -> String {
        let Some(server) = self.files.root().pointer("/servers/0") else { return String::new() };
        let url = server.get("url").and_then(Value::as_str).unwrap_or_default();
        let url = filled(url, |name| {
            Some(
                server
                    .get("variables")?
                    .get(name)?
                    .get("default")
                    .and_then(Value::as_str)
                    .unwrap_or_default(),
            )
        });
        let path = if url.contains("://") { Parts::split(&url).target } else { &url };
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_matches('/');
        if path.is_empty() { String::new() } else { format!("/{path}") }
    }

    /// All operations, path by path.
    pub(super) fn operations(&self) -> impl Iterator<Item = Result<Described<'_>, LeftOut>> {
        let paths = self.files.root().get("paths").and_then(Value::as_object);
        paths.into_iter().flatten().flat_map(|(path, item)| self.of_path(path, item))
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
                let named = |parameter: &'a Value| ["name", "in"].map(|key| parameter.get(key));
                parameters.retain(|earlier| named(earlier) != named(parameter));
                parameters.push(parameter);
                if parameters.len() > MAX_PARAMETERS {
                    return Err(format!("it has more than {MAX_PARAMETERS} parameters"));
                }
            }
        }
        Ok(parameters)
    }

    /// Whether an operation asks for credentials. (The model does not tell `security: []`, which opens an operation, from
    /// none.)
    pub(super) fn is_secured(&self, operation: &Value) -> bool {
        let security = operation.get("security").or_else(|| self.files.root().get("security"));
        let ways = security.and_then(Value::as_array);
        let is_free = |way: &Value| way.as_object().is_none_or(Map::is_empty);
        ways.is_some_and(|ways| !ways.is_empty() && !ways.iter().any(is_free))
    }

    /// A part of these keys, or what its `$ref` leads to.
    pub(super) fn part<T: DeserializeOwned>(&self, value: &Value, keys: &[&str]) -> Result<T, String> {
        model::part(self.target(value)?, keys)
    }

    /// The same of what a reference leads to.
    pub(super) fn part_at<T: DeserializeOwned>(&self, reference: &str, keys: &[&str]) -> Result<T, String> {
        self.part(self.files.at(reference)?, keys)
    }

    /// What a schema says, or that which its `$ref` leads to; or why nothing more is looked at.
    pub(super) fn schema<'a>(&'a self, schema: &'a Schema) -> Result<&'a ObjectSchema, String> {
        let mut schema = schema;
        for _ in 0..MAX_STEPS {
            let reference = match schema {
                Schema::Boolean(BooleanSchema(true)) => return Ok(&self.any),
                Schema::Boolean(BooleanSchema(false)) => return Err("its schema allows nothing".to_owned()),
                Schema::Object(of) => match &**of {
                    ObjectOrReference::Object(schema) => return self.looked_at(schema),
                    ObjectOrReference::Ref { ref_path, .. } => ref_path,
                },
            };
            schema = self.referred(reference)?;
        }
        Err("its references go round in a circle".to_owned())
    }

    /// The schema that a reference leads to.
    pub(super) fn referred(&self, reference: &str) -> Result<&Schema, String> {
        let Some(place) = self.schemas.get(reference) else {
            return Err(self
                .files
                .at(reference)
                .err()
                .unwrap_or_else(|| format!("`{reference}` leads nowhere")));
        };
        place.get_or_init(|| self.schema_at(reference)).as_ref().map_err(Clone::clone)
    }

    /// References to the schemas that have the one at this reference as a part.
    pub(super) fn made_of(&self, reference: &str) -> &[String] {
        self.made_of.get(reference).map_or(&[], Vec::as_slice)
    }

    fn looked_at<'a>(&self, schema: &'a ObjectSchema) -> Result<&'a ObjectSchema, String> {
        let looks = self.looks.get() + 1 + schema.properties.len() as u64;
        self.looks.set(looks);
        if looks > MAX_LOOKS {
            return Err(too_much());
        }
        Ok(schema)
    }

    /// What a value stands for: itself, or what its `$ref` leads to.
    pub(super) fn target<'a>(&'a self, value: &'a Value) -> Result<&'a Value, String> {
        let mut value = value;
        for _ in 0..MAX_STEPS {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else { return Ok(value) };
            value = self.files.at(reference)?;
        }
        Err("its references go round in a circle".to_owned())
    }

    /// Reads the schema that a reference leads to.
    fn schema_at(&self, reference: &str) -> Result<Schema, String> {
        let found = self.target(self.files.at(reference)?)?;
        let left = self.unread.get().checked_sub(files::count(found));
        self.unread.set(left.ok_or_else(too_much)?);
        model::schema(found)
    }
}

fn too_much() -> String {
    "the description refers to itself in more ways than can be looked at".to_owned()
}

/// What is told of a file that is no tree.
fn unreadable(shown: &str, wrong: &galo_plan::yaml::Wrong) -> InitError {
    let (line, message) = (wrong.line, &wrong.message);
    let hint = if message.contains("\nhint: ") {
        ""
    } else {
        "\nhint: name an OpenAPI description, as JSON or YAML"
    };
    InitError::Wrong(format!("{shown}:{line}: {message}{hint}"))
}

/// A text with values in place of the names between its braces. What a value holds is not filled in again.
fn filled<'a>(text: &'a str, value: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        match after.split_once('}').and_then(|(name, after)| Some((value(name)?, after))) {
            Some((value, after)) => {
                out.push_str(value);
                rest = after;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out + rest
}
