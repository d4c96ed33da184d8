//! `no-outage-round`: no outage was tried.

use galo_record::finding::Weight;
use galo_words::{Both, Lang};

use super::{About, Tell};

use galo_record::finding::NoOutageRound;

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("no outage was tried", "a falta de uma instância não foi testada"),
    means: "Não há dois serviços com nomes ou comandos iguais a menos de dígitos, então não há uma \
        instância que possa faltar sozinha.",
    remedy: None,
};

impl Tell for NoOutageRound {
    fn sentence(&self, lang: Lang) -> String {
        lang
            .pick(
                "no outage was tried: no two services have names or commands that are the same but for digits",
                "a falta de uma instância não foi testada: não há dois serviços com nomes ou comandos iguais a não ser por números",
            )
            .to_owned()
    }
}
