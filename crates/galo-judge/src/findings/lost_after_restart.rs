//! `lost-after-restart` (must): what was acknowledged is there after all services were ended at
//! rest and started again, unchanged.

use galo_plan::JsonSchema;
use galo_record::Halt;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::losses::{Loss, lost, restart_of};
use super::{About, Tell};

/// What was acknowledged is not there any more after a restart at rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LostAfterRestart {
    /// How its services were ended.
    pub halt: Halt,
    /// What was lost.
    pub loss: Loss,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "what was acknowledged was lost in a restart at rest",
        "o que estava confirmado se perdeu ao reiniciar em repouso",
    ),
    means: "Depois de 15 s sem nenhuma pergunta, todos os serviços foram encerrados e iniciados de \
        novo com os mesmos volumes: o que foi confirmado tem de estar lá, igual.",
    remedy: Some(Both::word(
        "keep on a disk, in a volume, what is acknowledged; write out what is left when you are \
            asked to end",
        "Guarde em disco, em um volume, o que é confirmado; grave o que falta quando pedirem para \
            encerrar.",
    )),
};

impl Tell for LostAfterRestart {
    fn sentence(&self, lang: Lang) -> String {
        let Self { halt, loss } = self;
        format!("{}: {}", restart_of(*halt, lang), lost(*loss, lang))
    }
}
