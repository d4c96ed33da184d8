//! A challenge as written in `challenge.toml`. Values stay text with their place in the file, so that whatever turns
//! out to be wrong with one later can be told with its line.

use std::fmt;
use std::iter::from_fn;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use toml::Spanned;

use super::{Connection, Noun};
use crate::draw::Pick;
use crate::error::PlanError;
use crate::source::Source;
use crate::suggest;
use crate::written::Amount;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawChallenge {
    pub(super) name: Spanned<String>,
    pub(super) title: String,
    pub(super) model: Option<Spanned<String>>,
    pub(super) policy: RawPolicy,
    pub(super) origin: Option<Spanned<String>>,
    pub(super) baseline: Option<Spanned<String>>,
    pub(super) count: Option<RawCount>,
    pub(super) timeouts: RawTimeouts,
    pub(super) service_level: RawServiceLevel,
    pub(super) score: Option<RawScore>,
    #[serde(default)]
    pub(super) headers: Entries<Spanned<String>>,
    #[serde(default)]
    pub(super) feeder: Vec<RawFeeder>,
    pub(super) scenario: Vec<RawScenario>,
    pub(super) profile: Entries<Entries<Vec<Spanned<String>>>>,
    #[serde(default)]
    pub(super) case: Vec<RawCase>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawPolicy {
    pub(super) port: Spanned<u16>,
    pub(super) cpus: Spanned<Amount>,
    pub(super) memory: Spanned<String>,
    #[serde(default)]
    pub(super) instances: usize,
    #[serde(default)]
    pub(super) forbidden_keys: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) networks: Vec<String>,
    pub(super) ready: Option<Spanned<String>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawCount {
    pub(super) path: Spanned<String>,
    pub(super) settle: Spanned<String>,
    pub(super) settle_max: Spanned<String>,
    #[serde(default)]
    pub(super) noun: Noun,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawTimeouts {
    pub(super) connect: Spanned<String>,
    pub(super) answer: Spanned<String>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawServiceLevel {
    pub(super) latency: Spanned<String>,
    pub(super) classes: Vec<Spanned<String>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawScore {
    pub(super) start: Spanned<f64>,
    pub(super) unit: String,
    pub(super) within: Spanned<String>,
    pub(super) percent: Spanned<f64>,
    pub(super) per_percent: Spanned<f64>,
    pub(super) per_inconsistency: Spanned<f64>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawScenario {
    pub(super) name: Spanned<String>,
    pub(super) feeder: Option<Spanned<String>>,
    #[serde(default = "shared")]
    pub(super) connection: Connection,
    #[serde(default = "yes")]
    pub(super) compared: bool,
    #[serde(default)]
    pub(super) cookies: bool,
    pub(super) after: Option<Spanned<OneOrMore>>,
    pub(super) weight: Option<Spanned<u32>>,
    pub(super) step: Vec<RawStep>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawStep {
    pub(super) name: Spanned<String>,
    pub(super) pause: Option<Spanned<String>>,
    pub(super) request: Spanned<String>,
    #[serde(default)]
    pub(super) headers: Entries<Spanned<String>>,
    pub(super) body: Option<Spanned<String>>,
    pub(super) json: Option<Spanned<toml::Value>>,
    pub(super) statuses: Option<Spanned<Vec<Spanned<Amount>>>>,
    pub(super) check: Option<Spanned<String>>,
    pub(super) body_is: Option<Spanned<String>>,
    pub(super) json_is: Option<Spanned<String>>,
    pub(super) expect_body: Option<Spanned<OneOrMore>>,
    pub(super) expect_json: Option<Spanned<OneOrMore>>,
    pub(super) expect_header: Option<Spanned<OneOrMore>>,
    #[serde(default)]
    pub(super) creates: bool,
    pub(super) captures: Option<Spanned<Captures>>,
    pub(super) needs: Option<Spanned<OneOrMore>>,
    #[serde(default)]
    pub(super) fresh: bool,
    pub(super) at_once: Option<Spanned<u32>>,
}

/// Rows in a file beside this one.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawFeeder {
    pub(super) name: Spanned<String>,
    pub(super) file: Spanned<String>,
    #[serde(default = "in_turn")]
    pub(super) pick: Pick,
}

const fn in_turn() -> Pick {
    Pick::InTurn
}

/// A case of conformance.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawCase {
    pub(super) name: Spanned<String>,
    #[serde(default)]
    pub(super) request: Vec<RawCaseRequest>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawCaseRequest {
    pub(super) rule: Option<Spanned<String>>,
    pub(super) before: Option<Spanned<String>>,
    pub(super) request: Spanned<String>,
    #[serde(default)]
    pub(super) headers: Entries<Spanned<String>>,
    pub(super) body: Option<String>,
    pub(super) statuses: Option<Spanned<Vec<Spanned<Amount>>>>,
    pub(super) media_type: Option<Spanned<String>>,
    pub(super) body_is: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) form: RawForm,
    #[serde(default)]
    pub(super) way: RawWay,
    pub(super) shows: Option<Spanned<String>>,
}

/// How a request of a case is put.
#[derive(serde::Deserialize, Clone, Copy, Default)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RawForm {
    #[default]
    Plain,
    Chunked,
    #[serde(rename = "http-1.0")]
    Http10,
    Continue,
    HalfClosed,
    Reset,
}

/// On which connection it goes.
#[derive(serde::Deserialize, Clone, Copy, Default)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RawWay {
    #[default]
    Fresh,
    Kept,
    Pipelined,
    AtOnce,
}

/// Scenarios by themselves, as `galo load --scenario` takes them.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawScenarios {
    pub(super) timeouts: Option<RawTimeouts>,
    #[serde(default)]
    pub(super) headers: Entries<Spanned<String>>,
    #[serde(default)]
    pub(super) feeder: Vec<RawFeeder>,
    pub(super) scenario: Vec<RawScenario>,
}

fn yes() -> bool {
    true
}

const fn shared() -> Connection {
    Connection::Shared
}

/// Reads a file of either form.
pub(super) fn read<T: serde::de::DeserializeOwned>(source: Source<'_>) -> Result<T, PlanError> {
    toml::from_str(source.text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        source.error_at(offset, suggest::explain(error.message()))
    })
}

/// One text, or a list of them.
#[derive(serde::Deserialize)]
#[serde(untagged, expecting = "a text or a list of texts is to stand here")]
pub(super) enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    pub(super) fn texts(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::More(texts) => texts,
        }
    }
}

/// What a step keeps of its answer, by name: a table of parts, or `"location"`, which is its own name.
pub(super) struct Captures(pub(super) Vec<(String, String)>);

impl<'de> Deserialize<'de> for Captures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts;

        impl<'de> Visitor<'de> for Parts {
            type Value = Captures;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table such as { token = \"json /token\" }, or \"location\"")
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Captures(vec![(text.to_owned(), text.to_owned())]))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                from_fn(|| map.next_entry().transpose()).collect::<Result<_, _>>().map(Captures)
            }
        }

        deserializer.deserialize_any(Parts)
    }
}

/// A table's entries in the order of the file, which TOML itself does not keep: scenarios, profiles and headers have one.
pub(super) struct Entries<V>(pub(super) Vec<(Spanned<String>, V)>);

impl<V> Default for Entries<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Entries<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor<V>(PhantomData<V>);

        impl<'de, V: Deserialize<'de>> Visitor<'de> for EntriesVisitor<V> {
            type Value = Entries<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let entries = from_fn(|| map.next_entry().transpose()).collect::<Result<Vec<_>, _>>();
                let mut entries: Vec<(Spanned<String>, V)> = entries?;
                entries.sort_by_key(|(key, _)| key.span().start);
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(EntriesVisitor(PhantomData))
    }
}
