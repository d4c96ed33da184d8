//! `count-unanswered` (should): the count is answered by a 2xx after the load.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// The count was never answered by a 2xx after the load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountUnanswered {}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "the count was not answered after the load",
        "a contagem não foi respondida depois da carga",
    ),
    means: "Nenhuma leitura da contagem foi respondida com um 2xx, então não se sabe se ela bate com o \
        que foi confirmado.",
    remedy: Some(Both::word(
        "answer the count also when there was much to do just before",
        "Responda a contagem também quando houve muito a fazer logo antes.",
    )),
};

impl Tell for CountUnanswered {
    fn sentence(&self, lang: Lang) -> String {
        unanswered(lang).to_owned()
    }
}

pub(super) fn unanswered(lang: Lang) -> &'static str {
    lang.pick(
        "the count was never answered by a 2xx after the load",
        "depois da carga a contagem nunca foi respondida com um 2xx",
    )
}
