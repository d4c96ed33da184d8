//! `galo-throttled`: a CPU quota stopped galo itself.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Figure, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Void};

/// galo itself was stopped by a CPU quota of its own, which is why it was late or waited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GaloThrottled {
    /// CPUs that the quota allows.
    pub cpus: f64,
    /// The file that says so, e.g. `cpu.max`.
    pub file: String,
    /// How long it was stopped.
    pub stopped_s: f64,
    /// How long the load was.
    pub length_s: f64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("a CPU quota stopped galo itself", "uma cota de CPU deteve o próprio galo"),
    means: "O galo roda num grupo de controle com uma cota de CPU (um contêiner, um job de CI), e \
        ficou parado quando a gastou. Tempos e taxas desta rodada não dizem nada sobre o \
        competidor.",
    remedy: Some(Both::word(
        "give the container or the job that galo runs in more CPU, or lower the load (`--scale`)",
        "Dê mais CPU ao contêiner ou ao job em que o galo roda, ou diminua a carga (`--scale`).",
    )),
};

impl Void for GaloThrottled {
    fn why(&self, lang: Lang) -> String {
        let Self { cpus, file, stopped_s, length_s } = self;
        let cpus = lang.figure(Figure::Plain((cpus * 1000.0).round() / 1000.0));
        let [stopped, length] = [*stopped_s, *length_s].map(|seconds| lang.decimals(seconds, 1));
        say!(
            lang,
            "galo may use {cpus} CPU ({file} of its control group), and was stopped for {stopped} s of {length} s by that",
            "o galo só pode usar {cpus} CPU ({file} do seu cgroup), e isso o deteve por {stopped} s de {length} s"
        )
    }

    fn mend(&self, lang: Lang) -> Option<String> {
        let mend = lang.pick(
            "give the container or the job that galo runs in more CPU, or ask for a lower rate",
            "dê mais CPU ao contêiner ou ao job em que o galo roda, ou peça uma taxa menor",
        );
        Some(mend.to_owned())
    }
}
