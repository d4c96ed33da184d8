//! `descriptors`: no file descriptor was left.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::lacking::Lacking;
use super::{About, Cause};

/// A log says that no file descriptor was left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Descriptors(pub Lacking);

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("no file descriptor was left", "acabaram os descritores de arquivo"),
    means: "O log de um serviço diz que ele não conseguia abrir mais nada. Cada conexão é um descritor \
        de arquivo, e um processo só pode ter um certo número deles (`nofile`).",
    remedy: Some(Both::word(
        "raise `ulimits: { nofile: ... }` of the service, or look for what is never closed",
        "Aumente `ulimits: { nofile: ... }` do serviço, ou procure o que é aberto e nunca fechado.",
    )),
};

impl Cause for Descriptors {
    fn seen(&self, lang: Lang) -> String {
        self.0.sentence("no file descriptor was left", "acabaram os descritores de arquivo", lang)
    }
}
