//! `started-by-others`: galo did not start it.

use galo_plan::Blame;
use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// The server ran already, so there was nothing that galo could limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StartedByOthers {}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("galo did not start it", "o galo não o iniciou"),
    means: "O servidor já estava rodando: o galo não impõe limites a ele, e a rodada não diz nada \
        sobre o orçamento.",
    remedy: None,
};

impl Tell for StartedByOthers {
    fn sentence(&self, lang: Lang) -> String {
        lang.pick(
            "galo did not start it, so nothing is limited, and this says nothing about the budget",
            "o galo não o iniciou, então nada é limitado, e isto não diz nada sobre o orçamento",
        )
        .to_owned()
    }

    fn blame(&self) -> Blame {
        Blame::Client
    }
}
