//! `galo-late`: galo itself was late.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Figure, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Void};

/// galo itself was late.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GaloLate {
    /// Which percentile of its lag: 50 or 99.
    pub percentile: u8,
    /// That, in microseconds.
    pub lag_us: f64,
    /// What it may be at most.
    pub bound_us: f64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("galo itself was late", "o próprio galo se atrasou"),
    means: "O galo enviou requisições depois da hora prevista, e esse atraso entraria na latência do \
        competidor. Tempos e taxas desta rodada não dizem nada sobre ele.",
    remedy: Some(Both::word(
        "leave galo a core of its own (`cpuset` in the contender's file), end what else runs here, \
            or lower the load (`--scale`)",
        "Deixe um núcleo só para o galo (`cpuset` no arquivo do competidor), encerre o que mais \
            roda aqui, ou diminua a carga (`--scale`).",
    )),
};

impl Void for GaloLate {
    fn why(&self, lang: Lang) -> String {
        let Self { percentile, lag_us, bound_us } = self;
        let lag = lang.decimals(lag_us / 1e3, 1);
        let bound = lang.figure(Figure::Plain((bound_us / 100.0).round() / 10.0));
        say!(
            lang,
            "galo itself was late: p{percentile} of its lag is {lag} ms, over {bound} ms",
            "o próprio galo se atrasou: o p{percentile} do seu atraso é de {lag} ms, acima de {bound} ms"
        )
    }

    fn mend(&self, lang: Lang) -> Option<String> {
        let mend = lang.pick(
            "give it a core of its own, more threads (--threads) or a lower rate",
            "dê-lhe um núcleo só seu, mais threads (--threads) ou uma taxa menor",
        );
        Some(mend.to_owned())
    }
}
