//! The report of `galo load`: its JSON, its schema, its summary.

use galo_judge::Capacity;
use galo_judge::assertion::{Assertions, Figures};
use galo_judge::capacity::Limit;
use galo_record::load::{EngineRecord, Priority, StepRecord};
use galo_record::{Latencies, Ledger, StepLatencies};
use galo_report::Look;
use galo_report::load::{Example, HighestRate, LoadReport, RateStep, Trial, UrlOutcome, load_schema};
use galo_words::{Both, Lang};
use serde_json::Value;

const LOOK: Look = Look { width: 80, colour: false };
const SECOND: u64 = 1_000_000_000;

fn step(ok: u64) -> StepRecord {
    StepRecord {
        ledger: Ledger { intended: ok + 6, ok, wrong: 1, failed: 2, timed_out: 3, unfinished: 0 },
        statuses: [(200, ok), (503, 1)].into(),
        errors: [("connection refused".to_owned(), 2)].into(),
    }
}

/// `ok` right answers from 100 us on, a microsecond apart, and six others of 5 s.
fn latencies(ok: u64) -> StepLatencies {
    let mut latencies = StepLatencies::default();
    for n in 0..ok {
        latencies.ok.record_ns(100_000 + n * 1_000);
        latencies.ok_service.record_ns(80_000 + n * 500);
    }
    (0..6).for_each(|_| latencies.not_ok.record_ns(5 * SECOND));
    latencies
}

fn engine() -> EngineRecord {
    let mut connects = Latencies::new();
    (1..=64).for_each(|n| connects.record_ns(n * 10_000));
    EngineRecord {
        threads: 2,
        lag_us_p50: 31.4,
        lag_us_p99: 88.8,
        lag_us_p99_9: 140.0,
        lag_us_max: 2_210.0,
        cpu_ns: 71_000_000,
        connections: 65,
        sent_bytes: 1_500_000,
        received_bytes: 9_000_000,
        own_errors: [("no free local port".to_owned(), 4)].into(),
        priority: Priority::Nice(-5),
        thread_cpu_ns: vec![40_000_000, 31_000_000],
        run_queue_ns: vec![1_250_000, 0],
        backend: "io_uring".to_owned(),
        retries: 1,
        waited: 12_000,
        retransmitted_segments: 3,
        connects: connects.to_sparse(),
        quota: None,
    }
}

pub(crate) fn report() -> LoadReport {
    let mut report =
        LoadReport::new("http://127.0.0.1:1/x", 2 * SECOND, &step(10_000), &latencies(10_000), &engine());
    report.asked_per_s = Some(5_003.0);
    report
}

fn small() -> LoadReport {
    let step = StepRecord {
        ledger: Ledger { intended: 3, ok: 3, ..Ledger::default() },
        statuses: [(200, 3)].into(),
        ..StepRecord::default()
    };
    let mut latencies = StepLatencies::default();
    (1..=3).for_each(|ms| latencies.ok.record_ns(ms * 1_000_000));
    latencies.ok_service = latencies.ok.clone();
    LoadReport::new("http://127.0.0.1:1/", SECOND / 2, &step, &latencies, &EngineRecord::default())
}

fn rate_step(asked_per_s: f64) -> RateStep {
    RateStep::new(asked_per_s, 2 * SECOND, &step(2_000).ledger, &latencies(2_000))
}

/// The summary in a terminal.
fn told(report: &LoadReport, look: Look) -> String {
    report.document(&crate::header(&["galo", "load"])).terminal(look, Lang::En)
}

#[test]
fn the_report_of_a_load_holds_all_of_it() {
    insta::assert_snapshot!(report().to_json());
}

#[test]
fn the_published_schema_is_that_of_the_loads_report() {
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/load-v1.json");
    let text = std::fs::read_to_string(published).unwrap_or_default();
    assert!(
        text == load_schema(),
        "docs/schema/load-v1.json is stale\nhint: galo schema load > docs/schema/load-v1.json"
    );
}

#[test]
fn every_key_of_the_report_is_in_the_schema() {
    let schema: Value = serde_json::from_str(&load_schema()).unwrap();
    let report: Value = serde_json::from_str(&report().to_json()).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&report), keys(&schema["properties"]));
    assert_eq!(keys(&report["latency"]), keys(&schema["$defs"]["Percentiles"]["properties"]));
    assert_eq!(keys(&report["engine"]), keys(&schema["$defs"]["LoadEngine"]["properties"]));
}

#[test]
fn a_load_is_summed_up_at_once() {
    insta::assert_snapshot!(told(&report(), LOOK));
}

#[test]
fn a_load_is_told_in_portuguese_and_as_markdown_too() {
    let mut report = searched();
    report.interrupted = true;
    let document = report.document(&crate::header(&["galo", "load"]));
    insta::assert_snapshot!("load in portuguese", document.terminal(LOOK, Lang::Pt));
    insta::assert_snapshot!("load as markdown", document.markdown(Lang::En));
}

#[test]
fn a_load_without_trouble_tells_of_none() {
    insta::assert_snapshot!(told(&small(), LOOK));
}

#[test]
fn a_void_load_says_so_before_everything_else() {
    let mut report = report();
    report.void = vec![
        Both::same("galo itself was late: p99 of its lag is 12.0 ms, more than 1.0 ms"),
        Both::same("the machine ran out of local ports"),
    ];
    let text = told(&report, LOOK);
    assert!(text.starts_with("VOID: galo itself was late"), "{text}");
    report.forced = true;
    let colour = Look { colour: true, ..LOOK };
    let top: Vec<_> = told(&report, colour).lines().take(4).map(str::to_owned).collect();
    insta::assert_snapshot!(top.join("\n").replace('\u{1b}', "ESC"));
}

#[test]
fn latencies_of_which_no_answer_was_right_meet_nothing_and_of_which_few_were_are_told_as_such() {
    let of = |ok: u64, failed: u64| {
        let ledger = Ledger { intended: ok + failed, ok, failed, ..Ledger::default() };
        let step = StepRecord { ledger, ..StepRecord::default() };
        let mut latencies = latencies(ok);
        (0..failed).for_each(|_| latencies.not_ok.record_ns(90_000));
        let mut report = LoadReport::new("http://a/", SECOND, &step, &latencies, &EngineRecord::default());
        let figures = Figures::of(SECOND, &ledger, &latencies, &EngineRecord::default());
        let asserted: Assertions = "p50<5ms,p99.99<9s,errors<100%".parse().unwrap();
        report.assert(&figures, &[asserted]);
        report
    };
    let lines = |report: &LoadReport, lang| {
        let document = report.document(&crate::header(&["galo", "load"]));
        let told = document.terminal(Look { width: 120, colour: false }, lang);
        told.lines().skip(1).take(3).map(|line| line.to_owned() + "\n").collect::<String>()
    };
    let [none, few] = [of(0, 1_000), of(523, 477)];
    insta::assert_snapshot!([&none, &few].map(|report| [Lang::En, Lang::Pt].map(|lang| lines(report, lang)).concat()).join("\n"), @r"
p50 < 5 ms: 90.05 us, not met; not one answer was right
p99.99 < 9 s: 5.004 s (the slowest of 1,006), not met; not one answer was right
errors < 100 %: 100 %, not met
p50 < 5 ms: 90,05 us, NÃO cumprido; nenhuma resposta foi correta
p99,99 < 9 s: 5,004 s (a mais lenta de 1.006), NÃO cumprido; nenhuma resposta foi correta
errors < 100 %: 100 %, NÃO cumprido

p50 < 5 ms: 125.1 us, met; only 52.3 % of the requests were answered rightly
p99.99 < 9 s: 5.004 s (the slowest of 1,006), met; only 52.3 % of the requests were answered rightly
errors < 100 %: 47.7 %, met
p50 < 5 ms: 125,1 us, cumprido; só 52,3 % das requisições foram respondidas corretamente
p99,99 < 9 s: 5,004 s (a mais lenta de 1.006), cumprido; só 52,3 % das requisições foram respondidas corretamente
errors < 100 %: 47,7 %, cumprido
");
    let json: Value = serde_json::from_str(&few.to_json()).unwrap();
    assert_eq!(json["assertions"][0]["right"], serde_json::json!({ "answers": 523, "requests": 1_000 }));
    assert_eq!(
        (&json["assertions"][0]["met"], &json["assertions"][2]["right"]),
        (&Value::Bool(true), &Value::Null)
    );
    let document = few.document(&crate::header(&["galo", "load"]));
    let said = "only 52.3 % of the requests were answered rightly";
    assert!(document.markdown(Lang::En).contains(said));
    assert!(document.html(galo_report::Language::English).unwrap().contains(said));
}

#[test]
fn several_addresses_are_added_up_and_told_apart() {
    let (one, two) = (step(1_000), step(3_000));
    let (fast, slow) = (latencies(1_000), latencies(3_000));
    let long = format!("http://[::1]:8080/{}", "a-long-path/".repeat(6));
    let outcomes = [
        UrlOutcome { url: "http://127.0.0.1:1/one", step: &one, latencies: &fast },
        UrlOutcome { url: &long, step: &two, latencies: &slow },
    ];
    let report = LoadReport::of([2 * SECOND; 2], &outcomes, &engine());
    assert_eq!((report.ledger.ok, report.latency.count, report.statuses[&200]), (4_000, 4_012, 4_000));
    assert_eq!(report.urls.iter().map(|url| url.ledger.ok).sum::<u64>(), report.ledger.ok);
    insta::assert_snapshot!(told(&report, LOOK));
}

#[test]
fn steps_of_the_rate_are_a_table() {
    let mut report = report();
    report.steps_of_rate = [1_000.0, 2_000.0, 12_500.0].map(rate_step).to_vec();
    insta::assert_snapshot!(told(&report, LOOK));
}

/// A search for the highest rate.
pub(crate) fn searched() -> LoadReport {
    let mut report = report();
    let criterion: Assertions = "p99<10ms,errors<0.1%".parse().unwrap();
    let trial = |rate, met| Trial { step: rate_step(rate), length_s: 3.0, hold: false, met, valid: true };
    let capacity = Capacity::Highest {
        rate_milli: 12_500_000,
        low_milli: 12_400_000,
        high_milli: Some(12_800_000),
        held: true,
        limit: Limit::Criterion,
        trials: 3,
    };
    let trials = vec![
        trial(10_000.0, true),
        trial(20_000.0, false),
        Trial { valid: false, ..trial(15_000.0, true) },
        Trial { hold: true, ..trial(12_500.0, true) },
    ];
    report.highest_rate = Some(HighestRate::of(&capacity, criterion.to_string(), trials));
    let figures = Figures::of(2 * SECOND, &step(10_000).ledger, &latencies(10_000), &engine());
    report.assertions = criterion.evaluate(&figures).into_iter().map(Into::into).collect();
    report
}

#[test]
fn the_highest_rate_comes_with_its_interval_and_the_rates_tried() {
    let mut report = searched();
    insta::assert_snapshot!(told(&report, LOOK));
    report.highest_rate.as_mut().unwrap().held = false;
    assert!(told(&report, LOOK).contains("NOT held"));
}

#[test]
fn a_search_that_found_no_rate_or_no_end_says_why() {
    let sentence = |capacity: &Capacity| {
        let mut report = report();
        report.highest_rate = Some(HighestRate::of(capacity, "p99 < 10 ms".to_owned(), Vec::new()));
        let text = told(&report, LOOK).replace("\n  ", " ");
        text.lines().find(|line| line.contains("p99 < 10 ms")).unwrap().to_owned()
    };
    let galo = Limit::Client { rate_milli: 90_000_000 };
    insta::assert_snapshot!(sentence(&Capacity::Nothing { lowest_milli: 1000, limit: Limit::Criterion, trials: 9 }), @"no rate that was tried met p99 < 10 ms");
    let highest = |limit| Capacity::Highest {
        rate_milli: 80_000_000,
        low_milli: 79_000_000,
        high_milli: None,
        held: true,
        limit,
        trials: 9,
    };
    insta::assert_snapshot!(sentence(&highest(galo)), @"highest rate: 80,000/s (79,000/s or more) under p99 < 10 ms; held; galo itself did not keep up with 90,000/s, the server might");
    insta::assert_snapshot!(sentence(&highest(Limit::Asked)), @"highest rate: 80,000/s (79,000/s or more) under p99 < 10 ms; held; nothing higher was to be tried");
}

#[test]
fn an_end_before_its_time_notes_and_wrong_answers_are_told() {
    let mut report = report();
    report.interrupted = true;
    report.stopped_by = Some(503);
    report.notes = vec![Both::same("galo was busy 97 % of the time")];
    report.examples = vec![
        Example {
            rule: Some("body-differs".to_owned()),
            difference: "/a is 1, expected 2".to_owned(),
            request: "GET /x HTTP/1.1\n\nbody".to_owned(),
            answer: "HTTP/1.1 200 OK".to_owned(),
        },
        Example {
            rule: None,
            difference: "connection refused".to_owned(),
            request: "GET /y HTTP/1.1".to_owned(),
            answer: String::new(),
        },
    ];
    let text = told(&report, LOOK);
    let told: Vec<_> = text
        .lines()
        .filter(|line| {
            ["broken", "ended", "note", "  "].iter().any(|start| line.starts_with(start))
                || line.contains("wrong (")
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @"
    broken off: the figures are of what was done until then
    ended by an answer with status 503
    note: galo was busy 97 % of the time
    must: wrong (body-differs)
      GET /x HTTP/1.1  body
      /a is 1, expected 2
    ");
}

#[test]
fn no_line_passes_the_width_and_no_address_steers_the_terminal() {
    let mut report = report();
    report.url = format!("http://127.0.0.1/\u{1b}[2J{}", "x".repeat(200));
    report.void = vec![Both::same("v".repeat(300))];
    report.errors = [("e".repeat(100), u64::MAX), ("tls\u{202e}".to_owned(), 1)].into();
    report.latency.max = 3.6e9;
    report.steps_of_rate = vec![rate_step(1_000_000.0)];
    let text = told(&report, LOOK);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn a_load_that_took_no_time_or_had_nothing_to_do_has_no_rate() {
    let report = LoadReport::new(
        "http://127.0.0.1:1/",
        0,
        &StepRecord::default(),
        &Default::default(),
        &Default::default(),
    );
    assert_eq!((report.ok_per_s, report.engine.cpu_us_per_operation), (0.0, None));
    assert!(told(&report, LOOK).starts_with("0.0/s right for 0.0 s; no request fell due\n"));
    assert_eq!(LoadReport::of([0; 2], &[], &EngineRecord::default()).url, "");
}
