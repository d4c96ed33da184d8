//! `volumes-in-memory`: its volumes lie in memory.

use galo_plan::Blame;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};

use super::{About, Tell};

use galo_record::finding::VolumesInMemory;

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("its volumes lie in memory", "os volumes ficam na memória"),
    means: "O que se grava lá não chega a disco nenhum: um flush não custa nada e não prova nada. \
        Escolha outra pasta com --out.",
    remedy: None,
};

impl Tell for VolumesInMemory {
    fn sentence(&self, lang: Lang) -> String {
        let Self { place, file_system } = self;
        say!(
            lang,
            "volumes lie in memory (`{place}` is a {file_system}), so no flush proves anything",
            "os volumes ficam na memória (`{place}` é um {file_system}), então nenhum flush prova nada"
        )
    }

    fn blame(&self) -> Blame {
        Blame::Host
    }
}
