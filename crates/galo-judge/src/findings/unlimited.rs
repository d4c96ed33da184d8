//! `unlimited`: limits were switched off.

use galo_plan::Blame;
use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Limits were switched off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unlimited {}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("limits were switched off", "os limites foram desligados"),
    means: "A rodada não diz nada sobre o orçamento de CPU e memória.",
    remedy: None,
};

impl Tell for Unlimited {
    fn sentence(&self, lang: Lang) -> String {
        lang.pick(
            "limits were switched off, so this says nothing about the budget",
            "os limites foram desligados, então isto não diz nada sobre o orçamento",
        )
        .to_owned()
    }

    fn blame(&self) -> Blame {
        Blame::Client
    }
}
