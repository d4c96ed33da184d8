//! `search-forgets` (must): a search finds whoever was found before it and matches it.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::search_misses_acknowledged::{SearchLacks, search_lacks};
use super::{About, Tell};
use crate::evidence::KnownBy;

/// Searches lacked what had been found before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchForgets(pub SearchLacks);

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "a search lacked what had been found before",
        "uma busca não trouxe o que já tinha sido achado",
    ),
    means: "O que uma resposta já mostrou tem de vir em toda busca seguinte que o procure.",
    remedy: Some(Both::word(
        "let every instance search the same data, and never an older state of it",
        "Faça todas as instâncias buscarem nos mesmos dados, e nunca num estado mais antigo deles.",
    )),
};

impl Tell for SearchForgets {
    fn sentence(&self, lang: Lang) -> String {
        let Self(lacks) = self;
        search_lacks(lacks, KnownBy::Found, lang)
    }
}
