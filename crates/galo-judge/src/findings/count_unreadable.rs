//! `count-unreadable` (must): an integer can be read in a count that is answered.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// No integer could be read in a count.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountUnreadable {
    /// Which.
    pub when: When,
}

/// A count before or after the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// Before the first request.
    BeforeTheLoad,
    /// After the load.
    AfterTheLoad,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word("no integer could be read in the count", "não deu para ler um inteiro na contagem"),
    means: "A leitura da contagem não trouxe um número inteiro.",
    remedy: Some(Both::word(
        "answer the count with a 2xx and the number as plain text",
        "Responda a contagem com um 2xx e o número como texto puro.",
    )),
};

impl Tell for CountUnreadable {
    fn sentence(&self, lang: Lang) -> String {
        let Self { when } = self;
        let when = match when {
            When::BeforeTheLoad => lang.pick("before the first request", "antes da primeira requisição"),
            When::AfterTheLoad => lang.pick("after the load", "depois da carga"),
        };
        say!(
            lang,
            "no integer could be read in the count {when}",
            "não deu para ler um inteiro na contagem {when}"
        )
    }
}
