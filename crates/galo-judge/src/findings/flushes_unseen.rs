//! `flushes-unseen`: not all flushes may have been seen.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// A service may have flushed what was not seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlushesUnseen {
    /// Which.
    pub service: String,
    /// Why, in the watcher's words.
    pub why: String,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word(
        "not all flushes may have been seen",
        "talvez nem todos os flushes tenham sido vistos",
    ),
    means: "O que um serviço escreve por um caminho que não é contado não é usado contra ninguém nem a \
        favor.",
    remedy: None,
};

impl Tell for FlushesUnseen {
    fn sentence(&self, lang: Lang) -> String {
        let Self { service, why } = self;
        say!(
            lang,
            "not all flushes of service `{service}` may have been seen: {why}",
            "talvez nem todos os flushes do serviço `{service}` tenham sido vistos: {why}"
        )
    }
}
