//! What the judge makes findings of: its own rules of the count and the ceiling, broken rules of the challenge, and
//! what else is worth telling.

mod broken;
mod errors;
mod own;
mod strangers;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use galo_plan::{Blame, ChallengeData, Plan, Rule, Severity};
use galo_record::finding::Weight;
use galo_record::round::{CountReading, RoundEnd};
use galo_record::{Finding, RoundData};

use crate::account::Account;
use crate::behaviour;
use crate::durability;
use crate::history;
use crate::void::LAG_US_P99_GOAL;
use crate::words::{counted, grouped, unanswered};
use broken::{broken_rules, evidence_text};
use own::hint;
use strangers::{STRANGERS, strangers};

pub use own::RULES;
pub(crate) use own::place;
pub(crate) use strangers::{as_note, started_by_galo};

/// How long after the end of the load the count may still move before it is told.
pub const SETTLE_NS: u64 = 1_000_000_000;

/// Pieces of evidence that a finding shows.
pub(crate) const EVIDENCE_MAX: usize = 3;

/// All findings of a driven round: the judge's own rules before the challenge's and what the host saw, then by how many
/// operations are concerned.
pub(crate) fn findings(
    plan: &Plan,
    data: &dyn ChallengeData,
    round: &RoundData,
    account: &Account,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    // What was broken off sent neither all rows nor waited for the count.
    if plan.creates() && round.record.end == RoundEnd::Driven {
        if plan.judges_the_count() {
            findings.extend(count_findings(round, account));
        }
        findings.extend(ceiling_findings(plan, round, account));
        findings.extend(durability::findings(round, account));
    }
    if round.record.end == RoundEnd::Driven {
        findings.extend(behaviour::findings(plan, round, account));
    }
    let history = history::judge(plan, data, round, account.history_is_sound);
    findings.extend(history.findings.into_iter().map(|finding| strangers::excused(round, finding)));
    findings.extend(broken_rules(plan, round, account, &history.explained));
    findings.extend(failures(round, account));
    findings.extend(round.record.findings.iter().cloned());
    findings.extend(limit_findings(plan, round));
    findings.extend(lag_note(round));
    findings
}

/// A finding about the contender by one of [`RULES`].
pub(crate) fn by_own_rule(name: &'static str, fact: String, evidence: Vec<String>) -> Finding {
    by_rule(RULES, name, fact, evidence, hint(name))
}

/// A finding about the contender by one of these rules.
pub(crate) fn by_rule(
    rules: &[Rule],
    name: &'static str,
    fact: String,
    evidence: Vec<String>,
    hint: Option<&str>,
) -> Finding {
    let weight =
        rules.iter().find(|rule| rule.name == name).map_or(Weight::Note, |rule| weight_of(rule.severity));
    let (name, hint) = (name.to_owned(), hint.map(str::to_owned));
    Finding { name, weight, blame: Blame::Contender, text: fact, evidence, hint, explains_milli: None }
}

const fn weight_of(severity: Severity) -> Weight {
    match severity {
        Severity::Must => Weight::Must,
        Severity::Should => Weight::Should,
    }
}

fn count_findings(round: &RoundData, account: &Account) -> Vec<Finding> {
    let mut findings = Vec::new();
    let before = round.record.count_before.as_ref();
    let after = round.record.count_at_rest();
    let started_with = before.and_then(|reading| reading.value);
    if let Some(left @ 1..) = started_with {
        let fact = format!("the count was {} before the first request", grouped(left));
        let dirty = by_own_rule("dirty-start", fact, readings(before));
        findings.push(if started_by_galo(round) { dirty } else { as_note(dirty, STRANGERS) });
    }
    if let Some(reading) = before.filter(|reading| reading.value.is_none()) {
        findings.push(unreadable("before the first request", reading));
    }
    findings.extend(no_count_at_rest(round));
    if let Some(counted) = after.and_then(|reading| reading.value) {
        let strangers = strangers(round);
        let (counted, left) = (counted.saturating_sub(strangers), started_with.unwrap_or(0) - strangers);
        if let Some(fact) = count_difference(counted, left, account) {
            findings.push(by_own_rule("count-differs", fact, readings(after)));
        }
        findings.extend(settled_late(round, account));
    }
    findings
}

fn unreadable(when: &str, reading: &CountReading) -> Finding {
    let fact = format!("no integer could be read in the count {when}");
    by_own_rule("count-unreadable", fact, readings(Some(reading)))
}

/// What is told where no reading after the load holds a number. A 2xx without an integer breaks a rule by itself; a
/// count that nobody answered may only have been slow or down, and leaves the number unknown.
fn no_count_at_rest(round: &RoundData) -> Vec<Finding> {
    let after = &round.record.counts_after;
    let Some(last) = after.last().filter(|_| round.record.count_at_rest().is_none()) else {
        return Vec::new();
    };
    if let Some(answered) = after.iter().rev().find(|reading| reading.is_answered()) {
        return vec![unreadable("after the load", answered)];
    }
    let fact = "the count was never answered by a 2xx after the load";
    let unanswered = by_own_rule("count-unanswered", fact.to_owned(), readings(Some(last)));
    vec![unanswered, history::unjudged("count-unjudged", fact, vec!["count-differs"])]
}

/// Which way the count at rest differs from what was acknowledged, if it does.
pub(crate) fn count_difference(at_rest: u64, started_with: u64, account: &Account) -> Option<String> {
    let least = account.created + account.probes;
    let most = least + account.unknown;
    let numbers = format!(
        "{} counted, {} acknowledged ({} and {} by probes), {} of unknown effect",
        grouped(at_rest),
        grouped(least),
        grouped(account.created),
        grouped(account.probes),
        grouped(account.unknown)
    );
    if at_rest < least {
        return Some(format!("it lost {}: {numbers}", counted(least - at_rest, "acknowledged creation")));
    }
    (at_rest > most).then(|| {
        let left = if started_with > 0 {
            format!(" ({} were there before the first request)", grouped(started_with))
        } else {
            String::new()
        };
        format!("it counts {} more than it acknowledged{left}: {numbers}", grouped(at_rest - most))
    })
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
    let hidden = earlier.map_or(0, |value| least.saturating_sub(value));
    let took = format!("{:.1} s after the end of the load", after_ns as f64 / 1e9);
    let texts = readings_after.iter().rev().take(EVIDENCE_MAX).rev().map(reading_text).collect();
    Some(if hidden > 0 {
        let fact = format!("the count lacked {} until {took}", counted(hidden, "acknowledged creation"));
        by_own_rule("settled-late", fact, texts)
    } else {
        let fact =
            format!("the count had its last value only {took}, but lacked nothing acknowledged before");
        Finding {
            weight: Weight::Note,
            text: fact,
            hint: None,
            ..by_own_rule("settled-late", String::new(), texts)
        }
    })
}

fn readings(reading: Option<&CountReading>) -> Vec<String> {
    reading.map(reading_text).into_iter().collect()
}

pub(crate) fn reading_text(reading: &CountReading) -> String {
    match reading.status {
        0 => format!("no answer: {}", reading.text),
        status => format!("status {status}: {}", reading.text),
    }
}

fn ceiling_findings(plan: &Plan, round: &RoundData, account: &Account) -> Option<Finding> {
    let (created, ceiling) = (account.created, plan.ceiling);
    let bounds = if ceiling.min == ceiling.max {
        grouped(ceiling.max)
    } else {
        format!("{} to {}", grouped(ceiling.min), grouped(ceiling.max))
    };
    if created > ceiling.max {
        let fact = format!(
            "it acknowledged {}, {} too many (the ceiling is {bounds})",
            counted(created, "creation"),
            grouped(created - ceiling.max)
        );
        return Some(by_own_rule("above-ceiling", fact, Vec::new()));
    }
    // Where a creation got no answer, its row may be one of those that are missing.
    let compared_creations = plan.challenge.steps().zip(&round.record.load.steps);
    let unanswered: u64 = compared_creations
        .filter(|((scenario, step), _)| scenario.compared && step.creates)
        .map(|(_, record)| record.ledger.failed + record.ledger.timed_out + record.ledger.unfinished)
        .sum();
    let possible = created + unanswered;
    // Nicknames of those who were there before are taken.
    (possible < ceiling.min && strangers(round) == 0).then(|| {
        let fact = format!(
            "it acknowledged {} and left {} without an answer, {} too few (the ceiling is {bounds})",
            counted(created, "creation"),
            grouped(unanswered),
            grouped(ceiling.min - possible)
        );
        by_own_rule("below-ceiling", fact, Vec::new())
    })
}

/// Operations without a complete answer. They break no rule: an overloaded contender that fails is honest.
fn failures(round: &RoundData, account: &Account) -> Option<Finding> {
    let mut total = account.ledger;
    total.add(&account.probe_ledger);
    if total.failed + total.timed_out + total.unfinished == 0 {
        return None;
    }
    let mut kinds = BTreeMap::<&str, u64>::new();
    for (kind, number) in round.record.load.steps.iter().flat_map(|step| &step.errors) {
        *kinds.entry(kind).or_default() += number;
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, number)| Reverse(*number));
    let kinds: Vec<String> = kinds
        .iter()
        .take(EVIDENCE_MAX)
        .map(|(kind, number)| format!("{kind}: {}", grouped(*number)))
        .collect();
    let mostly = if kinds.is_empty() { String::new() } else { format!("; mostly {}", kinds.join(", ")) };
    let all = counted(account.intended(), "operation");
    let began = errors::first(round).map(|told| format!("; {told}")).unwrap_or_default();
    Some(Finding {
        name: "operations-failed".to_owned(),
        weight: Weight::Should,
        blame: Blame::Contender,
        text: format!("of {all}, {}{mostly}{began}", unanswered(&total)),
        evidence: round
            .evidence
            .iter()
            .filter(|e| e.broken.is_none())
            .take(EVIDENCE_MAX)
            .map(evidence_text)
            .collect(),
        hint: None,
        explains_milli: None,
    })
}

fn limit_findings(plan: &Plan, round: &RoundData) -> Option<Finding> {
    let note = |name: &str, blame, text: String, hint: Option<&str>| Finding {
        name: name.to_owned(),
        weight: Weight::Note,
        blame,
        text,
        evidence: Vec::new(),
        hint: hint.map(str::to_owned),
        explains_milli: None,
    };
    if !plan.limited {
        let text = "limits were switched off, so this says nothing about the budget".to_owned();
        return Some(note("unlimited", Blame::Client, text, None));
    }
    let placement = round.record.placement.as_ref().filter(|p| !p.limits_enforced)?;
    let why = placement.limits_note.as_deref().unwrap_or("the machine gives no reason");
    let hint = "galo doctor says what is missing on this machine";
    Some(note("limits-not-enforced", Blame::Host, format!("limits are not enforced: {why}"), Some(hint)))
}

fn lag_note(round: &RoundData) -> Option<Finding> {
    let lag = round.record.load.engine.lag_us_p99;
    (lag > LAG_US_P99_GOAL).then(|| Finding {
        name: "galo-lag".to_owned(),
        weight: Weight::Note,
        blame: Blame::Client,
        text: format!(
            "galo's own lag is {:.1} ms at p99, above its goal of {:.0} ms; latencies hold it",
            lag / 1000.0,
            LAG_US_P99_GOAL / 1000.0
        ),
        evidence: Vec::new(),
        hint: None,
        explains_milli: None,
    })
}
