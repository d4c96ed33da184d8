//! What was to hold of a load, and whether it did.

use galo_judge::assertion::Outcome;
use galo_words::{Both, Lang, say};

use crate::words;

/// What was to hold and what was, with the ground that it has: `p99 < 50 ms: 61.3 ms`.
pub(crate) fn asserted(outcome: &Outcome, lang: Lang) -> String {
    let figure = figure(outcome, lang);
    match few_right(outcome, lang) {
        None => figure,
        Some(few) => say!(lang, "{figure}, where {few}", "{figure}, e {few}"),
    }
}

/// What was to hold and what was, and whether it held.
pub(super) fn met(outcome: &Outcome) -> Both {
    Both::each(|lang| {
        let met = match outcome.met {
            true => lang.pick("met", "cumprido"),
            false => lang.pick("not met", "NÃO cumprido"),
        };
        let few = few_right(outcome, lang).map_or_else(String::new, |few| format!("; {few}"));
        format!("{}, {met}{few}", figure(outcome, lang))
    })
}

/// Whether a reader is to be warned by it.
pub(super) const fn warns(outcome: &Outcome) -> bool {
    !outcome.met || outcome.ground.right.is_some()
}

fn few_right(outcome: &Outcome, lang: Lang) -> Option<String> {
    outcome.ground.right.map(|right| words::few_right(right.answers, right.requests, lang))
}

fn figure(outcome: &Outcome, lang: Lang) -> String {
    let nothing = || lang.pick("nothing to take it of", "nada de onde tirar").to_owned();
    let actual = outcome.shown(lang).unwrap_or_else(nothing);
    let slowest = outcome.ground.slowest_of.map_or_else(String::new, |of| {
        let of = lang.whole(of);
        say!(lang, " (the slowest of {of})", " (a mais lenta de {of})")
    });
    format!("{}: {actual}{slowest}", outcome.assertion.written(lang))
}
