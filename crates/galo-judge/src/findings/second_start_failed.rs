//! `second-start-failed`: it did not start a second time.

use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};

use super::{About, Tell};

use galo_record::finding::SecondStartFailed;

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("it did not start a second time", "não iniciou pela segunda vez"),
    means: "Depois da rodada ele não iniciou de novo com volumes novos, então não se sabe se guarda \
        dados fora deles.",
    remedy: None,
};

impl Tell for SecondStartFailed {
    fn sentence(&self, lang: Lang) -> String {
        let Self { error } = self;
        say!(
            lang,
            "after its round it did not start again on fresh volumes: {error}",
            "depois da rodada ele não iniciou de novo com volumes novos: {error}"
        )
    }
}
