//! `search-unknown-person` (must): whoever is found was sent before, with these fields, and always
//! has the same identity.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::ANSWER;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Somebody was shown who was not sent that way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchUnknownPerson {
    /// Answers that showed such.
    pub answers: u64,
    /// With fields that were never sent.
    pub never_sent: u64,
    /// Before they were sent.
    pub sent_later: u64,
    /// With another identity than the acknowledgement gave.
    pub other_identity: u64,
    /// With an identity that had other fields before.
    pub other_fields: u64,
    /// With another identity than before.
    pub two_identities: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "somebody was shown who was not sent that way",
        "apareceu alguém que não foi enviado assim",
    ),
    means: "Quem aparece numa resposta tem de ter sido enviado antes, com aqueles campos, e ter sempre \
        a mesma identidade.",
    remedy: Some(Both::word(
        "store and show each row whole, under the identity that its creation was answered",
        "Grave e mostre cada linha inteira, com a identidade que a sua criação respondeu.",
    )),
};

impl Tell for SearchUnknownPerson {
    fn sentence(&self, lang: Lang) -> String {
        let Self { answers, never_sent, sent_later, other_identity, other_fields, two_identities } = self;
        let kinds = [
            (never_sent, "with fields that were never sent", "com campos que nunca foram enviados"),
            (sent_later, "before they were sent", "antes de serem enviados"),
            (
                other_identity,
                "with another identity than the acknowledgement gave",
                "com outra identidade que não a da confirmação",
            ),
            (
                other_fields,
                "with an identity that had other fields before",
                "com uma identidade que antes tinha outros campos",
            ),
            (two_identities, "with another identity than before", "com outra identidade que não a de antes"),
        ];
        let kinds = kinds.iter().filter(|(number, ..)| **number > 0);
        let kinds: Vec<String> =
            kinds.map(|(number, en, pt)| format!("{} {}", lang.whole(**number), lang.pick(en, pt))).collect();
        let (kinds, verb) = (lang.listed(&kinds), if *answers == 1 { "mostrou" } else { "mostraram" });
        let answers = lang.counted(*answers, ANSWER);
        say!(lang, "{answers} showed {kinds}", "{answers} {verb} {kinds}")
    }
}
