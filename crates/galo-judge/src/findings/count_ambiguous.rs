//! `count-ambiguous` (should): a count holds one number, without separators.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// A count holds several numbers, or one with separators.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountAmbiguous {}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("the count is ambiguous", "a contagem é ambígua"),
    means: "Há mais de um número na resposta da contagem, ou um com separadores: o certo é só o \
        inteiro, em texto puro.",
    remedy: Some(Both::word(
        "answer the count with the integer alone, as plain text",
        "Responda a contagem só com o inteiro, em texto puro.",
    )),
};

impl Tell for CountAmbiguous {
    fn sentence(&self, lang: Lang) -> String {
        lang.pick(
            "the count does not stand for one number beyond doubt",
            "a contagem não representa um só número sem dúvida",
        )
        .to_owned()
    }
}
