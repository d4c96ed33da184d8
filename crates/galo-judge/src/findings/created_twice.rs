//! `created-twice` (must): of the creations of one key only one is acknowledged, also if they come
//! at once.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::{CREATION, KEY};
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// What may be there only once was acknowledged several times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CreatedTwice {
    /// Keys of which that is so.
    pub keys: u64,
    /// Acknowledged creations beyond the first of each.
    pub extra: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word("one key was created twice", "a mesma chave foi criada duas vezes"),
    means: "Duas criações da mesma chave foram confirmadas, uma depois da outra ou ao mesmo tempo. Só \
        uma podia ser.",
    remedy: Some(Both::word(
        "let the database refuse duplicates: a check before the insertion is not enough",
        "Deixe o banco recusar duplicadas: conferir antes de inserir não basta.",
    )),
};

impl Tell for CreatedTwice {
    fn sentence(&self, lang: Lang) -> String {
        let Self { keys, extra } = self;
        let extra = lang.counted(*extra, CREATION);
        let keys_counted = lang.counted(*keys, KEY);
        let (was, foi) = if *keys == 1 { ("was", "foi confirmada") } else { ("were", "foram confirmadas") };
        say!(
            lang,
            "{keys_counted} {was} acknowledged more than once, {extra} too many",
            "{keys_counted} {foi} mais de uma vez, {extra} a mais"
        )
    }
}
