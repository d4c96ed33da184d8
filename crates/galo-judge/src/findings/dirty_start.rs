//! `dirty-start` (must): the count is 0 before the first request.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// The count was not 0 before the first request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DirtyStart {
    /// What it was.
    pub counted: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word("the count was not 0 at the start", "a contagem não começou em 0"),
    means: "Antes da primeira requisição já havia registros gravados.",
    remedy: Some(Both::word(
        "store data in a volume of the Compose file: galo gives each round a fresh one",
        "Guarde os dados num volume do arquivo Compose: o galo dá um novo a cada rodada.",
    )),
};

impl Tell for DirtyStart {
    fn sentence(&self, lang: Lang) -> String {
        let Self { counted } = self;
        let counted = lang.whole(*counted);
        say!(
            lang,
            "the count was {counted} before the first request",
            "a contagem era {counted} antes da primeira requisição"
        )
    }
}
