//! What a crash or an outage showed: pure, from the round's history, its lookups and its count.
//!
//! It proves loss: an acknowledged creation that is not there, or another, when all is up again. It cannot prove that
//! nothing would ever be lost: a SIGKILL leaves the kernel's page cache, so what was written but never flushed outlives
//! it. That is why flushes are counted as well ([`crate::durability`]).
//!
//! A round of this kind is judged by these rules alone. Answers while services were being killed break other rules by
//! galo's own doing (a balancer that sends a cut creation again gets it refused as a duplicate, for example).

mod outage;
mod restart;

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use galo_plan::model::{CheckKind, Effect, Label, Row, Thing, Wanted};
use galo_plan::{ChallengeData, Plan};
use galo_record::finding::Weight;
use galo_record::round::{CountReading, RoundEnd};
use galo_record::{CrashKind, CrashRecord, Lookup, LookupBy, Operation, RoundData};

use crate::account::Account;
use crate::driven::count_difference;
use crate::evidence::EVIDENCE_MAX;
use crate::evidence::{Evidence, LookedUp};
use crate::findings::{
    AllThere, Contradiction, CountDifference, CountDiffers, Crash, Finding, Loss, LostAfterCrash,
    NotInItsVolumes, NotUp, NotUpAfterCrash, RefusedAfterCrash,
};
use crate::history::ledgers;
use crate::ledger::Rest;

/// Fewer people sought in volumes prove nothing.
const SOUGHT_MIN: u32 = 10;
/// What no store can compress a person to: an identity alone has eight random bytes.
const BYTES_INCOMPRESSIBLE: u64 = 8;

pub(crate) use restart::findings as restart_findings;

/// More than one lookup in so many without an answer: it is not up. There may have been no time to ask for all, but within its own few
/// seconds of load it created all that it was asked for.
const SILENT_AFTER_CRASH: usize = 2;

/// All findings of a crash or an outage, worst first.
pub(crate) fn findings(
    plan: &Plan,
    data: &dyn ChallengeData,
    round: &RoundData,
    crash: &CrashRecord,
    account: &Account,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    if round.record.end == RoundEnd::Driven {
        let looked = Looked::of(plan, data, round, &crash.lookups, since_start_ns(round, crash.killed_at_ns));
        match crash.kind {
            CrashKind::Crash => findings.extend(crash_findings(round, crash, account, &looked)),
            CrashKind::Outage => findings.extend(outage::findings(round, crash, account, &looked)),
        }
        let sent_again = match crash.kind {
            CrashKind::Crash => 0,
            CrashKind::Outage => outage::sent_again(plan, round, crash),
        };
        let account = Account { unknown: account.unknown + sent_again, ..account.clone() };
        let above = count_above(round, &account);
        findings.extend(above.map(|difference| Finding::new(CountDiffers(difference))));
    }
    findings.extend(round.record.findings.iter().map(Finding::from));
    findings.sort_by_key(|f| f.weight);
    findings
}

/// Where the record cannot be right.
pub(crate) fn contradictions(
    data: &dyn ChallengeData,
    round: &RoundData,
    crash: &CrashRecord,
) -> Vec<Contradiction> {
    if round.record.end != RoundEnd::Driven {
        return Vec::new();
    }
    let mut bugs = Vec::new();
    if crash.killed_at_ns.is_none() {
        bugs.push(Contradiction::NobodyKilled);
    }
    let known =
        |l: &Lookup| if l.by == LookupBy::Account { data.accounts().len() } else { round.history.len() };
    let strange = |l: &&Lookup| l.creation as usize >= known(l);
    if crash.lookups.iter().any(|l| strange(&l)) {
        bugs.push(Contradiction::StrangeLookups);
    }
    let asked: HashSet<u32> =
        crash.lookups.iter().filter(|l| l.by == LookupBy::Id).map(|l| l.creation).collect();
    let can_ask = |o: &Operation| o.id.is_some_and(|id| data.lookup(Wanted::Id(id)).is_some());
    let to_ask = acknowledged(round).filter(|(_, o)| can_ask(o));
    let unasked = to_ask.filter(|(index, _)| !asked.contains(index)).count() as u64;
    if crash.not_up.is_none() && unasked > 0 {
        bugs.push(Contradiction::NotLookedUp { creations: unasked });
    }
    bugs
}

/// The creations that were acknowledged, with their index.
fn acknowledged(round: &RoundData) -> impl Iterator<Item = (u32, &Operation)> {
    (0_u32..).zip(&round.history).filter(|(_, o)| o.effect == Effect::Yes)
}

/// What the lookups say.
#[derive(Default)]
struct Looked {
    /// Acknowledged creations that were looked up.
    sought: usize,
    /// Evidence for each that is not there, or is another.
    lost: Vec<Evidence>,
    /// Evidence for each whose lookup was answered by a status that [tells nothing][Lookup::tells].
    broken: Vec<Evidence>,
    /// Evidence for each whose lookup was not answered, or given up.
    silent: Vec<Evidence>,
    /// Evidence for each lookup at one instance that no answer told of.
    silent_at_one: Vec<Evidence>,
    /// Refused creations that were looked up.
    refused: usize,
    /// Evidence for each that is there.
    kept: Vec<Evidence>,
    /// Accounts whose balances were looked up.
    accounts: u64,
    /// Evidence for each whose balance is not the sum of what was acknowledged, and some of what was left open.
    unbalanced: Vec<Evidence>,
}

impl Looked {
    /// `ended_ns`: when its services were, from the start of the load.
    fn of(
        plan: &Plan,
        data: &dyn ChallengeData,
        round: &RoundData,
        lookups: &[Lookup],
        ended_ns: u64,
    ) -> Self {
        let feeders: Vec<Option<usize>> =
            plan.challenge.steps().map(|(scenario, _)| scenario.feeder).collect();
        let full_at = plan.checks.iter().find_map(|check| match check {
            CheckKind::Search { full_at } => Some(*full_at as usize),
            _ => None,
        });
        let mut looked = Self::default();
        // Whoever is asked for by identity and by key is one creation, and lost once.
        let (mut sought, mut untrue) = (HashSet::new(), HashSet::new());
        for lookup in lookups.iter().filter(|lookup| lookup.by != LookupBy::Account) {
            let Some(creation) = round.history.get(lookup.creation as usize) else { continue };
            let Some(&Some(feeder)) = feeders.get(usize::from(creation.step)) else { continue };
            let row = Row { feeder, number: u64::from(creation.user) };
            let evidence = || evidence(data, row, creation, lookup);
            let is_of_acknowledged = lookup.by == LookupBy::Id || creation.effect == Effect::Yes;
            match verdict(lookup, data.thing(row)) {
                // A list that may be full leaves out whom it likes.
                _ if is_of_acknowledged
                    && lookup.by == LookupBy::Key
                    && full_at.is_some_and(|full_at| lookup.digests.len() >= full_at) => {}
                found if is_of_acknowledged => {
                    if lookup.service.is_none() {
                        sought.insert(lookup.creation);
                    }
                    let is_new = lookup.by == LookupBy::Id || !untrue.contains(&lookup.creation);
                    if found == LookupVerdict::Same || !is_new {
                        continue;
                    }
                    untrue.insert(lookup.creation);
                    match found {
                        // The contest speaks of its one port: whom an instance knows, and under which path, is its balancer's affair.
                        LookupVerdict::NotSame if lookup.service.is_some() => {}
                        LookupVerdict::Same => {}
                        LookupVerdict::NotSame => looked.lost.push(evidence()),
                        LookupVerdict::Untold if lookup.service.is_some() => {
                            looked.silent_at_one.push(evidence());
                        }
                        LookupVerdict::Untold if lookup.status == 0 => looked.silent.push(evidence()),
                        LookupVerdict::Untold => looked.broken.push(evidence()),
                    }
                }
                found => {
                    looked.refused += usize::from(found != LookupVerdict::Untold);
                    if found == LookupVerdict::Same {
                        looked.kept.push(evidence());
                    }
                }
            }
        }
        looked.sought = sought.len();
        looked.look_at_balances((plan, data, round), lookups, ended_ns);
        looked
    }

    /// Holds each account's total to what was acknowledged.
    fn look_at_balances(
        &mut self,
        (plan, data, round): (&Plan, &dyn ChallengeData, &RoundData),
        lookups: &[Lookup],
        ended_ns: u64,
    ) {
        let mut told = lookups.iter().filter(|lookup| lookup.by == LookupBy::Account).peekable();
        let asked = told.peek().map(|_| ledgers::accounts(plan, data, round)).unwrap_or_default();
        for lookup in told {
            let number = lookup.creation as usize;
            let (Some(account), Some(asked)) = (data.accounts().get(number), asked.get(number)) else {
                continue;
            };
            if asked.is_spoilt {
                continue;
            }
            (self.accounts, self.sought) = (self.accounts + 1, self.sought + 1);
            let total = lookup.digests.first().filter(|_| lookup.status == 200);
            let total = total.map(|total| total.cast_signed());
            let history = &asked.history;
            // What it began with, or told at rest before, was not lost since, and is judged by itself.
            let start = history.begun().map_or(history.start, |one| one.total);
            let was_told = total.is_some_and(|total| history.told_at_rest(total, ended_ns));
            let rest = Rest::of(start, &history.moves);
            let expected = rest.acknowledged();
            let evidence = Evidence::Balance { account: account.name.clone(), total, expected };
            let is_kept = match total {
                None => Some(false),
                Some(_) if was_told => Some(true),
                Some(total) => rest.allows(total),
            };
            match lookup.status {
                0 => self.silent.push(evidence),
                status if !Lookup::tells(status) => self.broken.push(evidence),
                _ if is_kept == Some(false) => self.unbalanced.push(evidence),
                _ => {}
            }
        }
    }

    /// Who is lost; `None` where nobody is. After a crash an error is as good as a loss, since all services say that they
    /// are ready. What was not answered at all proves nothing.
    fn loss(&self, kind: CrashKind) -> Option<(Loss, Vec<Evidence>)> {
        let broken = if kind == CrashKind::Crash { &self.broken[..] } else { &[] };
        let (lost, unreadable) = (self.lost.len() as u64, broken.len() as u64);
        if lost + unreadable > 0 {
            let loss = Loss::Lookups { sought: self.sought as u64, lost, unreadable };
            return Some((loss, self.lost.iter().chain(broken).take(EVIDENCE_MAX).cloned().collect()));
        }
        let wrong = self.unbalanced.len() as u64;
        let loss = Loss::Balances { accounts: self.accounts, wrong };
        (wrong > 0).then(|| (loss, self.unbalanced.iter().take(EVIDENCE_MAX).cloned().collect()))
    }

    /// Whom no answer told of; `None` where there is nobody.
    fn untold(&self) -> Option<(AllThere, Vec<Evidence>)> {
        let there = self.all_there();
        (there.untold > 0)
            .then(|| (there, self.broken.iter().chain(&self.silent).take(EVIDENCE_MAX).cloned().collect()))
    }

    /// What is told where nobody is lost.
    fn all_there(&self) -> AllThere {
        let untold = (self.silent.len() + self.broken.len()) as u64;
        AllThere { sought: self.sought as u64, untold, accounts: self.accounts }
    }

    /// Whether more than one lookup in so many had no answer.
    fn is_silent(&self, one_in: usize) -> bool {
        self.silent.len() * one_in > self.sought
    }
}

/// What one lookup found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LookupVerdict {
    /// The very thing.
    Same,
    /// Something else, or nothing.
    NotSame,
    /// No answer tells.
    Untold,
}

fn verdict(lookup: &Lookup, thing: Option<Thing>) -> LookupVerdict {
    if !Lookup::tells(lookup.status) {
        return LookupVerdict::Untold;
    }
    // How a row is stored that should have been refused is not defined: that it is there must do.
    let known = thing.filter(|thing| thing.label != Label::Refuse || lookup.by == LookupBy::Key);
    let is_same = known.map_or(!lookup.digests.is_empty(), |thing| lookup.digests.contains(&thing.digest));
    if lookup.status == 200 && is_same { LookupVerdict::Same } else { LookupVerdict::NotSame }
}

/// What was acknowledged or refused when, and what came of asking for it later.
fn evidence(data: &dyn ChallengeData, row: Row, creation: &Operation, lookup: &Lookup) -> Evidence {
    let wanted = match lookup.by {
        LookupBy::Id => creation.id.map(Wanted::Id),
        LookupBy::Key => Some(Wanted::KeyOf(row)),
        LookupBy::Account => None,
    };
    let target = wanted
        .and_then(|wanted| data.lookup(wanted))
        .map_or_else(String::new, |(path, rest)| path.to_owned() + &rest);
    Evidence::Lookup {
        row: data.words(row),
        status: creation.status,
        answered_ns: creation.done_ns,
        target,
        service: lookup.service.clone(),
        came: match (lookup.status, lookup.by, lookup.digests.len()) {
            (0, ..) => LookedUp::Nothing,
            (200, LookupBy::Id, 1..) => LookedUp::Another,
            (200, LookupBy::Key, 1..) => LookedUp::Listed,
            (status, ..) => LookedUp::Status { status },
        },
    }
}

fn crash_findings(
    round: &RoundData,
    crash: &CrashRecord,
    account: &Account,
    looked: &Looked,
) -> Vec<Finding> {
    let at_ns = since_start_ns(round, crash.killed_at_ns);
    if let Some(reason) = &crash.not_up {
        return vec![Finding::new(NotUpAfterCrash { at_ns, why: NotUp::not_started(reason) })];
    }
    let mut findings = Vec::new();
    if looked.is_silent(SILENT_AFTER_CRASH)
        && let Some((untold, evidence)) = looked.untold()
    {
        let why = NotUp::Silent(untold);
        findings.push(Finding::new(NotUpAfterCrash { at_ns, why }).shown_by(evidence));
    }
    let by_count = || Some((Loss::Count(count_below(round.record.count_at_rest(), account)?), Vec::new()));
    if let Some((loss, evidence)) = looked.loss(CrashKind::Crash).or_else(by_count) {
        findings.push(Finding::new(LostAfterCrash { at_ns, loss }).shown_by(evidence));
    }
    if !looked.kept.is_empty() {
        let (refused, there) = (looked.refused as u64, looked.kept.len() as u64);
        let evidence = looked.kept.iter().take(EVIDENCE_MAX).cloned();
        findings.push(Finding::new(RefusedAfterCrash { at_ns, refused, there }).shown_by(evidence));
    }
    findings.extend(by_volumes(&findings, crash.volumes_bytes, crash.traced, account));
    if findings.iter().all(|found| found.weight == Weight::Note) {
        let fact = Crash { at_ns, there: looked.all_there(), up_ns: up_after_ns(crash) };
        findings.push(Finding::new(fact));
    }
    findings
}

/// Whether what was found again after all services had ended came from elsewhere than their volumes: nobody stood there, and they had not
/// grown by what no store can do without. Where they had, its files may only not be readable, which is told.
fn by_volumes(
    others: &[Finding],
    [before, after]: [u64; 2],
    traced: Option<[u32; 2]>,
    account: &Account,
) -> Option<Finding> {
    let [found, sought] = traced?;
    if !others.is_empty() || found > 0 || sought < SOUGHT_MIN {
        return None;
    }
    let (acknowledged, grown_bytes) = (account.created + account.probes, after.saturating_sub(before));
    let elsewhere = Finding::new(NotInItsVolumes { acknowledged, sought, grown_bytes });
    let is_too_little = grown_bytes < acknowledged * BYTES_INCOMPRESSIBLE;
    Some(if is_too_little { elsewhere } else { elsewhere.noted() })
}

/// From the start of the load.
fn since_start_ns(round: &RoundData, at_ns: Option<u64>) -> u64 {
    at_ns.map_or(0, |at| at.saturating_sub(round.record.load.started_ns))
}

/// From the restart until all were ready.
fn up_after_ns(crash: &CrashRecord) -> Option<u64> {
    Some(crash.ready_at_ns?.saturating_sub(crash.restarted_at_ns?))
}

/// A count below what was acknowledged, whichever of its numbers it means.
fn count_below(reading: Option<&CountReading>, account: &Account) -> Option<CountDifference> {
    let most = reading?.numbers().into_iter().max()?;
    count_difference(most, 0, account).filter(|difference| difference.lost() > 0)
}

/// A count at rest above all that could have been stored.
fn count_above(round: &RoundData, account: &Account) -> Option<CountDifference> {
    let before = round.record.count_before.as_ref().and_then(|reading| reading.value).unwrap_or(0);
    let counted = round.record.count_at_rest()?.value?;
    (counted > account.created + account.probes + account.unknown)
        .then(|| count_difference(counted, before, account))?
}
