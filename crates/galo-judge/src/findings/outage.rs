//! `outage`: what came of the outage.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::OPERATION;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::failures::{Number, numbers};
use super::losses::{AllThere, all_there, outage_of};
use super::{About, Tell};

/// What came of an outage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outage {
    /// The instances that were killed.
    pub services: Vec<String>,
    /// What clients saw.
    pub figures: OutageFigures,
    /// What was looked up; null where something was lost.
    pub there: Option<AllThere>,
}

/// What clients saw of an outage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutageFigures {
    /// When it was killed, from the start of the load.
    pub from_ns: u64,
    /// When it was started again.
    pub restarted_ns: Option<u64>,
    /// From then until it was ready; null: it never was.
    pub up_ns: Option<u64>,
    /// Operations that fell due while it was down.
    pub meanwhile: u64,
    /// ... of these not answered rightly.
    pub meanwhile_failed: u64,
    /// The first and the last failure, from the kill.
    pub failing_ns: Option<[u64; 2]>,
    /// The kinds of failure, most frequent first; at most three.
    pub kinds: Vec<Number>,
    /// Operations that fell due after it was ready again.
    pub after: u64,
    /// ... of these not answered rightly.
    pub after_failed: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("what came of the outage", "o que resultou da falta de uma instância"),
    means: "Uma instância foi morta no meio da carga e iniciada de novo. Os números dizem quantas \
        operações falharam enquanto ela faltava, e depois.",
    remedy: None,
};

impl Tell for Outage {
    fn sentence(&self, lang: Lang) -> String {
        let Self { services, figures, there } = self;
        let there = there.map_or_else(String::new, |there| format!("; {}", all_there(there, lang)));
        format!("{} {}{there}", outage_of(services, lang), outage(figures, lang))
    }
}

fn outage(figures: &OutageFigures, lang: Lang) -> String {
    let from = lang.seconds(figures.from_ns);
    let back = match (figures.restarted_ns, figures.up_ns) {
        (Some(restarted_ns), Some(up_ns)) => {
            let (restarted, up) = (lang.seconds(restarted_ns), lang.seconds(up_ns));
            say!(lang, "to {restarted} (up again in {up})", "a {restarted} (de pé de novo em {up})")
        }
        _ => lang.pick("to the end", "até o fim").to_owned(),
    };
    let failed = lang.whole(figures.meanwhile_failed);
    let meanwhile = lang.counted(figures.meanwhile, OPERATION);
    let share = match figures.meanwhile {
        0 => 0.0,
        all => 100.0 * figures.meanwhile_failed as f64 / all as f64,
    };
    let share = lang.decimals(share, 1);
    let failing = figures.failing_ns.map_or_else(String::new, |failing_ns| {
        let [first, last] = failing_ns.map(|ns| lang.decimals(ns as f64 / 1e9, 2));
        let kinds = numbers(&figures.kinds, lang).join(", ");
        let kinds = if kinds.is_empty() { kinds } else { format!(" ({kinds})") };
        say!(
            lang,
            ", {first} to {last} s after the kill{kinds}",
            ", {first} a {last} s depois de ser morta{kinds}"
        )
    });
    let (after_failed, after) = (lang.whole(figures.after_failed), lang.whole(figures.after));
    say!(
        lang,
        "from {from} {back}: {failed} of {meanwhile} failed meanwhile ({share} %){failing}; {after_failed} of {after} after it",
        "de {from} {back}: {failed} de {meanwhile} falharam enquanto isso ({share} %){failing}; {after_failed} de {after} depois"
    )
}
