//! `delayed-ack` (should): answers are not held back until their first part is acknowledged.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::ANSWER;
use galo_words::{Both, Figure, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Answers came in two parts, the second about as late as a delayed acknowledgement of the first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DelayedAck {
    /// How many.
    pub answers: u64,
    /// Out of so many.
    pub all: u64,
    /// Median time from the first byte to the last one, in nanoseconds.
    pub held_ns: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "answers were held back until their first part was acknowledged",
        "respostas ficaram retidas até a primeira parte ser confirmada",
    ),
    means: "A resposta saiu em duas escritas. Com o algoritmo de Nagle ligado, o kernel de quem responde segura a segunda até \
        receber a confirmação (ACK) da primeira, que o outro lado atrasa de propósito por uns 40 ms.",
    remedy: Some(Both::word(
        "set TCP_NODELAY on accepted connections, or hand head and body to the kernel in one write",
        "Ligue TCP_NODELAY nas conexões aceitas, ou entregue cabeçalho e corpo ao kernel numa só escrita.",
    )),
};

impl Tell for DelayedAck {
    fn sentence(&self, lang: Lang) -> String {
        let (held, all) =
            (lang.figure(Figure::Ms(self.held_ns as f64 / 1e3)), lang.counted(self.all, ANSWER));
        let answers = lang.whole(self.answers);
        say!(
            lang,
            "{answers} of {all} came in two parts, the second {held} after the first: as late as the other side's delayed \
             acknowledgement",
            "{answers} de {all} vieram em duas partes, a segunda {held} depois da primeira: o atraso de uma confirmação (ACK) adiada"
        )
    }
}
