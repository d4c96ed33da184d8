//! What acts add up to: units, and the record of a round.

mod hold;

use super::{
    Act, Acted, ChildId, Killed, LoadTerms, Loaded, Outcome, Reading, Started, Stopped, UnitKind, UnitTerms,
};
use crate::crash::{CrashRecord, RestartRecord};
use crate::durability::ServiceFlushes;
use crate::end::RunEnd;
use crate::finding::{HostFact, SecondStartFailed};
use crate::round::{CountReading, RoundEnd, RoundRecord};

/// The acts of one unit, in their order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit<'a> {
    /// What it is.
    pub terms: &'a UnitTerms,
    /// From [`Act::Begin`] on.
    pub acts: &'a [Acted],
    /// What was started before, and is still up; of several the last.
    pub up: Option<&'a Started>,
}

/// The units among a run's acts, in their order.
///
/// # Errors
/// What no run of galo's has: units out of order, or an act outside of them that only a unit has (of rounds: any); in words.
pub fn units(acts: &[Acted]) -> Result<Vec<Unit<'_>>, String> {
    let mut units: Vec<Unit<'_>> = Vec::new();
    let (mut outside, mut up) = (None, None);
    for (index, acted) in acts.iter().enumerate() {
        let was_up = up;
        match (&acted.act, &acted.outcome) {
            (_, Outcome::Lost) | (Act::Stop { .. }, _) => up = None,
            (Act::Start { .. }, Outcome::Started(started)) => up = Some(&**started),
            _ => {}
        }
        if let Act::Begin(terms) = &acted.act {
            let next = units.last().map_or(1, |last| last.terms.number.saturating_add(1));
            if terms.number != next {
                return Err(format!("act {index} begins unit {}, where unit {next} belongs", terms.number));
            }
            units.push(Unit { terms, acts: &acts[index..=index], up: was_up });
            continue;
        }
        match units.last_mut().filter(|unit| !unit.is_over()) {
            Some(unit) => unit.acts = &acts[index - unit.acts.len()..=index],
            None if matches!(acted.act, Act::Close | Act::AskCases | Act::LookUp | Act::Child(_)) => {
                return Err(belongs_to_none(index));
            }
            None => outside = Some(index),
        }
    }
    let is_round = |unit: &Unit<'_>| matches!(unit.terms.kind, UnitKind::Round { .. });
    match outside {
        Some(index) if units.iter().any(is_round) => Err(belongs_to_none(index)),
        _ => Ok(units),
    }
}

fn belongs_to_none(index: usize) -> String {
    format!("act {index} belongs to no unit")
}

impl Unit<'_> {
    /// Whether it counts: its bulk is on disk.
    pub fn is_closed(&self) -> bool {
        matches!(self.acts.last(), Some(Acted { act: Act::Close, outcome: Outcome::Done, .. }))
    }

    /// Whether nothing more belongs to it: it is closed, or galo ended in the middle of it.
    fn is_over(&self) -> bool {
        self.is_closed() || matches!(self.acts.last(), Some(Acted { outcome: Outcome::Lost, .. }))
    }

    /// The first load of it that was driven, and what came of it.
    pub fn load(&self) -> Option<(&LoadTerms, &Loaded)> {
        self.acts.iter().find_map(|acted| match (&acted.act, &acted.outcome) {
            (Act::Load(terms), Outcome::Loaded(loaded)) => Some((terms, &**loaded)),
            _ => None,
        })
    }

    /// The child that was driven to its end in it, and how that ended.
    pub fn child(&self) -> Option<(ChildId, &RunEnd)> {
        self.acts.iter().find_map(|acted| match (&acted.act, &acted.outcome) {
            (Act::Child(child), Outcome::ChildEnded(end)) => Some((*child, end)),
            _ => None,
        })
    }

    /// The round that was driven, as far as it came; of a hold, the round that its load would have been.
    ///
    /// # Errors
    /// An outcome that its act cannot have; in words.
    pub fn round(&self) -> Result<RoundRecord, String> {
        let number = self.terms.number;
        let (contender, slot, pair) = match self.terms.kind {
            UnitKind::Round { contender, slot, pair, .. } => (contender, slot, pair),
            UnitKind::Hold { .. } | UnitKind::Soak => return hold::record(self),
            _ => return Err(format!("unit {number} is no round")),
        };
        let record = RoundRecord::new(number, contender, slot);
        let record = RoundRecord { pair, end: RoundEnd::Interrupted, ..record };
        let mut round = Round { record, is_again: false, rested: None };
        for acted in self.acts {
            round.hear(&acted.act, &acted.outcome, self.terms)?;
        }
        Ok(round.record)
    }
}

/// A round while its acts are heard.
struct Round {
    record: RoundRecord,
    /// Whether the contender was stopped: what comes now is of its second start.
    is_again: bool,
    /// The count before it was started again at rest.
    rested: Option<CountReading>,
}

impl Round {
    fn hear(&mut self, act: &Act, outcome: &Outcome, terms: &UnitTerms) -> Result<(), String> {
        let record = &mut self.record;
        match (act, outcome) {
            (_, Outcome::Lost) | (Act::Begin(_) | Act::Close, Outcome::Done) => {}
            (Act::Start { .. }, Outcome::Started(_)) if self.is_again => {}
            (Act::Start { .. }, Outcome::Started(started)) => {
                let Started { placement, databases } = (**started).clone();
                record.placement = Some(placement);
                record.databases = databases;
            }
            (Act::Start { .. }, Outcome::NotReady(reason)) if self.is_again => {
                record.findings.push(second_start_failed(reason));
            }
            (Act::Start { .. }, Outcome::NotReady(reason)) => record.end = RoundEnd::NotReady(reason.clone()),
            (Act::Count { path, reading }, Outcome::Counted(readings)) => {
                self.count(path, *reading, readings);
            }
            (Act::Load(load), Outcome::Loaded(loaded)) => {
                record.load = loaded.load.clone();
                record.findings.extend(loaded.findings.iter().cloned());
                record.flushes.clone_from(&loaded.flushes);
                record.crash = crash(terms, load, loaded.killed.as_ref());
                record.end = RoundEnd::Driven;
            }
            (Act::AskCases, Outcome::Asked(cases)) => record.cases = *cases,
            (Act::Rest { .. }, Outcome::Done) => {}
            (Act::Restart { halt, .. }, Outcome::Restarted(restarted)) => {
                let restarted = (**restarted).clone();
                record.findings.extend(restarted.findings.iter().cloned());
                seen_to_the_end(&mut record.flushes, &restarted.flushes);
                record.restart = Some(RestartRecord {
                    halt: *halt,
                    restarted,
                    count_before: self.rested.take(),
                    count: None,
                    lookups: Vec::new(),
                });
            }
            (Act::LookUp, Outcome::Found(lookups)) => {
                record.crash.iter_mut().for_each(|crash| crash.lookups.clone_from(lookups));
                record.restart.iter_mut().for_each(|restart| restart.lookups.clone_from(lookups));
            }
            // Its second start is looked at for one answer only; what breaks its limits is told all the same.
            (Act::Stop { .. }, Outcome::Stopped(stopped)) if self.is_again => {
                let broken = stopped.findings.iter().filter(|fact| fact.breaks_limits());
                record.findings.extend(broken.cloned());
            }
            (Act::Stop { .. }, Outcome::Stopped(stopped)) => {
                let Stopped { findings, beside, flushes } = (**stopped).clone();
                record.findings.extend(findings);
                seen_to_the_end(&mut record.flushes, &flushes);
                record.beside = beside;
                self.is_again = true;
            }
            _ => return Err(format!("an act has an outcome of another kind: {act:?}")),
        }
        Ok(())
    }

    fn count(&mut self, path: &str, reading: Reading, readings: &[CountReading]) {
        let record = &mut self.record;
        match reading {
            Reading::First if record.restart.is_some() && !self.is_again => {
                record.restart.iter_mut().for_each(|restart| restart.count = readings.last().cloned());
            }
            Reading::First if self.is_again => record.count_renewed = readings.last().cloned(),
            Reading::First => match readings.last() {
                Some(last) if !last.is_answered() => {
                    let came =
                        if last.status == 0 { last.text.clone() } else { format!("status {}", last.status) };
                    let reason = format!("it never answered the count at {path} by a 2xx (last: {came})");
                    record.end = RoundEnd::NotReady(reason);
                }
                last => record.count_before = last.cloned(),
            },
            Reading::Quiet => record.counts_before = readings.to_vec(),
            Reading::AtRest => record.counts_after = readings.to_vec(),
            Reading::Once => self.rested = readings.last().cloned(),
        }
    }
}

fn crash(unit: &UnitTerms, load: &LoadTerms, killed: Option<&Killed>) -> Option<CrashRecord> {
    let Killed { killed_at_ns, restarted_at_ns, ready_at_ns, not_up, volumes_bytes, traced } =
        killed?.clone();
    let services = load.kill.as_ref()?.services.clone();
    let UnitKind::Round { crash, .. } = unit.kind else { return None };
    Some(CrashRecord {
        killed_at_ns,
        restarted_at_ns,
        ready_at_ns,
        not_up,
        volumes_bytes,
        traced,
        ..CrashRecord::new(crash?, services)
    })
}

/// What was counted to the end holds what was counted before.
fn seen_to_the_end(flushes: &mut Vec<ServiceFlushes>, to_the_end: &[ServiceFlushes]) {
    if !to_the_end.is_empty() {
        *flushes = to_the_end.to_vec();
    }
}

fn second_start_failed(reason: &str) -> HostFact {
    HostFact::SecondStartFailed(SecondStartFailed { error: reason.to_owned() })
}

#[cfg(test)]
mod tests;
