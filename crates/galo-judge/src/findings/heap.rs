//! `heap`: a runtime's own heap was full.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::lacking::Lacking;
use super::{About, Cause};

/// A log says that a runtime's own heap was full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Heap(pub Lacking);

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("a runtime's own heap was full", "o heap de um runtime encheu"),
    means: "O log de um serviço diz que o heap do runtime acabou (JVM, Node). Um runtime usa só uma \
        parte da memória do serviço, qualquer que seja o limite.",
    remedy: Some(Both::word(
        "give the heap more of the service's memory (`-Xmx`, `--max-old-space-size`), or keep less \
            in it",
        "Dê ao heap mais da memória do serviço (`-Xmx`, `--max-old-space-size`), ou guarde menos \
            nele.",
    )),
};

impl Cause for Heap {
    fn seen(&self, lang: Lang) -> String {
        self.0.sentence("a runtime's own heap was full", "o heap de um runtime encheu", lang)
    }
}
