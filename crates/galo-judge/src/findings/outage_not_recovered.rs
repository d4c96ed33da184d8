//! `outage-not-recovered` (should): an instance that was killed comes back, and 2 s after it is
//! ready no operation fails any more that did not before.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::{LOOKUP, OPERATION};
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::losses::{AllThere, outage_of, untold_of};
use super::{About, Tell};

/// An instance that was killed did not recover.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OutageNotRecovered {
    /// The instances that were killed.
    pub services: Vec<String>,
    /// How that was seen.
    pub why: NotRecovered,
}

/// How it was seen that an instance did not recover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "seen")]
pub enum NotRecovered {
    /// It could not be started.
    NotStarted {
        /// What the host said.
        error: String,
    },
    /// Operations still failed 2 s after it was ready again.
    StillFailing {
        /// How many.
        operations: u64,
    },
    /// Lookups at one instance had no answer.
    SilentAtOne {
        /// How many.
        lookups: u64,
    },
    /// Lookups had no answer.
    Silent(AllThere),
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "an instance that was killed did not recover",
        "uma instância que foi morta não se recuperou",
    ),
    means: "A instância tem de voltar, e 2 s depois de ficar pronta nenhuma operação pode mais falhar.",
    remedy: Some(Both::word(
        "connect again by itself; let the balancer try an instance again after a moment",
        "Reconecte-se por conta própria; faça o balanceador tentar a instância de novo depois de um \
            instante.",
    )),
};

impl Tell for OutageNotRecovered {
    fn sentence(&self, lang: Lang) -> String {
        let Self { services, why } = self;
        format!("{}: {}", outage_of(services, lang), not_recovered(why, lang))
    }
}

fn not_recovered(why: &NotRecovered, lang: Lang) -> String {
    match why {
        NotRecovered::NotStarted { error } => {
            say!(lang, "it did not come up again: {error}", "ela não voltou: {error}")
        }
        NotRecovered::StillFailing { operations } => {
            let failed = if *operations == 1 { "ainda falhou" } else { "ainda falharam" };
            let operations = lang.counted(*operations, OPERATION);
            say!(
                lang,
                "{operations} still failed 2 s after it was ready again",
                "{operations} {failed} 2 s depois de ela estar pronta de novo"
            )
        }
        NotRecovered::SilentAtOne { lookups } => {
            let lookups = lang.counted(*lookups, LOOKUP);
            say!(
                lang,
                "{lookups} at one instance without an answer",
                "{lookups} em uma só instância sem resposta"
            )
        }
        NotRecovered::Silent(untold) => untold_of(*untold, lang),
    }
}
