//! `read-misses-acknowledged` (must): a read by identity finds whoever was acknowledged before it.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::READ;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Reads denied what was acknowledged before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadMissesAcknowledged {
    /// Reads that did.
    pub missed: u64,
    /// All reads.
    pub reads: u64,
    /// The longest from the acknowledgement to such a read.
    pub longest_ns: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "a read denied what was acknowledged before",
        "uma leitura negou o que já tinha sido confirmado",
    ),
    means: "Uma leitura por identidade foi respondida como se não houvesse nada ali, depois que a \
        criação tinha sido confirmada.",
    remedy: Some(Both::word(
        "acknowledge a creation only when every instance can read it",
        "Confirme uma criação só quando toda instância puder lê-la.",
    )),
};

impl Tell for ReadMissesAcknowledged {
    fn sentence(&self, lang: Lang) -> String {
        let Self { missed, reads, longest_ns } = self;
        let (missed, reads) = (lang.whole(*missed), lang.counted(*reads, READ));
        let longest = lang.moment(*longest_ns);
        say!(
            lang,
            "{missed} of {reads} did not find what was acknowledged before, up to {longest} after it",
            "{missed} de {reads} não acharam o que já tinha sido confirmado, até {longest} depois"
        )
    }
}
