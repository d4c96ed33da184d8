//! `cost-grows-with-stored`: a request cost more the more was stored.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::WRITE;
use galo_words::{Both, Figure, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// A request cost more the more earlier holds had stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostGrowsWithStored {
    /// A hold with less stored, at the same scale or a higher one.
    pub earlier: HoldCost,
    /// A later one.
    pub later: HoldCost,
}

/// What a request cost in a hold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HoldCost {
    /// Its scale, in thousandths.
    pub scale_milli: u64,
    /// Requests that write and were answered rightly since the contender was started, up to the middle of the hold.
    pub written: u64,
    /// CPU of all services for each request, microseconds; null: not seen, or the latency shows it alone.
    pub cpu_us_each: Option<f64>,
    /// Median latency, microseconds.
    pub latency_us_p50: f64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "a request cost more the more was stored",
        "uma requisição custou mais quanto mais havia gravado",
    ),
    means: "O competidor fica de pé entre os patamares e guarda o que os anteriores gravaram: o que \
        ele sustenta depende do quanto já guarda.",
    remedy: Some(Both::word(
        "look for a scan where an index would do, for an answer that holds all that there is, or \
            for something that is never dropped",
        "Procure uma varredura onde um índice bastaria, uma resposta que traz tudo o que existe, ou \
            algo que nunca é descartado.",
    )),
};

impl Tell for CostGrowsWithStored {
    fn sentence(&self, lang: Lang) -> String {
        let Self { earlier, later } = self;
        let (figures, (what, que)) = match earlier.cpu_us_each.zip(later.cpu_us_each) {
            Some((few, many)) => ([few, many], ("of CPU", "de CPU")),
            None => ([earlier, later].map(|of| of.latency_us_p50), ("at the median", "na mediana")),
        };
        let [few, many] = figures.map(|us| lang.figure(Figure::Ms(us)));
        let [written, more] = [earlier, later].map(|of| lang.counted(of.written, WRITE));
        let [scale, again] =
            [earlier, later].map(|of| lang.figure(Figure::Plain(of.scale_milli as f64 / 1e3)));
        say!(
            lang,
            "the cost of a request grows with what is stored: {few} {what} at scale {scale} after {written}, {many} at scale {again} after {more}",
            "o custo de uma requisição cresce com o que está gravado: {few} {que} na escala {scale} após {written}, {many} na escala {again} após {more}"
        )
    }
}
