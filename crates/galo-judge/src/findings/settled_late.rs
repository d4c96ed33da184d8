//! `settled-late` (should): the count shows every acknowledged creation within 1 s of the end of
//! the load.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::ACKNOWLEDGED;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// The count had its last value late.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettledLate {
    /// How long after the end of the load.
    pub after_ns: u64,
    /// Acknowledged creations that it lacked until then.
    pub lacked: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("the count came to rest late", "a contagem demorou a chegar ao valor final"),
    means: "A contagem só teve o seu último valor mais de 1 s depois do fim da carga.",
    remedy: Some(Both::word(
        "store before acknowledging, not from a queue",
        "Grave antes de confirmar, em vez de deixar numa fila.",
    )),
};

impl Tell for SettledLate {
    fn sentence(&self, lang: Lang) -> String {
        let Self { after_ns, lacked } = self;
        let took = lang.seconds(*after_ns);
        if *lacked == 0 {
            return say!(
                lang,
                "the count had its last value only {took} after the end of the load, but lacked nothing acknowledged before",
                "a contagem só teve o seu último valor {took} depois do fim da carga, mas antes disso não faltava nada \
                 confirmado"
            );
        }
        let was = if *lacked == 1 { "faltava" } else { "faltavam" };
        let lacked = lang.counted(*lacked, ACKNOWLEDGED);
        say!(
            lang,
            "the count lacked {lacked} until {took} after the end of the load",
            "até {took} depois do fim da carga {was} na contagem {lacked}"
        )
    }

    /// What hid nothing asks for nothing.
    fn remedy(&self, usual: Option<Both>) -> Option<Both> {
        usual.filter(|_| self.lacked > 0)
    }
}
