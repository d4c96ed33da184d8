//! The rounds of a fight: every slot of the plan's order once, and the pair of a void round anew, with other rows. In some of them the
//! contender is ended at rest and started again on what it left, and in one it is asked the cases.

use galo_judge::{Judgement, Standing, is_too_light};
use galo_plan::{Kind, PairId, Plan};
use galo_record::Halt;
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
    cases: bool,
}

/// The pairs in which contenders are ended and started again, whatever is drawn: a fight that is decided early has had both ways.
const FIRST_PAIRS: u64 = 2;

impl<'a> Fight<'a> {
    /// Drives all rounds of a plan, or ends once it is decided, if the plan says so. `cases`: whether there are any to ask.
    pub fn new(plan: &'a Plan, cases: bool) -> Self {
        Self { plan, cases }
    }

    fn pair_of(&self, slot: usize) -> u64 {
        (slot / self.plan.contenders.len().max(1)) as u64
    }

    /// What the rounds of a pair have beside the load. Nobody knows before in which one a contender is ended how: in one of the first two
    /// it is asked to end, in the other it is killed, and in one of the later ones either is done.
    fn round(&self, pair: u64) -> Round {
        let Plan { challenge, seed, kind, order, contenders, .. } = self.plan;
        let plain = Round::new(challenge);
        if !matches!(kind, Kind::Fight { restarts: true, .. }) || !self.plan.creates() {
            return plain;
        }
        let pairs = (order.len() / contenders.len().max(1)) as u64;
        let halt = |drawn: u64| if drawn.is_multiple_of(2) { Halt::Asked } else { Halt::Killed };
        let later = pairs.saturating_sub(FIRST_PAIRS);
        let also = (later > 0).then(|| FIRST_PAIRS + seed.word("restart", &[1]) % later);
        let halt = match pair {
            0 | 1 => Some(halt(seed.word("restart", &[0]) + pair)),
            _ if Some(pair) == also => Some(halt(seed.word("restart", &[2]))),
            _ => None,
        };
        let asks_cases = self.cases && pair == seed.word("cases", &[]) % pairs.clamp(1, FIRST_PAIRS);
        Round { halt, cases: asks_cases, ..plain }
    }

    fn ends_early(&self) -> bool {
        matches!(self.plan.kind, Kind::Fight { ends_early: true, .. })
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
            let driven = &judgements[..=index];
            let is_over = || {
                is_decided(self.plan, driven)
                    || slot.is_multiple_of(of_a_pair) && is_too_light(self.plan, driven)
            };
            if self.ends_early() && is_over() {
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
            let slot = match acts.first()?.act {
                Act::Begin(UnitTerms { kind: UnitKind::Round { slot, .. }, .. }) => slot,
                _ => return None,
            };
            return self.round(self.pair_of(slot)).next(acts);
        }
        let (slot, begun_before) = self.slot(heard.facts)?;
        let contender = *self.plan.order.get(slot)?;
        let pair = PairId { pair: self.pair_of(slot) as u32, attempt: begun_before };
        let kind = UnitKind::Round { contender, slot, pair, crash: None };
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
