//! `slow-instance`: one instance was slower than its twin.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Figure, Lang, say};
use serde::{Deserialize, Serialize};

use super::caused::{Explained, used_up};
use super::{About, Cause};

/// A service had used up its CPU, and another of the same program had not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlowInstance {
    /// Which.
    pub service: String,
    /// Its limit.
    pub limit_cpus: f64,
    /// In which of its quota periods.
    pub seen: Explained,
    /// The other one.
    pub twin: String,
    /// Share of its quota periods in which that one had.
    pub twin_share: f64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("one instance was slower than its twin", "uma instância foi mais lenta que a gêmea"),
    means: "Uma instância esgotou o seu limite de CPU muito mais vezes que outra do mesmo programa. Se \
        o balanceador manda o mesmo para as duas, é a mais lenta que decide.",
    remedy: Some(Both::word(
        "give the two the same limits, or give the slower one less to do (weights of the balancer)",
        "Dê os mesmos limites às duas, ou menos trabalho à mais lenta (pesos no balanceador).",
    )),
};

impl Cause for SlowInstance {
    fn seen(&self, lang: Lang) -> String {
        let Self { service, limit_cpus, seen, twin, twin_share } = self;
        let (used, share) =
            (used_up(service, *limit_cpus, *seen, lang), lang.figure(Figure::WholeShare(*twin_share)));
        say!(
            lang,
            "{used}, its twin `{twin}` in {share}: one instance is slower than the others",
            "{used}, o seu gêmeo `{twin}` em {share}: uma instância é mais lenta que as outras"
        )
    }
}
