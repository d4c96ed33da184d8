//! `galo load` as its users meet it: what is sent, how much of it, and what is held against the answers.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::servers::{Recorder, json, null_url};
use crate::support::{Ended, galo, run};

/// Loads lightly. `--force`, since what else runs on the machine of a test may make a run void.
pub(crate) fn load(arguments: &[&str]) -> Ended {
    let mut all = vec!["load", "--force", "--quiet", "--json", "-"];
    all.extend(arguments);
    run(&mut galo(&all))
}

fn report(arguments: &[&str]) -> Value {
    load(arguments).expect(0).json()
}

fn ok(_: usize) -> String {
    json(200, r#"{"a":{"b":3},"name":"Ana"}"#)
}

#[test]
fn a_closed_loop_sends_exactly_as_many_requests_as_asked() {
    let report = report(&[&null_url(), "-n", "1000", "-c", "8"]);
    assert_eq!((&report["ledger"]["intended"], &report["ledger"]["ok"]), (&1000.into(), &1000.into()));
    assert_eq!(report["statuses"]["200"], 1000);
    assert_eq!(report["asked_per_s"], Value::Null);
    assert!(report["engine"]["connections"].as_u64() <= Some(8), "{}", report["engine"]);
}

#[test]
fn a_closed_loop_ends_when_its_time_is_over() {
    let report = report(&[&null_url(), "-d", "1s", "-c", "4", "-t", "2"]);
    assert!(report["elapsed_s"].as_f64() >= Some(0.9), "{report}");
    assert!(report["ledger"]["ok"].as_u64() > Some(100), "{report}");
    assert_eq!(report["engine"]["threads"], 2);
}

#[test]
fn a_rate_is_so_many_requests_whatever_the_server_does() {
    let url = null_url();
    let at_a_rate = report(&[&url, "--rate", "500", "-d", "2s"]);
    assert_eq!((&at_a_rate["ledger"]["intended"], &at_a_rate["asked_per_s"]), (&1000.into(), &500.0.into()));
    let so_many = report(&[&url, "--rate", "0.7k", "-n", "350"]);
    assert_eq!(so_many["ledger"]["ok"], 350);
    let phases = report(&[&url, "--inject", "ramp 100/s to 300/s over 1s", "--inject", "100/s for 1s"]);
    assert_eq!(phases["ledger"]["intended"], 300);
    for backend in ["epoll", "auto"] {
        let spinning = report(&[&url, "--rate", "100", "-d", "500ms", "--spin", "--backend", backend]);
        assert_eq!(spinning["ledger"]["ok"], 50);
    }
}

#[test]
fn a_rate_is_over_the_time_that_was_asked_for() {
    let url = null_url();
    let one = report(&[&url, "--rate", "0.2", "-n", "1", "--assert", "rate<=0.2"]);
    assert_eq!((&one["ok_per_s"], &one["rate_over_s"]), (&0.2.into(), &5.0.into()), "{one}");
    assert!(one["elapsed_s"].as_f64() < Some(4.0), "nobody waits for what does not come: {one}");
    let short = report(&[&url, "--rate", "2", "-d", "1100ms"]);
    assert_eq!((&short["ledger"]["ok"], &short["rate_over_s"]), (&3.into(), &1.1.into()), "{short}");
    let stepped = report(&[&url, "--rate", "1", "--rate-step", "1", "--rate-max", "2", "--step", "1s"]);
    let steps: Vec<&Value> =
        stepped["steps_of_rate"].as_array().unwrap().iter().map(|step| &step["ok_per_s"]).collect();
    assert_eq!(steps, [&Value::from(1.0), &Value::from(2.0)], "{stepped}");
    assert_eq!(stepped["ok_per_s"], 1.5);
}

#[test]
fn a_load_at_each_setting_is_told_by_setting_and_all_are_summed_up() {
    let url = null_url();
    let words = ["--sweep", "connections=1,4", "--sweep", "rate=100,200", "-d", "500ms", "--rounds", "2"];
    let swept = report(&[&[url.as_str()], &words[..]].concat());
    let settings = swept["settings"].as_array().unwrap();
    let of = |key: &str| settings.iter().map(|setting| setting[key].clone()).collect::<Vec<Value>>();
    let values =
        [["1", "100"], ["1", "200"], ["4", "100"], ["4", "200"]].map(|values| Value::from(values.to_vec()));
    assert_eq!(of("values"), values);
    assert_eq!(of("loads"), [2, 2, 2, 2]);
    assert_eq!(of("asked_per_s"), [100, 200, 100, 200].map(|rate| Value::from(f64::from(rate))));
    let right: Vec<&Value> = settings.iter().map(|setting| &setting["ledger"]["ok"]).collect();
    assert_eq!(right, [100, 200, 100, 200]);
    assert_eq!(swept["ledger"]["ok"], 600);
    let loop_of = report(&[&url, "-n", "100", "--sweep", "connections=2,3", "--rounds", "1"]);
    assert_eq!(loop_of["settings"][1]["ledger"]["ok"], 100, "{loop_of}");
    let told = load(&[&url, "--sweep", "connections=1,2", "--max-under", "p99<1s"]).expect(2).stderr;
    assert!(told.contains("--max-under"), "{told}");
    // A bound would be held against all settings together.
    let told = load(&[&url, "--sweep", "connections=1,2", "--assert", "p99<1s"]).expect(2).stderr;
    assert!(told.contains("--assert"), "{told}");
}

#[test]
fn no_latency_is_met_where_no_answer_was_right() {
    let (_recorder, address) = Recorder::start(|_| json(503, "{}"));
    let url = format!("http://{address}/");
    let bounds = ["p99<9s", "p97.5<9s", "mean<9s", "service.p50<9s"];
    let asserted = bounds.iter().flat_map(|bound| ["--assert", bound]);
    let ended =
        load(&["-n", "20", "-c", "1", &url].into_iter().chain(asserted).collect::<Vec<_>>()).expect(1);
    let told = ended.json();
    for assertion in told["assertions"].as_array().unwrap() {
        assert_eq!((&assertion["met"], &assertion["right"]["answers"]), (&Value::Bool(false), &0.into()));
    }
    let text = run(&mut galo(&["load", "--force", "-n", "20", &url, "--assert", "p99<9s"])).expect(1).stdout;
    assert!(text.contains("not met; not one answer was right"), "{text}");
}

#[test]
fn several_addresses_are_asked_in_turn_and_told_apart() {
    let (recorder, address) = Recorder::start(ok);
    let [one, two] = ["/one", "/two?x=y"].map(|path| format!("http://{address}{path}"));
    let report = report(&[&one, &two, "-n", "101", "-c", "3"]);
    let asked = recorder.asked();
    let count = |line| asked.iter().filter(|asked| asked.line == line).count();
    assert_eq!((count("GET /one"), count("GET /two?x=y")), (51, 50));
    let urls: Vec<_> = report["parts"].as_array().unwrap().iter().map(|part| &part["ledger"]["ok"]).collect();
    assert_eq!(urls, [51, 50]);
    assert_eq!(report["ledger"]["ok"], 101);
}

#[test]
fn requests_are_filled_in_from_rows_and_by_their_number() {
    let folder = tempfile::tempdir().unwrap();
    let rows = folder.path().join("people.csv");
    std::fs::write(&rows, "name,city\nAna,São Paulo\nBia,\"Rio, RJ\"\n").unwrap();
    let (recorder, address) = Recorder::start(|_| json(201, "{}"));
    let url = format!("http://{address}/people?city={{city}}");
    let body = r#"{{"n":{seq},"name":"{name}"}}"#;
    let arguments = [&url, "-n", "4", "-c", "1", "--data", body, "--feed", rows.to_str().unwrap()];
    let more = ["-H", "X-Name: {name}", "--header-any", "X-Any: a|b", "--status", "201", "--seed", "7"];
    let report = report(&[&arguments[..], &more[..]].concat());
    assert_eq!(report["ledger"]["ok"], 4, "{report}");
    let asked = recorder.asked();
    let told: Vec<_> = asked.iter().map(|asked| (asked.line.as_str(), asked.body.as_str())).collect();
    let ana = "POST /people?city=S%C3%A3o%20Paulo";
    let bia = "POST /people?city=Rio%2C%20RJ";
    let expected = [
        (ana, r#"{"n":0,"name":"Ana"}"#),
        (bia, r#"{"n":1,"name":"Bia"}"#),
        (ana, r#"{"n":2,"name":"Ana"}"#),
        (bia, r#"{"n":3,"name":"Bia"}"#),
    ];
    assert_eq!(told, expected);
    assert!(asked.iter().all(|asked| matches!(asked.header("X-Any"), Some("a" | "b"))), "{asked:?}");
    assert_eq!(asked[1].header("x-name"), Some("Bia"));
    assert_eq!(asked[0].header("Host"), Some(address.to_string().as_str()));
}

#[test]
fn the_method_and_a_body_of_bytes_are_sent_as_asked() {
    let (recorder, address) = Recorder::start(ok);
    report(&[&format!("http://{address}/"), "-n", "1", "-X", "PUT", "--data", "base64:YWJj"]);
    let asked = &recorder.asked()[0];
    assert_eq!((asked.line.as_str(), asked.body.as_str()), ("PUT /", "abc"));
}

#[test]
fn an_answer_that_is_not_what_it_should_be_is_wrong_and_shown() {
    let (_, address) = Recorder::start(ok);
    let url = format!("http://{address}/");
    let expect = |more: &[&str]| {
        let report = report(&[&[url.as_str(), "-n", "10", "-c", "2"], more].concat());
        (report["ledger"]["ok"].as_u64().unwrap(), report["examples"].clone())
    };
    let right =
        ["--expect-json", "/a/b = 3", "--expect-body", "Ana", "--expect-header", "content-type ~ json"];
    assert_eq!(expect(&right), (10, Value::Array(Vec::new())));
    for (option, value, rule, difference) in [
        ("--expect-json", "/a/b = 4", "body-differs", "/a/b is 3, expected 4"),
        ("--expect-body", "Bia", "body-lacks-text", "the body does not hold `Bia`"),
        ("--expect-header", "Content-Type = text/plain", "header-differs", "`Content-Type`"),
        ("--status", "404", "unexpected-status", "status 200, expected 404"),
    ] {
        let (ok, examples) = expect(&[option, value]);
        assert_eq!((ok, &examples[0]["rule"]), (0, &rule.into()), "{option}: {examples}");
        assert!(examples[0]["difference"].as_str().unwrap().contains(difference), "{examples}");
    }
}

#[test]
fn an_assertion_that_does_not_hold_is_exit_code_1() {
    let url = null_url();
    let base = [url.as_str(), "-n", "100", "-c", "2"];
    let all = |more: &[&str]| load(&[&base[..], more].concat());
    let met = all(&["--assert", "p99<10s,errors==0", "--assert", "ok==100"]).expect(0).json();
    let outcomes: Vec<_> = met["assertions"].as_array().unwrap().iter().map(|o| o["met"].clone()).collect();
    assert_eq!(outcomes, [true, true, true]);
    let not_met = all(&["--assert", "errors==0", "--assert", "ok>100"]).expect(1).json();
    assert_eq!(not_met["assertions"][1]["actual"], 100.0);
    assert_eq!(not_met["assertions"][1]["met"], false);
}

#[test]
fn a_status_that_was_to_end_the_load_ends_it() {
    let (recorder, address) = Recorder::start(|before| json(if before < 20 { 200 } else { 429 }, "{}"));
    let report = report(&[&format!("http://{address}/"), "-d", "60s", "-c", "1", "--stop-on", "429,5xx"]);
    assert_eq!(report["stopped_by"], 429, "{report}");
    // What was begun before the answer was read is unfinished.
    assert_eq!(report["ledger"]["ok"], 20, "{report}");
    assert!(recorder.asked().len() < 30, "{report}");
    assert_eq!(report["interrupted"], false);
}

#[test]
fn a_unix_socket_stands_for_every_address() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let recorder = Recorder::start_at(&path, ok);
    let socket = path.to_str().unwrap();
    // The name need not be known to anybody.
    let report = report(&["http://name.invalid/x", "-n", "50", "-c", "2", "--unix-socket", socket]);
    assert_eq!(report["ledger"]["ok"], 50, "{report}");
    assert_eq!(recorder.asked()[0].header("host"), Some("name.invalid"));
}

#[test]
fn each_step_of_the_rate_is_a_row() {
    let report =
        report(&[&null_url(), "--rate-step", "100", "--rate-max", "250", "--step", "1s", "--max-steps", "2"]);
    let rows = report["steps_of_rate"].as_array().unwrap();
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row["asked_per_s"].as_f64().unwrap(), row["ledger"]["ok"].as_u64().unwrap()))
        .collect();
    assert_eq!(told, [(100.0, 100), (200.0, 200), (250.0, 250), (250.0, 250)]);
    assert_eq!(report["ledger"]["ok"], 800);
}

#[test]
fn the_highest_rate_that_was_to_be_tried_is_held() {
    let criterion = ["--max-under", "p50<9s,errors==0", "--rate", "20", "--rate-max", "40", "-d", "2s"];
    let report = report(&[&[null_url().as_str()], &criterion[..]].concat());
    let (highest, capacity) = (&report["highest_rate"], &report["highest_rate"]["capacity"]);
    assert_eq!((&capacity["rate_milli"], &capacity["held"]), (&40_000.into(), &true.into()), "{highest}");
    assert_eq!((&capacity["limit"]["kind"], &capacity["high_milli"]), (&"asked".into(), &Value::Null));
    assert_eq!(highest["criterion"], "p50 < 9 s, errors == 0");
    let rates: Vec<_> =
        highest["trials"].as_array().unwrap().iter().map(|trial| &trial["asked_per_s"]).collect();
    assert_eq!((rates.first(), rates.last()), (Some(&&20.0.into()), Some(&&40.0.into())), "{highest}");
    // The report's own figures are of the hold.
    assert_eq!((&report["asked_per_s"], &report["ledger"]["ok"]), (&40.0.into(), &80.into()));
}

#[test]
fn a_criterion_that_no_rate_meets_has_no_highest_rate() {
    let criterion = ["--max-under", "errors==0", "--status", "404", "--rate", "2", "-d", "1s"];
    let report = report(&[&[null_url().as_str()], &criterion[..]].concat());
    let (highest, capacity) = (&report["highest_rate"], &report["highest_rate"]["capacity"]);
    assert_eq!(capacity["kind"], "nothing", "{highest}");
    assert_eq!(capacity["limit"]["kind"], "criterion");
    assert!(highest["trials"].as_array().unwrap().iter().all(|trial| trial["met"] == false), "{highest}");
}

#[test]
fn the_same_seed_draws_the_same_requests() {
    let draw = |seed: &str| {
        let (recorder, address) = Recorder::start(ok);
        let [one, two] = ["/a", "/b"].map(|path| format!("http://{address}{path}?{{random:1:1000000}}"));
        report(&[&one, &two, "-n", "40", "-c", "1", "--template", "--pick", "random", "--seed", seed]);
        recorder.asked().into_iter().map(|asked| asked.line).collect::<Vec<_>>()
    };
    let first = draw("1");
    assert_eq!(draw("1"), first);
    assert_ne!(draw("2"), first);
    let paths: BTreeMap<_, _> = first.iter().map(|line| (&line[..6], ())).collect();
    assert_eq!(paths.len(), 2, "{first:?}");
}
