//! `count-slow` (should): the count is answered within a second where other operations are fast.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::OPERATION;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// The count took long to answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountSlow {
    /// The longest.
    pub took_ns: u64,
    /// Operations under load.
    pub operations: u64,
    /// Their median latency.
    pub usual_us: f64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("the count took long to answer", "a contagem demorou a responder"),
    means: "A contagem levou mais de um segundo sem mais nada para fazer, embora metade das operações \
        sob carga seja rápida.",
    remedy: Some(Both::word(
        "count by an index, or keep a number",
        "Conte por um índice, ou mantenha um número pronto.",
    )),
};

impl Tell for CountSlow {
    fn sentence(&self, lang: Lang) -> String {
        let Self { took_ns, operations, usual_us } = self;
        let (took, operations) = (lang.seconds(*took_ns), lang.counted(*operations, OPERATION));
        let usual = lang.decimals(usual_us / 1000.0, 1);
        say!(
            lang,
            "the count took {took} to answer with nothing else asked; half of {operations} took less than {usual} ms",
            "a contagem levou {took} para responder sem mais nada a fazer; metade de {operations} levou menos de {usual} ms"
        )
    }
}
