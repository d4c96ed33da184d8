//! The rounds of a fight: every slot of the plan's order once, and the pair of a void round anew, with other rows.

use galo_judge::{Judgement, Standing};
use galo_plan::{Kind, Plan};
use galo_record::act::{Act, UnitKind, UnitTerms};

use super::round::Round;
use crate::{Heard, Schedule};

/// At most one pair (a round of each contender) is driven anew for every so many pairs of the plan.
const PAIRS_PER_PAIR_ANEW: usize = 10;
/// Rounds of each contender that are driven at least, even if the outcome is clear before.
const LEAST_ROUNDS: usize = 2;

/// Drives the plan's rounds in turn.
#[derive(Debug)]
pub struct Fight<'a> {
    plan: &'a Plan,
    round: Round,
}

impl<'a> Fight<'a> {
    /// Of all rounds of a plan, or of those until it is decided, if the plan says so.
    pub fn new(plan: &'a Plan) -> Self {
        Self { plan, round: Round::new(&plan.challenge) }
    }

    /// The slot whose round is next, and how many times its pair was begun before; `None`: the fight is over.
    fn slot(&self, judgements: &[Judgement]) -> Option<(usize, u32)> {
        let of_a_pair = self.plan.contenders.len().max(1);
        let slots = self.plan.order.len();
        let mut anew_left = (slots / of_a_pair).div_ceil(PAIRS_PER_PAIR_ANEW);
        let (mut slot, mut begun_before) = (0, 0);
        for (index, judgement) in judgements.iter().enumerate() {
            if matches!(judgement.standing, Standing::Void { .. }) && anew_left > 0 {
                anew_left -= 1;
                begun_before += 1;
                slot -= slot % of_a_pair;
                continue;
            }
            slot += 1;
            if slot.is_multiple_of(of_a_pair) {
                begun_before = 0;
            }
            if self.plan.kind == (Kind::Fight { ends_early: true })
                && is_decided(self.plan, &judgements[..=index])
            {
                return None;
            }
        }
        (slot < slots).then_some((slot, begun_before))
    }
}

impl Schedule for Fight<'_> {
    type Facts = Judgement;

    fn next(&self, heard: &Heard<'_, Judgement>) -> Option<Act> {
        if let Some(acts) = heard.under_way() {
            return self.round.next(acts);
        }
        let (slot, begun_before) = self.slot(heard.facts)?;
        let contender = *self.plan.order.get(slot)?;
        let pair = (slot / self.plan.contenders.len().max(1)) as u32;
        let seed = self.plan.seed.of_pair(pair, begun_before);
        let kind = UnitKind::Round { contender, slot, seed, crash: None };
        Some(Act::Begin(UnitTerms { number: heard.next_number(), kind }))
    }
}

/// Whether every contender had its least number of rounds and fewer than two can still be ranked.
fn is_decided(plan: &Plan, judgements: &[Judgement]) -> bool {
    let rounds_of = |contender: usize| judgements.iter().filter(move |j| j.contender == contender);
    let contenders = 0..plan.contenders.len();
    let out = |contender: usize| {
        rounds_of(contender)
            .any(|j| matches!(j.standing, Standing::Disqualified { .. } | Standing::NotReady { .. }))
    };
    contenders.clone().all(|c| rounds_of(c).count() >= LEAST_ROUNDS)
        && contenders.filter(|&c| !out(c)).count() < 2.min(plan.contenders.len())
}

#[cfg(test)]
mod tests;
