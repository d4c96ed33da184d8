//! `lost-after-crash` (must): what was acknowledged before a crash is there after the restart,
//! unchanged.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::losses::{Loss, crash_at, lost};
use super::{About, Tell};

/// What was acknowledged was lost in a crash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LostAfterCrash {
    /// When services were killed.
    pub at_ns: u64,
    /// What was lost.
    pub loss: Loss,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "what was acknowledged was lost in a crash",
        "o que estava confirmado se perdeu na queda",
    ),
    means: "O que foi confirmado antes da queda tem de estar lá, igual, depois da volta.",
    remedy: Some(Both::word(
        "answer a creation only when its commit is on the disk (fsync on, synchronous commit on)",
        "Responda uma criação só quando o commit dela estiver no disco (fsync e commit síncrono \
            ligados).",
    )),
};

impl Tell for LostAfterCrash {
    fn sentence(&self, lang: Lang) -> String {
        let Self { at_ns, loss } = self;
        format!("{}: {}", crash_at(*at_ns, lang), lost(*loss, lang))
    }
}
