//! `acknowledged-before-flush` (should): a creation is acknowledged once it was flushed to a disk.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::CREATION;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Creations with nobody else about were acknowledged before anything was flushed to a disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AcknowledgedBeforeFlush {
    /// Cases of conformance in which a creation was acknowledged and nothing flushed.
    pub unflushed: u64,
    /// Cases, each on an instance, in which a creation was acknowledged.
    pub alone: u64,
    /// Name of the first of them.
    pub case: String,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "a creation was acknowledged before it was on a disk",
        "uma criação foi confirmada antes de estar no disco",
    ),
    means: "Com uma única requisição de cada vez, uma criação foi confirmada sem que nenhum serviço \
        tivesse pedido ao kernel um flush para o disco.",
    remedy: Some(Both::word(
        "acknowledge a creation once its commit is on the disk",
        "Confirme uma criação só quando o commit estiver no disco.",
    )),
};

impl Tell for AcknowledgedBeforeFlush {
    fn sentence(&self, lang: Lang) -> String {
        let Self { unflushed, alone, case } = self;
        let alone = lang.counted(*alone, CREATION);
        say!(
            lang,
            "with nobody else about, {unflushed} of {alone} were acknowledged before anything was flushed to a disk, e.g. in the case `{case}`",
            "sem mais ninguém por perto, {unflushed} de {alone} foram confirmadas antes de qualquer escrita forçada no disco, p. ex. no caso `{case}`"
        )
    }
}
