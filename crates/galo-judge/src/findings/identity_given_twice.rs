//! `identity-given-twice` (must): no two creations of different rows are given one identity.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::CREATION;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// One identity was given to several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IdentityGivenTwice {
    /// Identities of which that is so.
    pub identities: u64,
    /// Creations that were given one of them.
    pub creations: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word("one identity was given to several", "a mesma identidade foi dada a mais de um"),
    means: "Criações de linhas diferentes foram confirmadas com uma só identidade.",
    remedy: Some(Both::word(
        "let each creation have an identity of its own",
        "Dê a cada criação uma identidade só dela.",
    )),
};

impl Tell for IdentityGivenTwice {
    fn sentence(&self, lang: Lang) -> String {
        let Self { identities, creations } = self;
        let (number, creations) = (lang.whole(*identities), lang.counted(*creations, CREATION));
        match identities {
            1 => say!(
                lang,
                "1 identity was given to {creations} of different rows",
                "1 identidade foi dada a {creations} de linhas diferentes"
            ),
            _ => say!(
                lang,
                "{number} identities were given to {creations} of different rows",
                "{number} identidades foram dadas a {creations} de linhas diferentes"
            ),
        }
    }
}
