//! `unequal-terms`: the fight was not fair.

use galo_plan::Blame;
use galo_plan::JsonSchema;
use galo_record::HostFact;
use galo_record::finding::Weight;
use galo_words::{Both, Figure, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Fact, Void};

/// The terms were not equal to the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "by")]
pub enum UnequalTerms {
    /// The host found what must not have been, such as limits that did not hold to the end: the terms were not equal.
    Found {
        /// What it found.
        found: HostFact,
    },
    /// A service used more CPU than its limit allows over a second or longer, so something lifted the limit.
    OverQuota {
        /// Which.
        service: String,
        /// CPU time beyond what it may use.
        over_s: f64,
        /// Its limit.
        limit_cpus: f64,
        /// Times its limit that it may use.
        factor: f64,
    },
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("the fight was not fair", "a briga não foi justa"),
    means: "As condições não foram iguais até o fim, por exemplo com limites que deixaram de valer. \
        Tempos e taxas desta rodada não dizem nada sobre o competidor.",
    remedy: Some(Both::word(
        "fight again; `galo doctor` says what this machine can enforce",
        "Rode a briga de novo; `galo doctor` diz o que esta máquina consegue impor.",
    )),
};

impl Void for UnequalTerms {
    fn why(&self, lang: Lang) -> String {
        match self {
            Self::Found { found } => Fact::from(found.clone()).sentence(lang),
            Self::OverQuota { service, over_s, limit_cpus, factor } => {
                let over = lang.decimals(*over_s, 2);
                let [factor, limit] = [*factor, *limit_cpus].map(|figure| lang.figure(Figure::Plain(figure)));
                say!(
                    lang,
                    "service `{service}` used {over} s of CPU more than {factor} times its limit of {limit} CPU, over a second \
             or longer",
                    "o serviço `{service}` usou {over} s de CPU além de {factor} vezes o seu limite de {limit} CPU, por um \
             segundo ou mais"
                )
            }
        }
    }

    fn blame(&self) -> Blame {
        Blame::Host
    }
}
