//! `outlives-its-volume` (must): a start on fresh volumes begins with a count of 0.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Data outlived its volume.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutlivesItsVolume {
    /// What it counted at once on fresh volumes.
    pub counted: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word("data outlived its volume", "os dados sobreviveram ao seu volume"),
    means: "Iniciado mais uma vez, com volumes novos, ele já contava registros: há dados guardados \
        fora dos volumes.",
    remedy: Some(Both::word(
        "keep data in volumes of the Compose file only: galo gives each start fresh ones",
        "Guarde os dados só em volumes do arquivo Compose: o galo dá novos a cada início.",
    )),
};

impl Tell for OutlivesItsVolume {
    fn sentence(&self, lang: Lang) -> String {
        let Self { counted } = self;
        say!(
            lang,
            "started once more on fresh volumes, it counted {counted} at once",
            "iniciado mais uma vez com volumes novos, ele já contava {counted}"
        )
    }
}
