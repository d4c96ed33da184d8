//! A check: one round with the cases of conformance, and if that is asked for, a crash and an outage.

use galo_judge::Judgement;
use galo_plan::instances::largest;
use galo_plan::{Kind, PairId, Plan, PlanError};
use galo_record::CrashKind;
use galo_record::act::{Act, Kill, Outcome, UnitKind, UnitTerms};

use super::round::Round;
use crate::{Heard, Schedule};

/// In which part of the load a crash may come, in thousandths of its length.
const CRASH_FROM_TO: [u64; 2] = [300, 800];
/// The same for an outage, which must leave time for coming back.
const OUTAGE_FROM_TO: [u64; 2] = [200, 400];
/// How long the instance stays down.
const DOWN_NS: u64 = 2_000_000_000;

/// A check of the plan's only contender.
#[derive(Debug)]
pub struct Check {
    /// Rounds in their order, each with what is done to services in it.
    rounds: Vec<(Option<CrashKind>, Round)>,
}

impl Check {
    /// One light round, and the cases if there are any; where the plan says so a crash after it, and an outage where there are instances.
    /// `renews`: whether galo starts the contender, and so can start it once more.
    ///
    /// # Errors
    /// The traffic cannot be sent as often as an outage takes.
    pub fn new(plan: &Plan, cases: bool, renews: bool) -> Result<Self, PlanError> {
        let round = Round { cases, renews, ..Round::new(&plan.challenge) };
        let mut rounds = vec![(None, round)];
        if let Some(contender) =
            plan.contenders.first().filter(|_| plan.kind == (Kind::Check { crashes: true }))
        {
            let all = contender.services.iter().map(|service| service.name.clone()).collect();
            rounds.push(ordeal(plan, CrashKind::Crash, all)?);
            let instances = largest(&contender.services);
            if !instances.is_empty() {
                let drawn = plan.seed.word("instance", &[]) % instances.len() as u64;
                let one = vec![instances[drawn as usize].name.clone()];
                rounds.push(ordeal(plan, CrashKind::Outage, one)?);
            }
        }
        Ok(Self { rounds })
    }
}

impl Schedule for Check {
    type Facts = Judgement;

    fn next(&self, heard: &Heard<'_, Judgement>) -> Option<Act> {
        let (crash, round) = self.rounds.get(heard.facts.len())?;
        if let Some(acts) = heard.under_way() {
            return round.next(acts);
        }
        // Who did not even come up is not killed.
        let was_driven = heard.acts.iter().any(|acted| matches!(acted.outcome, Outcome::Loaded(_)));
        if crash.is_some() && !was_driven {
            return None;
        }
        let pair = PairId { pair: heard.facts.len() as u32, attempt: 0 };
        let kind = UnitKind::Round { contender: 0, slot: 0, pair, crash: *crash };
        Some(Act::Begin(UnitTerms { number: heard.next_number(), kind }))
    }
}

/// A round in which services are killed, at a moment that the seed draws.
fn ordeal(
    plan: &Plan,
    kind: CrashKind,
    services: Vec<String>,
) -> Result<(Option<CrashKind>, Round), PlanError> {
    let [from, to] = if kind == CrashKind::Crash { CRASH_FROM_TO } else { OUTAGE_FROM_TO };
    let drawn = plan.seed.word("kill", &[kind as u64]) % (to - from);
    let after_ns = plan.repeated(kind.repeats())?.duration_ns() / 1000 * (from + drawn);
    let down_ns = (kind == CrashKind::Outage).then_some(DOWN_NS);
    let kill = Some(Kill { services, after_ns, down_ns });
    Ok((Some(kind), Round { repeats: kind.repeats(), kill, ..Round::new(&plan.challenge) }))
}

#[cfg(test)]
mod tests;
