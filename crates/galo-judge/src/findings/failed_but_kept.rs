//! `failed-but-kept` (should): a creation that was answered with a 5xx other than 502 and 504
//! leaves no row.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// What failed was kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FailedButKept {
    /// How many.
    pub creations: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("what failed was kept", "o que falhou ficou gravado"),
    means: "Uma criação foi respondida com um 5xx (que não 502 nem 504), e mesmo assim apareceu \
        depois.",
    remedy: Some(Both::word(
        "undo the insertion before answering with an error",
        "Desfaça a inserção antes de responder com erro.",
    )),
};

impl Tell for FailedButKept {
    fn sentence(&self, lang: Lang) -> String {
        let Self { creations } = self;
        let number = lang.whole(*creations);
        match creations {
            1 => say!(
                lang,
                "1 creation that was answered with a 5xx left a row that was found",
                "1 criação que foi respondida com um 5xx deixou uma linha que foi achada"
            ),
            _ => say!(
                lang,
                "{number} creations that were answered with a 5xx left rows that were found",
                "{number} criações que foram respondidas com um 5xx deixaram linhas que foram achadas"
            ),
        }
    }
}
