//! What one round was worth.

use std::panic::{AssertUnwindSafe, catch_unwind};

use galo_plan::JsonSchema;
use galo_plan::model::Ceiling;
use galo_plan::{Blame, ChallengeData, PairId, Plan};
use galo_record::finding::Weight;
use galo_record::round::RoundEnd;
use galo_record::{CrashRecord, Ledger, RoundData};
use serde::{Deserialize, Serialize};

use crate::account::Account;
use crate::causes;
use crate::conformance::{self, Conformance, judge_cases};
use crate::crash;
use crate::driven;
use crate::findings::{Contradiction, Finding, RecordsContradict, Stressed};
use crate::measure::{Measure, Measures, slow_us};
use crate::nearness::Nearness;
use crate::ordering::{order, placed};
use crate::score::{ContestScore, score};
use crate::stress::stress_reasons;
use crate::void::{self, Spoils, VoidReason};

/// Whether a round counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Standing {
    /// It counts.
    Valid,
    /// The contender broke a rule.
    Disqualified {
        /// Names of the broken `must` rules, worst first.
        rules: Vec<String>,
    },
    /// galo or the host spoiled it: it says nothing about the contender.
    Void {
        /// Why, gravest first.
        reasons: Vec<VoidReason>,
    },
    /// The contender did not start.
    NotReady {
        /// Why, in the words of what failed.
        reason: String,
    },
}

/// What one round was worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// As recorded.
    pub number: u32,
    /// Index into the plan's contenders.
    #[serde(rename = "contender_index")]
    pub contender: usize,
    /// Index into the plan's order.
    pub slot: usize,
    /// Whose seed drew all that was drawn in it.
    pub pair: PairId,
    /// Whether services were killed in it: then it takes no part in comparisons, only its standing counts.
    pub apart: bool,
    /// Whether it counts.
    pub standing: Standing,
    /// Whether what it says of rules can be believed. A void round can be, where only its figures are spoiled.
    pub believed: bool,
    /// Of the compared scenarios.
    pub ledger: Ledger,
    /// Of the probes.
    pub probe_ledger: Ledger,
    /// Creations acknowledged in the compared scenarios.
    pub created: u64,
    /// Creations acknowledged by probes.
    pub probes: u64,
    /// Creations whose effect is unknown, probes included.
    pub unknown: u64,
    /// As planned.
    pub ceiling: Ceiling,
    /// The count at rest: the last reading.
    pub counted: Option<u64>,
    /// From the end of the load until the count had its last value, in seconds.
    pub settled_after_s: Option<f64>,
    /// What the contest itself would have paid; null: it has no score, or the load was not driven to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ContestScore>,
    /// The figures that are compared.
    pub measures: Measures,
    /// Whether it was anywhere near a limit.
    pub stressed: bool,
    /// How near.
    pub nearness: Nearness,
    /// What came of the cases; `None` where none were asked.
    pub conformance: Option<Conformance>,
    /// Everything worth telling, worst first.
    pub findings: Vec<Finding>,
}

/// Judges one round.
///
/// A judge that crashes says "unknown", never "valid": the round is void then.
///
/// `data` is what was sent in it, made again of its pair's seed ([`Plan::prepare`]).
pub fn judge_round(plan: &Plan, data: &dyn ChallengeData, round: &RoundData) -> Judgement {
    guarded(data, round, |data, round| judge(plan, data, round))
}

fn guarded(
    data: &dyn ChallengeData,
    round: &RoundData,
    judge: impl Fn(&dyn ChallengeData, &RoundData) -> Judgement,
) -> Judgement {
    // Both arguments are shared and without inner state, so an unwinding judge leaves nothing half changed.
    catch_unwind(AssertUnwindSafe(|| judge(data, round))).unwrap_or_else(|panic| {
        let reason = void::judge_failed(&*panic);
        let mut judgement = Judgement::blank(data.ceiling(), round);
        judgement.findings.push(void_finding(&reason));
        Judgement { standing: Standing::Void { reasons: vec![reason] }, ..judgement }
    })
}

impl Judgement {
    /// A judgement that says nothing yet.
    fn blank(ceiling: Ceiling, round: &RoundData) -> Self {
        let record = &round.record;
        Self {
            number: record.number,
            contender: record.contender,
            slot: record.slot,
            pair: record.pair,
            apart: record.crash.is_some(),
            standing: Standing::Valid,
            believed: false,
            ledger: Ledger::default(),
            probe_ledger: Ledger::default(),
            created: 0,
            probes: 0,
            unknown: 0,
            ceiling,
            counted: None,
            settled_after_s: None,
            score: None,
            measures: Measures::default(),
            stressed: false,
            nearness: Nearness::default(),
            conformance: None,
            findings: record.findings.iter().map(Finding::from).collect(),
        }
    }
}

fn judge(plan: &Plan, data: &dyn ChallengeData, round: &RoundData) -> Judgement {
    let record = &round.record;
    if let RoundEnd::NotReady(reason) = &record.end {
        let standing = Standing::NotReady { reason: reason.clone() };
        return Judgement { standing, ..Judgement::blank(data.ceiling(), round) };
    }
    let account = Account::of(plan, round);
    if let Some(crash) = &record.crash {
        return judge_crash(plan, data, round, crash, &account);
    }
    let measures = Measures::of(plan, round, &account.ledger);
    let slow_us = slow_us(plan, round);
    let stress = stress_reasons(plan, round, &account.ledger, slow_us);
    let mut findings = driven::findings(plan, data, round, &account);
    let conformance = judge_cases(plan, &round.conformance);
    conformance.iter().for_each(|cases| conformance::add_findings(plan, cases, &mut findings));
    if let Some(restart) = &record.restart {
        findings.extend(crash::restart_findings(plan, data, round, restart, &account));
    }
    let void = all_void_reasons(plan, round, &account);
    findings.extend(void.iter().map(void_finding));
    let is_stressed = !stress.is_empty();
    findings.extend(is_stressed.then(|| Finding::new(Stressed { by: stress })));
    if record.end == RoundEnd::Driven {
        findings.extend(causes::findings(plan, round, slow_us.is_some()));
    }
    order(&mut findings, placed);
    Judgement {
        standing: standing(&void, &findings),
        believed: is_believed(&void),
        ledger: account.ledger,
        probe_ledger: account.probe_ledger,
        created: account.created,
        probes: account.probes,
        unknown: account.unknown,
        counted: record.count_at_rest().and_then(|reading| reading.value),
        settled_after_s: driven::settled_after_ns(round).map(|ns| ns as f64 / 1e9),
        score: (record.end == RoundEnd::Driven).then(|| score(plan, round)).flatten(),
        // Who is asked for all that they give is near some limit, whichever it is.
        stressed: is_stressed || !plan.is_open(),
        nearness: Nearness::of(plan, round, measures.get(Measure::PRIMARY)),
        measures,
        conformance,
        findings,
        ..Judgement::blank(data.ceiling(), round)
    }
}

/// Times and rates of such a round are compared with nobody's, so nothing that spoils only those makes it void.
fn judge_crash(
    plan: &Plan,
    data: &dyn ChallengeData,
    round: &RoundData,
    crash: &CrashRecord,
    account: &Account,
) -> Judgement {
    let mut findings = crash::findings(plan, data, round, crash, account);
    let mut void = all_void_reasons(plan, round, account);
    let bugs = crash::contradictions(data, round, crash);
    void.extend(bugs.into_iter().map(|contradiction| RecordsContradict { contradiction }.into()));
    void.retain(|reason| reason.spoils() == Spoils::Account);
    findings.extend(void.iter().map(void_finding));
    order(&mut findings, placed);
    Judgement {
        standing: standing(&void, &findings),
        ledger: account.ledger,
        probe_ledger: account.probe_ledger,
        created: account.created,
        probes: account.probes,
        unknown: account.unknown,
        counted: round.record.count_at_rest().and_then(|reading| reading.value),
        findings,
        ..Judgement::blank(data.ceiling(), round)
    }
}

/// A broken `must` rule disqualifies even where galo was late or the host stole time: that spoils figures, but cannot
/// make an answer wrong. Only an account that may be wrong itself is held against nobody.
fn standing(void: &[VoidReason], findings: &[Finding]) -> Standing {
    let rules = broken_by_the_contender(findings);
    if is_believed(void) && !rules.is_empty() {
        Standing::Disqualified { rules }
    } else if void.is_empty() {
        Standing::Valid
    } else {
        Standing::Void { reasons: void.to_vec() }
    }
}

/// Names of the `must` rules that a contender broke, each once.
pub(crate) fn broken_by_the_contender<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Vec<String> {
    let mut rules: Vec<String> = Vec::new();
    for finding in findings.into_iter().filter(|f| f.weight == Weight::Must && f.blame == Blame::Contender) {
        if !rules.iter().any(|rule| rule == finding.name()) {
            rules.push(finding.name().to_owned());
        }
    }
    rules
}

fn is_believed(void: &[VoidReason]) -> bool {
    void.iter().all(|reason| reason.spoils() == Spoils::Figures)
}

/// Reasons from galo's and the host's figures, and from records that contradict themselves.
fn all_void_reasons(plan: &Plan, round: &RoundData, account: &Account) -> Vec<VoidReason> {
    let mut reasons = void::of_round(round, plan.is_open());
    let interrupted = round.record.end == RoundEnd::Interrupted;
    let mut bugs = account.contradictions.clone();
    if plan.judges_the_count() && !interrupted && !plan.is_null(round.record.contender) {
        let record = &round.record;
        let is_down = record.crash.as_ref().is_some_and(|crash| crash.not_up.is_some());
        if record.count_before.is_none() || (record.counts_after.is_empty() && !is_down) {
            bugs.push(Contradiction::CountNotRead);
        }
    }
    reasons.extend(bugs.into_iter().map(|contradiction| RecordsContradict { contradiction }.into()));
    reasons
}

/// What spoils figures is a cause as well: whatever else was seen may be of its making.
fn void_finding(reason: &VoidReason) -> Finding {
    let explains_milli = (reason.spoils() == Spoils::Figures).then_some(1000);
    Finding { explains_milli, ..Finding::new(reason.clone()) }
}

#[cfg(test)]
mod tests;
