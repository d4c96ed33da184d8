//! `nothing-flushed` (must): what is acknowledged under load is flushed to a disk.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::CREATION;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Nothing was flushed to a disk under load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NothingFlushed {
    /// Creations acknowledged meanwhile.
    pub acknowledged: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word("nothing was flushed to a disk", "nada foi para o disco: nenhum flush"),
    means: "Criações foram confirmadas sob carga sem que nenhum serviço pedisse ao kernel um flush \
        para o disco. Uma falta de energia poderia levá-las.",
    remedy: Some(Both::word(
        "switch fsync (SQLite: synchronous=FULL) and synchronous commit on",
        "Ligue o fsync (SQLite: `synchronous=FULL`) e o commit síncrono.",
    )),
};

impl Tell for NothingFlushed {
    fn sentence(&self, lang: Lang) -> String {
        let Self { acknowledged } = self;
        let were = if *acknowledged == 1 { "confirmada" } else { "confirmadas" };
        let creations = lang.counted(*acknowledged, CREATION);
        say!(
            lang,
            "{creations} acknowledged, but no service flushed anything to a disk under load",
            "{creations} {were}, mas nenhum serviço mandou nada para o disco sob carga"
        )
    }
}
