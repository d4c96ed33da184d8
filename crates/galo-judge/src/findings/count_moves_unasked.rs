//! `count-moves-unasked` (must): the count does not move while nobody asks for anything.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// The count moved while nobody asked for anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountMovesUnasked {
    /// The least that it was.
    pub least: u64,
    /// The most.
    pub most: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "the count moved while nobody asked for anything",
        "a contagem mudou sem ninguém pedir nada",
    ),
    means: "Antes da primeira requisição a contagem tem de ficar parada.",
    remedy: Some(Both::word(
        "be ready only when nothing is left to write or to delete",
        "Diga que está pronto só quando não houver mais nada para gravar ou apagar.",
    )),
};

impl Tell for CountMovesUnasked {
    fn sentence(&self, lang: Lang) -> String {
        let Self { least, most } = self;
        say!(
            lang,
            "the count moved between {least} and {most} before the first request",
            "a contagem mudou entre {least} e {most} antes da primeira requisição"
        )
    }
}
