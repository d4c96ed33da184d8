//! What clients saw while one instance was gone, and whether it came back right.

use std::collections::BTreeSet;

use galo_plan::Plan;
use galo_plan::model::Effect;
use galo_record::{CrashKind, CrashRecord, Operation, OperationResult, RoundData};

use super::{Looked, count_below, since_start_ns, up_after_ns};
use crate::account::Account;
use crate::driven::kinds_of_failure;
use crate::evidence::EVIDENCE_MAX;
use crate::evidence::Evidence;
use crate::findings::{Finding, Loss, LostInOutage, NotRecovered, Outage, OutageFigures, OutageNotRecovered};

/// How long after the instance is ready again operations may still fail: a balancer may wait before it tries an
/// upstream again.
const RECOVERY_NS: u64 = 2_000_000_000;

/// All findings of an outage.
pub(super) fn findings(
    round: &RoundData,
    crash: &CrashRecord,
    account: &Account,
    looked: &Looked,
) -> Vec<Finding> {
    let seen = Shown::of(round, crash);
    let services = || crash.services.clone();
    let mut findings = Vec::new();
    let by_count = || Some((Loss::Count(count_below(round.record.count_at_rest(), account)?), Vec::new()));
    let loss = looked.loss(CrashKind::Outage).or_else(by_count);
    let there = loss.is_none().then(|| looked.all_there());
    if let Some((loss, evidence)) = loss {
        findings.push(Finding::new(LostInOutage { services: services(), loss }).shown_by(evidence));
    }
    if let Some((why, evidence)) = not_recovered(crash, looked, &seen) {
        findings.push(Finding::new(OutageNotRecovered { services: services(), why }).shown_by(evidence));
    }
    let figures = seen.figures(round, crash);
    let outage = Outage { services: services(), figures, there };
    findings.push(Finding::new(outage));
    findings
}

fn not_recovered(
    crash: &CrashRecord,
    looked: &Looked,
    seen: &Shown,
) -> Option<(NotRecovered, Vec<Evidence>)> {
    if let Some(reason) = &crash.not_up {
        let error = reason.split("\nhint: ").next().unwrap_or_default().to_owned();
        return Some((NotRecovered::NotStarted { error }, Vec::new()));
    }
    if seen.late > 0 {
        return Some((NotRecovered::StillFailing { operations: seen.late }, Vec::new()));
    }
    let at_one = &looked.silent_at_one;
    if !at_one.is_empty() {
        let why = NotRecovered::SilentAtOne { lookups: at_one.len() as u64 };
        return Some((why, at_one.iter().take(EVIDENCE_MAX).cloned().collect()));
    }
    looked.untold().map(|(untold, evidence)| (NotRecovered::Silent(untold), evidence))
}

/// Creations that were refused and may be there all the same. A balancer sends a creation again that the kill cut off:
/// the instance that died may have stored it, and then the other one refuses it as a duplicate of itself. Under way
/// while an instance was down is what was answered after the kill and fell due before all was ready again.
pub(super) fn sent_again(plan: &Plan, round: &RoundData, crash: &CrashRecord) -> u64 {
    /// Conflict and unprocessable content: how duplicates are refused.
    const DUPLICATE: [u16; 2] = [409, 422];
    let Some((killed, ready)) = down_ns(round, crash) else { return 0 };
    let may_be_there = |o: &&Operation| {
        o.effect == Effect::No
            && DUPLICATE.contains(&o.status)
            && o.done_ns >= killed
            && o.intended_ns < ready
            && plan.challenge.creates_at(o.step)
    };
    round.history.iter().filter(may_be_there).count() as u64
}

/// From the kill until the instance was ready again, from the start of the load; without an end where it never was.
fn down_ns(round: &RoundData, crash: &CrashRecord) -> Option<(u64, u64)> {
    let from_start = |at_ns: u64| at_ns.saturating_sub(round.record.load.started_ns);
    Some((from_start(crash.killed_at_ns?), crash.ready_at_ns.map_or(u64::MAX, from_start)))
}

/// What the history shows of the outage. Times are from the start of the load.
#[derive(Debug, Default, PartialEq)]
struct Shown {
    /// Operations that fell due while the instance was down.
    meanwhile: u64,
    /// ... of these not answered rightly.
    meanwhile_failed: u64,
    /// Operations that fell due after it was ready again.
    after: u64,
    /// ... of these not answered rightly.
    after_failed: u64,
    /// ... of these failed, and due later than [`RECOVERY_NS`] after it. Not with a status with which some failed before the kill as well:
    /// who sheds load does so after an outage, too.
    late: u64,
    /// First and last failure after the kill, from the kill.
    failing_ns: Option<(u64, u64)>,
}

impl Shown {
    fn of(round: &RoundData, crash: &CrashRecord) -> Self {
        let Some((killed, ready)) = down_ns(round, crash) else { return Self::default() };
        let mut seen = Self::default();
        let before = round.history.iter().filter(|o| failed(o) && o.done_ns < killed && o.status != 0);
        let known: BTreeSet<u16> = before.map(|o| o.status).collect();
        for o in &round.history {
            let (due, is_right) = (o.intended_ns, o.result == OperationResult::Ok);
            if due >= ready {
                seen.after += 1;
                seen.after_failed += u64::from(!is_right);
                let is_new = failed(o) && !known.contains(&o.status);
                seen.late += u64::from(is_new && due - ready >= RECOVERY_NS);
            } else if due >= killed {
                seen.meanwhile += 1;
                seen.meanwhile_failed += u64::from(!is_right);
            }
            // An operation that was under way at the kill fails by it as well.
            if failed(o) && o.done_ns >= killed {
                let at = o.done_ns - killed;
                let (first, last) = seen.failing_ns.unwrap_or((at, at));
                seen.failing_ns = Some((first.min(at), last.max(at)));
            }
        }
        seen
    }

    fn figures(&self, round: &RoundData, crash: &CrashRecord) -> OutageFigures {
        let up_ns = up_after_ns(crash);
        let restarted = crash.restarted_at_ns.filter(|_| up_ns.is_some());
        OutageFigures {
            from_ns: since_start_ns(round, crash.killed_at_ns),
            restarted_ns: restarted.map(|at| since_start_ns(round, Some(at))),
            up_ns,
            meanwhile: self.meanwhile,
            meanwhile_failed: self.meanwhile_failed,
            failing_ns: self.failing_ns.map(|(first, last)| [first, last]),
            kinds: self.failing_ns.map(|_| kinds_of_failure(round)).unwrap_or_default(),
            after: self.after,
            after_failed: self.after_failed,
        }
    }
}

fn failed(o: &Operation) -> bool {
    matches!(o.result, OperationResult::Failed | OperationResult::TimedOut | OperationResult::Unfinished)
}
