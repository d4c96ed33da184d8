//! The search for the highest scale: one hold after another of a contender that stays up, by what the judge says of those
//! before.

mod hold;

use galo_judge::assertion::Assertions;
use galo_judge::capacity::Length;
use galo_judge::limit::{Hold, criterion, search};
use galo_plan::{LimitTerms, Plan, PlanError};
use galo_record::act::{Act, Acted, Outcome, UnitKind, UnitTerms};

use crate::{Heard, Schedule};

use hold::Ground;

/// The plan's only contender.
const CONTENDER: usize = 0;

/// The search that a plan is of.
#[derive(Debug)]
pub struct Limit<'a> {
    plan: &'a Plan,
    terms: &'a LimitTerms,
    criterion: Assertions,
}

impl<'a> Limit<'a> {
    /// By the terms in the plan.
    ///
    /// # Errors
    /// The plan is of another kind of run, or its criterion is none.
    pub fn new(plan: &'a Plan) -> Result<Self, PlanError> {
        let no_limit = || PlanError::Invalid("the plan is none of a search for the highest scale".to_owned());
        let terms = plan.kind.limit().ok_or_else(no_limit)?;
        Ok(Self { plan, terms, criterion: criterion(terms).map_err(PlanError::Invalid)? })
    }
}

impl Schedule for Limit<'_> {
    type Facts = Hold;

    fn next(&self, heard: &Heard<'_, Hold>) -> Option<Act> {
        if let Some(acts) = heard.under_way() {
            let before = &heard.acts[..heard.acts.len() - acts.len()];
            return self.within(acts, &Ground::before(before, heard.facts));
        }
        let Some(asked) = search(&self.terms.search, heard.facts).next() else {
            return heard.is_up(CONTENDER).then_some(Act::Stop { contender: CONTENDER });
        };
        let kind = UnitKind::Hold { scale_milli: asked.rate_milli, confirms: asked.length == Length::Hold };
        Some(Act::Begin(UnitTerms { number: heard.next_number(), kind }))
    }
}

impl Ground {
    /// How the contender stands after all acts of the units so far, of which the judge says this.
    fn before(acts: &[Acted], holds: &[Hold]) -> Self {
        let mut ground = Self::default();
        let mut holds = holds.iter();
        for acted in acts {
            match (&acted.act, &acted.outcome) {
                (Act::Close, Outcome::Done) => {
                    let Some(hold) = holds.next() else { continue };
                    ground.is_unsettled = hold.unknown > 0;
                    ground.not_met_milli = (!hold.outcome.met).then_some(hold.scale_milli);
                }
                _ => ground.hear(acted),
            }
        }
        ground
    }
}

#[cfg(test)]
mod tests;
