//! `refused-but-kept` (must): a creation that was refused leaves no row.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// What was refused was kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedButKept {
    /// How many.
    pub creations: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word("what was refused was kept", "o que foi recusado ficou gravado"),
    means: "Uma criação foi recusada, e mesmo assim apareceu depois.",
    remedy: Some(Both::word(
        "check everything before the insertion, or undo it before refusing",
        "Confira tudo antes de inserir, ou desfaça a inserção antes de recusar.",
    )),
};

impl Tell for RefusedButKept {
    fn sentence(&self, lang: Lang) -> String {
        let Self { creations } = self;
        let number = lang.whole(*creations);
        match creations {
            1 => say!(
                lang,
                "1 creation that was refused left a row that was found",
                "1 criação que foi recusada deixou uma linha que foi achada"
            ),
            _ => say!(
                lang,
                "{number} creations that were refused left rows that were found",
                "{number} criações que foram recusadas deixaram linhas que foram achadas"
            ),
        }
    }
}
