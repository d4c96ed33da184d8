//! `crash`: what came of the crash.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::losses::{AllThere, all_there, crash_at};
use super::{About, Tell};

/// What came of a crash in which nothing was lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Crash {
    /// When services were killed.
    pub at_ns: u64,
    /// What was looked up.
    pub there: AllThere,
    /// From the restart until all were ready.
    pub up_ns: Option<u64>,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("what came of the crash", "o que resultou da queda"),
    means: "Todos os serviços foram mortos no meio da carga e iniciados de novo com os mesmos volumes. \
        Nenhuma perda foi vista.",
    remedy: None,
};

impl Tell for Crash {
    fn sentence(&self, lang: Lang) -> String {
        let Self { at_ns, there, up_ns } = self;
        let (head, there) = (crash_at(*at_ns, lang), all_there(*there, lang));
        let up = up_ns.map_or_else(String::new, |ns| {
            let up = lang.seconds(ns);
            say!(lang, " (up again in {up})", " (de pé de novo em {up})")
        });
        say!(lang, "{head}: {there} after the restart{up}", "{head}: {there} depois da volta{up}")
    }
}
