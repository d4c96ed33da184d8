//! Requests as those who know Gatling read them.

use galo_record::load::StepRecord;
use galo_record::{Ledger, StepLatencies};
use galo_report::{Look, Requests};
use insta::assert_snapshot;

use crate::runs::{decided, stale, stale_rounds};
use crate::synthetic::{fair, folder};

const PLAIN: Look = Look { width: 80, colour: false };

#[test]
fn a_fight_has_a_block_for_each_contender_over_the_rounds_of_its_figures() {
    let folder = folder(&["rust-sqlite", "queued"], &stale_rounds());
    let told = Requests::of_run(&folder.run, &stale().report).unwrap();
    assert_eq!(told.len(), 2);
    for (requests, contender) in told.iter().zip(&stale().report.contenders) {
        let counted = contender.summary.valid + contender.summary.disqualified;
        let of_rounds = |n: u64| n * counted as u64;
        let round = &stale().report.rounds.iter().rfind(|r| r.contender == contender.name).unwrap();
        assert_eq!(requests.all.latency.count, of_rounds(round.judgement.ledger.intended));
        assert_eq!(requests.all.latency_ok.count, of_rounds(round.judgement.ledger.ok));
        let classes: u64 = requests.all.classes.iter().map(|class| class.count).sum();
        assert_eq!(classes, requests.all.latency_ok.count);
    }
    assert_eq!(told[1].title, "queued, 2 rounds added up; disqualified: never ranked");
    let text = told[0].terminal(PLAIN);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert_snapshot!(text);
}

#[test]
fn one_round_is_told_with_the_latencies_of_its_report() {
    let folder = folder(&["rust-sqlite", "go-postgres"], &fair(6, 1.6));
    let told = Requests::of_run(&folder.run, &decided().report).unwrap();
    let p99s = decided().report.rounds.iter().filter(|r| r.contender == "rust-sqlite").map(|r| r.latency.p99);
    let (low, high) = p99s.fold((f64::MAX, 0.0_f64), |(low, high), p99| (low.min(p99), high.max(p99)));
    assert!((low..=high).contains(&told[0].all.latency.p99));
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
    let urls = ["http://a/\u{202e}one", "http://b/two"];
    let judged =
        crate::load::of(&urls, &[(step.clone(), latencies.clone()), (step, latencies)], 10_000_000_000);
    let told = Requests::of_load(&judged);
    let sum: u64 = told.errors.iter().map(|(_, count)| count).sum();
    assert_eq!(sum, told.all.latency_not_ok.count);
    let text = told.terminal(PLAIN);
    assert!(text.lines().all(|line| line.chars().count() <= 80) && !text.contains('\u{202e}'), "{text}");
    assert_snapshot!(text);
}

#[test]
fn a_log_of_gatlings_is_told_in_its_own_style_too() {
    let judged = crate::load::log_of_3_10();
    let told = Requests::of_load(&judged);
    let messages: Vec<_> = told.errors.iter().map(|(message, _)| message.as_str()).collect();
    assert_eq!(messages.len(), 2, "with the errors outside of requests: {messages:?}");
    let text = told.terminal(PLAIN);
    let head: Vec<_> = text.lines().skip(1).take(7).collect();
    assert_snapshot!(head.join("\n"), @"
    shop.CheckoutSimulation
    times in ms: Gatling's own, by its clock, in whole ms, from when it began to
      send (connecting included) to the end of the answer; what should have begun
      earlier does not show
    ---- Global Information --------------------------------------------------------
    > request count                                         12 (OK=11     KO=1     )
    > min response time                                   8.00 (OK=8.00   KO=42.0  )
    ");
}
