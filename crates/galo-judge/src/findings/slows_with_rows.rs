//! `slows-with-rows` (should): an answer takes no longer because more is stored.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::ROW;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};
use crate::step::StepName;

/// Answers took longer the more was stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlowsWithRows {
    /// The step that slowed down most.
    pub step: StepName,
    /// Rows stored in the end.
    pub rows: u64,
    /// Median service time while the first third of them was stored.
    pub early_ns: u64,
    /// The same while the last third was.
    pub late_ns: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "answers took longer the more was stored",
        "as respostas demoram mais quanto mais há gravado",
    ),
    means: "O tempo de resposta cresceu aos poucos, junto com o número de linhas.",
    remedy: Some(Both::word(
        "look for a scan where an index would do, or for something that is never dropped",
        "Procure uma varredura onde um índice bastaria, ou algo que nunca é descartado.",
    )),
};

impl Tell for SlowsWithRows {
    fn sentence(&self, lang: Lang) -> String {
        let Self { step: name, rows, early_ns, late_ns } = self;
        let step = name.sentence(lang);
        let [early, late] = [early_ns, late_ns].map(|ns| lang.decimals(*ns as f64 / 1e6, 1));
        let rows = lang.counted(*rows, ROW);
        say!(
            lang,
            "{step} took {early} ms while the first third of {rows} was stored, and {late} ms while the last third was",
            "{step} levou {early} ms enquanto o primeiro terço de {rows} era gravado, e {late} ms enquanto o último era"
        )
    }
}
