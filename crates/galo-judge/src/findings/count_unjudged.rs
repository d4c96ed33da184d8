//! `count-unjudged`: the count could not be judged.

use galo_plan::Blame;
use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::count_unanswered::unanswered;
use super::{About, Tell};

/// So nobody knows whether it differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountUnjudged {}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("the count could not be judged", "a contagem não pôde ser julgada"),
    means: "Sem uma contagem respondida depois da carga, não há o que comparar com o que foi \
        confirmado.",
    remedy: None,
};

impl Tell for CountUnjudged {
    fn sentence(&self, lang: Lang) -> String {
        let unanswered = unanswered(lang);
        say!(
            lang,
            "could not be judged: `count-differs`: {unanswered}",
            "não pôde ser julgado: `count-differs`: {unanswered}"
        )
    }

    fn blame(&self) -> Blame {
        Blame::Client
    }
}
