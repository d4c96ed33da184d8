//! Requests as those who know Gatling read them.

use galo_record::load::StepRecord;
use galo_record::{Ledger, StepLatencies};
use galo_report::load::UrlOutcome;
use galo_report::{Look, RequestsReport};
use insta::assert_snapshot;

use crate::runs::{decided, stale, stale_rounds};
use crate::synthetic::{fair, folder};

const PLAIN: Look = Look { width: 80, colour: false };

#[test]
fn a_fight_has_a_block_for_each_contender_over_the_rounds_of_its_figures() {
    let folder = folder(&["rust-sqlite", "queued"], &stale_rounds());
    let told = RequestsReport::of_run(&folder.run, &stale().report).unwrap();
    assert_eq!(told.len(), 2);
    for (requests, contender) in told.iter().zip(&stale().report.contenders) {
        let counted = contender.summary.valid + contender.summary.disqualified;
        let of_rounds = |n: u64| n * counted as u64;
        let round = &stale().report.rounds.iter().rfind(|r| r.contender == contender.name).unwrap();
        assert_eq!(requests.all.all.times.count, of_rounds(round.judgement.ledger.intended));
        assert_eq!(requests.all.ok.times.count, of_rounds(round.judgement.ledger.ok));
        let classes: u64 = requests.all.classes.iter().map(|class| class.count).sum();
        assert_eq!(classes, requests.all.ok.times.count);
    }
    assert_eq!(told[1].title, "queued, 2 rounds added up; disqualified: never ranked");
    let text = told[0].terminal(PLAIN);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert_snapshot!(text);
}

#[test]
fn one_round_is_told_with_the_latencies_of_its_report() {
    let folder = folder(&["rust-sqlite", "go-postgres"], &fair(6, 1.6));
    let told = RequestsReport::of_run(&folder.run, &decided().report).unwrap();
    let p99s = decided().report.rounds.iter().filter(|r| r.contender == "rust-sqlite").map(|r| r.latency.p99);
    let (low, high) = p99s.fold((f64::MAX, 0.0_f64), |(low, high), p99| (low.min(p99), high.max(p99)));
    assert!((low..=high).contains(&told[0].all.all.times.p99));
}

#[test]
fn a_load_tells_its_addresses_and_every_kind_of_failure() {
    let step = StepRecord {
        ledger: Ledger { intended: 1_006, ok: 1_000, wrong: 1, failed: 2, timed_out: 2, unfinished: 1 },
        statuses: [(200, 1_000), (404, 1)].into(),
        errors: [("connection refused".to_owned(), 2), ("no answer within 10 s".to_owned(), 2)].into(),
    };
    let mut latencies = StepLatencies::default();
    (0..1_000).for_each(|n| latencies.ok.record_ns(1_000_000 + n * 1_500_000));
    (0..6).for_each(|_| latencies.not_ok.record_ns(10_000_000_000));
    let outcome = |url| UrlOutcome { url, step: &step, latencies: &latencies };
    let told =
        RequestsReport::of_load(10_000_000_000, &[outcome("http://a/\u{202e}one"), outcome("http://b/two")]);
    let sum: u64 = told.errors.iter().map(|error| error.count).sum();
    assert_eq!(sum, told.all.ko.times.count);
    let text = told.terminal(PLAIN);
    assert!(text.lines().all(|line| line.chars().count() <= 80) && !text.contains('\u{202e}'), "{text}");
    assert_snapshot!(text);
}
