//! The report of `galo load`: its JSON, its schema, its summary.

use std::path::Path;

use galo_judge::Capacity;
use galo_judge::capacity::Limit;
use galo_judge::findings::{GaloCouldNotSend, GaloLate, VoidReason};
use galo_judge::json::pretty;
use galo_judge::load::{
    AskedLoad, Example, HighestRate, JudgedLoad, LoadSetting, Measured, PartName, RateStep, StoppedAt,
    Subject, Trial, judge_load,
};
use galo_plan::Knob;
use galo_record::gatling::GatlingLog;
use galo_record::load::{EngineRecord, Priority, StepRecord};
use galo_record::{Latencies, Ledger, LoadRecord, StepLatencies};
use galo_report::{Document, Look};
use galo_words::Lang;
use proptest::prelude::*;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

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

/// A load of these addresses by this engine, which took so long.
fn load_of(
    urls: &[&str],
    steps: &[(StepRecord, StepLatencies)],
    elapsed_ns: u64,
    engine: EngineRecord,
    assertions: &[&str],
) -> JudgedLoad {
    let urls: Vec<String> = urls.iter().map(|url| (*url).to_owned()).collect();
    let subject = Subject {
        url: urls[0].clone(),
        parts: PartName::addresses(&urls),
        spins: true,
        assertions: assertions.iter().map(|text| text.parse().unwrap()).collect(),
    };
    let (steps, latencies) = steps.iter().cloned().unzip();
    let load = LoadRecord { ended_ns: elapsed_ns, steps, engine, ..LoadRecord::default() };
    let measured = Measured::new(load, latencies, Vec::new(), None);
    JudgedLoad { void: Vec::new(), ..judge_load(&subject, AskedLoad::default(), &measured).judged }
}

/// The same without galo's part.
pub(crate) fn of(urls: &[&str], steps: &[(StepRecord, StepLatencies)], elapsed_ns: u64) -> JudgedLoad {
    load_of(urls, steps, elapsed_ns, EngineRecord::default(), &[])
}

fn asserted(assertions: &[&str]) -> JudgedLoad {
    let steps = [(step(10_000), latencies(10_000))];
    let load = load_of(&["http://127.0.0.1:1/x"], &steps, 2 * SECOND, engine(), assertions);
    JudgedLoad { asked_per_s: Some(5_003.0), ..load }
}

pub(crate) fn load() -> JudgedLoad {
    asserted(&[])
}

fn small() -> JudgedLoad {
    let step = StepRecord {
        ledger: Ledger { intended: 3, ok: 3, ..Ledger::default() },
        statuses: [(200, 3)].into(),
        ..StepRecord::default()
    };
    let mut latencies = StepLatencies::default();
    (1..=3).for_each(|ms| latencies.ok.record_ns(ms * 1_000_000));
    latencies.ok_service = latencies.ok.clone();
    of(&["http://127.0.0.1:1/"], &[(step, latencies)], SECOND / 2)
}

fn rate_step(asked_per_s: f64) -> RateStep {
    let ledger = step(2_000).ledger;
    RateStep {
        asked_per_s,
        ok_per_s: 1_000.0,
        ledger,
        latency: latencies(2_000).all().percentiles(),
        void: Vec::new(),
        busy_share: None,
    }
}

fn late() -> VoidReason {
    GaloLate { percentile: 99, lag_us: 12_000.0, bound_us: 1_000.0 }.into()
}

/// A load that galo drove, as it is told.
pub(crate) fn document_of(load: &JudgedLoad) -> Document {
    galo_report::load(&JudgedLoad { header: Some(crate::header(&["galo", "load"])), ..load.clone() })
}

/// The summary in a terminal.
fn told(load: &JudgedLoad, look: Look) -> String {
    document_of(load).terminal(look, Lang::En)
}

#[test]
fn the_report_of_a_load_holds_all_of_it() {
    insta::assert_snapshot!(pretty(&load()));
}

#[test]
fn every_key_of_a_load_is_in_the_schema() {
    let schema = serde_json::to_value(schemars::schema_for!(JudgedLoad)).unwrap();
    let driven = JudgedLoad { header: Some(crate::header(&[])), ..load() };
    let told = serde_json::to_value(driven).unwrap();
    let keys = |value: &Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&told), keys(&schema["properties"]));
    assert_eq!(keys(&told["latency"]), keys(&schema["$defs"]["Percentiles"]["properties"]));
    assert_eq!(keys(&told["parts"][0]), keys(&schema["$defs"]["Part"]["properties"]));
    let known = keys(&schema["$defs"]["EngineRecord"]["properties"]);
    assert!(keys(&told["engine"]).iter().all(|key| known.contains(key)));
}

#[test]
fn a_load_is_summed_up_at_once() {
    insta::assert_snapshot!(told(&load(), LOOK));
}

#[test]
fn a_load_is_told_in_portuguese_and_as_markdown_too() {
    let load = JudgedLoad { interrupted: true, ..searched() };
    let document = document_of(&load);
    insta::assert_snapshot!("load in portuguese", document.terminal(LOOK, Lang::Pt));
    insta::assert_snapshot!("load as markdown", document.markdown(Lang::En));
}

#[test]
fn a_load_without_trouble_tells_of_none() {
    insta::assert_snapshot!(told(&small(), LOOK));
}

#[test]
fn a_void_load_says_so_before_everything_else() {
    let operations = [("no free local port".to_owned(), 4)].into();
    let mut load = JudgedLoad { void: vec![late(), GaloCouldNotSend { operations }.into()], ..load() };
    let text = told(&load, LOOK);
    assert!(text.starts_with("VOID: galo itself was late"), "{text}");
    load.forced = true;
    let colour = Look { colour: true, ..LOOK };
    let top: Vec<_> = told(&load, colour).lines().take(6).map(str::to_owned).collect();
    insta::assert_snapshot!(top.join("\n").replace('\u{1b}', "ESC"));
}

#[test]
fn a_void_step_of_the_rate_is_told_with_its_rate() {
    let step = RateStep { void: vec![late()], busy_share: Some(0.97), ..rate_step(2_000.0) };
    let load = JudgedLoad {
        void: vec![late()],
        steps_of_rate: vec![rate_step(1_000.5), step],
        is_open: true,
        ..load()
    };
    let text = told(&load, Look { width: 200, ..LOOK });
    let lines = text.lines().filter(|line| line.starts_with("VOID") || line.starts_with("note"));
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @"
    VOID: at 2000/s galo itself was late: p99 of its lag is 12.0 ms, over 1 ms; give it a core of its own, more threads (--threads) or a lower rate
    note: at 2000/s galo's threads were busy 97 % of the time: a higher rate needs more of them (--threads)
    ");
}

#[test]
fn latencies_of_which_no_answer_was_right_meet_nothing_and_of_which_few_were_are_told_as_such() {
    let of = |ok: u64, failed: u64| {
        let ledger = Ledger { intended: ok + failed, ok, failed, ..Ledger::default() };
        let step = StepRecord { ledger, ..StepRecord::default() };
        let mut latencies = latencies(ok);
        (0..failed).for_each(|_| latencies.not_ok.record_ns(90_000));
        let assertions = ["p50<5ms,p99.99<9s,errors<100%"];
        load_of(&["http://a/"], &[(step, latencies)], SECOND, EngineRecord::default(), &assertions)
    };
    let lines = |load: &JudgedLoad, lang| {
        let document = document_of(load);
        let told = document.terminal(Look { width: 120, colour: false }, lang);
        told.lines().skip(1).take(3).map(|line| line.to_owned() + "\n").collect::<String>()
    };
    let [none, few] = [of(0, 1_000), of(523, 477)];
    insta::assert_snapshot!([&none, &few].map(|load| [Lang::En, Lang::Pt].map(|lang| lines(load, lang)).concat()).join("\n"), @r"
p50 < 5 ms: 90.05 us, not met; not one answer was right
p99.99 < 9 s: 5.004 s (the slowest of 1,006), not met; not one answer was right
errors < 100 %: 100 %, not met
p50 < 5 ms: 90,05 us, NÃO cumprido; nenhuma resposta foi correta
p99.99 < 9 s: 5,004 s (a mais lenta de 1.006), NÃO cumprido; nenhuma resposta foi correta
errors < 100 %: 100 %, NÃO cumprido

p50 < 5 ms: 125.1 us, met; only 52.3 % of the requests were answered rightly
p99.99 < 9 s: 5.004 s (the slowest of 1,006), met; only 52.3 % of the requests were answered rightly
errors < 100 %: 47.7 %, met
p50 < 5 ms: 125,1 us, cumprido; só 52,3 % das requisições foram respondidas corretamente
p99.99 < 9 s: 5,004 s (a mais lenta de 1.006), cumprido; só 52,3 % das requisições foram respondidas corretamente
errors < 100 %: 47,7 %, cumprido
");
    let json = serde_json::to_value(&few).unwrap();
    assert_eq!(json["assertions"][0]["right"], serde_json::json!({ "answers": 523, "requests": 1_000 }));
    assert_eq!(
        (&json["assertions"][0]["met"], &json["assertions"][2]["right"]),
        (&Value::Bool(true), &Value::Null)
    );
    let document = document_of(&few);
    let said = "only 52.3 % of the requests were answered rightly";
    assert!(document.markdown(Lang::En).contains(said));
    assert!(document.html(galo_report::Language::English).unwrap().contains(said));
}

#[test]
fn several_addresses_are_added_up_and_told_apart() {
    let steps = [1_000, 3_000].map(|ok| (step(ok), latencies(ok)));
    let long = format!("http://[::1]:8080/{}", "a-long-path/".repeat(6));
    let load = load_of(&["http://127.0.0.1:1/one", &long], &steps, 2 * SECOND, engine(), &[]);
    assert_eq!(
        (load.answered.ledger.ok, load.answered.latency.count, load.statuses[&200]),
        (4_000, 4_012, 4_000)
    );
    assert_eq!(load.parts.iter().map(|part| part.answered.ledger.ok).sum::<u64>(), 4_000);
    insta::assert_snapshot!(told(&load, LOOK));
}

#[test]
fn steps_of_the_rate_are_a_table() {
    let steps_of_rate = [1_000.0, 2_000.0, 12_500.0].map(rate_step).to_vec();
    insta::assert_snapshot!(told(&JudgedLoad { steps_of_rate, ..load() }, LOOK));
}

/// A search for the highest rate.
pub(crate) fn searched() -> JudgedLoad {
    let trial = |rate, met| Trial { step: rate_step(rate), length_s: 3.0, hold: false, met };
    let capacity = Capacity::Highest {
        rate_milli: 12_500_000,
        low_milli: 12_400_000,
        high_milli: Some(12_800_000),
        held: true,
        limit: Limit::Criterion,
        trials: 3,
    };
    let mut spoiled = trial(15_000.0, true);
    spoiled.step.void = vec![late()];
    let trials = vec![
        trial(10_000.0, true),
        trial(20_000.0, false),
        spoiled,
        Trial { hold: true, ..trial(12_500.0, true) },
    ];
    let criterion = "p99 < 10 ms, errors < 0.1 %";
    let highest = HighestRate { capacity, criterion: criterion.to_owned(), trials, stopped_at: None };
    JudgedLoad { highest_rate: Some(highest), ..asserted(&["p99<10ms,errors<0.1%"]) }
}

/// The same with another end.
fn found(found: Capacity) -> JudgedLoad {
    let mut load = searched();
    if let Some(highest) = &mut load.highest_rate {
        highest.capacity = found;
    }
    load
}

fn highest(held: bool, limit: Limit) -> Capacity {
    let (rate_milli, low_milli) = (80_000_000, 79_000_000);
    Capacity::Highest { rate_milli, low_milli, high_milli: None, held, limit, trials: 9 }
}

#[test]
fn the_highest_rate_comes_with_its_interval_and_the_rates_tried() {
    insta::assert_snapshot!(told(&searched(), LOOK));
    let wide = Look { width: 200, ..LOOK };
    assert!(told(&found(highest(false, Limit::Asked)), wide).contains("NOT held"));
}

#[test]
fn a_search_that_found_no_rate_or_no_end_says_why() {
    let sentence = |capacity: Capacity| {
        let mut load = JudgedLoad { assertions: Vec::new(), ..found(capacity) };
        if let Some(highest) = &mut load.highest_rate {
            (highest.criterion, highest.trials) = ("p99 < 10 ms".to_owned(), Vec::new());
        }
        let text = told(&load, LOOK).replace("\n  ", " ");
        text.lines().find(|line| line.contains("p99 < 10 ms")).unwrap().to_owned()
    };
    let galo = Limit::Client { rate_milli: 90_000_000 };
    insta::assert_snapshot!(sentence(Capacity::Nothing { lowest_milli: 1000, limit: Limit::Criterion, trials: 9 }), @"no rate that was tried met p99 < 10 ms");
    insta::assert_snapshot!(sentence(highest(true, galo)), @"highest rate: 80,000/s (79,000/s or more) under p99 < 10 ms; held; galo itself did not keep up with 90,000/s, the server might");
    insta::assert_snapshot!(sentence(highest(true, Limit::Asked)), @"highest rate: 80,000/s (79,000/s or more) under p99 < 10 ms; held; nothing higher was to be tried");
}

#[test]
fn a_search_says_that_galo_ran_into_a_limit() {
    let mut load = searched();
    if let Some(highest) = &mut load.highest_rate {
        let ran_out_of = "no free local port".to_owned();
        highest.stopped_at = Some(StoppedAt { rate_milli: 20_000_000, ran_out_of });
    }
    let text = told(&load, Look { width: 200, ..LOOK });
    let note = text.lines().find(|line| line.starts_with("note")).unwrap();
    insta::assert_snapshot!(note, @"note: nothing above 20000/s was tried: galo ran into a limit there (no free local port)");
}

#[test]
fn an_end_before_its_time_notes_and_wrong_answers_are_told() {
    let mut load = load();
    load.interrupted = true;
    load.stopped_by = Some(503);
    load.busy_share = Some(0.97);
    load.examples = vec![
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
    let text = told(&load, LOOK);
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
    note: galo's threads were busy 97 % of the time: the rate may be galo's own
      limit, not the server's (--threads gives more of them)
    must: wrong (body-differs)
      GET /x HTTP/1.1  body
      /a is 1, expected 2
    ");
}

#[test]
fn no_line_passes_the_width_and_no_address_steers_the_terminal() {
    let mut load = load();
    load.url = format!("http://127.0.0.1/\u{1b}[2J{}", "x".repeat(200));
    let operations = [("v\u{202e}".repeat(300), 1)].into();
    load.void = vec![GaloCouldNotSend { operations }.into()];
    load.errors = [("e".repeat(100), u64::MAX), ("tls\u{202e}".to_owned(), 1)].into();
    load.answered.latency.max = 3.6e9;
    load.steps_of_rate = vec![rate_step(1_000_000.0)];
    let text = told(&load, LOOK);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn a_load_that_took_no_time_or_had_nothing_to_do_has_no_rate() {
    let load = of(&["http://127.0.0.1:1/"], &[(StepRecord::default(), StepLatencies::default())], 0);
    assert_eq!(load.ok_per_s, 0.0);
    let text = told(&load, LOOK);
    assert!(text.starts_with("0.0/s right for 0.0 s; no request fell due\n"), "{text}");
    assert!(!text.contains("an operation"), "{text}");
    assert!(!text.contains("0.000"), "no latency was seen: {text}");
}

/// A load at two rates, of which one gave nothing.
pub(crate) fn at_settings() -> JudgedLoad {
    let told = |asked_per_s, latency| LoadSetting {
        values: vec![format!("{asked_per_s}")],
        loads: 3,
        asked_per_s: Some(asked_per_s),
        ok_per_s: asked_per_s,
        ok_per_s_range: [asked_per_s; 2],
        ledger: Ledger::default(),
        latency,
        void: Vec::new(),
        busy_share: None,
    };
    JudgedLoad {
        knobs: vec![Knob::parse("rate=1000,2000").unwrap()],
        settings: vec![
            told(1_000.0, latencies(2_000).all().percentiles()),
            told(2_000.0, Latencies::new().percentiles()),
        ],
        ..load()
    }
}

#[test]
fn a_setting_without_any_latency_has_none_in_its_table_and_none_in_the_verdict() {
    let mut load = at_settings();
    let text = told(&load, LOOK);
    assert!(text.starts_with("p99 2.09 ms to 2.09 ms over 2 settings\n"), "{text}");
    let (_, p99) = text.split_once("\np99 ").unwrap();
    assert!(p99.contains(" -\n"), "{text}");
    load.settings.remove(0);
    load.settings[0].ok_per_s = 0.0;
    let text = told(&load, LOOK);
    assert!(text.starts_with("no right answer at any of 1 setting\n"), "{text}");
}

#[test]
fn a_step_and_a_part_without_any_latency_have_none() {
    let nothing = || Latencies::new().percentiles();
    let steps_of_rate = vec![RateStep { latency: nothing(), ..rate_step(1_000.0) }];
    let mut load = JudgedLoad { steps_of_rate, ..load() };
    load.parts = vec![load.parts[0].clone(), load.parts[0].clone()];
    load.parts.iter_mut().for_each(|part| part.answered.latency = nothing());
    let text = told(&load, LOOK);
    let (_, tables) = text.split_once("asked/s").unwrap();
    assert!(!tables.split("galo itself").next().unwrap().contains("0.000"), "{tables}");
}

#[test]
fn kinds_of_failures_without_end_are_cut_after_the_most_frequent() {
    let errors = (1..=25).map(|n| (format!("failure {n:02}"), n)).collect();
    let text = told(&JudgedLoad { errors, ..load() }, Look { width: 500, ..LOOK });
    let line = text.lines().find(|line| line.starts_with("failures: ")).unwrap();
    assert!(line.starts_with("failures: failure 25: 25, failure 24: 24, "), "{line}");
    assert!(line.ends_with("failure 06: 6 and 5 other kinds"), "{line}");
}

fn log(text: &str) -> JudgedLoad {
    JudgedLoad::of_log(GatlingLog::parse(Path::new("simulation.log"), text.as_bytes()).unwrap())
}

pub(crate) fn log_of_3_10() -> JudgedLoad {
    log(include_str!("../../../galo-record/tests/gatling/simulation-3.10.log"))
}

#[test]
fn names_and_messages_without_end_are_told_as_too_many() {
    let run = "RUN\ta.Simulation\tsimulation\t1700000000000\t \t3.9.5\n".to_owned();
    let lines = (0..3_000).map(|n| format!("REQUEST\t\tname {n}\t1000\t1010\tKO\tmessage {n}\n"));
    let load = log(&lines.fold(run, |text, line| text + &line));
    let told = galo_report::load(&load).terminal(LOOK, Lang::En).replace("\n  ", " ");
    assert!(told.contains("a name beyond the first 256"), "{told}");
    assert!(told.contains("a message beyond the first 1,000"), "{told}");
}

fn log_line() -> impl Strategy<Value = String> {
    prop_oneof![
        "REQUEST\t[a-z,]{0,5}\t[a-z\t ]{1,8}\t[0-9]{1,20}\t[0-9]{1,20}\t(OK|KO|NO)\t[ -~]{0,5}\n",
        "(USER|GROUP|ERROR|RUN|[A-Z]{1,8})(\t[a-z0-9OK]{0,4}){0,7}\n",
        "[^\n]{0,20}\n",
    ]
}

proptest! {
    #[test]
    fn no_line_of_a_log_makes_a_line_too_wide(lines in proptest::collection::vec(log_line(), 0..30)) {
        let text = format!("RUN\ta.Simulation\tsimulation\t1700000000000\t \t3.9.5\n{}", lines.concat());
        let told = galo_report::load(&log(&text)).terminal(LOOK, Lang::En);
        prop_assert!(told.lines().all(|line| line.width() <= 80), "{}", told);
    }
}

#[test]
fn a_log_of_gatlings_is_told_as_a_load() {
    let [of_3_9, of_3_10] =
        [log(include_str!("../../../galo-record/tests/gatling/simulation-3.9.log")), log_of_3_10()];
    insta::assert_snapshot!("log of 3.9", galo_report::load(&of_3_9).terminal(LOOK, Lang::En));
    insta::assert_snapshot!("log of 3.10", galo_report::load(&of_3_10).terminal(LOOK, Lang::En));
    insta::assert_snapshot!(
        "log of 3.10 in portuguese",
        galo_report::load(&of_3_10).terminal(LOOK, Lang::Pt)
    );
    insta::assert_snapshot!("log of 3.9 as markdown", galo_report::load(&of_3_9).markdown(Lang::En));
}

#[test]
fn everything_odd_in_a_log_is_told_with_its_line() {
    let text = "RUN\ta.B\tb\t1700000000000\twhat\t4.0.0\n\
         USER\ts\tSTART\t1\n\
         REQUEST\t\tback in time\t1020\t1015\tOK\t \n\
         RUN\tb.Simulation\tother\t1700000000000\t \t3.9.5\n\
         SESSION\twhat\n\
         SESSION\tagain\n\
         REQUEST\t\t\"quotes\" <b>\u{202e}\t1000\t1010\tKO\tstatus \u{1b}[31m\n\
         REQUEST\t\tcut\t1000\t10";
    let load = log(text);
    for lang in [Lang::En, Lang::Pt] {
        let told = galo_report::load(&load).terminal(LOOK, lang);
        assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
        assert!(!told.contains(['\u{1b}', '\u{202e}']));
        let head: Vec<_> = told.lines().take_while(|line| !line.is_empty()).collect();
        insta::assert_snapshot!(format!("odd log {lang:?}"), head.join("\n"));
    }
    let unknown = galo_report::load(&log("USER\ts\tSTART\t1\n")).terminal(LOOK, Lang::En);
    assert!(unknown.contains("by a version of Gatling that it does not tell"), "{unknown}");
}
