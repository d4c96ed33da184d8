//! Whether what was acknowledged is on a disk, and kept where it belongs: by what the kernel and the database told.
//!
//! What it proves: that no service asked the kernel to flush anything while creations were acknowledged, many under load or one with nobody
//! else about; that a database says of itself that it does not wait for the disk; that the count moved with nobody asking; that data
//! outlived its volume. What it cannot: that a flush covered a certain creation, or that a disk kept its word. Where something may have
//! written through unseen, it tells so, and says nothing else of flushes. A doubt about a service that wrote nothing into its volumes
//! keeps it from nothing.

use galo_plan::Blame;
use galo_plan::conformance::{CaseRequest, Expect};
use galo_record::{CaseRecord, CaseRun, DatabaseSettings, Exchange, RoundData, ServiceFlushes};

use crate::account::Account;
use crate::evidence::EVIDENCE_MAX;
use crate::evidence::Evidence;
use crate::findings::{
    AcknowledgedBeforeFlush, CommitNotSynchronous, CountMovesUnasked, Excuse, Finding, FlushesUnseen, Kind,
    NothingFlushed, OutlivesItsVolume, SeldomFlushed,
};
use crate::strangers::started_by_galo;

/// Acknowledged creations for each flush above which it is told that flushes are rare.
const CREATIONS_PER_FLUSH: u64 = 1000;

/// All findings of a driven round whose plan creates something.
pub(crate) fn findings(round: &RoundData, account: &Account) -> Vec<Finding> {
    let record = &round.record;
    let mut findings = Vec::new();
    findings.extend(moved_unasked(round));
    findings.extend(outlives(round));
    findings.extend(record.databases.iter().filter_map(not_synchronous));
    let flushed = flushed(round, account.created + account.probes);
    let is_none = flushed.as_ref().is_some_and(|finding| finding.fact.kind() == Kind::NothingFlushed);
    findings.extend(flushed);
    findings.extend(acknowledged_before(round).filter(|_| !is_none));
    findings.extend(unseen(round));
    findings
}

fn moved_unasked(round: &RoundData) -> Option<Finding> {
    let readings: Vec<_> = round.record.count_before.iter().chain(&round.record.counts_before).collect();
    let numbers: Vec<u64> = readings.iter().filter_map(|reading| reading.value).collect();
    let (least, most) = (*numbers.iter().min()?, *numbers.iter().max()?);
    (least != most).then(|| {
        let evidence = readings.iter().rev().take(EVIDENCE_MAX).rev().map(|reading| Evidence::from(*reading));
        let moved = Finding::new(CountMovesUnasked { least, most }).shown_by(evidence);
        // Whether anybody else was asking is only known of what galo started itself.
        if started_by_galo(round) { moved } else { moved.excused(Excuse::UsedByOthers) }
    })
}

fn outlives(round: &RoundData) -> Option<Finding> {
    let reading = round.record.count_renewed.as_ref()?;
    let counted = reading.value.filter(|left| *left > 0)?;
    let fact = OutlivesItsVolume { counted };
    Some(Finding::new(fact).shown_by([reading.into()]))
}

fn not_synchronous(database: &DatabaseSettings) -> Option<Finding> {
    let off = |name: &str| database.settings.get(name).is_some_and(|value| value == "off");
    let off: Vec<String> =
        ["fsync", "synchronous_commit"].into_iter().filter(|name| off(name)).map(str::to_owned).collect();
    (!off.is_empty()).then(|| {
        let (system, service) = (database.system.to_string(), database.service.clone());
        Finding::new(CommitNotSynchronous { system, service, off }).shown_by([Evidence::Settings {
            address: database.address.to_string(),
            settings: database.settings.clone(),
        }])
    })
}

/// Creations of cases, which nobody else disturbs: those during whose whole case nothing was flushed.
fn acknowledged_before(round: &RoundData) -> Option<Finding> {
    flushes(round)?;
    let runs =
        || round.conformance.iter().flat_map(|record| record.runs.iter().map(move |run| (record, run)));
    let counted = || runs().filter(|(record, run)| run.flushes.is_some() && acknowledges(record, run));
    let mut unflushed = counted().filter(|(_, run)| run.flushes == Some(0));
    let (case, _) = unflushed.next()?;
    let fact = AcknowledgedBeforeFlush {
        unflushed: 1 + unflushed.count() as u64,
        alone: counted().count() as u64,
        case: case.case.name.clone(),
    };
    Some(Finding::new(fact).shown_by([Evidence::NoFlushes]))
}

/// Whether something was created in a run of a case that should be.
fn acknowledges(record: &CaseRecord, run: &CaseRun) -> bool {
    let expects_it = |request: &CaseRequest| {
        request
            .expect
            .iter()
            .any(|expected| matches!(&expected.that, Expect::Status(statuses) if *statuses == [201]))
    };
    let is_created =
        |exchange: &Option<Exchange>| exchange.as_ref().is_some_and(|exchange| exchange.status == 201);
    record
        .case
        .requests
        .iter()
        .zip(&run.exchanges)
        .any(|(request, exchange)| expects_it(request) && is_created(exchange))
}

/// Flushes of a round; `None`: nobody counted, or there may have been more. What could not be counted of a service that wrote nothing into its
/// volumes is 0.
fn flushes(round: &RoundData) -> Option<u64> {
    let flushes = &round.record.flushes;
    let is_told = !flushes.is_empty() && !flushes.iter().any(ServiceFlushes::is_in_doubt);
    is_told.then(|| flushes.iter().filter_map(ServiceFlushes::seen).sum())
}

/// Services of which not all flushes may have been seen.
fn unseen(round: &RoundData) -> impl Iterator<Item = Finding> {
    round.record.flushes.iter().filter_map(|flushes| {
        let (service, why) = (flushes.service.clone(), flushes.doubt.clone()?);
        let blame = if flushes.calls.is_none() { Blame::Host } else { Blame::Contender };
        Some(Finding { blame, ..Finding::new(FlushesUnseen { service, why }) })
    })
}

/// Flushes against acknowledged creations; nothing is said where they could not be counted, or may not be all. Those at the services' end
/// count: the contest asks for the disk in the end.
fn flushed(round: &RoundData, acknowledged: u64) -> Option<Finding> {
    let flushes = flushes(round)?;
    if acknowledged == 0 {
        return None;
    }
    if flushes == 0 {
        let fact = NothingFlushed { acknowledged };
        return Some(Finding::new(fact).shown_by([Evidence::NoFlushes]));
    }
    // How often a file flushes itself is not known.
    let is_by_calls = round.record.flushes.iter().all(|flushes| flushes.synchronous_files == 0);
    (is_by_calls && flushes < acknowledged / CREATIONS_PER_FLUSH)
        .then(|| Finding::new(SeldomFlushed { acknowledged, flushes }))
}

#[cfg(test)]
mod tests;
