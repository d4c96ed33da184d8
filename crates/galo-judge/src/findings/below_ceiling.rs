//! `below-ceiling` (must): every creation that is valid is acknowledged.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::CREATION;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::above_ceiling::ceiling;
use super::{About, Tell};

/// Valid creations were not acknowledged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BelowCeiling {
    /// Acknowledged in the compared scenarios.
    pub created: u64,
    /// Creations without an answer.
    pub unanswered: u64,
    /// The ceiling, without rows that may be accepted or refused.
    pub ceiling_min: u64,
    /// The ceiling, with all of them.
    pub ceiling_max: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word("valid creations were not acknowledged", "criações válidas não foram confirmadas"),
    means: "Toda criação válida tem de ser confirmada, e foram confirmadas menos do que havia.",
    remedy: Some(Both::word(
        "look at the creations that were answered 400 or 422",
        "Olhe as criações que foram respondidas com 400 ou 422.",
    )),
};

impl Tell for BelowCeiling {
    fn sentence(&self, lang: Lang) -> String {
        let Self { created, unanswered, ceiling_min, ceiling_max } = self;
        let under = lang.whole(ceiling_min.saturating_sub(created + unanswered));
        let (created, unanswered) = (lang.counted(*created, CREATION), lang.whole(*unanswered));
        let ceiling = ceiling(*ceiling_min, *ceiling_max, lang);
        say!(
            lang,
            "it acknowledged {created} and left {unanswered} without an answer, {under} too few (the ceiling is {ceiling})",
            "ele confirmou {created} e deixou {unanswered} sem resposta, {under} a menos (o teto é {ceiling})"
        )
    }
}
