//! A duel: both sides' first answers, their warm-up, then pairs of turns, each side driven while the other one gives way.

mod pace;

use galo_judge::duel::{
    PART_NS, PairFacts, WarmUp, is_over, is_refused, is_warm, loads_of, seen_of, warm_ups,
};
use galo_plan::duel::{DuelPlan, Rest};
use galo_plan::{Injection, turns};
use galo_record::HostFact;
use galo_record::act::{
    Act, Acted, Alternated, Alternation, LoadTerms, Outcome, UnitKind, UnitTerms, Workload,
};
use galo_record::duel::{Level, LevelTerms, LevelTraffic, Purpose};

use crate::{Heard, Schedule};

/// Requests that are sent to both before all else, one after another, to compare the answers.
const FIRST_ANSWERS: u64 = 20;
/// Answers that are compared of each pair.
const ANSWERS: u64 = 50;
/// A fresh start during the duel, and one for a traffic that was asked for, is warmed up for so long.
const AGAIN_NS: u64 = 1_000_000_000;
/// More slices than a pair has, and a level of it.
const SLICES_OF_A_PAIR: u32 = 1 << 16;
const SLICES_OF_A_LEVEL: u32 = 1 << 14;
/// Users of one load have numbers from a multiple of this on.
const USERS: u64 = 1 << 32;

/// A duel by its plan.
#[derive(Debug)]
pub struct Duel<'a> {
    plan: &'a DuelPlan,
}

/// What is known of both by the acts so far.
#[derive(Debug, Default)]
struct Sides {
    corners: [Corner; 2],
    /// Whether its first answers were asked for.
    answered: [bool; 2],
    /// Whether it did not come up, or did not answer.
    has_failed: [bool; 2],
}

/// How a side stands.
#[derive(Debug, Clone, Copy, Default)]
struct Corner {
    is_up: bool,
    /// It was started or told to go on, and has not given way since.
    is_ready: bool,
    /// Nothing was driven since it was started, but for its first answers.
    is_cold: bool,
    has_died: bool,
    /// It had died before its turn, so there is nothing to be driven.
    is_gone: bool,
}

impl<'a> Duel<'a> {
    /// Drives all pairs of a plan, and some more where galo spoiled any.
    pub const fn new(plan: &'a DuelPlan) -> Self {
        Self { plan }
    }

    /// What a side has to do so that the other one can be driven.
    fn rest(&self, side: usize, sides: &Sides) -> Option<Act> {
        let Corner { is_up, is_ready, has_died, .. } = sides.corners[side];
        if !is_up || !self.plan.is_own(side) {
            return None;
        }
        match self.plan.rest {
            Rest::Ends => Some(Act::Stop { contender: side }),
            _ if has_died => Some(Act::Stop { contender: side }),
            Rest::StandsStill => is_ready.then_some(Act::Freeze { contender: side }),
            Rest::GoesOn => None,
        }
    }

    /// What leads to this load of a side, and then the load.
    fn drive(&self, side: usize, sides: &Sides, traffic: LevelTraffic) -> Act {
        let contender = side;
        let Corner { is_up, is_ready, is_gone, .. } = sides.corners[side];
        match self.rest(1 - side, sides) {
            Some(other) => other,
            None if is_gone => Act::Stop { contender },
            None if !is_up => Act::Start { contender },
            // One that only stood still gets no moment to wake: what it did not do meanwhile (a timer that ran out, a collection
            // of garbage) it does first of all, and that is part of how it serves.
            None if !is_ready && self.plan.is_own(side) => Act::Resume { contender },
            None => {
                Act::Load(LoadTerms { contender, traffic: Workload::Level(Box::new(traffic)), kill: None })
            }
        }
    }

    /// Both sides in the order of the first pair, which first answers and warm-ups follow too: thus both give way once between any
    /// two of these. Who went on at once kept more memory and answered later from then on.
    fn first_pair(&self) -> Vec<usize> {
        turns::block(self.plan.seed, 0, 2)
    }

    fn first_answers(&self, sides: &Sides) -> Option<Act> {
        let is_asked = |side: &usize| sides.answered[*side] || sides.has_failed[*side];
        let side = self.first_pair().into_iter().find(|side| !is_asked(side))?;
        let terms = LevelTerms { connections: 1, ..self.closed_loop(self.plan.timeout_ns) };
        let traffic = LevelTraffic {
            purpose: Purpose::Answers,
            total: Some(FIRST_ANSWERS),
            kept: FIRST_ANSWERS,
            ..traffic(terms)
        };
        Some(self.drive(side, sides, traffic))
    }

    fn warm_up(&self, sides: &Sides, warm_ups: &[Vec<WarmUp>; 2]) -> Option<Act> {
        let side = self.first_pair().into_iter().find(|side| !is_warm(self.plan, &warm_ups[*side]))?;
        let traffic = match self.plan.asked {
            None => LevelTraffic { purpose: Purpose::WarmUp, ..traffic(self.closed_loop(PART_NS)) },
            Some(_) => self.warm_up_again(),
        };
        Some(self.drive(side, sides, traffic))
    }

    /// A moment for a fresh start, as hard as the turns will be at most: whoever asks for a traffic gets no more than that, since
    /// the server may be somebody else's.
    fn warm_up_again(&self) -> LevelTraffic {
        let mut terms = self.closed_loop(AGAIN_NS);
        let length = std::time::Duration::from_nanos(AGAIN_NS);
        terms.injection =
            self.plan.asked.as_ref().map(|asked| Injection::constant(asked.peak_micro(), length));
        LevelTraffic { purpose: Purpose::WarmUp, ..traffic(terms) }
    }

    fn pair(&self, sides: &Sides, acts: &[Acted], unit: &[Acted]) -> Option<Act> {
        let Act::Begin(UnitTerms { kind: UnitKind::Pair { pair, start }, .. }) = unit.first()?.act else {
            return None;
        };
        let levels = pace::levels(self.plan, acts);
        let order = turns::block(self.plan.seed, start, 2);
        let driven = |side: usize| {
            let is_of_turn =
                |load: &(usize, &LevelTraffic, _)| load.0 == side && load.1.purpose == Purpose::Turn;
            unit.iter().flat_map(loads_of).filter(is_of_turn).count()
        };
        let load = |number: usize, terms: &LevelTerms| {
            let first_user = (u64::from(pair) * levels.len() as u64 + number as u64 + 1) * USERS;
            let kept = if number == 0 { ANSWERS } else { 0 };
            LevelTraffic { first_user, kept, ..traffic(terms.clone()) }
        };
        if self.plan.pace.in_slices && !is_restless(acts) {
            let number = driven(0);
            let Some(terms) = levels.get(number) else { return self.both_rest(sides).or(Some(Act::Close)) };
            // Both have to be there, and warm, before the first slice.
            if let Some(side) = order.into_iter().find(|&side| sides.is_missing(side)) {
                let has_died = sides.corners[side].is_up && sides.corners[side].has_died;
                let warm_up = || self.drive(side, sides, self.warm_up_again());
                return Some(if has_died { Act::Stop { contender: side } } else { warm_up() });
            }
            let slices = pace::slices(self.plan, acts, terms);
            let first_slice = pair * SLICES_OF_A_PAIR + number as u32 * SLICES_OF_A_LEVEL;
            let alternation = Alternation { traffic: load(number, terms), slices, first_slice };
            return self.both_rest(sides).or(Some(Act::Alternate(Box::new(alternation))));
        }
        for side in order {
            let number = driven(side);
            let Some(terms) = levels.get(number) else { continue };
            let next = if sides.corners[side].is_cold { self.warm_up_again() } else { load(number, terms) };
            return Some(self.drive(side, sides, next));
        }
        self.both_rest(sides).or(Some(Act::Close))
    }

    fn both_rest(&self, sides: &Sides) -> Option<Act> {
        self.rest(0, sides).or_else(|| self.rest(1, sides))
    }

    /// Ends a side that is galo's to end, where both are to be started afresh, or all is over.
    fn both_stop(&self, sides: &Sides) -> Option<Act> {
        let is_up = |side: &usize| sides.corners[*side].is_up && self.plan.is_own(*side);
        let contender = [0, 1].into_iter().find(is_up)?;
        Some(Act::Stop { contender })
    }

    /// As many at once as were asked for, for so long.
    const fn closed_loop(&self, length_ns: u64) -> LevelTerms {
        let connections = self.plan.connections;
        LevelTerms { level: Level::Highest, length_ns, injection: None, connections }
    }
}

/// Whether a side does not stand still when it has to: a whole turn of the other one holds less of what it does.
fn is_restless(acts: &[Acted]) -> bool {
    let (mut slices, mut restless) = (0, [0; 2]);
    for acted in acts {
        if let Outcome::Alternated(both) = &acted.outcome {
            slices += both.slices.len() as u64;
            (0..2).for_each(|side| restless[side] += both.restless[side]);
        }
    }
    Alternated::are_restless(slices, restless)
}

const fn traffic(terms: LevelTerms) -> LevelTraffic {
    LevelTraffic { purpose: Purpose::Turn, terms, total: None, first_user: 0, kept: 0 }
}

impl Schedule for Duel<'_> {
    type Facts = PairFacts;

    fn next(&self, heard: &Heard<'_, PairFacts>) -> Option<Act> {
        let sides = Sides::of(self.plan, heard.acts);
        if sides.has_failed.contains(&true) {
            // Who blames a side at its first answers has to know whether the other one does any better.
            return self.first_answers(&sides);
        }
        if let Some(unit) = heard.under_way() {
            return self.pair(&sides, heard.acts, unit);
        }
        let warm_ups = warm_ups(self.plan, heard.acts);
        if let Some(act) = self.first_answers(&sides).or_else(|| self.warm_up(&sides, &warm_ups)) {
            return Some(act);
        }
        let pair = heard.facts.len() as u32;
        if is_over(self.plan, heard.acts, heard.facts) {
            return self.both_stop(&sides);
        }
        let start = self.plan.start_of(pair);
        let is_afresh = pair > 0 && start != self.plan.start_of(pair - 1);
        let before = if is_afresh { self.both_stop(&sides) } else { self.both_rest(&sides) };
        let number = heard.next_number();
        before.or(Some(Act::Begin(UnitTerms { number, kind: UnitKind::Pair { pair, start } })))
    }
}

impl Sides {
    /// Whether a side has to be started, or warmed up, before it can be driven.
    const fn is_missing(&self, side: usize) -> bool {
        let Corner { is_up, is_cold, has_died, is_gone, .. } = self.corners[side];
        !is_up || is_cold || has_died || is_gone
    }

    fn of(plan: &DuelPlan, acts: &[Acted]) -> Self {
        let mut sides = Self::default();
        acts.iter().for_each(|acted| sides.hear(plan, acted));
        sides
    }

    fn hear(&mut self, plan: &DuelPlan, acted: &Acted) {
        if acted.outcome == Outcome::Lost {
            self.corners = Default::default();
            return;
        }
        for (side, fact) in seen_of(acted) {
            if let Some(corner) = self.corners.get_mut(side) {
                corner.has_died |= matches!(fact, HostFact::ServiceDied(_));
            }
        }
        let (Act::Start { contender: side }
        | Act::Stop { contender: side }
        | Act::Freeze { contender: side }
        | Act::Resume { contender: side }
        | Act::Load(LoadTerms { contender: side, .. })) = acted.act
        else {
            return;
        };
        let Some(corner) = self.corners.get_mut(side) else { return };
        match (&acted.act, &acted.outcome) {
            (_, Outcome::NotReady(_)) => self.has_failed[side] = true,
            (_, Outcome::Gone(_)) => corner.is_gone = true,
            (Act::Start { .. }, _) => {
                *corner = Corner { is_up: true, is_ready: true, is_cold: true, ..Corner::default() };
            }
            (Act::Stop { .. }, _) => *corner = Corner::default(),
            (Act::Freeze { .. }, _) => corner.is_ready = false,
            (Act::Resume { .. }, _) => corner.is_ready = true,
            _ => self.hear_load(acted),
        }
        // Nothing is heard of one that goes on while the other one is driven: it is looked after before it is driven again.
        if plan.rest == Rest::GoesOn {
            self.corners[1 - side].is_ready = false;
        }
    }

    fn hear_load(&mut self, acted: &Acted) {
        let Some((side, traffic, loaded)) = loads_of(acted).next() else { return };
        self.has_failed[side] |= is_refused(traffic, loaded);
        match traffic.purpose {
            Purpose::Answers if loaded.answers.is_some() => self.answered = [true, true],
            // Whose answers are not kept any more is asked again.
            Purpose::Answers => {
                self.answered = [false, false];
                self.answered[side] = true;
            }
            Purpose::WarmUp => self.corners[side].is_cold = false,
            Purpose::Turn => {}
        }
    }
}

#[cfg(test)]
mod tests;
