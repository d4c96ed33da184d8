//! `records-contradict`: the records contradict themselves.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::contradiction::{Contradiction, contradicting};
use super::{About, Spoils, Void};

/// galo's own records contradict themselves: a bug.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordsContradict {
    /// How.
    pub contradiction: Contradiction,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("the records contradict themselves", "os registros se contradizem"),
    means: "Os registros da rodada não podem estar certos, o que é um defeito do galo: nada neles \
        conta contra ninguém.",
    remedy: None,
};

impl Void for RecordsContradict {
    fn why(&self, lang: Lang) -> String {
        let Self { contradiction } = self;
        let how = contradicting(contradiction, lang);
        say!(lang, "{how} (a bug in galo)", "{how} (um defeito do galo)")
    }

    fn spoils(&self) -> Spoils {
        Spoils::Account
    }
}
