//! `not-in-its-volumes` (must): what was acknowledged stands in files of its volumes once all its
//! services have ended.

use galo_plan::JsonSchema;
use galo_plan::units::in_binary_unit;
use galo_record::finding::Weight;
use galo_words::nouns::ACKNOWLEDGED;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// It showed what it had acknowledged after its services had ended, and not from its volumes: none of those who were sought stood in them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotInItsVolumes {
    /// Creations that it acknowledged before.
    pub acknowledged: u64,
    /// Acknowledged creations whose texts were sought.
    pub sought: u32,
    /// Bytes that its volumes grew by.
    pub grown_bytes: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "what was acknowledged is not in its volumes",
        "o que foi confirmado não está nos volumes",
    ),
    means: "Encerrados todos os serviços, o que foi confirmado tem de estar em arquivos dos volumes: o \
        que só aparece depois de iniciar de novo veio de outro lugar.",
    remedy: Some(Both::word(
        "keep in files of a volume what is acknowledged, not in memory that outlives a service",
        "Guarde em arquivos de um volume o que é confirmado, não em memória que sobrevive ao \
            serviço.",
    )),
};

impl Tell for NotInItsVolumes {
    fn sentence(&self, lang: Lang) -> String {
        let Self { acknowledged, sought, grown_bytes } = self;
        let (acknowledged, sought) =
            (lang.counted(*acknowledged, ACKNOWLEDGED), lang.whole(u64::from(*sought)));
        let grown = lang.figure(in_binary_unit(*grown_bytes));
        say!(
            lang,
            "of {acknowledged}, none of {sought} that were sought stood in its volumes once its services had ended; these had grown by {grown}",
            "de {acknowledged}, nenhuma das {sought} procuradas estava nos volumes depois que seus serviços terminaram; eles tinham crescido {grown}"
        )
    }
}
