//! `count-differs` (must): the count at rest is the number of acknowledged creations, plus at most
//! those of unknown effect.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::ACKNOWLEDGED;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// The count at rest is not what was acknowledged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountDiffers(pub CountDifference);

/// The count at rest beside what could be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CountDifference {
    /// The count at rest.
    pub counted: u64,
    /// Creations acknowledged in the compared scenarios.
    pub created: u64,
    /// Creations acknowledged by probes.
    pub probes: u64,
    /// Creations of unknown effect.
    pub unknown: u64,
    /// The count before the first request.
    pub started_with: u64,
}

impl CountDifference {
    /// All that was acknowledged.
    pub const fn acknowledged(self) -> u64 {
        self.created + self.probes
    }

    /// Acknowledged creations that the count lacks.
    pub const fn lost(self) -> u64 {
        self.acknowledged().saturating_sub(self.counted)
    }

    /// What it counts beyond all that may have been stored.
    pub const fn extra(self) -> u64 {
        self.counted.saturating_sub(self.acknowledged() + self.unknown)
    }
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "the count differs from what was acknowledged",
        "a contagem não bate com o que foi confirmado",
    ),
    means: "Em repouso, a contagem tem de ser o número de criações confirmadas, mais no máximo as de \
        efeito desconhecido. Se é menor, criações confirmadas se perderam; se é maior, há \
        registros que ninguém confirmou.",
    remedy: Some(Both::word(
        "acknowledge a creation only after it is stored, and only then",
        "Confirme uma criação depois de gravá-la, nunca antes.",
    )),
};

impl Tell for CountDiffers {
    fn sentence(&self, lang: Lang) -> String {
        let Self(difference) = self;
        count_difference(*difference, lang)
    }
}

pub(super) fn count_difference(difference: CountDifference, lang: Lang) -> String {
    let [counted, acknowledged, created, probes, unknown] = [
        difference.counted,
        difference.acknowledged(),
        difference.created,
        difference.probes,
        difference.unknown,
    ]
    .map(|number| lang.whole(number));
    let numbers = say!(
        lang,
        "{counted} counted, {acknowledged} acknowledged ({created} and {probes} by probes), {unknown} of unknown effect",
        "{counted} contadas, {acknowledged} confirmadas ({created} e {probes} das sondagens), {unknown} de efeito \
         desconhecido"
    );
    if difference.lost() > 0 {
        let lost = lang.counted(difference.lost(), ACKNOWLEDGED);
        return say!(lang, "it lost {lost}: {numbers}", "ele perdeu {lost}: {numbers}");
    }
    let left = match difference.started_with {
        0 => String::new(),
        left => {
            let left = lang.whole(left);
            say!(
                lang,
                " ({left} were there before the first request)",
                " ({left} já estavam lá antes da primeira requisição)"
            )
        }
    };
    let extra = lang.whole(difference.extra());
    say!(
        lang,
        "it counts {extra} more than it acknowledged{left}: {numbers}",
        "ele conta {extra} a mais do que confirmou{left}: {numbers}"
    )
}
