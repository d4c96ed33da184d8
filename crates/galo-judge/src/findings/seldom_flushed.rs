//! `seldom-flushed`: few flushes for so many creations.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::{CREATION, FORCED_WRITE};
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Few flushes for so many creations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SeldomFlushed {
    /// Creations acknowledged under load.
    pub acknowledged: u64,
    /// Forced writes meanwhile.
    pub flushes: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("few flushes for so many creations", "poucos flushes para tantas criações"),
    means: "Foram mais de mil criações confirmadas para cada escrita forçada para o disco.",
    remedy: None,
};

impl Tell for SeldomFlushed {
    fn sentence(&self, lang: Lang) -> String {
        let Self { acknowledged, flushes } = self;
        let were = if *acknowledged == 1 { "confirmada" } else { "confirmadas" };
        let creations = lang.counted(*acknowledged, CREATION);
        let flushes = lang.counted(*flushes, FORCED_WRITE);
        say!(
            lang,
            "{creations} acknowledged, with only {flushes} to a disk under load",
            "{creations} {were}, com só {flushes} para o disco sob carga"
        )
    }
}
