//! `kept-without-answer`: creations were kept whose client got no answer.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Creations are kept whose client got no answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeptWithoutAnswer {
    /// Kept of these.
    pub kept: u64,
    /// Creations of unknown effect.
    pub unknown: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word(
        "creations were kept whose client got no answer",
        "criações sem resposta ficaram gravadas",
    ),
    means: "Os clientes delas não têm como saber. Nenhuma regra foi quebrada.",
    remedy: None,
};

impl Tell for KeptWithoutAnswer {
    fn sentence(&self, lang: Lang) -> String {
        let Self { kept, unknown } = self;
        let (unknown, number) = (lang.whole(*unknown), lang.whole(*kept));
        match kept {
            1 => say!(
                lang,
                "1 creation is kept whose client got no answer, of {unknown} of unknown effect",
                "1 criação ficou gravada sem que o cliente tivesse resposta, de {unknown} de efeito desconhecido"
            ),
            _ => say!(
                lang,
                "{number} creations are kept whose client got no answer, of {unknown} of unknown effect",
                "{number} criações ficaram gravadas sem que os clientes tivessem resposta, de {unknown} de efeito \
                 desconhecido"
            ),
        }
    }
}
