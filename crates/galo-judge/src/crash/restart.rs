//! What a restart at rest showed: everybody had 15 s without a question to come to its disk.
//!
//! It is part of an ordinary round, which is judged by all other rules as well. What it proves is what a crash proves, without the excuse
//! that something was under way.

use galo_plan::{ChallengeData, Plan};
use galo_record::finding::Weight;
use galo_record::{RestartRecord, RoundData, ServiceFlushes};

use super::{Looked, by_volumes, count_below, since_start_ns};
use crate::account::Account;
use crate::evidence::EVIDENCE_MAX;
use crate::evidence::Evidence;
use crate::findings::{
    CountDiffers, EmptiedAtStart, Finding, Loss, LostAfterRestart, NotUp, NotUpAfterRestart,
    RefusedAfterRestart, Restart,
};

/// No person takes less in any file: ten letters of a nickname and as many of a name on average, a date, an identity.
const BYTES_PER_CREATION: u64 = 48;

/// More than one lookup in so many without an answer: it is not up. All of these were asked for, by a few connections, again and again,
/// and with nothing else to do; and who could be silent of whom it lost would lose whom it likes.
const SILENT_AT_REST: usize = 20;

/// All findings of a round in which the contender was started again at rest.
pub(crate) fn findings(
    plan: &Plan,
    data: &dyn ChallengeData,
    round: &RoundData,
    restart: &RestartRecord,
    account: &Account,
) -> Vec<Finding> {
    let RestartRecord { halt, restarted, lookups, .. } = restart;
    let halt = *halt;
    if let Some(reason) = &restarted.not_up {
        let why = NotUp::not_started(reason);
        return vec![Finding::new(NotUpAfterRestart { halt, why })];
    }
    let looked = Looked::of(plan, data, round, lookups, since_start_ns(round, Some(restarted.halted_at_ns)));
    let mut findings = Vec::new();
    // Nobody asked for anything: who is not there any more was lost meanwhile, and not at a start.
    if let Some(difference) = count_below(restart.count_before.as_ref(), account) {
        findings.push(
            Finding::new(CountDiffers(difference))
                .shown_by(restart.count_before.as_ref().map(Evidence::from)),
        );
        return findings;
    }
    if looked.is_silent(SILENT_AT_REST)
        && let Some((untold, evidence)) = looked.untold()
    {
        findings
            .push(Finding::new(NotUpAfterRestart { halt, why: NotUp::Silent(untold) }).shown_by(evidence));
    }
    let by_count = || Some((Loss::Count(count_below(restart.count.as_ref(), account)?), Vec::new()));
    if let Some(emptied) = emptied(restart, account, &looked) {
        findings.push(Finding::new(emptied));
    } else if let Some((loss, evidence)) = looked.loss(galo_record::CrashKind::Crash).or_else(by_count) {
        findings.push(Finding::new(LostAfterRestart { halt, loss }).shown_by(evidence));
    }
    if !looked.kept.is_empty() {
        let (refused, there) = (looked.refused as u64, looked.kept.len() as u64);
        let evidence = looked.kept.iter().take(EVIDENCE_MAX).cloned();
        findings.push(Finding::new(RefusedAfterRestart { halt, refused, there }).shown_by(evidence));
    }
    findings.extend(by_volumes(&findings, restarted.volumes_bytes, restarted.traced, account));
    if findings.iter().all(|found| found.weight == Weight::Note) {
        let down_ns = restarted.restarted_at_ns.saturating_sub(restarted.halted_at_ns);
        let up_ns = restarted.ready_at_ns.unwrap_or_default().saturating_sub(restarted.restarted_at_ns);
        let fact = Restart { halt, there: looked.all_there(), down_ns, up_ns };
        findings.push(Finding::new(fact));
    }
    findings
}

/// That all is gone after a start although its volumes had held it. They had grown by what all rows may take, were flushed
/// where that was seen, and held most of the rows that galo sought in them.
fn emptied(restart: &RestartRecord, account: &Account, looked: &Looked) -> Option<EmptiedAtStart> {
    let RestartRecord { halt, restarted, count, .. } = restart;
    let acknowledged = account.created + account.probes;
    let counted = count.as_ref().and_then(|reading| reading.value);
    let is_nobody_there =
        counted.unwrap_or(0) == 0 && looked.lost.len() == looked.sought && looked.sought > 0;
    let [before, after] = restarted.volumes_bytes;
    let grown_bytes = after.saturating_sub(before);
    let flushes = restarted.flushes.iter().map(ServiceFlushes::seen).sum::<Option<u64>>();
    let flushes = flushes.filter(|_| !restarted.flushes.is_empty());
    let is_traced = restarted.traced.is_none_or(|[found, sought]| found * 2 > sought);
    let held = grown_bytes >= acknowledged * BYTES_PER_CREATION && flushes != Some(0) && is_traced;
    (is_nobody_there && held).then_some(EmptiedAtStart { halt: *halt, acknowledged, grown_bytes, flushes })
}
