//! `not-linearizable` (must): the answers about each key fit one order of events.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::KEY;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// The answers about a key fit no order of events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotLinearizable {
    /// How many keys.
    pub keys: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "the answers about a key fit no order of events",
        "as respostas sobre uma chave não cabem em nenhuma ordem",
    ),
    means: "Nenhuma ordem dos acontecimentos explica todas as respostas sobre a mesma chave: elas se \
        contradizem.",
    remedy: Some(Both::word(
        "let one place decide about each key, and every answer come from there",
        "Deixe um só lugar decidir sobre cada chave, e faça toda resposta vir de lá.",
    )),
};

impl Tell for NotLinearizable {
    fn sentence(&self, lang: Lang) -> String {
        let Self { keys } = self;
        let keys = lang.counted(*keys, KEY);
        say!(
            lang,
            "the answers about {keys} fit no order of events",
            "as respostas sobre {keys} não cabem em nenhuma ordem de acontecimentos"
        )
    }
}
