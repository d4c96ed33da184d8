//! `lost-in-outage` (must): nothing that was acknowledged is lost when one instance is killed.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::losses::{Loss, lost, outage_of};
use super::{About, Tell};

/// What was acknowledged was lost with one instance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LostInOutage {
    /// The instances that were killed.
    pub services: Vec<String>,
    /// What was lost.
    pub loss: Loss,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "what was acknowledged was lost with one instance",
        "o que estava confirmado se perdeu com uma instância",
    ),
    means: "Quando uma só instância é morta, nada do que foi confirmado pode se perder.",
    remedy: Some(Both::word(
        "keep in the database what is acknowledged, not in one instance's memory",
        "Guarde no banco o que é confirmado, não na memória de uma instância.",
    )),
};

impl Tell for LostInOutage {
    fn sentence(&self, lang: Lang) -> String {
        let Self { services, loss } = self;
        format!("{}: {}", outage_of(services, lang), lost(*loss, lang))
    }
}
