//! `host-steal`: the hypervisor took CPU away.

use galo_plan::Blame;
use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Figure, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Void};

/// A hypervisor took CPU time away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HostSteal {
    /// Share of what the machine wanted.
    pub share: f64,
    /// What it may be at most.
    pub bound: f64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("the hypervisor took CPU away", "o hipervisor tirou CPU da máquina"),
    means: "Parte da CPU que esta máquina virtual queria foi para outra (steal). Tempos e taxas desta \
        rodada não dizem nada sobre o competidor.",
    remedy: Some(Both::word(
        "fight again when the machine has its CPU for itself, or on another one",
        "Rode a briga de novo quando a máquina tiver a CPU só para si, ou em outra máquina.",
    )),
};

impl Void for HostSteal {
    fn why(&self, lang: Lang) -> String {
        let Self { share, bound } = self;
        let [share, bound] = [*share, *bound].map(|share| lang.figure(Figure::WholeShare(share)));
        say!(
            lang,
            "the hypervisor took {share} of the CPU time that this machine wanted, over {bound}",
            "o hipervisor tomou {share} do tempo de CPU que esta máquina queria, acima de {bound}"
        )
    }

    fn blame(&self) -> Blame {
        Blame::Host
    }
}
