//! The rounds of a fight: every slot of the plan's order once, and the pair of a void round anew, with other rows. In some of them the
//! contender is ended at rest and started again on what it left, and in one it is asked the cases.

use galo_judge::{Judgement, Standing, is_told_apart, is_too_light};
use galo_plan::{Kind, PairId, Plan};
use galo_record::Halt;
use galo_record::act::{Act, UnitKind, UnitTerms};

use super::round::Round;
use crate::{Heard, Schedule};

/// At most one pair (a round of each contender) is driven anew for every so many pairs of the plan.
const PAIRS_PER_PAIR_ANEW: usize = 10;
/// Least number of rounds of a contender that is not disqualified, even if the outcome is clear. Void ones do not count.
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
    fn round(&self, pair: u64, contender: usize) -> Round {
        let Plan { challenge, seed, kind, order, contenders, .. } = self.plan;
        let plain = Round::new(challenge);
        if self.plan.is_null(contender) {
            return Round { count: None, ..plain };
        }
        if !matches!(kind, Kind::Fight { restarts: true, .. }) {
            return plain;
        }
        let pairs = (order.len() / contenders.len().max(1)) as u64;
        let halt = |drawn: u64| if drawn.is_multiple_of(2) { Halt::Asked } else { Halt::Killed };
        let later = pairs.saturating_sub(FIRST_PAIRS);
        let also = (later > 0).then(|| FIRST_PAIRS + seed.word("restart", &[1]) % later);
        let halt = match pair {
            // A restart loses nothing of a challenge that creates nothing.
            _ if !self.plan.creates() => None,
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
        let slots = self.plan.order.len();
        let mut anew_left = (slots / self.plan.contenders.len().max(1)).div_ceil(PAIRS_PER_PAIR_ANEW);
        let (mut slot, mut begun_before) = (0, 0);
        for (index, judgement) in judgements.iter().enumerate() {
            let driven = &judgements[..=index];
            let pair = self.pair_of(slot);
            let is_void = matches!(judgement.standing, Standing::Void { .. });
            if is_void && !self.plan.is_null(judgement.contender) && anew_left > 0 {
                anew_left -= 1;
                begun_before += 1;
                slot = self.first_in_the_running(self.slots_before(pair), driven);
                continue;
            }
            slot = self.first_in_the_running(slot + 1, driven);
            let is_new_pair = self.pair_of(slot) != pair;
            if is_new_pair {
                begun_before = 0;
            }
            let is_settled = || is_too_light(self.plan, driven) || is_told_apart(self.plan, driven);
            let is_over = || is_decided(self.plan, driven) || is_new_pair && is_settled();
            if self.ends_early() && is_over() {
                return None;
            }
        }
        (slot < slots).then_some((slot, begun_before))
    }

    fn slots_before(&self, pair: u64) -> usize {
        pair as usize * self.plan.contenders.len()
    }

    /// The first slot from this one on whose contender may still be ranked: more rounds of a disqualified one change nothing, so a
    /// fight that may end early leaves them out.
    fn first_in_the_running(&self, slot: usize, driven: &[Judgement]) -> usize {
        let order = &self.plan.order;
        let is_left_out = |slot: &usize| self.ends_early() && is_disqualified(driven, order[*slot]);
        (slot..order.len()).find(|slot| !is_left_out(slot)).unwrap_or(order.len())
    }
}

impl Schedule for Fight<'_> {
    type Facts = Judgement;

    fn next(&self, heard: &Heard<'_, Judgement>) -> Option<Act> {
        if let Some(acts) = heard.under_way() {
            let (slot, contender) = match acts.first()?.act {
                Act::Begin(UnitTerms { kind: UnitKind::Round { slot, contender, .. }, .. }) => {
                    (slot, contender)
                }
                _ => return None,
            };
            return self.round(self.pair_of(slot), contender).next(acts);
        }
        let (slot, begun_before) = self.slot(heard.facts)?;
        let contender = *self.plan.order.get(slot)?;
        let pair = PairId { pair: self.pair_of(slot) as u32, attempt: begun_before };
        let kind = UnitKind::Round { contender, slot, pair, crash: None };
        Some(Act::Begin(UnitTerms { number: heard.next_number(), kind }))
    }
}

/// Whether fewer than two contenders can still be ranked, and each that is not disqualified had its least number of rounds.
fn is_decided(plan: &Plan, judgements: &[Judgement]) -> bool {
    let ranked: Vec<usize> = (0..plan.contenders.len()).filter(|&c| !plan.is_null(c)).collect();
    let left: Vec<usize> = ranked.iter().copied().filter(|&c| !is_disqualified(judgements, c)).collect();
    let rounds_of = |contender: usize| judgements.iter().filter(move |j| j.contender == contender);
    let is_absent = |&c: &usize| rounds_of(c).any(|j| matches!(j.standing, Standing::NotReady { .. }));
    let is_void = |judgement: &&Judgement| matches!(judgement.standing, Standing::Void { .. });
    left.iter().all(|&c| rounds_of(c).filter(|round| !is_void(round)).count() >= LEAST_ROUNDS)
        && left.iter().filter(|c| !is_absent(c)).count() < 2.min(ranked.len())
}

fn is_disqualified(judgements: &[Judgement], contender: usize) -> bool {
    let is = |standing: &Standing| matches!(standing, Standing::Disqualified { .. });
    judgements.iter().any(|judgement| judgement.contender == contender && is(&judgement.standing))
}

#[cfg(test)]
mod tests;
