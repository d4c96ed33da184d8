//! `above-ceiling` (must): no more creations are acknowledged than the rows that were sent allow.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::CREATION;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// More creations were acknowledged than the rows allow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AboveCeiling {
    /// Acknowledged in the compared scenarios.
    pub created: u64,
    /// The ceiling, without rows that may be accepted or refused.
    pub ceiling_min: u64,
    /// The ceiling, with all of them.
    pub ceiling_max: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "more creations were acknowledged than the rows allow",
        "foram confirmadas mais criações do que os dados permitem",
    ),
    means: "Entre as linhas enviadas não há tantas válidas e diferentes: duplicadas ou inválidas foram \
        aceitas.",
    remedy: Some(Both::word(
        "refuse duplicates and invalid data; a check before the insertion is not enough",
        "Recuse duplicadas e dados inválidos; conferir antes de inserir não basta.",
    )),
};

impl Tell for AboveCeiling {
    fn sentence(&self, lang: Lang) -> String {
        let Self { created, ceiling_min, ceiling_max } = self;
        let over = lang.whole(created.saturating_sub(*ceiling_max));
        let (created, ceiling) =
            (lang.counted(*created, CREATION), ceiling(*ceiling_min, *ceiling_max, lang));
        say!(
            lang,
            "it acknowledged {created}, {over} too many (the ceiling is {ceiling})",
            "ele confirmou {created}, {over} a mais (o teto é {ceiling})"
        )
    }
}

pub(super) fn ceiling(min: u64, max: u64, lang: Lang) -> String {
    let (low, high) = (lang.whole(min), lang.whole(max));
    if min == max { high } else { say!(lang, "{low} to {high}", "{low} a {high}") }
}
