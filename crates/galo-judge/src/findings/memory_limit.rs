//! `memory-limit`: a service had used up its memory.

use galo_plan::JsonSchema;
use galo_plan::units::in_binary_unit;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::caused::{Explained, TIME, covered};
use super::{About, Cause};

/// A service was short of memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryLimit {
    /// Which.
    pub service: String,
    /// Its limit.
    pub limit_bytes: u64,
    /// For how much of the time.
    pub seen: Explained,
    /// Processes of it that the kernel killed.
    pub killed: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("a service had used up its memory", "um serviço esgotou a sua memória"),
    means: "O serviço chegou ao limite de memória enquanto usuários esperavam. No limite, o kernel tem \
        de tirar páginas dele para cada uma que ele pede, e no fim mata um processo.",
    remedy: Some(Both::word(
        "give it more of the memory, or make it keep less (caches, buffers, heap limits)",
        "Dê mais memória a este serviço, ou faça-o guardar menos (caches, buffers, limites do \
            heap).",
    )),
};

impl Cause for MemoryLimit {
    fn seen(&self, lang: Lang) -> String {
        let Self { service, limit_bytes, seen, killed } = self;
        let (limit, seen) = (lang.figure(in_binary_unit(*limit_bytes)), covered(*seen, TIME, lang));
        let killed = match killed {
            0 => String::new(),
            killed => say!(
                lang,
                "the kernel killed {killed} of its processes, and ",
                "o kernel matou {killed} dos seus processos, e "
            ),
        };
        say!(
            lang,
            "`{service}` ran out of its memory of {limit}: {killed}it was short of memory in {seen}",
            "`{service}` ficou sem a sua memória de {limit}: {killed}faltou-lhe memória em {seen}"
        )
    }
}
