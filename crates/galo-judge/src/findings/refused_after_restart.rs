//! `refused-after-restart` (must): what was refused is not there after all services were ended at
//! rest and started again.

use galo_plan::JsonSchema;
use galo_record::Halt;
use galo_record::finding::Weight;
use galo_words::nouns::REFUSED;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::losses::restart_of;
use super::{About, Tell};

/// What was refused is there after a restart at rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedAfterRestart {
    /// How its services were ended.
    pub halt: Halt,
    /// Refused creations that were looked up.
    pub refused: u64,
    /// ... of these there.
    pub there: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "what was refused is there after a restart at rest",
        "o que foi recusado está lá depois de reiniciar em repouso",
    ),
    means: "O que foi recusado não pode estar lá depois de os serviços serem encerrados e iniciados de \
        novo.",
    remedy: Some(Both::word("refuse before anything is stored", "Recuse antes de gravar qualquer coisa.")),
};

impl Tell for RefusedAfterRestart {
    fn sentence(&self, lang: Lang) -> String {
        let Self { halt, refused, there } = self;
        let (head, refused) = (restart_of(*halt, lang), lang.counted(*refused, REFUSED));
        let there = lang.whole(*there);
        say!(lang, "{head}: of {refused}, {there} there", "{head}: de {refused}, {there} lá")
    }
}
