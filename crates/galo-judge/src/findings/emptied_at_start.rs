//! `emptied-at-start` (should): a start on volumes that hold people keeps them.

use galo_plan::JsonSchema;
use galo_plan::units::in_binary_unit;
use galo_record::Halt;
use galo_record::finding::Weight;
use galo_words::nouns::{ACKNOWLEDGED, FORCED_WRITE};
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::losses::restart_of;
use super::{About, Tell};

/// It holds nobody after a restart at rest, although its volumes held what may be all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EmptiedAtStart {
    /// How its services were ended.
    pub halt: Halt,
    /// Creations that it acknowledged before.
    pub acknowledged: u64,
    /// Bytes that its volumes grew by until it was ended.
    pub grown_bytes: u64,
    /// Flushes until then; null: nobody counted.
    pub flushes: Option<u64>,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("it may empty its volumes at its start", "talvez esvazie seus volumes ao iniciar"),
    means: "Iniciado de novo com os mesmos volumes, ele não tem mais nada, embora os volumes tivessem \
        crescido com as criações. Que estavam todas lá não se pode ver.",
    remedy: Some(Both::word(
        "keep at a start what the volumes hold: galo gives each round fresh ones",
        "Mantenha ao iniciar o que os volumes contêm: o galo dá novos a cada rodada.",
    )),
};

impl Tell for EmptiedAtStart {
    fn sentence(&self, lang: Lang) -> String {
        let Self { halt, acknowledged, grown_bytes, flushes } = self;
        let (head, acknowledged) = (restart_of(*halt, lang), lang.counted(*acknowledged, ACKNOWLEDGED));
        let grown = lang.figure(in_binary_unit(*grown_bytes));
        let flushes = flushes.map_or_else(String::new, |flushes| {
            let flushes = lang.counted(flushes, FORCED_WRITE);
            say!(lang, " and {flushes}", " e {flushes}")
        });
        say!(
            lang,
            "{head}: of {acknowledged} nobody is there, although its volumes had grown by {grown}{flushes}: it may have emptied them at its start",
            "{head}: de {acknowledged} não há nada lá, embora os volumes tivessem crescido {grown}{flushes}: talvez ele os tenha esvaziado ao iniciar"
        )
    }
}
