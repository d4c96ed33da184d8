//! `refused-after-crash` (must): what was refused before a crash is not there after the restart.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::REFUSED;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::losses::crash_at;
use super::{About, Tell};

/// What was refused is there after a crash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedAfterCrash {
    /// When services were killed.
    pub at_ns: u64,
    /// Refused creations that were looked up.
    pub refused: u64,
    /// ... of these there.
    pub there: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "what was refused is there after a crash",
        "o que foi recusado está lá depois da queda",
    ),
    means: "O que foi recusado antes da queda não pode estar lá depois da volta.",
    remedy: Some(Both::word("refuse before anything is stored", "Recuse antes de gravar qualquer coisa.")),
};

impl Tell for RefusedAfterCrash {
    fn sentence(&self, lang: Lang) -> String {
        let Self { at_ns, refused, there } = self;
        let (head, refused) = (crash_at(*at_ns, lang), lang.counted(*refused, REFUSED));
        let there = lang.whole(*there);
        say!(
            lang,
            "{head}: of {refused}, {there} there after the restart",
            "{head}: de {refused}, {there} lá depois da volta"
        )
    }
}
