//! The one fold of a run that goes on, shared by all who show it: screen, lines and metrics.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use galo_drive::Watch;
use galo_judge::duel::PairFacts;
use galo_judge::limit::Hold;
use galo_judge::load::LoadFacts;
use galo_judge::soak::Soaked;
use galo_judge::{Judgement, Standing};
use galo_record::act::{Act, Acted, Unit};
use galo_record::{Event, RunEnd};
use galo_report::live::Ongoing;

/// What is known now.
#[derive(Clone, Default)]
pub(crate) struct Watched(Arc<Mutex<Ongoing>>);

impl Watched {
    /// The fold. Release it before any other call.
    pub(crate) fn get(&self) -> MutexGuard<'_, Ongoing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears the news.
    pub(crate) fn hear(&self, event: &Event) {
        self.get().hears(event, Instant::now());
    }

    /// Has this told of all acts, of contenders with these names, and `other` after it.
    pub(crate) fn and<'a, W>(&'a self, names: Vec<String>, other: &'a mut W) -> Folding<'a, W> {
        self.get().name_contenders(names);
        Folding { watched: self, other }
    }
}

/// What a unit was worth, as a label.
pub(crate) trait Worth {
    fn worth(&self) -> &'static str;
}

impl Worth for Judgement {
    fn worth(&self) -> &'static str {
        match self.standing {
            Standing::Valid => "valid",
            Standing::Disqualified { .. } => "disqualified",
            Standing::Void { .. } => "void",
            Standing::NotReady { .. } => "not_ready",
        }
    }
}

impl Worth for Hold {
    fn worth(&self) -> &'static str {
        match (self.outcome.valid, self.outcome.met) {
            (false, _) => "void",
            (true, true) => "met",
            (true, false) => "not_met",
        }
    }
}

impl Worth for PairFacts {
    fn worth(&self) -> &'static str {
        if self.spoiled.is_some() { "void" } else { "valid" }
    }
}

impl Worth for Soaked {
    fn worth(&self) -> &'static str {
        match (&self.end, self.void.is_empty()) {
            (RunEnd::Failed(_), _) => "not_ready",
            (_, false) => "void",
            (_, true) => "valid",
        }
    }
}

impl Worth for LoadFacts {
    fn worth(&self) -> &'static str {
        if self.judged.void.is_empty() { "valid" } else { "void" }
    }
}

/// Two that are told of acts: the fold, and another.
pub(crate) struct Folding<'a, W> {
    watched: &'a Watched,
    other: &'a mut W,
}

impl<F: Worth, W: Watch<F>> Watch<F> for Folding<'_, W> {
    fn begins(&mut self, act: &Act) {
        self.watched.get().begins(act, Instant::now());
        self.other.begins(act);
    }

    fn ended(&mut self, acted: &Acted) {
        self.watched.get().ended(acted);
        self.other.ended(acted);
    }

    fn judged(&mut self, unit: Unit<'_>, facts: &F) {
        self.watched.get().judged(facts.worth());
        self.other.judged(unit, facts);
    }
}

#[cfg(test)]
mod tests {
    use galo_judge::findings::GaloLate;

    use super::*;

    #[test]
    fn a_soak_is_told_as_what_the_judge_said_of_it() {
        let void = vec![GaloLate { percentile: 99, lag_us: 50_000.0, bound_us: 5_000.0 }.into()];
        let end = RunEnd::Failed("no".to_owned());
        for (soaked, worth) in [
            (Soaked::default(), "valid"),
            (Soaked { void: void.clone(), ..Soaked::default() }, "void"),
            (Soaked { end, void, ..Soaked::default() }, "not_ready"),
        ] {
            assert_eq!(soaked.worth(), worth);
        }
    }
}
