//! What the judge makes findings of: its own rules of the count and the ceiling, broken rules of the challenge, and
//! what else is worth telling.

mod broken;
mod errors;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use galo_plan::model::Ceiling;
use galo_plan::{ChallengeData, Contender, Plan};
use galo_record::round::{CountReading, RoundEnd};
use galo_record::{Ledger, RoundData};

use crate::account::Account;
use crate::behaviour;
use crate::durability;
use crate::evidence::EVIDENCE_MAX;
use crate::evidence::Evidence;
use crate::findings::{
    AboveCeiling, BelowCeiling, CountAmbiguous, CountDifference, CountDiffers, CountUnanswered,
    CountUnjudged, CountUnreadable, DirtyStart, Excuse, Finding, GaloLag, LimitsNotEnforced, Number,
    OperationsFailed, SettledLate, StartedByOthers, Unlimited, When,
};
use crate::history;
use crate::strangers::{self, started_by_galo, strangers};
use crate::void::LAG_US_P99_GOAL;
use broken::{broken_rules, exchange};

pub(crate) use errors::kinds as kinds_of_failure;

/// How long after the end of the load the count may still move before it is told.
const SETTLE_NS: u64 = 1_000_000_000;

/// What is worth telling of null servers: they keep no rule, and nobody asks them for one.
fn of_null_servers(plan: &Plan, round: &RoundData, account: &Account) -> Vec<Finding> {
    let mut findings = Vec::from_iter(failures(round, account));
    findings.extend(round.record.findings.iter().map(Finding::from));
    findings.extend(limit_findings(plan, round));
    findings
}

/// All findings of a driven round: the judge's own rules before the challenge's and what the host saw, then by how many
/// operations are concerned.
pub(crate) fn findings(
    plan: &Plan,
    data: &dyn ChallengeData,
    round: &RoundData,
    account: &Account,
) -> Vec<Finding> {
    if plan.is_null(round.record.contender) {
        return of_null_servers(plan, round, account);
    }
    let mut findings = Vec::new();
    // What was broken off sent neither all rows nor waited for the count.
    if plan.creates() && round.record.end == RoundEnd::Driven {
        if plan.judges_the_count() {
            findings.extend(count_findings(round, account));
        }
        findings.extend(ceiling_findings(plan, data.ceiling(), round, account));
        findings.extend(durability::findings(round, account));
    }
    if round.record.end == RoundEnd::Driven {
        findings.extend(behaviour::findings(plan, round, account));
    }
    let history = history::judge(plan, data, round, account.history_is_sound);
    findings.extend(history.findings.into_iter().map(|finding| strangers::excused(round, finding)));
    findings.extend(broken_rules(plan, round, account, &history.explained));
    findings.extend(failures(round, account));
    findings.extend(round.record.findings.iter().map(Finding::from));
    findings.extend(limit_findings(plan, round));
    findings.extend(lag_note(plan, round));
    findings
}

/// The most frequent of these, at most so many as a finding shows pieces of evidence.
pub(crate) fn most_frequent(kinds: BTreeMap<&str, u64>) -> Vec<Number> {
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, number)| Reverse(*number));
    let told = kinds.into_iter().take(EVIDENCE_MAX);
    told.map(|(kind, number)| Number { of: kind.to_owned(), number }).collect()
}

fn count_findings(round: &RoundData, account: &Account) -> Vec<Finding> {
    let mut findings = Vec::new();
    let before = round.record.count_before.as_ref();
    let after = round.record.count_at_rest();
    let started_with = before.and_then(|reading| reading.value);
    let least = before.and_then(|reading| reading.numbers().into_iter().min());
    if let Some(left @ 1..) = least {
        let dirty = Finding::new(DirtyStart { counted: left }).shown_by(before.map(Evidence::from));
        findings.push(if started_by_galo(round) { dirty } else { dirty.excused(Excuse::HeldBefore) });
    }
    let mut readings = before.into_iter().chain(&round.record.counts_after);
    if let Some(reading) = readings.find(|reading| reading.is_ambiguous()) {
        findings.push(Finding::new(CountAmbiguous {}).shown_by([reading.into()]));
    }
    if let Some(reading) = before.filter(|reading| reading.value.is_none() && !reading.is_ambiguous()) {
        findings.push(unreadable(When::BeforeTheLoad, reading));
    }
    findings.extend(no_count_at_rest(round, account));
    if let Some(counted) = after.and_then(|reading| reading.value) {
        let strangers = strangers(round);
        let (counted, left) = (counted.saturating_sub(strangers), started_with.unwrap_or(0) - strangers);
        if let Some(difference) = count_difference(counted, left, account) {
            let differs = Finding::new(CountDiffers(difference));
            findings.push(differs.shown_by(after.map(Evidence::from)));
        }
        findings.extend(settled_late(round, account));
    }
    findings
}

fn unreadable(when: When, reading: &CountReading) -> Finding {
    Finding::new(CountUnreadable { when }).shown_by([reading.into()])
}

/// What is told where no reading after the load holds a number. A 2xx without an integer breaks a rule by itself; a
/// count that nobody answered may only have been slow or down, and leaves the number unknown.
fn no_count_at_rest(round: &RoundData, account: &Account) -> Vec<Finding> {
    let after = &round.record.counts_after;
    let Some(last) = after.last().filter(|_| round.record.count_at_rest().is_none()) else {
        return Vec::new();
    };
    if let Some(answered) = after.iter().rev().find(|reading| reading.is_answered()) {
        return match answered.is_ambiguous() {
            true => no_number_fits(round, answered, account).into_iter().collect(),
            false => vec![unreadable(When::AfterTheLoad, answered)],
        };
    }
    let unanswered = Finding::new(CountUnanswered {}).shown_by([last.into()]);
    vec![unanswered, Finding::new(CountUnjudged {})]
}

/// An ambiguous count of which none of the numbers is possible. Only its first answer after the load is kept, which may not be at rest
/// yet: too many is all that it proves. The count before a restart is at rest; people of the cases may be in it, whom nobody adds up.
fn no_number_fits(round: &RoundData, first: &CountReading, account: &Account) -> Option<Finding> {
    let least = account.created + account.probes;
    let most = least + account.unknown;
    let before_restart = round.record.restart.as_ref().and_then(|restart| restart.count_before.as_ref());
    let (reading, possible) = match before_restart.filter(|_| round.record.cases == 0) {
        Some(at_rest) => (at_rest, least..=most),
        None => (first, 0..=most),
    };
    let numbers = reading.numbers();
    if !started_by_galo(round) || numbers.iter().any(|number| possible.contains(number)) {
        return None;
    }
    let nearest = numbers.into_iter().min_by_key(|number| number.abs_diff(least))?;
    let difference = count_difference(nearest, 0, account)?;
    Some(Finding::new(CountDiffers(difference)).shown_by([reading.into()]))
}

/// Which way the count at rest differs from what was acknowledged, if it does.
pub(crate) fn count_difference(
    counted: u64,
    started_with: u64,
    account: &Account,
) -> Option<CountDifference> {
    let Account { created, probes, unknown, .. } = *account;
    let difference = CountDifference { counted, created, probes, unknown, started_with };
    (difference.lost() > 0 || difference.extra() > 0).then_some(difference)
}

/// From the end of the load until the count had its last value, in nanoseconds.
pub(crate) fn settled_after_ns(round: &RoundData) -> Option<u64> {
    let readings = &round.record.counts_after;
    let number = round.record.count_at_rest()?.value;
    let with_number = readings.iter().rev().filter(|r| r.value.is_some());
    let first_of_it = with_number.take_while(|r| r.value == number).last()?;
    Some(first_of_it.at_ns.saturating_sub(round.record.load.ended_ns))
}

/// A count that comes to rest late is a defect where it hid acknowledged creations until then. Otherwise creations
/// of unknown effect may have ended late, or the answer to the count itself was slow: good to know.
fn settled_late(round: &RoundData, account: &Account) -> Option<Finding> {
    let after_ns = settled_after_ns(round).filter(|&ns| ns > SETTLE_NS)?;
    let readings_after = &round.record.counts_after;
    let last = round.record.count_at_rest()?.value;
    let earlier =
        readings_after.iter().rev().find(|r| r.value.is_some() && r.value != last).and_then(|r| r.value);
    let least = account.created + account.probes + strangers(round);
    let lacked = earlier.map_or(0, |value| least.saturating_sub(value));
    let texts = readings_after.iter().rev().take(EVIDENCE_MAX).rev().map(Evidence::from);
    let late = Finding::new(SettledLate { after_ns, lacked }).shown_by(texts);
    Some(if lacked > 0 { late } else { late.noted() })
}

fn ceiling_findings(plan: &Plan, ceiling: Ceiling, round: &RoundData, account: &Account) -> Option<Finding> {
    let created = account.created;
    let (ceiling_min, ceiling_max) = (ceiling.min, ceiling.max);
    if created > ceiling_max {
        return Some(Finding::new(AboveCeiling { created, ceiling_min, ceiling_max }));
    }
    // Where a creation got no answer, its row may be one of those that are missing.
    let compared_creations = plan.challenge.steps().zip(&round.record.load.steps);
    let unanswered: u64 = compared_creations
        .filter(|((scenario, step), _)| scenario.compared && step.creates)
        .map(|(_, record)| record.ledger.failed + record.ledger.timed_out + record.ledger.unfinished)
        .sum();
    let possible = created + unanswered;
    // Nicknames of those who were there before are taken.
    (possible < ceiling_min && strangers(round) == 0)
        .then(|| Finding::new(BelowCeiling { created, unanswered, ceiling_min, ceiling_max }))
}

/// Operations without a complete answer. They break no rule: an overloaded contender that fails is honest.
fn failures(round: &RoundData, account: &Account) -> Option<Finding> {
    let mut total = account.ledger;
    total.add(&account.probe_ledger);
    if total.failed + total.timed_out + total.unfinished == 0 {
        return None;
    }
    let Ledger { failed, timed_out, unfinished, .. } = total;
    let fact = OperationsFailed {
        operations: account.intended(),
        failed,
        timed_out,
        unfinished,
        kinds: errors::kinds(round),
        first: errors::first(round),
    };
    let failures = round.evidence.iter().filter(|e| e.broken.is_none());
    let evidence = failures.take(EVIDENCE_MAX).map(exchange);
    Some(Finding::new(fact).shown_by(evidence))
}

fn limit_findings(plan: &Plan, round: &RoundData) -> Option<Finding> {
    if plan.contenders.get(round.record.contender).is_some_and(Contender::runs_already) {
        return Some(Finding::new(StartedByOthers {}));
    }
    if !plan.limited {
        return Some(Finding::new(Unlimited {}));
    }
    let placement = round.record.placement.as_ref().filter(|p| !p.limits_enforced)?;
    let why = placement.limits_note.clone();
    Some(Finding::new(LimitsNotEnforced { why }))
}

fn lag_note(plan: &Plan, round: &RoundData) -> Option<Finding> {
    let lag_us_p99 = round.record.load.engine.lag_us_p99;
    (plan.is_open() && lag_us_p99 > LAG_US_P99_GOAL)
        .then(|| Finding::new(GaloLag { lag_us_p99, goal_us: LAG_US_P99_GOAL }))
}

#[cfg(test)]
mod tests;
