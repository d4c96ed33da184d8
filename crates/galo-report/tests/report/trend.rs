//! Runs of the past, made of a duel that was driven and of fights, and the forms of tools that keep a history of their own.

use galo_judge::json::pretty;
use galo_judge::judged::Judged;
use galo_judge::trend::{JudgedTrend, LeftOut, PastRun, WhyLeftOut};
use galo_report::{Export, Language, Look};
use galo_words::Lang;
use insta::assert_snapshot;
use serde_json::{Map, Value};

use crate::{duel, runs};

const PLAIN: Look = Look { width: 80, colour: false };

/// A duel of a commit on a day, on so many cores.
fn of_day(day: u32, commit: &str, cores: u32) -> PastRun {
    let mut header = crate::header(&["galo", "duel", "--git", "main", "--git", "HEAD"]);
    header.started = format!("2026-01-{day:02}T03:04:05Z");
    (header.machine.cores, header.machine.memory_bytes) = (cores, 8 << 30);
    let mut duel = duel::seen().judged();
    duel.sides[0].commit = Some("0123456789abcdef".to_owned());
    duel.sides[1].commit = Some(commit.repeat(4));
    PastRun {
        folder: format!("day-{day}"),
        header,
        setting: Vec::new(),
        sent_sha256: Some("d1ce".repeat(16)),
        judged: Judged::Duel(Box::new(duel)),
    }
}

/// Four runs of a duel, the third on another machine, and all that may be left out.
fn four() -> JudgedTrend {
    let mut last = of_day(9, "cafe", 2);
    last.header.galo = "0.2.0".to_owned();
    let out = |folder: &str, why| LeftOut { folder: folder.to_owned(), why };
    let damaged = "`torn/plan.json` is damaged: EOF while parsing\nhint: copy it again".to_owned();
    let left_out = vec![
        out("torn", WhyLeftOut::Unreadable(damaged)),
        out("now", WhyLeftOut::Unfinished),
        out("limit-1", WhyLeftOut::ComparesNone),
        out("limit-2", WhyLeftOut::ComparesNone),
        out("notes", WhyLeftOut::NoRun),
    ];
    let runs = vec![of_day(2, "feed", 2), of_day(3, "beef", 2), of_day(4, "beef", 64), last];
    JudgedTrend::from_runs(runs, left_out)
}

/// Fights of two, and of three.
fn fights() -> JudgedTrend {
    let past = |number: u32, told: &runs::ToldFight| {
        let mut header = told.report.header.clone();
        header.started = format!("2026-01-02T0{number}:00:00Z");
        let judged = Judged::Fight(Box::new(told.report.clone()));
        PastRun { folder: number.to_string(), header, setting: Vec::new(), sent_sha256: None, judged }
    };
    let all = [runs::decided(), runs::three(), runs::decided(), runs::alone(), runs::stale()];
    JudgedTrend::from_runs((1..).zip(all).map(|(number, told)| past(number, told)).collect(), Vec::new())
}

fn terminal(trend: &JudgedTrend, lang: Lang) -> String {
    let text = galo_report::trend(trend).terminal(PLAIN, lang);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    text
}

#[test]
fn each_machine_has_a_table_of_its_own_and_what_changed_stands_beside() {
    let trend = four();
    assert_snapshot!(terminal(&trend, Lang::En));
    assert_snapshot!("trend in Portuguese", terminal(&trend, Lang::Pt));
    assert_snapshot!("markdown of a trend", galo_report::trend(&trend).markdown(Lang::En));
    assert_snapshot!("json of a trend", pretty(&trend));
}

#[test]
fn a_fight_of_three_has_a_line_for_each_by_the_one_that_all_are_compared_with() {
    assert_snapshot!(terminal(&fights(), Lang::En));
}

#[test]
fn a_run_of_other_requests_is_in_another_table_and_the_change_is_named() {
    let edited = PastRun { sent_sha256: Some("beef".repeat(16)), ..of_day(3, "feed", 2) };
    let trend = JudgedTrend::from_runs(vec![of_day(2, "feed", 2), edited], Vec::new());
    let [en, pt] = [Lang::En, Lang::Pt].map(|lang| galo_report::trend(&trend).markdown(lang));
    for (told, word) in [(en, "requests"), (pt, "requisições")] {
        assert!(told.contains(&format!("; {word} d1ced1ce")), "{told}");
        assert!(told.contains(&format!("; {word} beefbeef")), "{told}");
        let change = ["2", word, &"d1ce".repeat(16), &"beef".repeat(16)].join(" | ");
        assert!(told.contains(&change), "{told}");
    }
}

#[test]
fn a_page_draws_each_line_by_itself_with_intervals() {
    let page = galo_report::trend(&four()).html(Language::English).unwrap();
    // On the second machine there is one run alone, which makes no line.
    let drawings: Vec<&str> = page.split("<svg class=\"curve\"").skip(1).collect();
    let figures = four().pairs[0].points[0].figures.len();
    assert_eq!(drawings.len(), figures);
    for drawing in drawings {
        let drawing = drawing.split("</svg>").next().unwrap();
        let marks = drawing.matches("<circle").count() + drawing.matches("class=\"missed\"").count();
        assert_eq!((marks, drawing.matches("class=\"one\"").count()), (3, 1), "{drawing}");
        assert_eq!(drawing.matches("class=\"range\"").count(), 3, "{drawing}");
        assert!(!drawing.contains("NaN") && !drawing.contains("inf"), "{drawing}");
    }
}

#[test]
fn nothing_at_all_is_told_as_that() {
    let trend = JudgedTrend::from_runs(Vec::new(), Vec::new());
    assert!(terminal(&trend, Lang::En).starts_with("no run here has a ratio\n"));
    assert!(galo_report::trend(&trend).html(Language::English).is_ok());
    assert_eq!(Export::Bencher.text(&trend), None);
    assert_eq!(Export::SmallerIsBetter.text(&trend), None);
}

/// The schema of Bencher Metric Format, as https://bencher.dev/docs/reference/bencher-metric-format has it.
const BENCHER: &str = r#"{
  "$id": "https://bencher.dev/bmf.json",
  "$schema": "http://json-schema.org/draft-07/schema",
  "type": "object",
  "patternProperties": {
    ".+": {
      "type": "object",
      "patternProperties": {
        ".+": {
          "type": "object",
          "properties": {
            "value": { "type": "number" },
            "lower_value": { "type": "number" },
            "upper_value": { "type": "number" }
          },
          "required": ["value"]
        }
      }
    }
  }
}"#;

/// `BenchmarkResult` of github-action-benchmark's `src/extract.ts` as a schema; its custom tools take an array of these, and refuse
/// an empty one.
const ACTION: &str = r#"{
  "type": "object",
  "properties": {
    "name": { "type": "string" },
    "value": { "type": "number" },
    "range": { "type": "string" },
    "unit": { "type": "string" },
    "extra": { "type": "string" }
  },
  "required": ["name", "value", "unit"]
}"#;

/// Holds a value against what these two schemas use of JSON Schema; a key that they do not name is wrong.
fn hold_against(schema: &Value, value: &Value) {
    let fits = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("number") => value.is_number(),
        Some("string") => value.is_string(),
        _ => false,
    };
    assert!(fits, "{value} against {schema}");
    let none = Map::new();
    for (name, inner) in value.as_object().unwrap_or(&none) {
        let any = schema["patternProperties"].get(".+").filter(|_| !name.is_empty());
        let own = schema["properties"].get(name).or(any);
        hold_against(own.unwrap_or_else(|| panic!("`{name}` is in no schema")), inner);
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{value} lacks {name}");
    }
}

#[test]
fn what_is_exported_for_bencher_is_its_metric_format() {
    for trend in [four(), fights()] {
        let text = Export::Bencher.text(&trend).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        hold_against(&serde_json::from_str(BENCHER).unwrap(), &value);
        for (benchmark, measures) in value.as_object().unwrap() {
            // Its bounds for names of benchmarks and slugs of measures.
            assert!(benchmark.len() <= 1024);
            assert!(measures.as_object().unwrap().keys().all(|slug| slug.len() <= 64), "{measures}");
        }
    }
    assert_snapshot!(Export::Bencher.text(&four()).unwrap());
}

#[test]
fn what_is_exported_for_the_action_is_better_one_way_in_each_file() {
    let entries = |form: Export, trend: &JudgedTrend| {
        let text = form.text(trend).unwrap();
        let Value::Array(entries) = serde_json::from_str(&text).unwrap() else { panic!("{text}") };
        entries.iter().for_each(|entry| hold_against(&serde_json::from_str(ACTION).unwrap(), entry));
        let names: Vec<String> =
            entries.iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect();
        let mut apart = names.clone();
        apart.sort();
        apart.dedup();
        assert_eq!(apart.len(), names.len(), "{names:?}");
        names
    };
    for trend in [four(), fights()] {
        let [smaller, bigger] =
            [Export::SmallerIsBetter, Export::BiggerIsBetter].map(|form| entries(form, &trend));
        let ratios: usize = trend.pairs.iter().map(|pair| pair.points.last().unwrap().figures.len()).sum();
        assert_eq!(smaller.len() + bigger.len(), ratios, "each is in one of them");
    }
    assert_eq!(entries(Export::BiggerIsBetter, &four()), ["new / old: GET /, highest: answers_per_s"]);
    assert_snapshot!("for github-action-benchmark", Export::SmallerIsBetter.text(&four()).unwrap());
}
