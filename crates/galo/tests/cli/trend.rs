//! Reports over the runs of the past. Nothing is started.

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::report::{create, duel, duel_plan, report};

/// Two duels on one machine and one on another, one of which lies deeper; one that is torn, one that is not over, and what is no run.
fn past() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    duel(root, "a", 2);
    duel(&root.join("deeper"), "b", 64);
    duel(root, "c", 2);
    let torn = duel(root, "torn", 2).join("plan.json");
    fs::write(&torn, &fs::read_to_string(&torn).unwrap()[..40]).unwrap();
    create(&root.join("now"), 2, &duel_plan());
    fs::create_dir_all(root.join("notes/of/mine")).unwrap();
    fs::write(root.join("todo.txt"), "").unwrap();
    std::os::unix::fs::symlink(root.join("a"), root.join("latest")).unwrap();
    for seeds in ["a.seeds", "deeper/b.seeds", "c.seeds", "torn.seeds", "now.seeds"] {
        let _ = fs::remove_dir_all(root.join(seeds));
    }
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn runs_below_a_folder_are_told_in_each_form_and_what_is_left_out_is_named() {
    let folder = past();
    let root = text(folder.path());
    let told = report(&folder, &["--history", root]).expect(0);
    // Where lines break in what is unreadable depends on the folder's own name.
    let (tables, _) =
        told.stdout.split_once("\n\nLeft out\nunreadable: torn\n`DIR/torn/plan.json` is damaged: ").unwrap();
    assert_snapshot!(tables);
    assert!(told.stdout.contains("\nunfinished: now\nwithout a run: notes\n"), "{}", told.stdout);
    assert_eq!(told.stderr, "");
    let json = report(&folder, &["--history", root, "--json", "-"]).expect(0).json();
    let folders: Vec<_> = json["runs"].as_array().unwrap().iter().map(|run| &run["folder"]).collect();
    assert_eq!(folders, ["a", "c", "deeper/b"], "started at one time, so by name");
    let lines: Vec<_> =
        json["pairs"][0]["points"].as_array().unwrap().iter().map(|point| &point["line"]).collect();
    assert_eq!(lines, [0, 0, 1]);
    let left_out: Vec<_> = json["left_out"].as_array().unwrap().iter().map(|out| &out["folder"]).collect();
    assert_eq!(left_out, ["torn", "now", "notes"]);
    let markdown = report(&folder, &["--history", root, "--markdown", "-"]).expect(0).stdout;
    assert!(markdown.starts_with("### 3 runs of 1 pair on 2026-01-02\n"), "{markdown}");
    let page = folder.path().join("page");
    report(&folder, &["--history", root, "--lang", "pt", "--out", text(&page)]).expect(0);
    assert!(fs::read_to_string(page.join("report.html")).unwrap().contains("3 execuções de 1 par"));
}

#[test]
fn a_run_that_sent_something_else_is_on_another_line_and_one_that_does_not_tell_is_on_the_first() {
    let folder = tempfile::tempdir().unwrap();
    for (name, sent) in [("a", None), ("b", Some("one")), ("c", Some("other"))] {
        let path = duel(folder.path(), name, 2).join("plan.json");
        let mut plan: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        // Plans of older galos have no such key.
        let plan_of = plan.as_object_mut().unwrap();
        assert_eq!(plan_of.remove("sent_sha256"), Some(Value::Null));
        plan_of.extend(sent.map(|sent| ("sent_sha256".to_owned(), sent.into())));
        fs::write(&path, plan.to_string()).unwrap();
    }
    let json = report(&folder, &["--history", text(folder.path()), "--json", "-"]).expect(0).json();
    let points = json["pairs"][0]["points"].as_array().unwrap();
    let told: Vec<_> = points.iter().map(|point| (&point["line"], &point["changed"])).collect();
    let [same, changed] = [json!([]), json!(["requests"])];
    assert_eq!(told, [(&json!(0), &same), (&json!(0), &same), (&json!(1), &changed)]);
}

#[test]
fn what_is_exported_takes_the_place_of_the_summary() {
    let folder = past();
    let [root, run] = [folder.path().to_owned(), folder.path().join("a")];
    let bencher = report(&folder, &[text(&run), "--export", "bencher"]).expect(0);
    let metric = &bencher.json()["new / old: GET /, half"]["latency-us-p99-ratio"];
    assert!(metric["value"].is_f64() && metric["upper_value"].is_f64(), "{metric}");
    assert_eq!(bencher.stderr, "");
    let smaller =
        report(&folder, &["--history", text(&root), "--export", "benchmark-action"]).expect(0).json();
    assert_eq!(smaller[0]["unit"], "ratio");
    let both = [text(&run), text(&root.join("c")), "--export", "benchmark-action-bigger"].map(str::to_owned);
    let both = report(&folder, &both.each_ref().map(String::as_str)).expect(0);
    assert_eq!(both.json().as_array().unwrap().len(), 1);
    assert_snapshot!(both.stderr, @"1 older run of a pair is left out: the form holds only the newest");
}

#[test]
fn what_has_no_ratio_is_not_exported_silently() {
    let folder = past();
    let told = |arguments: &[&str], code| report(&folder, arguments).expect(code).stderr.trim().to_owned();
    let [now, torn, notes] = ["now", "torn", "notes"].map(|name| folder.path().join(name));
    assert_snapshot!(told(&[text(&now), "--export", "bencher"], 2));
    let torn = told(&[text(&torn), "--export", "bencher"], 5);
    assert!(torn.starts_with("error: `DIR/torn/plan.json` is damaged: "), "{torn}");
    assert_snapshot!(told(&["--history", text(&notes), "--export", "bencher"], 2));
    assert_snapshot!(told(&["--history", text(&now)], 2));
    assert_snapshot!(told(&["--history", "/nowhere"], 2));
}
