//! Whether what was acknowledged is on a disk, and kept where it belongs: by what the kernel and the database told.
//!
//! What it proves: that no service asked the kernel to flush anything while creations were acknowledged; that a database
//! says of itself that it does not wait for the disk; that the count moved with nobody asking; that data outlived its
//! volume. What it cannot: that a flush covered a certain creation, or that a disk kept its word. Where something may
//! have written through unseen, it says nothing.

use galo_plan::{Blame, Rule};
use galo_record::finding::Weight;
use galo_record::{DatabaseSettings, Finding, RoundData};

use crate::account::Account;
use crate::rules::{EVIDENCE_MAX, as_note, by_rule, reading_text, started_by_galo};
use crate::words::counted;

/// The rules, gravest first.
pub const RULES: &[Rule] = &[
    Rule::must("nothing-flushed", "what is acknowledged under load is flushed to a disk"),
    Rule::must("commit-not-synchronous", "the database commits only when the commit is on the disk"),
    Rule::must("count-moves-unasked", "the count does not move while nobody asks for anything"),
    Rule::must("outlives-its-volume", "a start on fresh volumes begins with a count of 0"),
];

/// Acknowledged creations for each flush above which it is told that flushes are rare.
const CREATIONS_PER_FLUSH: u64 = 1000;

/// All findings of a driven round whose plan creates something.
pub(crate) fn findings(round: &RoundData, account: &Account) -> Vec<Finding> {
    let record = &round.record;
    let mut findings = Vec::new();
    findings.extend(moved_unasked(round));
    findings.extend(outlives(round));
    findings.extend(record.databases.iter().filter_map(not_synchronous));
    findings.extend(flushed(round, account.created + account.probes));
    findings
}

fn moved_unasked(round: &RoundData) -> Option<Finding> {
    let readings: Vec<_> = round.record.count_before.iter().chain(&round.record.counts_before).collect();
    let numbers: Vec<u64> = readings.iter().filter_map(|reading| reading.value).collect();
    let (least, most) = (*numbers.iter().min()?, *numbers.iter().max()?);
    (least != most).then(|| {
        let fact = format!("the count moved between {least} and {most} before the first request");
        let evidence = readings.iter().rev().take(EVIDENCE_MAX).rev().map(|r| reading_text(r)).collect();
        let hint = "be ready only when nothing is left to write or to delete";
        let moved = by_rule(RULES, "count-moves-unasked", fact, evidence, Some(hint));
        // Whether anybody else was asking is only known of what galo started itself.
        let why = "galo did not start this server, so somebody else may use it";
        if started_by_galo(round) { moved } else { as_note(moved, why) }
    })
}

fn outlives(round: &RoundData) -> Option<Finding> {
    let reading = round.record.count_renewed.as_ref()?;
    let left = reading.value.filter(|left| *left > 0)?;
    let fact = format!("started once more on fresh volumes, it counted {left} at once");
    let hint = "keep data in volumes of the Compose file only: galo gives each start fresh ones";
    Some(by_rule(RULES, "outlives-its-volume", fact, vec![reading_text(reading)], Some(hint)))
}

fn not_synchronous(database: &DatabaseSettings) -> Option<Finding> {
    let off = |name: &str| database.settings.get(name).is_some_and(|value| value == "off");
    let broken: Vec<String> = ["fsync", "synchronous_commit"]
        .into_iter()
        .filter(|name| off(name))
        .map(|name| format!("{name} = off"))
        .collect();
    (!broken.is_empty()).then(|| {
        let fact = format!(
            "the {} of `{}` does not wait for the disk: {}",
            database.system,
            database.service,
            broken.join(", ")
        );
        let settings = database.settings.iter().map(|(name, value)| format!("{name} = {value}"));
        let evidence = vec![format!("{}: {}", database.address, settings.collect::<Vec<_>>().join(", "))];
        by_rule(
            RULES,
            "commit-not-synchronous",
            fact,
            evidence,
            Some("leave these settings as they come: on"),
        )
    })
}

/// Flushes against acknowledged creations; nothing is said where they could not be counted, or may not be all.
fn flushed(round: &RoundData, acknowledged: u64) -> Option<Finding> {
    let flushes = &round.record.flushes;
    let counts = flushes.iter().map(|f| f.calls.filter(|_| f.doubt.is_none()));
    let calls: u64 = counts.sum::<Option<u64>>()?;
    if flushes.is_empty() || acknowledged == 0 {
        return None;
    }
    let fact = |rate: &str| format!("{} acknowledged, {rate} under load", counted(acknowledged, "creation"));
    if calls == 0 {
        let fact = fact("but no service flushed anything to a disk");
        let evidence =
            vec!["calls of fsync, fdatasync, msync, sync_file_range, syncfs and sync: 0".to_owned()];
        let hint = "switch fsync (SQLite: synchronous=FULL) and synchronous commit on";
        return Some(by_rule(RULES, "nothing-flushed", fact, evidence, Some(hint)));
    }
    (calls < acknowledged / CREATIONS_PER_FLUSH).then(|| Finding {
        name: "seldom-flushed".to_owned(),
        weight: Weight::Note,
        blame: Blame::Contender,
        text: fact(&format!("with only {} to a disk", counted(calls, "forced write"))),
        evidence: Vec::new(),
        hint: None,
        explains_milli: None,
    })
}

#[cfg(test)]
mod tests;
