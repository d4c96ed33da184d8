//! How the tables of a contender got their size before a hold, by the acts of its unit.

use galo_plan::Plan;
use galo_record::act::{Act, Acted, LoadTerms, Outcome, Reading, Workload};
use galo_record::round::CountReading;

use super::hold::{NotMet, Preload};

/// What its acts say of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Filling<'a> {
    /// The last count before anything was filled in; `None`: it was not answered, or there is none.
    pub first: Option<u64>,
    /// The last count before the hold.
    pub stored: Option<u64>,
    /// The loads that filled, in their order, each with the count after it.
    pub passes: &'a [Acted],
    /// Whether the contender was started afresh because it held too many.
    pub fresh: bool,
}

impl<'a> Filling<'a> {
    /// What the acts of a hold's unit say, as far as it came.
    pub fn from_acts(acts: &'a [Acted]) -> Self {
        let held = acts.iter().position(super::is_hold);
        let before = &acts[..held.unwrap_or(acts.len())];
        let is_fill = |acted: &Acted| is_load(acted, |traffic| matches!(traffic, Workload::Fill { .. }));
        let from = before.iter().position(is_fill).unwrap_or(before.len());
        let (until, rest) = before.split_at(from);
        // What stands after the last count is the act that closes a unit without a hold.
        let passes = rest.iter().rposition(|acted| counted(acted).is_some() || is_fill(acted));
        let passes = &rest[..passes.map_or(0, |last| last + 1)];
        let last_count = |acts: &[Acted]| acts.iter().rev().find_map(counted).flatten();
        Self {
            first: last_count(until),
            stored: last_count(before),
            passes,
            fresh: until
                .windows(2)
                .any(|pair| matches!(pair[1].act, Act::Stop { .. }) && held_too_many(&pair[0])),
        }
    }

    /// What was done; `None`: nothing.
    pub fn preload(&self) -> Option<Preload> {
        let took_ns = match self.passes {
            [] if !self.fresh => return None,
            [] => 0,
            [first, ..] => self.passes.last().map_or(0, |last| last.ended_ns.saturating_sub(first.began_ns)),
        };
        let created = self.stored.unwrap_or(0).saturating_sub(self.first.unwrap_or(0));
        Some(Preload { fresh: self.fresh, created, took_ns })
    }

    /// Why there was no hold after it.
    pub(super) fn lack(&self, plan: &Plan, scale_milli: u64) -> NotMet {
        let wanted = plan.held_at_end(scale_milli);
        let stored = self.stored.unwrap_or(0);
        match self.passes.last().map(|acted| &acted.outcome) {
            None => NotMet::NothingToFill,
            Some(Outcome::Loaded(loaded)) => match loaded.findings.first() {
                Some(fact) => NotMet::FillBroken { wanted, fact: fact.clone() },
                None => NotMet::NotFilled { wanted, stored },
            },
            Some(_) => NotMet::NotFilled { wanted, stored },
        }
    }
}

/// The number that a count came to, if the act is one; the inner `None`: there was none.
pub fn counted(acted: &Acted) -> Option<Option<u64>> {
    let Outcome::Counted(readings) = &acted.outcome else { return None };
    Some(readings.iter().rev().find_map(|reading: &CountReading| reading.value))
}

/// A contender that is stopped after it was counted to be filled. One that does not come to rest has no count.
fn held_too_many(acted: &Acted) -> bool {
    match acted.act {
        Act::Count { reading: Reading::Once, .. } => true,
        Act::Count { .. } => counted(acted).flatten().is_some(),
        _ => false,
    }
}

/// Whether it is a load with such traffic.
pub(super) fn is_load(acted: &Acted, is: impl Fn(&Workload) -> bool) -> bool {
    matches!(&acted.act, Act::Load(LoadTerms { traffic, .. }) if is(traffic))
}
