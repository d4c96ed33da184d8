//! `limits-not-enforced`: limits are not enforced.

use galo_plan::Blame;
use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Limits are not in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitsNotEnforced {
    /// Why not, as the host says.
    pub why: Option<String>,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("limits are not enforced", "os limites não foram impostos"),
    means: "Os limites de CPU e memória do competidor não valeram nesta rodada.",
    remedy: Some(Both::word(
        "galo doctor says what is missing on this machine",
        "`galo doctor` diz o que falta nesta máquina.",
    )),
};

impl Tell for LimitsNotEnforced {
    fn sentence(&self, lang: Lang) -> String {
        let Self { why } = self;
        let why = why
            .as_deref()
            .unwrap_or_else(|| lang.pick("the machine gives no reason", "a máquina não diz por quê"));
        say!(lang, "limits are not enforced: {why}", "os limites não foram impostos: {why}")
    }

    fn blame(&self) -> Blame {
        Blame::Host
    }
}
