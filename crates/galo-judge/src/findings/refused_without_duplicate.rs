//! `refused-without-duplicate` (must): a valid creation is refused only if another of its key can
//! have happened before.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// A valid creation was refused as a duplicate of nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedWithoutDuplicate {
    /// How many.
    pub creations: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "a creation was refused as a duplicate of nothing",
        "uma criação foi recusada como duplicada de nada",
    ),
    means: "Uma criação válida só pode ser recusada como duplicada se outra da mesma chave puder ter \
        acontecido antes.",
    remedy: Some(Both::word(
        "refuse as a duplicate only what the database refuses",
        "Recuse como duplicado só o que o banco recusa.",
    )),
};

impl Tell for RefusedWithoutDuplicate {
    fn sentence(&self, lang: Lang) -> String {
        let Self { creations } = self;
        let number = lang.whole(*creations);
        match creations {
            1 => say!(
                lang,
                "1 valid creation was refused before any other of its key can have happened",
                "1 criação válida foi recusada antes que outra da mesma chave pudesse ter acontecido"
            ),
            _ => say!(
                lang,
                "{number} valid creations were refused before any other of their keys can have happened",
                "{number} criações válidas foram recusadas antes que outra da mesma chave pudesse ter acontecido"
            ),
        }
    }
}
