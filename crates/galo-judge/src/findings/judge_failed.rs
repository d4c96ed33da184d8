//! `judge-failed`: the judge itself failed.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Spoils, Void};

/// The judge itself failed: a bug.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgeFailed {
    /// What it said, if anything.
    pub said: Option<String>,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("the judge itself failed", "o próprio juiz falhou"),
    means: "É um defeito do galo: não se sabe nada desta rodada, e nada nela conta contra ninguém.",
    remedy: None,
};

impl Void for JudgeFailed {
    fn why(&self, lang: Lang) -> String {
        let Self { said } = self;
        let said = said.as_deref().unwrap_or_else(|| lang.pick("it did not say why", "não disse por quê"));
        say!(
            lang,
            "unknown: the judge failed (a bug in galo): {said}",
            "não se sabe: o juiz falhou (um defeito do galo): {said}"
        )
    }

    fn spoils(&self) -> Spoils {
        Spoils::Account
    }
}
