//! Why a load says nothing, and how busy galo was: of all of it, or of each step of its rate or setting.

use galo_judge::findings::busy_sentence;
use galo_judge::load::JudgedLoad;
use galo_judge::void::VoidReason;
use galo_words::{Both, Figure, Lang, say};

use super::settings;

/// What a load was worth, or one of the steps of its rate, or its loads at one setting.
pub(super) struct Worth<'a> {
    /// The rate of the step, or the setting.
    at: Option<Both>,
    void: &'a [VoidReason],
    busy_share: Option<f64>,
}

pub(super) fn worth(load: &JudgedLoad) -> Vec<Worth<'_>> {
    let steps = load.steps_of_rate.iter().map(|step| {
        let rate = |lang: Lang| format!("{}/s", lang.figure(Figure::Plain(step.asked_per_s)));
        Worth { at: Some(Both::each(rate)), void: &step.void, busy_share: step.busy_share }
    });
    let settings = load.settings.iter().map(|setting| Worth {
        at: Some(Both::same(settings::turned(load, setting))),
        void: &setting.void,
        busy_share: setting.busy_share,
    });
    let mut worth: Vec<_> = steps.chain(settings).collect();
    if worth.is_empty() {
        worth.push(Worth { at: None, void: &load.void, busy_share: load.busy_share });
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
        match &self.at {
            None => told.clone(),
            Some(at) => Both::each(|lang| {
                let (at, told) = (at.get(lang), told.get(lang));
                say!(lang, "at {at} {told}", "a {at} {told}")
            }),
        }
    }
}
