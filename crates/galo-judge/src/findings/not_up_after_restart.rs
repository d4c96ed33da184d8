//! `not-up-after-restart` (must): all services become ready again on what they left, also after
//! they were ended at rest.

use galo_plan::JsonSchema;
use galo_record::Halt;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::losses::{NotUp, not_up, restart_of};
use super::{About, Tell};

/// It did not come up again on what it left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NotUpAfterRestart {
    /// How its services were ended.
    pub halt: Halt,
    /// How that was seen.
    pub why: NotUp,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "it did not come up again after a restart at rest",
        "não voltou depois de reiniciar em repouso",
    ),
    means: "Encerrados em repouso e iniciados de novo, todos os serviços têm de ficar prontos com o \
        que deixaram nos volumes, e responder leituras.",
    remedy: Some(Both::word(
        "start on volumes that are not empty as well; look at the services' logs",
        "Inicie também com volumes que não estão vazios; veja os logs dos serviços.",
    )),
};

impl Tell for NotUpAfterRestart {
    fn sentence(&self, lang: Lang) -> String {
        let Self { halt, why } = self;
        not_up(&restart_of(*halt, lang), why, lang)
    }

    fn remedy(&self, usual: Option<Both>) -> Option<Both> {
        self.why.remedy().or(usual)
    }
}
