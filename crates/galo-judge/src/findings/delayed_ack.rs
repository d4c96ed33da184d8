//! `delayed-ack` (should): answers are not held back until their first part is acknowledged.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::ANSWER;
use galo_words::{Both, Figure, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Answers ended about as late after their first byte as a delayed acknowledgement of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DelayedAck {
    /// Answers that were held back.
    pub answers: u64,
    /// Answers with a first and a last byte.
    pub all: u64,
    /// Median time from the first byte to the last one, in nanoseconds.
    pub held_ns: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "answers ended as late as a delayed acknowledgement of their first byte",
        "respostas terminaram com o atraso de um ACK retardado do seu primeiro byte",
    ),
    means: "É o que se vê quando a resposta sai em duas escritas: com o algoritmo de Nagle ligado, o kernel de quem responde segura a segunda até \
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
        let ended = if self.answers == 1 { "terminou" } else { "terminaram" };
        say!(
            lang,
            "{answers} of {all} ended {held} after the first byte: as late as the other side's delayed acknowledgement of it",
            "{answers} de {all} {ended} {held} depois do primeiro byte: o atraso de um ACK retardado do outro lado"
        )
    }
}
