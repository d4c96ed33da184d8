//! `resets-connections` (should): a connection that was accepted is answered before it is closed.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::OPERATION;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::failures::{Number, numbers};
use super::{About, Tell};

/// Connections were closed instead of answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResetsConnections {
    /// Operations that lost their connection.
    pub closed: u64,
    /// All operations.
    pub operations: u64,
    /// The same by kind of failure.
    pub kinds: Vec<Number>,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "connections were closed instead of answered",
        "conexões foram fechadas em vez de respondidas",
    ),
    means: "Conexões já aceitas foram fechadas antes que a resposta chegasse inteira.",
    remedy: Some(Both::word(
        "answer 503 where there is too much to do, and close after the answer",
        "Quando houver trabalho demais, responda 503, e feche só depois da resposta.",
    )),
};

impl Tell for ResetsConnections {
    fn sentence(&self, lang: Lang) -> String {
        let Self { closed, operations, kinds } = self;
        let (closed, operations) = (lang.whole(*closed), lang.counted(*operations, OPERATION));
        let kinds = lang.listed(&numbers(kinds, lang));
        say!(
            lang,
            "{closed} of {operations} lost their connection before all of an answer came ({kinds})",
            "{closed} de {operations} perderam a conexão antes de a resposta chegar inteira ({kinds})"
        )
    }
}
