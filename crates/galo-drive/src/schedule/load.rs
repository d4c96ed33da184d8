//! Loads of addresses: one, a rate that rises in steps, or the search for the highest rate.

use std::time::Duration;

use galo_judge::assertion::Assertions;
use galo_judge::capacity::{Length, Trial};
use galo_judge::load::{AskedLoad, LoadFacts, Range, TrialTerms, search};
use galo_plan::injection::RateSteps;
use galo_plan::load::Spacing;
use galo_record::act::{Act, LoadTerms, UnitKind, UnitTerms, Workload};

use crate::{Heard, Schedule};

/// Length of a trial that is no hold.
const SHORT: Duration = Duration::from_secs(3);
/// Length of the closed loop that says where to begin; it also warms the server up.
const SCOUT: Duration = Duration::from_secs(2);
/// How long the server rests after a trial that was not met.
const REST: Duration = Duration::from_secs(1);

/// Which loads are driven, each a unit of its own.
#[derive(Debug, Clone)]
pub enum Loads {
    /// One, as it was asked for.
    One,
    /// One for each step of the rate, so that what one leaves behind in galo (a queue, late answers) is no part of the next
    /// one's figures.
    Steps(RateSteps),
    /// As many as it takes to find the highest rate.
    Highest(Highest),
}

/// The search for the highest rate.
#[derive(Debug, Clone)]
pub struct Highest {
    /// What is to be met.
    pub criterion: Assertions,
    /// Where it is looked for.
    pub range: Range,
    /// Length of a hold, in whole seconds.
    pub hold: Duration,
    /// How requests lie in a rate.
    pub spacing: Spacing,
    /// At once in the closed loop that says where to begin.
    pub scout_users: u32,
}

/// One load, and what comes before it.
struct Next {
    kind: UnitKind,
    traffic: Workload,
    rests: bool,
}

impl Loads {
    /// How a load is asked for. `arriving_ns`: how long users arrive whatever the server does, where that was asked for.
    pub fn asked_load(&self, kind: &UnitKind, traffic: &Workload, arriving_ns: Option<u64>) -> AskedLoad<'_> {
        let &Workload::Rate { rate_micro, length_ns } = traffic else {
            let is_closed = matches!(traffic, Workload::Closed { .. });
            return AskedLoad { arriving_ns: arriving_ns.filter(|_| !is_closed), ..AskedLoad::default() };
        };
        let trial = match (self, kind) {
            (Self::Highest(highest), &UnitKind::Trial { hold }) => Some(TrialTerms {
                criterion: &highest.criterion,
                rate_milli: rate_micro / 1000,
                length: Duration::from_nanos(length_ns),
                hold,
                spacing: highest.spacing,
            }),
            _ => None,
        };
        AskedLoad { arriving_ns: Some(length_ns), rate_per_s: Some(rate_micro as f64 / 1e6), trial }
    }

    /// The load after these.
    fn after(&self, loads: &[LoadFacts]) -> Option<Next> {
        // A closed loop that scouts may meet any status.
        let is_over = |load: &LoadFacts| {
            let scouts = matches!(self, Self::Highest(_)) && load.trial.is_none();
            load.judged.interrupted || (load.judged.stopped_by.is_some() && !scouts)
        };
        if loads.last().is_some_and(is_over) {
            return None;
        }
        match self {
            Self::One => loads.is_empty().then_some(Next::load(UnitKind::Load, Workload::Asked)),
            Self::Steps(rates) => {
                let step = rates.steps.get(loads.len())?;
                let length_ns = step.to_ns - step.from_ns;
                Some(Next::load(UnitKind::Load, Workload::Rate { rate_micro: step.rate_micro, length_ns }))
            }
            Self::Highest(highest) => highest.after(loads),
        }
    }
}

impl Highest {
    fn after(&self, loads: &[LoadFacts]) -> Option<Next> {
        let Some(search) = search(self.range, loads) else {
            let closed = Workload::Closed { users: self.scout_users, length_ns: SCOUT.as_nanos() as u64 };
            return Some(Next::load(UnitKind::Scout, closed));
        };
        let Trial { rate_milli, length, rest_before } = search.next()?;
        let hold = length == Length::Hold;
        let length = if hold { self.hold } else { SHORT.min(self.hold) };
        let (rate_micro, length_ns) = (rate_milli.saturating_mul(1000), length.as_nanos() as u64);
        let traffic = Workload::Rate { rate_micro, length_ns };
        Some(Next { kind: UnitKind::Trial { hold }, traffic, rests: rest_before })
    }
}

impl Next {
    fn load(kind: UnitKind, traffic: Workload) -> Self {
        Self { kind, traffic, rests: false }
    }
}

impl Schedule for Loads {
    type Facts = LoadFacts;

    fn next(&self, heard: &Heard<'_, LoadFacts>) -> Option<Act> {
        // Of a unit under way the judge says nothing, so it is still the one after those that were closed.
        let Next { kind, traffic, rests } = self.after(heard.facts)?;
        let load = Act::Load(LoadTerms { contender: 0, traffic, kill: None });
        match heard.under_way().and_then(|unit| unit.last()).map(|acted| &acted.act) {
            None => Some(Act::Begin(UnitTerms { number: heard.next_number(), kind })),
            Some(Act::Begin(_)) if rests => Some(Act::Rest { length_ns: REST.as_nanos() as u64 }),
            Some(Act::Begin(_) | Act::Rest { .. }) => Some(load),
            Some(_) => Some(Act::Close),
        }
    }
}

#[cfg(test)]
mod tests;
