//! `pauses` (should): there is no stretch of a second or more in which nothing is answered.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::OPERATION;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Nothing at all was answered for a while.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pauses {
    /// The first of them, at most three.
    pub pauses: Vec<Pause>,
    /// How many more.
    pub more: u64,
    /// From the start of one to the start of the next, where that is always about the same.
    pub period_ns: Option<u64>,
    /// Operations that fell due in them.
    pub due: u64,
}

/// A stretch without any answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pause {
    /// From the start of the load.
    pub from_ns: u64,
    /// How long it was.
    pub length_ns: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "for a second or more nothing was answered",
        "por um segundo ou mais nada foi respondido",
    ),
    means: "Houve momentos em que operações esperavam e não saiu nenhuma resposta.",
    remedy: Some(Both::word(
        "look for what stops everything: a collector, a lock, a checkpoint, a full pool",
        "Procure o que para tudo: um coletor de lixo, um lock, um checkpoint, um pool cheio.",
    )),
};

impl Tell for Pauses {
    fn sentence(&self, lang: Lang) -> String {
        let Self { pauses, more, period_ns, due } = self;
        let each = pauses.iter().map(|pause| {
            let (length, from) = (lang.seconds(pause.length_ns), lang.seconds(pause.from_ns));
            say!(lang, "for {length} at {from}", "por {length} em {from}")
        });
        let each: Vec<String> = each.collect();
        let each = if *more > 0 {
            let (told, more) = (each.join(", "), lang.whole(*more));
            say!(lang, "{told}, and {more} more", "{told}, e mais {more}")
        } else {
            lang.listed(&each)
        };
        let period = period_ns.map_or_else(String::new, |ns| {
            let period = lang.seconds(ns);
            say!(lang, ", every {period}", ", a cada {period}")
        });
        let operations = lang.counted(*due, OPERATION);
        let fell = if *due == 1 { "chegou" } else { "chegaram" };
        say!(
            lang,
            "it answered nothing {each}{period}, while {operations} fell due",
            "ele não respondeu nada {each}{period}, enquanto {fell} {operations}"
        )
    }
}
