//! `restart`: what came of a restart at rest.

use galo_plan::JsonSchema;
use galo_record::Halt;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::losses::{AllThere, all_there, restart_of};
use super::{About, Tell};

/// What came of a restart at rest in which nothing was lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Restart {
    /// How its services were ended.
    pub halt: Halt,
    /// What was looked up.
    pub there: AllThere,
    /// From when galo began to end its services until all had ended.
    pub down_ns: u64,
    /// From when galo began to start them again until all were ready.
    pub up_ns: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("what came of a restart at rest", "o que resultou de reiniciar em repouso"),
    means: "Depois de 15 s sem nenhuma pergunta todos os serviços foram encerrados e iniciados de novo \
        com os mesmos volumes. Nenhuma perda foi vista.",
    remedy: None,
};

impl Tell for Restart {
    fn sentence(&self, lang: Lang) -> String {
        let Self { halt, there, down_ns, up_ns } = self;
        let (head, there) = (restart_of(*halt, lang), all_there(*there, lang));
        let [down, up] = [down_ns, up_ns].map(|ns| lang.seconds(*ns));
        say!(
            lang,
            "{head}: {there} (ended in {down}, up again in {up})",
            "{head}: {there} (encerrado em {down}, de pé de novo em {up})"
        )
    }
}
