//! `not-up-after-crash` (must): after a crash all services become ready again on what they left.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::losses::{NotUp, crash_at, not_up};
use super::{About, Tell};

/// It did not come up again after a crash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotUpAfterCrash {
    /// When services were killed.
    pub at_ns: u64,
    /// How that was seen.
    pub why: NotUp,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word("it did not come up again after a crash", "não voltou depois da queda"),
    means: "Depois de uma queda todos os serviços têm de ficar prontos de novo, com o que deixaram nos \
        volumes, e responder leituras.",
    remedy: Some(Both::word(
        "be ready only when reads are answered; look at the services' logs",
        "Diga que está pronto só quando leituras forem respondidas; veja os logs dos serviços.",
    )),
};

impl Tell for NotUpAfterCrash {
    fn sentence(&self, lang: Lang) -> String {
        let Self { at_ns, why } = self;
        not_up(&crash_at(*at_ns, lang), why, lang)
    }

    fn remedy(&self, usual: Option<Both>) -> Option<Both> {
        self.why.remedy().or(usual)
    }
}
