//! `interrupted`: the round was broken off.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::{About, Spoils, Void};

/// The caller broke it off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interrupted {}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("the round was broken off", "a rodada foi interrompida"),
    means: "Quem chamou o galo a interrompeu: nada nela conta contra ninguém.",
    remedy: None,
};

impl Void for Interrupted {
    fn why(&self, lang: Lang) -> String {
        lang.pick("the caller broke it off", "quem chamou o galo a interrompeu").to_owned()
    }

    fn spoils(&self) -> Spoils {
        Spoils::Account
    }
}
