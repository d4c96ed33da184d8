//! `stalls`: again and again nobody was answered for a moment.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::STALL;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Cause};

/// Again and again nobody was answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stalls {
    /// How often.
    pub stalls: u64,
    /// The longest.
    pub longest_ns: u64,
    /// From the start of one to the start of the next; null where that is not always about the same.
    pub period_ns: Option<u64>,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "again and again nobody was answered for a moment",
        "de tempos em tempos ninguém recebia resposta",
    ),
    means: "O competidor inteiro parou várias vezes, por 0,2 s ou mais, com operações à espera e \
        nenhum serviço no limite de CPU. O galo vê que parou, não por quê.",
    remedy: Some(Both::word(
        "look at what the program does at these moments: a collector's log, locks, timers, \
            checkpoints",
        "Veja o que o programa faz nesses momentos: o log do coletor de lixo, locks, timers, \
            checkpoints do banco.",
    )),
};

impl Cause for Stalls {
    fn seen(&self, lang: Lang) -> String {
        let Self { stalls, longest_ns, period_ns } = self;
        let (stalls, longest) = (lang.counted(*stalls, STALL), lang.seconds(*longest_ns));
        let period = period_ns.map_or_else(String::new, |ns| {
            let period = lang.seconds(ns);
            say!(lang, ", every {period}", ", a cada {period}")
        });
        say!(
            lang,
            "nobody was answered in {stalls} of up to {longest}{period}, though many waited and no service was at its \
             CPU limit",
            "ninguém teve resposta em {stalls} de até {longest}{period}, embora muitos esperassem e nenhum serviço \
             estivesse no seu limite de CPU"
        )
    }
}
