//! `cases-missing`: not every case of conformance could be asked.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::CASE;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Cases of conformance that could not be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CasesMissing {
    /// How many.
    pub missing: u64,
    /// Cases that there were to ask.
    pub cases: u64,
    /// Why not, in the words of what failed.
    pub because: String,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "not every case of conformance could be asked",
        "nem todo caso de conformidade pôde ser testado",
    ),
    means: "Do que não pôde ser testado nada se sabe.",
    remedy: Some(Both::word(
        "mend what is told above, and check again",
        "Resolva o que é dito aqui, e rode o `check` de novo.",
    )),
};

impl Tell for CasesMissing {
    fn sentence(&self, lang: Lang) -> String {
        let Self { missing, cases, because } = self;
        let (missing, cases) = (lang.whole(*missing), lang.counted(*cases, CASE));
        say!(
            lang,
            "{missing} of {cases} of conformance could not be asked: {because}",
            "{missing} de {cases} de conformidade não puderam ser testados: {because}"
        )
    }
}
