//! `search-misses-acknowledged` (must): a search finds whoever was acknowledged before it and
//! matches it.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::CREATION;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};
use crate::evidence::KnownBy;

/// Searches lacked what was acknowledged before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchMissesAcknowledged(pub SearchLacks);

/// What searches lacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SearchLacks {
    /// Searches that lacked somebody.
    pub searches: u64,
    /// All searches.
    pub of: u64,
    /// Creations that were lacked.
    pub creations: u64,
    /// The longest from the moment at which one was known to such a search.
    pub longest_ns: u64,
    /// Creations that no later answer shows.
    pub never: u64,
    /// The longest until a later answer showed one; null: none did.
    pub latest_ns: Option<u64>,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "a search lacked what was acknowledged before",
        "uma busca não trouxe o que já tinha sido confirmado",
    ),
    means: "Uma busca tem de trazer tudo que contém o termo e foi confirmado antes dela.",
    remedy: Some(Both::word(
        "search what is stored, not a cache or a copy that is brought up to date later",
        "Busque no que está gravado, não num cache ou numa cópia que só é atualizada depois.",
    )),
};

impl Tell for SearchMissesAcknowledged {
    fn sentence(&self, lang: Lang) -> String {
        let Self(lacks) = self;
        search_lacks(lacks, KnownBy::Acknowledged, lang)
    }
}

/// In none of the later answers need not mean lost: nobody may have asked for them again.
pub(super) fn search_lacks(lacks: &SearchLacks, known: KnownBy, lang: Lang) -> String {
    let (searches, of) = (lang.whole(lacks.searches), lang.whole(lacks.of));
    let creations = lang.counted(lacks.creations, CREATION);
    let longest = lang.moment(lacks.longest_ns);
    let (later, never) = (lang.whole(lacks.creations.saturating_sub(lacks.never)), lang.whole(lacks.never));
    let found = match lacks.latest_ns {
        None => lang
            .pick("none of them is in a later answer", "nenhuma delas está numa resposta posterior")
            .to_owned(),
        Some(latest_ns) => {
            let latest = lang.moment(latest_ns);
            say!(
                lang,
                "{later} of them are in a later answer, at most {latest} later, {never} in none",
                "{later} delas estão numa resposta posterior, no máximo {latest} depois, {never} em nenhuma"
            )
        }
    };
    let (known, known_pt) = match (known, lacks.creations) {
        (KnownBy::Found, 1) => ("found", "achada"),
        (KnownBy::Found, _) => ("found", "achadas"),
        (KnownBy::Acknowledged, 1) => ("acknowledged", "confirmada"),
        (KnownBy::Acknowledged, _) => ("acknowledged", "confirmadas"),
    };
    say!(
        lang,
        "{searches} of {of} searches did not list {creations} {known} before, up to {longest} earlier; {found}",
        "{searches} de {of} buscas não trouxeram {creations} {known_pt} antes, até {longest} antes; {found}"
    )
}
