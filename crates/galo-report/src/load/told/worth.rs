//! Why a load says nothing, and how busy galo was: of all of it, or of each step of its rate.

use galo_judge::findings::busy_sentence;
use galo_judge::load::JudgedLoad;
use galo_judge::void::VoidReason;
use galo_words::{Both, Figure, say};

/// What a load was worth, or one of the steps of its rate.
pub(super) struct Worth<'a> {
    /// The rate of the step.
    at_per_s: Option<f64>,
    void: &'a [VoidReason],
    busy_share: Option<f64>,
}

pub(super) fn worth(load: &JudgedLoad) -> Vec<Worth<'_>> {
    let steps = load.steps_of_rate.iter();
    let mut worth: Vec<_> = steps
        .map(|step| Worth { at_per_s: Some(step.asked_per_s), void: &step.void, busy_share: step.busy_share })
        .collect();
    if worth.is_empty() {
        worth.push(Worth { at_per_s: None, void: &load.void, busy_share: load.busy_share });
    }
    worth
}

impl Worth<'_> {
    pub(super) fn warnings(&self, is_forced: bool) -> impl Iterator<Item = Both> {
        let forced = if is_forced { Both::word(" (and forced)", " (e forçada)") } else { Both::same("") };
        let head = Both::word("VOID", "NULA").then(&forced).then(&Both::same(": "));
        self.void.iter().map(move |reason| {
            let reason = Both::each(|lang| reason.of_load(lang));
            head.clone().then(&self.at(&reason))
        })
    }

    pub(super) fn busy(&self, is_open: bool) -> Option<Both> {
        let busy = |share| Both::each(|lang| busy_sentence(share, is_open, lang));
        self.busy_share.map(|share| self.at(&busy(share)))
    }

    /// A sentence, with the step of which it is told.
    fn at(&self, told: &Both) -> Both {
        match self.at_per_s {
            None => told.clone(),
            Some(rate) => Both::each(|lang| {
                let (rate, told) = (lang.figure(Figure::Plain(rate)), told.get(lang));
                say!(lang, "at {rate}/s {told}", "a {rate}/s {told}")
            }),
        }
    }
}
