//! `refused-within-limit` (must): a move is refused only if the balance made it necessary at some moment of the request.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::REFUSAL;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Moves refused although each balance of their time allowed them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedWithinLimit {
    /// Refusals that no balance explains.
    pub refused: u64,
    /// All refusals for the balance.
    pub refusals: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "moves were refused that the balance allowed",
        "movimentações foram recusadas embora o saldo as permitisse",
    ),
    means: "Cada saldo possível no momento do pedido permitia a movimentação, e mesmo assim ela foi recusada.",
    remedy: Some(Both::word(
        "refuse only what the update itself refuses",
        "Recuse só o que a própria atualização recusa.",
    )),
};

impl Tell for RefusedWithinLimit {
    fn sentence(&self, lang: Lang) -> String {
        let Self { refused, refusals } = self;
        let (refused, refusals) = (lang.whole(*refused), lang.counted(*refusals, REFUSAL));
        say!(
            lang,
            "of {refusals}, no balance explains {refused}",
            "de {refusals}, nenhum saldo explica {refused}"
        )
    }
}
