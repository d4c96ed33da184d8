//! What clients saw while one instance was gone, and whether it came back right.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use galo_plan::Plan;
use galo_plan::model::Effect;
use galo_record::{CrashKind, CrashRecord, Finding, Operation, OperationResult, RoundData};

use super::{Looked, by, count_below, note, up_after};
use crate::account::Account;
use crate::rules::EVIDENCE_MAX;
use crate::words::{counted, grouped, listed};

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
    let seen = Seen::of(round, crash);
    let names: Vec<String> = crash.services.iter().map(|name| format!("`{name}`")).collect();
    let head = format!("outage of {}", listed(&names));
    let mut findings = Vec::new();
    let loss = looked.loss(CrashKind::Outage).or_else(|| Some((count_below(round, account)?, Vec::new())));
    let all_there = loss.is_none();
    if let Some((fact, evidence)) = loss {
        let hint = "keep in the database what is acknowledged, not in one instance's memory";
        findings.push(by("lost-in-outage", format!("{head}: {fact}"), evidence, hint));
    }
    if let Some((fact, evidence)) = not_recovered(crash, looked, &seen) {
        let hint = "connect again by itself; let the balancer try an instance again after a moment";
        findings.push(by("outage-not-recovered", format!("{head}: {fact}"), evidence, hint));
    }
    let there = if all_there { format!("; {}", looked.all_there()) } else { String::new() };
    findings.push(note("outage", format!("{head} {}{there}", seen.words(round, crash))));
    findings
}

fn not_recovered(crash: &CrashRecord, looked: &Looked, seen: &Seen) -> Option<(String, Vec<String>)> {
    if let Some(reason) = &crash.not_up {
        let fact = reason.split("\nhint: ").next().unwrap_or_default();
        return Some((format!("it did not come up again: {fact}"), Vec::new()));
    }
    if seen.late > 0 {
        let fact = format!("{} still failed 2 s after it was ready again", counted(seen.late, "operation"));
        return Some((fact, Vec::new()));
    }
    let at_one = &looked.silent_at_one;
    if !at_one.is_empty() {
        let fact = format!("{} at one instance without an answer", counted(at_one.len() as u64, "lookup"));
        return Some((fact, at_one.iter().take(EVIDENCE_MAX).cloned().collect()));
    }
    looked.untold()
}

/// Creations that were refused and may be there all the same. A balancer sends a creation again that the kill cut off:
/// the instance that died may have stored it, and then the other one refuses it as a duplicate of itself. Under way
/// while an instance was down is what was answered after the kill and fell due before all was ready again.
pub(super) fn sent_again(plan: &Plan, round: &RoundData, crash: &CrashRecord) -> u64 {
    /// Conflict and unprocessable content: how duplicates are refused.
    const DUPLICATE: [u16; 2] = [409, 422];
    let creates: Vec<bool> = plan.challenge.steps().map(|(_, step)| step.creates).collect();
    let Some((killed, ready)) = down_ns(round, crash) else { return 0 };
    let may_be_there = |o: &&Operation| {
        creates.get(usize::from(o.step)) == Some(&true)
            && o.effect == Effect::No
            && DUPLICATE.contains(&o.status)
            && o.done_ns >= killed
            && o.intended_ns < ready
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
struct Seen {
    /// Operations that fell due while the instance was down.
    meanwhile: u64,
    /// ... of these not answered rightly.
    meanwhile_failed: u64,
    /// Operations that fell due after it was ready again.
    after: u64,
    /// ... of these not answered rightly.
    after_failed: u64,
    /// ... of these failed, and due later than [`RECOVERY_NS`] after it.
    late: u64,
    /// First and last failure after the kill, from the kill.
    failing_ns: Option<(u64, u64)>,
}

impl Seen {
    fn of(round: &RoundData, crash: &CrashRecord) -> Self {
        let Some((killed, ready)) = down_ns(round, crash) else { return Self::default() };
        let mut seen = Self::default();
        for o in &round.history {
            let (due, is_right) = (o.intended_ns, o.result == OperationResult::Ok);
            if due >= ready {
                seen.after += 1;
                seen.after_failed += u64::from(!is_right);
                seen.late += u64::from(failed(o) && due - ready >= RECOVERY_NS);
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

    /// The figures in one sentence.
    fn words(&self, round: &RoundData, crash: &CrashRecord) -> String {
        let at = super::since_start(round, crash.killed_at_ns);
        let back = match (crash.restarted_at_ns, up_after(crash)) {
            (Some(restarted), Some(up)) => {
                let restarted = super::since_start(round, Some(restarted));
                format!("to {restarted:.1} s (up again in {up:.1} s)")
            }
            _ => "to the end".to_owned(),
        };
        let share = |part: u64, of: u64| if of == 0 { 0.0 } else { 100.0 * part as f64 / of as f64 };
        let mut text = format!(
            "from {at:.1} s {back}: {} of {} failed meanwhile ({:.1} %)",
            grouped(self.meanwhile_failed),
            counted(self.meanwhile, "operation"),
            share(self.meanwhile_failed, self.meanwhile)
        );
        if let Some((first, last)) = self.failing_ns {
            let (first, last) = (first as f64 / 1e9, last as f64 / 1e9);
            text += &format!(", {first:.2} to {last:.2} s after the kill{}", kinds(round));
        }
        text + &format!("; {} of {} after it", grouped(self.after_failed), grouped(self.after))
    }
}

fn failed(o: &Operation) -> bool {
    matches!(o.result, OperationResult::Failed | OperationResult::TimedOut | OperationResult::Unfinished)
}

/// Failures by kind, most first.
fn kinds(round: &RoundData) -> String {
    let mut kinds = BTreeMap::<&str, u64>::new();
    for (kind, number) in round.record.load.steps.iter().flat_map(|step| &step.errors) {
        *kinds.entry(kind).or_default() += number;
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, number)| Reverse(*number));
    let words: Vec<String> =
        kinds.iter().take(EVIDENCE_MAX).map(|(kind, n)| format!("{kind}: {}", grouped(*n))).collect();
    if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
}
